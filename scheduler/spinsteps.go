package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// What the steps of a turn did, as the path has them.

// appendReads adds the accesses of a step, and the objects whose failed try it saw.
func (s *fixed) appendReads(reads []trace.Access, tr *trace.Transition) []trace.Access {
	for k := range tr.Accesses {
		if a := &tr.Accesses[k]; !s.passesTime(a) {
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

// readsSince are the accesses of the thread's own steps from index i on, and the
// objects whose failed try it saw. It also says whether another thread changed any
// of the bytes after that, and what the journal has of these steps.
func (s *present) readsSince(th *thread, i int32) (reads []trace.Access, disturbed bool, own []emu.Stretch) {
	for ; int(i) < len(s.steps); i++ {
		tr := s.steps[i].tr
		if tr.Thread != th.ID {
			disturbed = disturbed || disturbs(tr, reads) && !(tr.Updates && tr.Of == th.ID)
			continue
		}
		end := s.machine.Journal()
		if s.steps[i].end != 0 {
			end = s.steps[i].end
		} else if int(i)+1 < len(s.steps) {
			end = s.steps[i+1].journal
		}
		own = append(own, emu.Stretch{From: s.steps[i].journal, To: end})
		reads = s.appendReads(reads, tr)
	}
	return reads, disturbed, own
}

// locksSince are the bytes of the locks that the thread's own steps from index i on took. Another thread may
// have them now.
func (s *state) locksSince(th *thread, i int32) (locks []trace.Access) {
	for ; int(i) < len(s.steps); i++ {
		if tr := s.steps[i].tr; tr.Thread == th.ID {
			for _, op := range tr.Ops {
				if op.Size != 0 && spins.PlainLock(op.Kind) {
					locks = append(locks, trace.Access{Addr: op.Obj, Size: op.Size})
				}
			}
		}
	}
	return locks
}

// stepsSince are the thread's own steps of the present path from index i on.
func (s *state) stepsSince(th *thread, i int32) (list []*trace.Transition) {
	for ; int(i) < len(s.steps); i++ {
		if tr := s.steps[i].tr; tr.Thread == th.ID {
			list = append(list, tr)
		}
	}
	return list
}
