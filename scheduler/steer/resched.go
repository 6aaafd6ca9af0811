package steer

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Interrupts that take the processor from no thread, and make a difference all the same.
//
// Some kernels never take the processor from a thread that runs the kernel's own code. A
// tick there asks it to give way, by a field of its structure (thread.resched of a
// profile). The thread looks at the field where it may: on the way back to its program, or
// in a loop of its own. So where such a thread runs, ticks bring the processor to no other
// one. But a thread that has been asked gives way at the next place where it looks. A
// program's code is left at any tick, as in other kernels, and so is the idle thread.
//
// And a disk's interrupt may come before the thread waits for it, or later.
//
// So the step of a thread that has interrupts on, or will have them at its tail's end, has
// several outcomes: by what comes there, before the thread's own code. A step in which
// something does depends on every step of another thread: the order decides what the
// handlers find.

// coming is the event that comes before a step.
type coming uint8

const (
	nothingComes coming = iota
	diskComes           // a disk's interrupt
	ticksAsk            // ticks, until the thread is asked to give way
)

// comings are the outcomes of the next step of thread th, at least one.
func (s *Kernel) comings(th *thread) (all []coming) {
	all = append(s.ways[:0], nothingComes)
	here := uint64(th.ID) == s.running.Get() && s.on.Get()
	if (here || th.own.Tail) && !th.own.Idle && !s.aloneOwn() && th.Stand != scheduler.StandFailure {
		if s.board.DiskDue() {
			all = append(all, diskComes)
		}
		if s.keeps(th) && !s.isAsked(th) {
			all = append(all, ticksAsk)
		}
	}
	s.ways = all
	return all
}

// come lets happen to thread th what its step's outcome has chosen, once it has interrupts on.
func (s *Kernel) come(th *thread, tr *trace.Transition) (done bool, err error) {
	what := s.coming
	if what == nothingComes || !s.on.Get() {
		return false, nil
	}
	s.coming = nothingComes
	switch what {
	case diskComes:
		return s.interrupted(th, tr, false)
	case ticksAsk:
		for ticks := 0; ticks < maxTicks && s.keeps(th) && !s.isAsked(th) && uint64(th.ID) == s.running.Get(); ticks++ {
			if done, err = s.interrupted(th, tr, true); done || err != nil {
				return done, err
			}
		}
		// A kernel that asks for nothing after this many has its reasons.
	}
	return false, nil
}

// interrupted lets the next interrupt come, and brings the processor back to thread th.
func (s *Kernel) interrupted(th *thread, tr *trace.Transition, timerOnly bool) (done bool, err error) {
	was := s.ticker.timerOnly
	s.ticker.timerOnly = timerOnly
	done, err = s.ticker.tick(th, tr)
	if s.ticker.timerOnly = was; done || err != nil {
		return done, err
	}
	return s.reach(th, tr)
}

// keeps reports whether thread r, which the processor runs with interrupts on, keeps it
// however many ticks come.
func (s *reading) keeps(r *thread) bool {
	return s.profile != nil && s.profile.Resched.Size != 0 && !s.user.Get() && !r.own.Idle && !s.fromProgram(r)
}

// fromProgram: the thread was interrupted in its program.
func (s *fixed) fromProgram(r *thread) bool {
	return r.own.Interrupted && s.machine.HasPrograms() && r.Regs.RIP < s.image.Bias
}

// isAsked reports whether thread th has been asked to give way.
func (s *reading) isAsked(th *thread) bool {
	v, ok := s.memberOf(th.own.Number, s.profile.Resched)
	return ok && v != 0
}
