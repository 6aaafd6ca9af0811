package library

import (
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// barrierSerial is PTHREAD_BARRIER_SERIAL_THREAD.
const barrierSerial = ^uint64(0)

// performBarrier is two steps: arrive, then leave once all have arrived.
func (s *objectCalls) performBarrier(th edit, tr *trace.Transition, o objectEdit) (scheduler.Verdict, error) {
	op := acts[th.role].op
	n := th.arg(2) & 0xffffffff
	if op == trace.OpBarrierInit && !s.cfg.Tested && (n == 0 || n > s.maxParties()) {
		s.ret(th, abi.EINVAL)
		return scheduler.Pass, nil
	}
	arg := uint64(0)
	if op == trace.OpBarrierArrive && s.core.Blends.Arrivals() && s.core.Blends.ResultDead(s.callSite(th.thread)) {
		// Whether it is the serial thread makes no difference to it.
		if arg = trace.Gathers; uint64(len(o.waiters))+1 >= o.value {
			arg |= trace.Completes
		}
	}
	s.did(th.thread, tr, op, o.object, arg)
	defer s.settle(o)
	switch op {
	case trace.OpBarrierInit:
		s.initialise(o)
		o.value = n
	case trace.OpBarrierDestroy:
		s.destroy(o)
	default:
		o.waiters = with(o.waiters, th.ID)
		th.Insns++
		th.Stand, th.phase, th.result, th.released = scheduler.StandOp, phaseLeave, 0, false
		if uint64(len(o.waiters)) >= o.value {
			// The last one is the serial thread. All go; order only. A thread
			// that has yet to leave needs the barrier no more: its memory may serve
			// something else.
			for _, w := range o.waiters {
				if s.releaseHeld(w, o.addr) {
					continue
				}
				if w != th.ID {
					tr.Wakes = append(tr.Wakes, w)
				}
				s.edit(w).released = true
			}
			o.waiters = nil
			th.result = barrierSerial
		}
		return scheduler.Stay, nil
	}
	s.ret(th, 0)
	return scheduler.Pass, nil
}

// maxParties is how many threads a barrier may be for.
func (s *objectCalls) maxParties() uint64 {
	if s.libc == elffile.Musl {
		return semMax
	}
	return semMax - 1
}

// leaveBarrier lets a thread go that all others have met.
func (s *objectCalls) leaveBarrier(th edit, tr *trace.Transition, addr uint64) (scheduler.Verdict, error) {
	s.did(th.thread, tr, trace.OpBarrierLeave, &object{addr: addr, kind: kindBarrier}, 0)
	th.phase, th.released = phaseEntry, false
	s.ret(th, th.result)
	return scheduler.Pass, nil
}
