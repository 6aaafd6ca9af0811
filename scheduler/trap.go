package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// atTrap decides about the trap before which a thread stopped: what no other thread
// can notice is done within the step, the rest is a step of its own. It
// reports whether the thread stands here.
func (s *System) atTrap(th *thread, tr *trace.Transition) (bool, error) {
	p := s.planned(th)
	if p.Effect == kernel.Invalid {
		return false, s.Invalid(p.Gap, th.ID, th.Regs.RIP, "%s", p.Reason)
	}
	if p.Op.Kind == trace.OpFenceAll {
		if err := s.buffers.fencesAll(th); err != nil {
			return false, err
		}
	}
	f := s.foresee(th, &p)
	stands, err := s.timers.before(th, tr, p.Name)
	if err != nil {
		return false, err
	}
	if s.isEvent(th, &p, &f) || stands {
		th.Stand = StandTrap
		return true, nil
	}
	return s.trap(th, tr, 0, &p, &f)
}

// isEvent reports whether a trap has to be a step of its own.
func (s *System) isEvent(th *thread, p *kernel.Plan, f *kernel.Foresight) bool {
	th.loose = false
	for i := range f.Ops {
		if f.Ops[i].Kind == trace.OpEnd {
			return true
		}
	}
	switch {
	case !p.Blocked && len(s.Failing.kinds(th)) > 0:
		return true
	case s.Undrained(th.ID) && !plainCalls[p.Name] && !s.trusted(th):
		return true
	case p.Blocked || p.Outcomes > 1 || p.Op.Kind == trace.OpEnd || s.Naps.naps(th, p) || s.lib.ComesBack(th.ID, p.Name):
		return true
	case s.Alone(th.ID) && p.Op.Kind != trace.OpFutexWait:
		return false
	case s.trusted(th):
		return s.Signals.takesSignals(th, p)
	}
	shared, alike := s.Sharing.sharesForeseen(th, p, f)
	th.loose = !alike
	if shared && (s.EveryOperation() || s.racing[th.Regs.RIP]) {
		return true
	}
	switch {
	case p.Op.Kind == trace.OpExit:
		return s.Ends.IsStep(th.ID) || s.EveryOperation() && s.Stacks.StackEnd(th.ID).Kind != trace.OpNone
	case p.Yield, p.Op.Kind == trace.OpCreate:
		return false // order, no race
	case p.Effect == kernel.Local && len(f.Ops) > 0:
		return true // it delivers a signal
	}
	// Without --pp mem too: a wait in the kernel can block, and a wake decides
	// which thread goes on.
	return p.Effect == kernel.Event
}

// plainCalls are the calls that leave a store buffer as it is, as far as anybody promises.
// All others take locks in a kernel, or are taken to.
var plainCalls = map[string]bool{"getpid": true, "gettid": true, "getppid": true, "getuid": true, "geteuid": true, "getgid": true, "getegid": true,
	"landgo_choice": true, "landgo_assume": true, "clock_gettime": true, "gettimeofday": true, "time": true, "getcpu": true}

// othersIn lists the parts of pages that other threads touched: a thread's own
// accesses are in order with its calls.
func (x *Sharing) othersIn(th *thread, p kernel.Pages) []emu.Range {
	if p.Size == 0 || x.in.Alone(th.ID) {
		return nil
	}
	return x.in.machine.Others(th.ID, p.Addr, p.Size)
}

// stepTrap carries out the trap at which a thread stands and lets it run on.
func (s *System) stepTrap(th *thread, tr *trace.Transition, c trace.Choice) error {
	p := s.planned(th)
	fault, fails := trace.FaultKind(0), false
	if int(c) >= int(max(p.Outcomes, 1)) && !th.napping {
		fault, fails = s.Failing.chosen(th, c, p.Outcomes)
	}
	if !fails && s.Naps.nap(th, tr, &p) {
		return nil
	}
	next := th.Regs.RIP + uint64(th.trap.Len)
	var f kernel.Foresight
	if s.machine.HasHeap() { // a step of its own is foreseen for dead buffers alone
		f = s.foresee(th, &p)
	}
	tr.Loose = th.loose
	if fails {
		s.Failing.Failed(th.ID, tr, fault, th.Regs.RIP, 0)
		s.failing = &fault
	}
	done, err := s.trap(th, tr, c, &p, &f)
	s.failing = nil
	if err != nil || done {
		return err
	}
	if th.Regs.RIP != next {
		th.limited = true // it is elsewhere, perhaps at a breakpoint
	}
	return s.Advance(th.ID, tr, 0)
}

// trap carries a trap out, of which p and f say what it is. It reports whether the step
// is over.
func (s *System) trap(th *thread, tr *trace.Transition, c trace.Choice, p *kernel.Plan, foreseen *kernel.Foresight) (bool, error) {
	call, sp := th.Regs.RIP, th.Regs.RSP
	if f := s.deadBuffer(th, tr, p, foreseen); f != nil {
		th.Insns++ // the failure is a place of its own
		return true, s.Fail(th.ID, f)
	}
	if p.Op.Kind == trace.OpChoose {
		th.Effects++ // a loop with it isn't one that waits
	}
	if !s.calls[p.Name] {
		s.calls[p.Name] = true
	}
	journal, logged := s.machine.Journal(), s.machine.Logged()
	frame := th.Regs.RSP - 8 // a handler's, if this is its return
	s.sent = s.sent[:0]
	within := th.Stand != StandTrap && !th.Starting && s.lib.Running(th.ID)&RunsFollowed == 0 && !s.Alone(th.ID)
	if within {
		foreseen.Accesses = append(s.foreseen[:0], foreseen.Accesses...)
		s.foreseen = foreseen.Accesses
	}
	var out kernel.Outcome
	if s.failing != nil {
		out = s.kernel.(Failer).Fail(th.ID, *s.failing)
	} else {
		out = s.kernel.Do(th.ID, th.trap, c, &th.Regs)
	}
	if within {
		s.Sharing.checkForeseen(th, p, foreseen, &out)
	}
	if !out.Idle && (s.machine.Journal() != journal || s.machine.Logged() != logged) {
		th.Effects++
	}
	if th.napping {
		th.napping = false
	} else {
		th.Insns++ // landgo carried an instruction out
	}
	th.Set = emu.SetAll
	s.distrustAfter(th, p)
	if th.Self == 0 { // the first thread's library has told the processor where its control block is
		th.Self = th.Regs.FSBase
	}
	th.Stand = StandRun
	if out.Invalid != "" {
		return false, s.Invalid(out.Gap, th.ID, call, "%s", out.Invalid)
	}
	if out.SetsStatus {
		s.machine.Put(&s.threadStatus, uint64(b2i(th.Leaving)))
	}
	waits := false
	if out.Interrupted != 0 {
		s.lib.InCall(th.ID, out.Interrupted, call+uint64(th.trap.Len), sp)
	}
	if out.RestoreCPU {
		th.Ctx = out.Resume
		th.endInterrupt()
		waits = s.lib.ComeBack(th.ID, tr, frame, out.Interrupted)
	}
	for _, op := range out.Ops {
		s.Signals.sends(th, op)
		tr.Did(op)
	}
	for _, op := range s.sent {
		op.PC = call
		tr.Did(op)
	}
	switch p.Op.Kind {
	case trace.OpNone, trace.OpChoose, trace.OpCreate, trace.OpExit, trace.OpEnd, trace.OpYield: // recorded below, with what they do
		p.Effect = kernel.Local
	}
	if !out.Idle && p.Effect == kernel.Event && len(out.Ops) == 0 {
		op := p.Op
		op.PC = call
		tr.Did(op)
	}
	s.lib.Got(th.ID, out.Fresh.Addr, out.Fresh.Size)
	if out.Mapped.Size != 0 {
		th.mapped = s.progress()
	}
	if f := s.Mappings.Take(th.ID, call, &out); f != nil {
		return true, s.Fail(th.ID, f)
	}
	s.Sharing.takeEffects(th, tr, call, out.Accesses, out.Others, out.Pages)
	for _, w := range out.Wakes {
		s.wakeFromKernel(w)
		tr.Wakes = append(tr.Wakes, w)
	}
	if out.Spawn != nil {
		if err := s.Spawn(th.ID, out.Spawn.Child, &out.Spawn.Regs, tr, 0); err != nil {
			return false, err
		}
	}
	set, err := s.timers.set(th, tr, false)
	if err != nil {
		return false, err
	}
	return s.goesOn(th, tr, call, p, &out, waits || set)
}

// goesOn has a thread end, sleep or yield after a trap, if that says so. call is the trap's
// place; waits: the thread is back in a function in which it waits. It reports whether the
// step is over.
func (s *System) goesOn(th *thread, tr *trace.Transition, call uint64, p *kernel.Plan, out *kernel.Outcome, waits bool) (over bool, err error) {
	switch {
	case out.Signal != 0:
		message := fmt.Sprintf("killed by signal %d", out.Signal)
		if out.Why != "" {
			message += ": " + out.Why + " " + s.VariableName(out.About)
		}
		th.Failure = &Failure{Kind: trace.Assertion, Thread: th.ID, PC: call, Message: message}
		tr.End = trace.EndBug
		return true, nil
	case out.ExitProcess:
		return true, s.ExitProcess(th.ID, tr, out.Status)
	case out.ExitThread:
		f, err := s.lib.Leave(th.ID, tr)
		if err != nil {
			return false, err
		}
		if f != nil {
			return true, s.Fail(th.ID, f)
		}
		return true, nil
	case out.Sleep:
		th.Stand, th.pending = StandSleep, out.Pending
		th.pending.PC = call
		return true, nil
	case p.Yield:
		return s.lib.Yield(th.ID, tr) == Stay, nil
	}
	return waits, nil
}

// deadBuffer is the bug of a call whose arguments point to memory of the heap
// that is in no live block, or nil. What it found there is on record.
func (s *System) deadBuffer(th *thread, tr *trace.Transition, p *kernel.Plan, f *kernel.Foresight) *Failure {
	if th.Starting || s.lib.Running(th.ID)&(RunsFollowed|RunsCreate) != 0 {
		return nil
	}
	for _, a := range f.Accesses {
		if !s.machine.Dead(a.Addr, uint64(a.Size)) {
			continue // the common case, without words
		}
		does := fmt.Sprintf("%s %s", p.Name, bytesText(a.IsWrite(), uint64(a.Size)))
		if f := s.Blocks.DeadAccess(th.ID, th.Regs.RIP, a.Addr, uint64(a.Size), does, !a.IsWrite()); f != nil {
			s.Sharing.Touch(th.ID, tr, th.Regs.RIP, a.Addr, a.Size, a.Flags)
			return f
		}
	}
	return nil
}

// wakeFromKernel lets a thread out of a kernel queue.
func (s *present) wakeFromKernel(t trace.TID) {
	s.Save(t)
	s.threads[t].Stand = StandRun
}

// ExitProcess ends the guest.
func (s *System) ExitProcess(t trace.TID, tr *trace.Transition, status int) error {
	th := &s.threads[t]
	th.Insns++ // the end counts: schedules name it
	s.buffers.drainAll(th)
	tr.Did(trace.Op{Kind: trace.OpEnd, PC: th.Regs.RIP})
	tr.End = trace.EndProcess
	// A thread library may make the status of its last thread the task's: that
	// says nothing of failure.
	if status != 0 && s.threadStatus.Get() == 0 {
		tr.End = trace.EndBug
		th.Failure = &Failure{Kind: trace.Assertion, Thread: th.ID, PC: th.Regs.RIP,
			Message: fmt.Sprintf("the guest exits with status %d", status&0xff)}
		if f := s.Panics.Panic(t); f != nil && status == panicStatus {
			th.Failure = f
		}
	} else if f := s.Leaks.leak(th); f != nil {
		tr.End, th.Failure = trace.EndBug, f
	} else {
		s.Ends.endsOutput(t)
		s.Ends.endsEarly(t)
	}
	return nil
}

// stepExpire lets the timed wait of a thread that sleeps in the kernel run
// out: no other thread can run. The clock moves on, after everything before the step
// and before everything after it.
func (s *System) stepExpire(th *thread, tr *trace.Transition) error {
	t, when := s.kernel.NextDeadline()
	if t != th.ID {
		panic("scheduler: a sleeping thread without a deadline was stepped")
	}
	s.kernel.AdvanceTo(when)
	s.kernel.Expire(t)
	th.Insns++
	tr.Did(trace.Op{Kind: trace.OpAdvance, PC: th.Regs.RIP})
	th.Stand = StandRun
	return s.Advance(th.ID, tr, 0)
}
