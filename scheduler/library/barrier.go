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
func (l *objectCalls) performBarrier(th edit, tr *trace.Transition, o objectEdit) (scheduler.Verdict, error) {
	op := acts[th.role].op
	n := th.arg(2) & 0xffffffff
	if op == trace.OpBarrierInit && !l.cfg.Tested && (n == 0 || n > l.maxParties()) {
		l.ret(th, abi.EINVAL)
		return scheduler.Pass, nil
	}
	arg := uint64(0)
	if op == trace.OpBarrierArrive && l.core.Blends.Arrivals() && l.core.Blends.ResultDead(l.callSite(th.thread), 0, uint32(barrierSerial&0xffffffff)) {
		// Whether it is the serial thread makes no difference to it.
		if arg = trace.Gathers; uint64(len(o.waiters))+1 >= o.value {
			arg |= trace.Completes
		}
	}
	l.did(th.thread, tr, op, o.object, arg)
	defer l.settle(o)
	switch op {
	case trace.OpBarrierInit:
		l.initialise(o)
		o.value = n
	case trace.OpBarrierDestroy:
		l.destroy(o)
	default:
		o.waiters = with(o.waiters, th.ID)
		th.Insns++
		th.Stand, th.phase, th.result, th.released = scheduler.StandOp, phaseLeave, 0, false
		if uint64(len(o.waiters)) >= o.value {
			// The last one is the serial thread. All go; order only. A thread
			// that has yet to leave needs the barrier no more: its memory may serve
			// something else.
			for _, w := range o.waiters {
				if l.releaseHeld(w, o.addr) {
					continue
				}
				if w != th.ID {
					tr.Wakes = append(tr.Wakes, w)
				}
				l.edit(w).released = true
			}
			o.waiters = nil
			th.result = barrierSerial
		}
		return scheduler.Stay, nil
	}
	l.ret(th, 0)
	return scheduler.Pass, nil
}

// maxParties is how many threads a barrier may be for.
func (l *objectCalls) maxParties() uint64 {
	if l.libc == elffile.Musl {
		return semMax
	}
	return semMax - 1
}

// leaveBarrier lets a thread go that all others have met.
func (l *objectCalls) leaveBarrier(th edit, tr *trace.Transition, addr uint64) (scheduler.Verdict, error) {
	l.did(th.thread, tr, trace.OpBarrierLeave, &object{addr: addr, kind: kindBarrier}, 0)
	th.phase, th.released = phaseEntry, false
	l.ret(th, th.result)
	return scheduler.Pass, nil
}
