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

// outcome is the event that comes before a step.
type outcome uint8

const (
	nothingComes outcome = iota
	diskComes            // a disk's interrupt
	ticksAsk             // ticks, until the thread is asked to give way
)

// outcomesOf are the outcomes of the next step of thread th, at least one.
func (k *Kernel) outcomesOf(th *thread) (all []outcome) {
	all = append(k.ways[:0], nothingComes)
	here := uint64(th.ID) == k.running.Get() && k.on.Get()
	if (here || th.own.Tail) && !th.own.Idle && !k.aloneOwn() && th.Stand != scheduler.StandFailure {
		if k.board.DiskDue() {
			all = append(all, diskComes)
		}
		if k.keeps(th) && !k.isAsked(th) {
			all = append(all, ticksAsk)
		}
	}
	k.ways = all
	return all
}

// come lets happen to thread th what its step's outcome has chosen, once it has interrupts on.
func (k *Kernel) come(th *thread, tr *trace.Transition) (done bool, err error) {
	what := k.outcome
	if what == nothingComes || !k.on.Get() {
		return false, nil
	}
	k.outcome = nothingComes
	switch what {
	case diskComes:
		return k.interrupted(th, tr, false)
	case ticksAsk:
		for ticks := 0; ticks < maxTicks && k.keeps(th) && !k.isAsked(th) && uint64(th.ID) == k.running.Get(); ticks++ {
			if done, err = k.interrupted(th, tr, true); done || err != nil {
				return done, err
			}
		}
		// A kernel that asks for nothing after this many has its reasons.
	}
	return false, nil
}

// interrupted lets the next interrupt come, and brings the processor back to thread th.
func (k *Kernel) interrupted(th *thread, tr *trace.Transition, timerOnly bool) (done bool, err error) {
	was := k.ticker.timerOnly
	k.ticker.timerOnly = timerOnly
	done, err = k.ticker.tick(th, tr)
	if k.ticker.timerOnly = was; done || err != nil {
		return done, err
	}
	return k.reach(th, tr)
}

// keeps reports whether thread r, which the processor runs with interrupts on, keeps it
// however many ticks come.
func (k *reading) keeps(r *thread) bool {
	return k.profile != nil && k.profile.Resched.Size != 0 && !k.user.Get() && !r.own.Idle && !k.fromProgram(r)
}

// fromProgram: the thread was interrupted in its program.
func (k *fixed) fromProgram(r *thread) bool {
	return r.own.Interrupted && k.machine.HasPrograms() && r.Regs.RIP < k.image.Bias
}

// isAsked reports whether thread th has been asked to give way.
func (k *reading) isAsked(th *thread) bool {
	v, ok := k.memberOf(th.own.Number, k.profile.Resched)
	return ok && v != 0
}
