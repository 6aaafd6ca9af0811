package steer

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Kernels that never take the processor from a thread that runs the kernel's own code. A
// tick there asks it to give way, by a field of its structure (thread.resched of a
// profile), and the thread looks at the field where it may: on the way back to its
// program, or in a loop of its own.
//
// So where such a thread runs, ticks bring the processor to no other one. But that they
// have come makes a difference: the thread gives way at the next place where it looks.
// Wherever it stands with interrupts on and hasn't been asked, its next step has two
// outcomes: in the second, ticks come first until it is asked. That step depends on every
// step of another thread, for it reads the kernel's clock.
//
// A program's code is left at any tick, as in other kernels, and so is the idle thread.

// Outcomes of the step of a thread that can be asked.
const (
	unasked trace.Choice = iota
	asked
	askable = 2
)

// keeps reports whether thread r, which the processor runs with interrupts on, keeps it
// however many ticks come.
func (s *Kernel) keeps(r *thread) bool {
	return s.profile != nil && s.profile.Resched.Size != 0 && s.user.Get() == 0 && !r.own.Idle && !s.fromProgram(r)
}

// fromProgram: the thread was interrupted in its program.
func (s *Kernel) fromProgram(r *thread) bool {
	return r.own.Interrupted && s.machine.HasPrograms() && r.Regs.RIP < s.image.Bias
}

// isAsked reports whether thread th has been asked to give way.
func (s *Kernel) isAsked(th *thread) bool {
	v, ok := s.memberOf(th.own.Number, s.profile.Resched)
	return ok && v != 0
}

// canAsk reports whether ticks can ask thread th to give way before its next step.
func (s *Kernel) canAsk(th *thread) bool {
	return uint64(th.ID) == s.running.Get() && s.on.Get() == 1 && s.keeps(th) && !s.aloneOwn() && th.Stand != scheduler.StandFailure && !s.isAsked(th)
}

// ask lets ticks come until thread th is asked. A kernel that asks for nothing after so
// many has its reasons: the thread goes on.
func (s *Kernel) ask(th *thread, tr *trace.Transition) (done bool, err error) {
	s.wide = true
	for ticks := 0; ticks < maxTicks && s.canAsk(th); ticks++ {
		if done, err = s.tick(th, tr); done || err != nil {
			return done, err
		}
		for th.own.Interrupted && uint64(th.ID) == s.running.Get() && !done && err == nil {
			done, err = s.land(th, tr)
		}
		if done || err != nil {
			return done, err
		}
	}
	return false, nil
}
