package scheduler

import (
	"landgo/emu"
	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/trace"
)

// A guest that schedules its threads itself (package steer) has its steps from a
// Companion. It takes the threads, names, marks and points of a System, and what is
// here beside.

// Steer makes a System that of a guest that schedules its threads itself. It takes
// the place of Boot.
func (s *present) Steer(c Companion) {
	s.companion = c
	s.Enter()
}

// Frozen reports whether a thread has reached where FreezeAt wants its step left.
func (s *fixed) Frozen(t trace.TID, insns uint64) bool {
	return s.frozen != nil && s.frozen.thread == t && s.frozen.insns == insns
}

// Freezes is after how many more instructions that is the case; false: it isn't to be.
func (s *fixed) Freezes(t trace.TID, insns uint64) (uint64, bool) {
	if s.frozen == nil || s.frozen.thread != t || s.frozen.insns < insns {
		return 0, false
	}
	return s.frozen.insns - insns, true
}

// Config is the System's configuration, with its present granularity.
func (s *fixed) Config() *Config { return &s.cfg }

// Image is the guest's.
func (s *fixed) Image() *image.Image { return s.image }

// Heap has the guest's blocks.
func (s *state) Heap() *heap.Heap { return s.heap }

// Ensure makes room for a thread, which exists once Thread.Exists is set.
func (s *state) Ensure(t trace.TID) { s.ensure(t) }

// Thread is a thread's state, to look at.
func (s *state) Thread(t trace.TID) *Thread { return &s.threads[t].Thread }

// SetThread sets a thread's state.
func (s *present) SetThread(t trace.TID, th Thread) { s.edit(t).Thread = th }

// Births are the parents of the threads that have a name, with the ordinals that they
// gave, from thread 1 on.
func (s *found) Births() (parents []trace.TID, ordinals []uint64) { return s.names.Births() }

// Fresh: no step was taken, and no state marked.
func (s *state) Fresh() bool { return len(s.steps)+len(s.marks) == 0 }

// Begin begins a step of a thread, for which the processor stands in a context at pc.
func (s *System) Begin(t trace.TID, c trace.Choice, at emu.Ctx, pc uint64) (*trace.Transition, error) {
	if len(s.steps) >= maxSteps {
		return nil, &BudgetError{Steps: len(s.steps), Thread: t, PC: pc}
	}
	th := s.edit(t)
	tr := s.arena.Transition(t, c)
	tr.Begin = th.Insns
	s.steps = append(s.steps, stepInfo{tr: tr, ctx: at, journal: s.machine.Journal(), pc: pc, prev: th.LastStep, insns: th.Insns})
	th.LastStep = int32(len(s.steps))
	th.Yielding = false
	s.current = t
	return tr, nil
}

// Done: a step has ended, or has an error.
func (s *state) Done(tr *trace.Transition) {
	tr.Last = s.threads[tr.Thread].Insns
	s.arena.Seal(tr)
}

// Idle: no step is under way.
func (s *scratch) Idle() { s.current = trace.NoThread }

// Refine notes that points became finer in the step under way.
func (s *learning) Refine() { s.finer = true }

// Refined reports whether they did.
func (s *learning) Refined() bool { return s.finer }

// Settled reports whether points became finer in the step that has ended, or while
// nothing was under way, and takes that for known.
func (s *System) Settled() bool {
	if !s.finer {
		return false
	}
	s.finer = false
	s.learned++
	return true
}

// TryOut does something and takes it back, in the middle of a step too. A limit (Limit) is
// of that step, and not of what is tried: a stretch that ends there would never go on.
func (s *System) TryOut(do func()) {
	k := s.markAlone()
	current, limit, exact := s.current, s.limit, s.exact
	s.limit, s.exact = 0, false
	do()
	s.rewindAlone(k)
	s.marks = s.marks[:k]
	s.current, s.limit, s.exact = current, limit, exact
}

// LimitOf is the number that Limit was given.
func (s *fixed) LimitOf() uint64 { return s.limit }

// Races: there are points before instructions that race (Granularity.Race).
func (s *fixed) Races() bool { return len(s.racing) > 0 }

// Sight takes in accesses of a thread that holds locks; point: there is a preemption
// point before the first.
func (x *Sharing) Sight(t trace.TID, as []trace.Access, holds []uint64, point bool) {
	if !x.in.Coarse() {
		return
	}
	for i := range as {
		x.seen.record.Sight(t, &as[i], holds, i == 0 && point)
	}
}

// Told tells the observer of the operation that a step has come to.
func (s *System) Told(t trace.TID, tr *trace.Transition) {
	if n := len(tr.Ops) - 1; s.observer != nil && n >= 0 {
		s.observer.Did(t, n, &tr.Ops[n])
	}
}

// Block tells the observer of a block that is given out, or given back.
func (s *fixed) Block(t trace.TID, b heap.Block, given bool) {
	if s.observer != nil {
		s.observer.Block(t, b, given)
	}
}

// SpinOn makes a thread wait for a change of what its loop reads.
func (s *present) SpinOn(t trace.TID, reads []trace.Access) { s.spinOn(s.edit(t), reads) }

// ReadsSince are the accesses of a thread's own steps from index i on, whether another
// changed any of the bytes after that, and what the journal has of these steps.
func (s *System) ReadsSince(t trace.TID, i int32) (reads []trace.Access, disturbed bool, own []emu.Stretch) {
	return s.readsSince(&s.threads[t], i)
}

// WakeSpinners lets the threads go whose loops read what a step changed.
func (s *present) WakeSpinners(tr *trace.Transition) { s.wakeSpinners(tr) }

// Unmodelled says what the machine stopped before.
func (s *present) Unmodelled(t trace.TID, stop *emu.Stop) error {
	return s.unmodelled(&s.threads[t], stop)
}

// StuckMessage says why the threads of a failure can never run.
func (s *System) StuckMessage(f *Failure) string { return stuckMessage(s, f, false, false) }
