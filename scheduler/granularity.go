package scheduler

import "landgo/internal/trace"

// Granularity says where a System may stop: what a search sees of its guest as
// one step.
type Granularity struct {
	// Points has neither PointYield nor PointRace: voluntary switches are always points,
	// and instructions are in Race.
	Points trace.Points
	Rules  []Rule // --within, --without
	// Race are instructions before whose accesses to shared memory there is a
	// point, too. Where memory isn't known to be shared yet, sharing is learned as
	// with PointMem. A step is named by its thread's instruction number all the
	// same, so a schedule means the same at each granularity.
	Race []uint64
}

// SetGranularity changes where the System stops from now on. Its knowledge stays.
// Preconditions: it stands at its root, and no other mark is in use.
func (s *System) SetGranularity(g Granularity) {
	for _, w := range s.twins.beside {
		w.SetGranularity(g)
	}
	s.cfg.Granularity = g
	s.stopAt(g.Race)
	s.Unlist()
}

func (s *fixed) stopAt(race []uint64) {
	s.racing = nil
	if len(race) > 0 {
		s.racing = map[uint64]bool{}
	}
	for _, pc := range race {
		s.racing[pc] = true
	}
	s.machine.Points(race)
}

// Learned counts the times that preemption points became finer for good: two
// searches at one granularity have the same steps if it didn't change between.
func (s *seen) Learned() uint64 { return s.learned }

// sightOperations remembers the objects that a step worked on, as if it had written
// them. An access to a mutex's bytes, or to a block that is freed, conflicts with
// the operation. The operation's own point is before the step.
func (s *seen) sightOperations(tr *trace.Transition) {
	for i := range tr.Ops {
		if op := &tr.Ops[i]; op.Size != 0 {
			s.record.Sight(tr.Thread, &trace.Access{Addr: op.Obj, PC: op.PC, Size: op.Size, Flags: trace.Write}, nil, true)
		}
	}
}

// Racing: there is a point before an instruction, for it races (Granularity.Race).
func (s *fixed) Racing(pc uint64) bool { return s.racing[pc] }
