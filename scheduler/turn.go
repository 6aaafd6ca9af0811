package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// finder (spin.go) finds the loops in which threads wait. It reads the steps of the path and changes how
// a thread stands, no more.
type finder struct {
	in       *present
	learning *learning
	trials   *trials
	runs     stepper
	dead     map[uint64]dead // registers, by place
	cpuKept  bool            // the kernel keeps CPU states, to come back to
	parks    bool            // a thread that has gone round for nothing stops there (park.go)
	polled   bool            // a thread has waited in a loop that looks at the clock
}

// calm reports whether a step had no effect that another thread could see. A buffered store
// makes the buffer longer, whatever its value.
func (s *finder) calm(tr *trace.Transition) bool {
	return s.still(tr) && !slices.ContainsFunc(tr.Accesses, func(a trace.Access) bool { return a.IsWrite() && a.Flags&trace.Buffered != 0 })
}

// still is calm, but that a buffered store of what is there is no effect either if no other thread stores
// there (repeated.go).
func (s *finder) still(tr *trace.Transition) bool {
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.IsWrite() && (a.Flags&trace.Silent == 0 || a.Flags&trace.Buffered != 0 && !s.trials.buffers.repeats(tr.Thread, a)) && !s.in.passesTime(a) {
			return false
		}
	}
	for i := range tr.Ops {
		switch tr.Ops[i].Kind {
		case trace.OpYield, trace.OpTurn, trace.OpName, trace.OpSleep, trace.OpTryLockFail, trace.OpSemTryWaitFail,
			trace.OpTryReadLockFail, trace.OpTryWriteLockFail:
		case trace.OpSyscall:
			if !s.isLook(tr.Ops[i]) {
				return false
			}
		default:
			if !spins.PlainLock(tr.Ops[i].Kind) || s.learning.known.Contended[tr.Ops[i].Obj] {
				return false
			}
		}
	}
	return len(tr.Wakes) == 0
}

// appendReads adds the accesses of a step, and the objects whose failed try it saw.
func (s *finder) appendReads(reads []trace.Access, tr *trace.Transition) []trace.Access {
	for k := range tr.Accesses {
		if a := &tr.Accesses[k]; !s.in.passesTime(a) {
			reads = append(reads, *a)
		}
	}
	for _, op := range tr.Ops {
		if op.Size != 0 && !spins.PlainLock(op.Kind) {
			reads = append(reads, trace.Access{Addr: op.Obj, Size: op.Size, PC: op.PC})
		}
	}
	return reads
}

// round says how a step ends of a thread that stands at an access.
type round uint8

const (
	goesOn     round = iota
	looksOn          // it is about to look at the same bytes again, in another state
	comesBack        // it stands where it stood, and nothing has changed
	onlyLooks        // the same, by that access alone
	looksRests       // the same, and it has yielded or slept
)

// recurs reports whether the thread is in the same state as before.
func (r round) recurs() bool { return r >= comesBack }

// readsSince are the accesses of the thread's own steps from index i on, and the
// objects whose failed try it saw. It also says whether another thread changed any
// of the bytes after that, and what the journal has of these steps.
func (s *finder) readsSince(th *thread, i int32) (reads []trace.Access, disturbed bool, own []emu.Stretch) {
	for ; int(i) < len(s.in.steps); i++ {
		tr := s.in.steps[i].tr
		if tr.Thread != th.ID {
			disturbed = disturbed || disturbs(tr, reads) && !(tr.Updates && tr.Of == th.ID)
			continue
		}
		end := s.in.machine.Journal()
		if s.in.steps[i].end != 0 {
			end = s.in.steps[i].end
		} else if int(i)+1 < len(s.in.steps) {
			end = s.in.steps[i+1].journal
		}
		own = append(own, emu.Stretch{From: s.in.steps[i].journal, To: end})
		reads = s.appendReads(reads, tr)
	}
	return reads, disturbed, own
}

// locksSince are the bytes of the locks that the thread's own steps from index i on took. Another thread may
// have them now.
func (s *finder) locksSince(th *thread, i int32) (locks []trace.Access) {
	for ; int(i) < len(s.in.steps); i++ {
		if tr := s.in.steps[i].tr; tr.Thread == th.ID {
			for _, op := range tr.Ops {
				if op.Size != 0 && spins.PlainLock(op.Kind) {
					locks = append(locks, trace.Access{Addr: op.Obj, Size: op.Size})
				}
			}
		}
	}
	return locks
}
