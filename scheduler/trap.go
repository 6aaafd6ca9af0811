package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/image"
	"landgo/kernel"
	"landgo/trace"
)

// atTrap decides about the trap before which a thread stopped: what nobody
// else can notice is done within the step, the rest is a step of its own. It
// reports whether the thread stands here.
func (s *System) atTrap(th *thread, tr *trace.Transition) (bool, error) {
	p := s.kernel.Plan(th.id, th.trap)
	if p.Effect == kernel.Invalid {
		return false, s.invalid(p.Gap, th, th.regs.RIP, "%s", p.Reason)
	}
	if s.isEvent(th, &p) {
		th.stand = standTrap
		return true, nil
	}
	return s.trap(th, tr, 0)
}

// isEvent reports whether a trap has to be a step of its own.
func (s *System) isEvent(th *thread, p *kernel.Plan) bool {
	switch {
	case p.Blocked || p.Outcomes > 1 || p.Op.Kind == trace.OpEnd:
		return true
	case th.trusted() || s.alone(th) && p.Op.Kind != trace.OpFutexWait:
		return false
	}
	for i := range p.Accesses {
		shared, learned := s.machine.Touch(th.id, p.Accesses[i].Addr, uint64(p.Accesses[i].Size))
		if learned {
			s.finer = true
		}
		if shared && (s.everyOperation() || s.racing[th.regs.RIP]) {
			return true
		}
	}
	if s.everyOperation() && len(s.othersIn(th, p.Pages)) > 0 {
		return true
	}
	switch {
	case s.meeting[th.regs.RIP] && s.everyOperation(): // a handler's frame
		return true
	case p.Op.Kind == trace.OpExit:
		return s.everyOperation() && s.stackEnd(th).Kind != trace.OpNone
	case p.Yield, p.Op.Kind == trace.OpCreate:
		return false // order, no race
	}
	// Without --pp mem too: a wait in the kernel can block, and a wake decides
	// who goes on.
	return p.Effect == kernel.Event
}

// othersIn lists the parts of pages that other threads touched: a thread's own
// accesses are in order with its calls.
func (s *System) othersIn(th *thread, p kernel.Pages) []emu.Range {
	if p.Size == 0 || s.alone(th) {
		return nil
	}
	return s.machine.Others(th.id, p.Addr, p.Size)
}

// stepTrap carries out the trap at which a thread stands and lets it run on.
func (s *System) stepTrap(th *thread, tr *trace.Transition, c trace.Choice) error {
	done, err := s.trap(th, tr, c)
	if err != nil || done {
		return err
	}
	return s.advance(th, tr, 0)
}

// trap carries a trap out. It reports whether the step is over.
func (s *System) trap(th *thread, tr *trace.Transition, c trace.Choice) (bool, error) {
	p := s.kernel.Plan(th.id, th.trap)
	call := th.regs.RIP
	if f := s.deadBuffer(th, tr, &p); f != nil {
		th.insns++ // the failure is a place of its own
		return true, s.fail(th, f)
	}
	if !s.calls[p.Name] {
		s.calls[p.Name] = true
	}
	journal, logged := s.machine.Journal(), s.machine.Logged()
	sp := th.regs.RSP
	s.called = journal
	out := s.kernel.Do(th.id, th.trap, c, &th.regs)
	if th.regs.RSP < sp || th.regs.RSP != sp && !out.RestoreCPU { // a signal came with its end
		frame := s.frame(th, journal, &th.regs)
		if frame.Size != 0 && !s.meeting[call] && s.everyOperation() {
			s.meeting[call], s.finer = true, true
		}
		s.framed(th, tr, frame)
	}
	if !out.Idle && (s.machine.Journal() != journal || s.machine.Logged() != logged) {
		th.effects++
	}
	th.insns++ // landgo carried an instruction out
	th.set = emu.SetAll
	if th.self == 0 { // the first thread's library has told the processor where its control block is
		th.self = th.regs.FSBase
	}
	th.stand = standRun
	if out.Invalid != "" {
		return false, s.invalid(out.Gap, th, call, "%s", out.Invalid)
	}
	if out.SetsStatus {
		s.machine.Set(&s.threadStatus, uint64(b2i(th.leaving)))
	}
	if out.RestoreCPU {
		th.ctx = out.Resume
		th.endInterrupt()
	}
	for _, op := range out.Ops {
		s.sends(th, op)
		tr.Did(op)
	}
	switch p.Op.Kind {
	case trace.OpNone, trace.OpCreate, trace.OpExit, trace.OpEnd, trace.OpYield: // recorded below, with what they do
		p.Effect = kernel.Local
	}
	if !out.Idle && p.Effect == kernel.Event && len(out.Ops) == 0 {
		op := p.Op
		op.PC = call
		tr.Did(op)
	}
	s.gotMemory(th, out.Fresh.Addr, out.Fresh.Size)
	if f := s.maps(th, call, &out); f != nil {
		return true, s.fail(th, f)
	}
	if !th.trusted() {
		for _, a := range out.Accesses {
			s.touch(th, tr, call, a.Addr, a.Size, a.Flags)
		}
		for _, r := range s.othersIn(th, out.Pages) {
			s.touch(th, tr, call, r.Lo, uint32(r.Hi-r.Lo), trace.Write)
		}
	}
	for _, w := range out.Wakes {
		s.wakeFromKernel(w)
		tr.Wakes = append(tr.Wakes, w)
	}
	if out.Spawn != nil {
		if err := s.spawn(th, out.Spawn.Child, &out.Spawn.Regs, tr, 0); err != nil {
			return false, err
		}
	}
	switch {
	case out.Signal != 0:
		th.failure = &Failure{Kind: Assertion, Thread: th.id, PC: call, Message: fmt.Sprintf("killed by signal %d", out.Signal)}
		tr.End = trace.EndBug
		return true, nil
	case out.ExitProcess:
		return true, s.exitProcess(th, tr, out.Status)
	case out.ExitThread:
		if f := s.exitMisuse(th); f != nil {
			return true, s.fail(th, f)
		}
		th.vanished = true
		s.gone(th, tr, true)
		return true, nil
	case out.Sleep:
		th.stand, th.pending = standSleep, out.Pending
		th.pending.PC = call
		return true, nil
	case p.Yield:
		return s.yield(th, tr) == stay, nil
	}
	return false, nil
}

// deadBuffer is the bug of a call whose arguments point to memory of the heap
// that is in no live block, or nil. What it found there is on record.
func (s *System) deadBuffer(th *thread, tr *trace.Transition, p *kernel.Plan) *Failure {
	if th.starting || th.alloc.on || th.quiet.on && th.quiet.role == image.Create {
		return nil
	}
	for _, a := range p.Accesses {
		if !s.machine.Dead(a.Addr, uint64(a.Size)) {
			continue // the common case, without words
		}
		does := fmt.Sprintf("%s %s", p.Name, bytesText(a.IsWrite(), uint64(a.Size)))
		if f := s.deadAccess(th, th.regs.RIP, a.Addr, uint64(a.Size), does); f != nil {
			s.touch(th, tr, th.regs.RIP, a.Addr, a.Size, a.Flags)
			return f
		}
	}
	return nil
}

// wakeFromKernel lets a thread out of a kernel queue.
func (s *System) wakeFromKernel(t trace.TID) {
	s.save(t)
	s.threads[t].stand = standRun
}

// exitProcess ends the guest.
func (s *System) exitProcess(th *thread, tr *trace.Transition, status int) error {
	th.insns++ // the end counts: schedules name it
	tr.Did(trace.Op{Kind: trace.OpEnd, PC: th.regs.RIP})
	tr.End = trace.EndProcess
	// A thread library may make the status of its last thread the task's: that
	// says nothing of failure.
	if status != 0 && s.threadStatus == 0 {
		tr.End = trace.EndBug
		th.failure = &Failure{Kind: Assertion, Thread: th.id, PC: th.regs.RIP,
			Message: fmt.Sprintf("the guest exits with status %d", status&0xff)}
	} else if f := s.leak(th); f != nil {
		tr.End, th.failure = trace.EndBug, f
	}
	return nil
}

// stepExpire lets the timed wait of a thread that sleeps in the kernel run
// out: nobody else can run. The clock moves on, after everything that was and
// before everything that comes (DESIGN §4).
func (s *System) stepExpire(th *thread, tr *trace.Transition) error {
	t, when := s.kernel.NextDeadline()
	if t != th.id {
		panic("scheduler: a sleeping thread without a deadline was stepped")
	}
	s.kernel.AdvanceTo(when)
	s.kernel.Expire(t)
	th.insns++
	tr.Did(trace.Op{Kind: trace.OpAdvance, PC: th.regs.RIP})
	th.stand = standRun
	return s.advance(th, tr, 0)
}

// timeOut lets the timed operation at which a thread stands give up.
func (s *System) timeOut(th *thread, tr *trace.Transition) (verdict, error) {
	if !th.timed {
		panic(fmt.Sprintf("scheduler: thread %d was stepped at an operation that isn't possible", th.id))
	}
	s.kernel.AdvanceTo(th.deadline)
	th.insns++
	tr.Did(trace.Op{Kind: trace.OpAdvance, PC: s.callSite(th)})
	th.timed = false
	if th.phase == phaseQueued {
		o := s.objectOf(th.arg(0), kindCond)
		s.saveObject(o)
		s.did(th, tr, trace.OpCondTimeout, o, 0)
		o.waiters = without(o.waiters, index(o.waiters, th.id))
		th.phase, th.result = phaseReacquire, etimedout
		if s.possible(th) {
			return s.reacquire(th, tr)
		}
		return stay, nil
	}
	if acts[th.role].kind == kindSem && acts[th.role].op == trace.OpSemWait {
		s.setErrno(th, etimedout)
		s.ret(th, ^uint64(0))
		return pass, nil
	}
	s.ret(th, etimedout)
	return pass, nil
}
