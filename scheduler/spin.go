package scheduler

import (
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// An exact spin: a thread is back where it was, has done nothing that another could
// see, and nothing that it read has changed. It will do the same for ever, until
// one of the bytes that it read changes. It waits for that, rather than being run
// again.
//
// The test is made where a thread stops, and only after it has polled once
// as an ordinary step. So events between the reads of a loop are explored from that
// first turn. Two ways to know:
//
//   - A loop with one shared read: after a poll of the bytes that the thread is
//     about to read again, one more turn is tried and taken back. If it comes
//     to the same place with the same memory and CPU state, with no effect, the
//     state recurs.
//   - A loop of several steps: the thread's own earlier steps are walked back,
//     as long as none had an effect, to one that began in this state.
//
// In both, registers and flags may differ that are dead there by the code alone, whichever
// way the loop goes on (image.Dead). The states that follow then differ in nothing else,
// and those registers have the same values from where they are overwritten. It isn't
// enough that a register is dead on the way that the loop takes now: a write of another's
// in the middle of the next turn may lead elsewhere.
//
// "No effect" is each write silent, one by one; a back-out lock, whose visible writes
// cancel out only in sum, isn't a spin. That time passes in a sleep is none either. A
// loop that sleeps and looks at nothing but memory waits for that, or for a timed wait
// to run out. That happens once no other thread can run. One that looks at the clock
// waits for time to pass, too: spinclock.go.
//
// A search may be spared the first poll, too, and all in vain: await.go.
//
// A turn may take locks and give them back: spins/locks.go.

// spinFinder finds the loops in which threads wait, by the steps of the path. It changes how a thread stands,
// no more.
type spinFinder struct {
	in        *present
	learning  *learning
	trials    *trials
	stillness *stillness
	dead      *deadCode
	cpuKept   bool // the kernel keeps CPU states, to come back to
	parks     bool // a thread that has gone round for nothing stops there (spinpark.go)
	polled    bool // a thread has waited in a loop that looks at the clock
}

// standAt is called where a thread has stopped at the end of a step. Reads of a
// thread that is alone aren't on record; the state recurs all the same.
func (s *System) standAt(th edit, tr *trace.Transition) error {
	if s.probing || s.turning || !s.stillness.still(tr) || th.ID != tr.Thread || th.Stand != StandRun && s.Alone(th.ID) {
		return nil
	}
	switch th.Stand {
	case StandAccess:
		if n := len(tr.Accesses); n > 0 && th.LastStep != 0 && s.steps[th.LastStep-1].effects == th.Effects && spins.SameRead(&tr.Accesses[n-1], &th.Access) {
			reads, v := s.trials.tryTurn(th.thread, tr)
			switch v {
			case onlyLooks:
				s.awaits.learn(&th.Access)
			case looksOn, looksRests:
				s.counted.learn(th.thread)
			}
			if reads != nil {
				s.spinOn(th, reads)
				return nil
			}
		}
		fallthrough
	case StandTrap:
		s.awaits.learnAssumption(th.thread, tr)
		fallthrough
	case StandRun, StandOp:
		s.spins.findTurn(th, tr)
	}
	return nil
}

// maxSpinSteps bounds how far back a loop of several steps is looked for: a lock
// that tries a thousand times before it yields has a turn of a thousand steps.
// Each step that is tried costs a comparison of CPU states, so those before the
// last few are looked up (spinfar.go). Before an operation, where the state isn't in
// the registers alone, maxOpSteps are tried.
const (
	maxSpinSteps = 8192
	nearSteps    = 8
	maxOpSteps   = 64
)

// findTurn looks for an earlier step of the thread that began in exactly the
// state in which it now stands, with no effect since.
func (s *spinFinder) findTurn(th edit, tr *trace.Transition) {
	pc, near := s.in.standPC(th.thread), nearSteps
	listed := th.Stand != StandOp && th.Set == 0
	if !listed {
		near = maxOpSteps
	}
	i := th.LastStep
	for n := 0; i != 0 && n < near; n++ {
		st := &s.in.steps[i-1]
		if st.tr != tr && !s.stillness.still(st.tr) || st.effects != th.Effects {
			return
		}
		// A step that ends where it began ran nothing: a point right at a
		// thread's entry. That is no turn.
		if st.insns != th.Insns && st.pc == pc && st.set == th.Set && (st.set == 0 || s.in.stepRegs[st.regs-1] == th.Regs) && s.trials.sameLive(th.thread, st.ctx) {
			s.turn(th, tr, i-1)
			return
		}
		i = st.prev
	}
	if i == 0 || !listed {
		return
	}
	if i = s.farTurn(th.thread, i, pc); i != 0 {
		s.turn(th, tr, i-1)
	}
}

// turn makes the thread spin under two conditions. Its steps from index i on, which
// brought it back to where it stood, changed none of its private memory. And no other
// thread changed what they read. Other threads' other acts, and their times, make no
// difference: whether the thread can go on is settled by what happened before, not by
// the order of unrelated steps. If one did change it, the reads are remembered all the
// same: the thread goes on because of that.
func (s *spinFinder) turn(th edit, tr *trace.Transition, i int32) {
	reads, disturbed, own := s.in.readsSince(th.thread, i)
	if !s.givesBack(th.thread, i) {
		return
	}
	zone, locks := s.trials.redZone(th.thread), s.in.locksSince(th.thread, i)
	others := func(a uint64) bool { // it wrote no other value to what others see, and has given back all locks
		return within(a, reads) || within(a, locks)
	}
	if !s.in.machine.Unchanged(own, func(a uint64) bool { return others(a) || a >= zone.Lo && a < zone.Hi }) {
		return
	}
	exact := s.in.machine.Unchanged(own, others)
	whole := exact && s.forNothing(th.thread, i)
	switch {
	case disturbed && whole:
		s.in.park(th, reads)
		return
	case disturbed:
		th.Waits = append([]trace.Access(nil), reads...)
		return
	}
	if !exact && !s.trials.runAgain(th.thread, tr, s.in.stepsSince(th.thread, i)) || !s.trials.buffers.relies(th.thread, i) {
		return
	}
	s.in.spinOn(th, reads)
	th.idles, th.whole = s.in.idles(th.thread, i), whole
	if looksAtClock(th.thread) {
		s.in.kernel.(clockKernel).LooksAnew(th.ID)
		s.polled = true
	}
}

// within reports whether a byte is one of some accesses'.
func within(at uint64, list []trace.Access) bool {
	return slices.ContainsFunc(list, func(a trace.Access) bool { return at >= a.Addr && at < a.Addr+uint64(a.Size) })
}

// givesBack reports whether the thread's own steps from index i on unlock all
// that they lock, and no more (spins/locks.go). It notes that these locks may not become
// contended.
func (s *spinFinder) givesBack(th *thread, i int32) bool {
	var has spins.Taken
	for ; int(i) < len(s.in.steps); i++ {
		if s.in.steps[i].tr.Thread != th.ID {
			continue
		}
		for _, op := range s.in.steps[i].tr.Ops {
			if !spins.PlainLock(op.Kind) {
				continue
			}
			s.learning.known.Merged[op.Obj] = true
			if !has.Did(op) {
				return false
			}
		}
	}
	return len(has) == 0
}

// freeContexts gives up the contexts of a thread's steps when one of them, tr, has had an
// effect: no loop's turn goes back beyond that (findTurn).
func (s *spinFinder) freeContexts(th *thread, tr *trace.Transition) {
	if s.cpuKept || s.stillness.still(tr) {
		return
	}
	later := th.Ctx // which a step that ran nothing began with, too
	for i := th.LastStep; i != 0 && !s.in.steps[i-1].freed; i = s.in.steps[i-1].prev {
		st := &s.in.steps[i-1]
		if st.freed = true; st.ctx != later {
			s.in.machine.Free(st.ctx)
		}
		later = st.ctx
	}
}
