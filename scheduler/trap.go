package scheduler

import (
	"cmp"
	"fmt"

	"landgo/internal/trace"
	"landgo/kernel"
)

// Traps are the system calls, in a step or as steps of their own.
type Traps struct {
	in       *named
	runs     runner
	seen     *seen
	learning *learning
	attempt  *attempt
	sharing  *Sharing
	naps     *Naps
	copies   *copyCalls
	ends     *Ends
	failures *Failing
	signals  *signals
	buffers  *buffers
	arrivals *arrivals
	leaks    *leaks
	panics   *Panics

	// Of the trap under way.
	sent     []trace.Op // the operations on which its signals depend (library/interruptedwait.go)
	foreseen []trace.Access
	failing  *trace.FaultKind // nil: it doesn't fail
}

// atTrap decides about the trap before which a thread stopped: what no other thread
// can notice is done within the step, the rest is a step of its own. It
// reports whether the thread stands here.
func (q *Traps) atTrap(th edit, tr *trace.Transition) (bool, error) {
	p := q.in.planned(th.thread)
	if p.Effect == kernel.Invalid {
		return false, q.in.Invalid(p.Gap, th.ID, th.Regs.RIP, "%s", p.Reason)
	}
	if p.Op.Kind == trace.OpFenceAll {
		q.buffers.fencesAll(th.thread)
	}
	lasts := q.naps.meets(th.thread, &p) // before what is foreseen, which is gone with the next question
	f := q.foresee(th.thread, &p)
	stands, err := q.in.timers.before(th.thread, tr, &p)
	if err != nil {
		return false, err
	}
	if q.isEvent(th, &p, &f) || stands || lasts {
		th.Stand = StandTrap
		q.stopsInCalls(th.thread)
		return true, nil
	}
	return q.trap(th, tr, 0, &p, &f)
}

// foresee says what the call at which a thread stands would touch: nothing where that
// is the business of trusted code alone, or where the process ends.
func (q *Traps) foresee(th *thread, p *kernel.Plan) (f kernel.Foresight) {
	if p.Blocked || p.About&kernel.AboutSuccess != 0 || th.Starting || q.in.lib.Running(th.ID)&RunsFollowed != 0 {
		return f
	}
	q.attempt.trying = true
	f = q.in.kernel.Foresee(th.ID, th.trap)
	q.attempt.trying = false
	return f
}

// isEvent reports whether a trap has to be a step of its own.
func (q *Traps) isEvent(th edit, p *kernel.Plan, f *kernel.Foresight) bool {
	th.loose = false
	for i := range f.Ops {
		if f.Ops[i].Kind == trace.OpEnd {
			return true
		}
	}
	switch {
	case p.Op.Kind == trace.OpFenceAll, !p.Blocked && len(q.failures.kinds(th.thread)) > 0:
		return true
	case q.in.Undrained(th.ID) && !p.Lockless && !q.in.trusted(th.thread):
		return true
	case p.Blocked || p.Outcomes > 1 || p.Op.Kind == trace.OpEnd || q.naps.naps(th.thread, p) || q.in.lib.ComesBack(th.ID, p.Name):
		return true
	case q.in.Alone(th.ID) && p.Op.Kind != trace.OpFutexWait:
		return false
	case q.in.trusted(th.thread):
		th.loose = q.in.inCalls(th.ID) && (q.learning.known.Signalled[uint64(th.ID)] || q.sharing.sharesWords(th.thread, f))
		return th.loose || q.signals.takesSignals(th.thread, p)
	}
	shared, alike := q.sharing.sharesForeseen(th.thread, p, f)
	th.loose = !alike
	if shared && (q.in.EveryOperation() || q.in.racing[th.Regs.RIP]) {
		return true
	}
	switch {
	case p.Op.Kind == trace.OpExit:
		return q.ends.IsStep(th.ID) || q.in.EveryOperation() && q.in.Stacks.StackEnd(th.ID).Kind != trace.OpNone
	case p.Yield, p.Op.Kind == trace.OpCreate:
		return false // order, no race
	case p.Effect == kernel.Local && len(f.Ops) > 0:
		return true // it delivers a signal
	}
	// Without --pp mem too: a wait in the kernel can block, and a wake decides
	// which thread goes on.
	return p.Effect == kernel.Event
}

// stopsInCalls notes that a thread stops in the midst of a function whose calls are steps, if it does.
func (q *Traps) stopsInCalls(th *thread) {
	if q.in.inCalls(th.ID) {
		q.in.lib.Stands(th.ID)
	}
}

// stepTrap carries out the trap at which a thread stands and lets it run on.
func (q *Traps) stepTrap(th edit, tr *trace.Transition, c trace.Choice) error {
	p := *q.in.plan(th.thread)
	fault, fails := trace.FaultKind(0), false
	if int(c) >= int(max(p.Outcomes, 1)) && !th.napping {
		fault, fails = q.failures.chosen(th.thread, c, p.Outcomes)
		if n := uint32(c) - max(p.Outcomes, 1) - q.failures.outcomes(th.thread); !fails {
			q.naps.lasts(th, tr, n+1)
			return nil
		}
	}
	q.naps.wakes(th, tr)
	if c == 0 && q.naps.lasting(th.thread, &p) > 0 {
		th.outlasts++
	}
	if !fails && q.naps.nap(th, tr, &p) {
		return nil
	}
	if !fails && !th.napping {
		if over, err := q.beginCopy(th, tr, &p); over || err != nil {
			return err
		}
	}
	next := th.Regs.RIP + uint64(th.trap.Len)
	var f kernel.Foresight
	if q.in.machine.HasHeap() { // a step of its own is foreseen for dead buffers alone
		f = q.foresee(th.thread, &p)
	}
	tr.Loose = th.loose
	if fails {
		q.failures.Failed(th.ID, tr, fault, th.Regs.RIP, 0)
		q.failing = &fault
	}
	done, err := q.trap(th, tr, c, &p, &f)
	q.failing = nil
	if err != nil || done {
		return err
	}
	if p.Op.Kind == trace.OpFenceAll {
		return q.buffers.callsAll(th, tr, p.Name)
	}
	if th.Regs.RIP != next {
		th.limited = true // it is elsewhere, perhaps at a breakpoint
	}
	if len(th.copying().left) > 0 {
		return nil
	}
	return q.runs.Advance(th.ID, tr, 0)
}

// beginCopy has the part of a copy that comes before a call be a step.
func (q *Traps) beginCopy(th edit, tr *trace.Transition, p *kernel.Plan) (over bool, err error) {
	over, f, err := q.copies.begin(th, tr, p, func() kernel.Foresight { return q.foresee(th.thread, p) },
		func(f *kernel.Foresight) *Failure { return q.deadBuffer(th.thread, tr, p, f) })
	if f != nil {
		return true, q.in.Fail(th.ID, f)
	}
	return over, err
}

// stepCopy makes a step of a copy that follows its call.
func (q *Traps) stepCopy(th edit, tr *trace.Transition) error {
	p := kernel.Plan{Name: th.copying().name}
	last, f, err := q.copies.writes(th, tr, func(f *kernel.Foresight) *Failure { return q.deadBuffer(th.thread, tr, &p, f) })
	switch {
	case err != nil:
		return err
	case f != nil:
		return q.in.Fail(th.ID, f)
	case !last:
		return nil
	}
	return q.runs.Advance(th.ID, tr, 0)
}

// trap carries out the trap that p and f describe. It reports whether the step is over.
func (q *Traps) trap(th edit, tr *trace.Transition, c trace.Choice, p *kernel.Plan, foreseen *kernel.Foresight) (bool, error) {
	call, sp := th.Regs.RIP, th.Regs.RSP
	if f := q.deadBuffer(th.thread, tr, p, foreseen); f != nil {
		th.Insns++ // the failure is a place of its own
		return true, q.in.Fail(th.ID, f)
	}
	if p.Op.Kind == trace.OpChoose {
		th.Effects++ // a loop with it isn't one that waits
	}
	q.seen.record.Call(p.Name)
	journal := q.in.machine.Journal()
	frame := th.Regs.RSP - 8 // a handler's, if this is its return
	out := q.carryOut(th, tr, c, p, foreseen)
	if th.napping {
		th.napping = false
	} else {
		th.Insns++ // landgo carried an instruction out
	}
	th.Set = trace.AllRegs
	q.distrustAfter(th.thread, p)
	if th.Self == 0 && th.Parent == trace.NoThread { // the first thread's library has told the processor where its control block is
		th.Self = th.Regs.FSBase
	}
	th.Stand = StandRun
	if out.Invalid != "" {
		return false, q.in.Invalid(out.Gap, th.ID, call, "%s", out.Invalid)
	}
	if out.SetsStatus {
		q.in.machine.PutFlag(&q.in.threadStatus, th.Leaving)
	}
	waits := false
	if out.Interrupted != 0 {
		q.signals.exposes(th.ID)
		q.in.lib.InCall(th.ID, out.Interrupted, call+uint64(th.trap.Len), sp)
	}
	if out.RestoreCPU {
		th.Ctx = out.Resume
		th.endInterrupt()
		waits = q.in.lib.ComeBack(th.ID, tr, frame, out.Interrupted)
	}
	q.did(th, tr, call, p, &out)
	q.in.lib.Got(th.ID, out.Fresh.Addr, out.Fresh.Size)
	if out.Mapped.Size != 0 {
		th.mapped = q.in.progress()
	}
	if f := q.in.Mappings.Take(th.ID, call, &out); f != nil {
		return true, q.in.Fail(th.ID, f)
	}
	if out.Moved {
		q.buffers.move(th.ID, out.Unmapped, out.Mapped.Addr)
	}
	for _, p := range out.Emptied {
		q.buffers.lose(th.ID, p)
	}
	made := len(tr.Accesses)
	q.sharing.takeEffects(th.thread, tr, call, out.Accesses, out.Others, out.Pages)
	if q.in.cfg.Buffers && p.Lockless { // what it stores comes after what its thread has stored
		q.buffers.takeStores(th, tr, made, journal, th.Insns)
	}
	q.wake(tr, out.Wakes)
	if out.Spawn != nil {
		if err := q.runs.Spawn(th.ID, out.Spawn.Child, &out.Spawn.Regs, tr, 0); err != nil {
			return false, err
		}
	}
	if out.Posts { // before the thread ends
		q.arrivals.set(th, tr)
	}
	set, err := q.in.timers.set(th.thread, tr, false)
	if err != nil {
		return false, err
	}
	over, err := q.goesOn(th, tr, call, p, &out, waits || set)
	if over && th.Stand == StandRun && th.Regs.RIP != call+uint64(th.trap.Len) {
		th.limited = true // it is elsewhere, perhaps at a breakpoint
	}
	return over, err
}

// carryOut has the kernel carry a trap out.
func (q *Traps) carryOut(th edit, tr *trace.Transition, c trace.Choice, p *kernel.Plan, foreseen *kernel.Foresight) (out kernel.Outcome) {
	call := th.Regs.RIP
	journal, logged := q.in.machine.Journal(), q.in.machine.Logged()
	q.sent = q.sent[:0]
	within := th.Stand != StandTrap && !th.Starting && q.in.lib.Running(th.ID)&RunsFollowed == 0 && !q.in.Alone(th.ID)
	if within {
		foreseen.Accesses = append(q.foreseen[:0], foreseen.Accesses...)
		q.foreseen = foreseen.Accesses
	}
	if q.failing != nil {
		out = q.in.kernel.(Failer).Fail(th.ID, *q.failing)
	} else if th.copying().on {
		divider := q.copies.kernel()
		divider.Divide(th.copying().read)
		out = q.in.kernel.Do(th.ID, th.trap, c, &th.Regs)
		q.copies.carriedOut(th, tr, divider.Whole(), out.Sleep)
	} else {
		out = q.in.kernel.Do(th.ID, th.trap, c, &th.Regs)
		q.copies.atOnce(th.thread, call, out.Accesses)
	}
	if out.Late && !q.in.cfg.Deepens && !th.Starting && q.in.lib.Running(th.ID)&(RunsChecked|RunsFollowed) == RunsChecked {
		_, ret := q.in.lib.Call(th.ID)
		q.seen.record.Met.Unbroken.Add(ret - 1)
	}
	if within {
		q.sharing.checkForeseen(th.thread, p, foreseen, &out)
	}
	if !out.Idle && (q.in.machine.Journal() != journal || q.in.machine.Logged() != logged) {
		th.Effects++
	}
	return out
}

// did records what a trap at a call did that isn't an access.
func (q *Traps) did(th edit, tr *trace.Transition, call uint64, p *kernel.Plan, out *kernel.Outcome) {
	for _, op := range out.Ops {
		q.signals.sends(th.thread, op)
		tr.Did(op)
	}
	for _, op := range q.sent {
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
}

// goesOn has a thread end, sleep or yield after a trap, if that says so. The trap's place
// is call. waits: the thread is back in a function in which it waits. It reports whether
// the step is over.
func (q *Traps) goesOn(th edit, tr *trace.Transition, call uint64, p *kernel.Plan, out *kernel.Outcome, waits bool) (over bool, err error) {
	switch {
	case out.Signal != 0:
		message := fmt.Sprintf("killed by signal %d", out.Signal)
		if out.Why != "" {
			message += ": " + out.Why + " " + q.in.VariableName(out.About)
		}
		th.Failure = &Failure{Kind: trace.Assertion, Thread: th.ID, PC: call, Message: message}
		tr.End = trace.EndBug
		return true, nil
	case out.ExitProcess:
		if err := q.in.lib.LeaveProcess(th.ID); err != nil {
			return false, err
		}
		return true, q.ExitProcess(th.ID, tr, out.Status)
	case out.ExitThread:
		f, err := q.in.lib.Leave(th.ID, tr)
		if err != nil {
			return false, err
		}
		if f != nil {
			return true, q.in.Fail(th.ID, f)
		}
		return true, nil
	case out.Sleep:
		th.Stand, th.pending = StandSleep, out.Pending
		th.pending.PC = call
		q.stopsInCalls(th.thread)
		return true, nil
	case out.Held:
		th.woken = true
		return true, nil
	case p.Yield:
		return q.in.lib.Yield(th.ID, tr) == Stay, nil
	}
	return waits, nil
}

// lastTry begins the step of a thread that a signal has sent into a handler, perhaps out of a
// call: the thread looks once more for what it waited for. It reports whether the step is over.
func (q *Traps) lastTry(th edit, tr *trace.Transition) (over bool, err error) {
	if !th.handles {
		return false, nil
	}
	th.handles = false
	q.in.listing.changes(th.ID) // its registers too, though it isn't opened again
	k, ok := q.in.kernel.(Receiver)
	if !ok {
		return false, nil
	}
	at := th.Regs.RIP
	out, name := k.LastTry(th.ID, &th.Regs)
	if out == nil {
		return false, nil
	}
	th.Effects++
	for _, op := range out.Ops {
		tr.Did(op)
	}
	q.sharing.takeEffects(th.thread, tr, at, out.Accesses, out.Others, out.Pages)
	q.wake(tr, out.Wakes)
	if out.Invalid != "" {
		return false, q.in.Invalid(out.Gap, th.ID, at, "%s", out.Invalid)
	}
	if f := q.deadBuffer(th.thread, tr, &kernel.Plan{Name: name}, &kernel.Foresight{Accesses: out.Accesses}); f != nil {
		return true, q.in.Fail(th.ID, f)
	}
	if out.Signal != 0 {
		return q.goesOn(th, tr, at, &kernel.Plan{Name: name}, out, false)
	}
	return false, nil
}

// deadBuffer is the bug of a call whose arguments point to memory of the heap that
// is in no live block, or nil. The value that it found there is on record.
func (q *Traps) deadBuffer(th *thread, tr *trace.Transition, p *kernel.Plan, f *kernel.Foresight) *Failure {
	if th.Starting || q.in.lib.Running(th.ID)&(RunsFollowed|RunsCreate) != 0 {
		return nil
	}
	for _, a := range f.Accesses {
		if !q.in.machine.Dead(a.Addr, uint64(a.Size)) {
			continue // the common case, without words
		}
		does := fmt.Sprintf("%s %s", p.Name, bytesText(a.IsWrite(), uint64(a.Size)))
		pc := cmp.Or(th.copying().pc, th.Regs.RIP)
		if f := q.in.Blocks.DeadAccess(th.ID, pc, a.Addr, uint64(a.Size), does, !a.IsWrite()); f != nil {
			q.sharing.Touch(th.ID, tr, pc, a.Addr, a.Size, a.Flags)
			return f
		}
	}
	return nil
}

// ExitProcess ends the guest.
func (q *Traps) ExitProcess(t trace.TID, tr *trace.Transition, status int) error {
	th := q.in.edit(t)
	th.Insns++ // the end counts: schedules name it
	q.buffers.drainAll(th.thread)
	tr.Did(trace.Op{Kind: trace.OpEnd, PC: th.Regs.RIP})
	tr.End = trace.EndProcess
	// A thread library may make the status of its last thread the task's: that
	// says nothing of failure.
	if status != 0 && !q.in.threadStatus.Get() {
		tr.End = trace.EndBug
		th.Failure = &Failure{Kind: trace.Assertion, Thread: th.ID, PC: th.Regs.RIP,
			Message: fmt.Sprintf("the guest exits with status %d", status&0xff)}
		if f := q.panics.Panic(t); f != nil && status == panicStatus {
			th.Failure = f
		}
	} else if f := q.leaks.leak(th.thread); f != nil {
		tr.End, th.Failure = trace.EndBug, f
	} else {
		q.ends.endsOutput(t)
		q.ends.endsEarly(t)
	}
	return nil
}

// stepExpire lets the timed wait of a thread that sleeps in the kernel run
// out: no other thread can run. The clock moves on, after everything before the step
// and before everything after it.
func (q *Traps) stepExpire(th edit, tr *trace.Transition, c trace.Choice) error {
	t, when := q.in.nextWait()
	if t != th.ID {
		panic("scheduler: a sleeping thread without a deadline was stepped")
	}
	q.in.RunOut(t, when, tr, c)
	q.in.kernel.AdvanceTo(when)
	q.in.kernel.Expire(t)
	th.Insns++
	tr.Did(trace.Op{Kind: trace.OpAdvance, PC: th.Regs.RIP})
	th.Stand = StandRun
	return q.runs.Advance(th.ID, tr, 0)
}
