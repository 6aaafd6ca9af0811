package scheduler

import (
	"testing"

	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// TestBelowWider: after additions of one instruction were told apart, which others are given up.
func TestBelowWider(t *testing.T) {
	access := func(addr uint64) *trace.Access { return &trace.Access{PC: 7, Addr: addr, Size: 8} }
	for _, tt := range []struct {
		name        string
		told        [][2]uint64 // thread and address
		enough      bool        // another addition of the instruction found enough
		same, other bool        // those of thread 1 to other bytes, those of other threads
	}{
		{"one", [][2]uint64{{1, 8}}, true, false, false},
		{"two of a thread's", [][2]uint64{{1, 8}, {1, 16}}, true, true, false},
		{"two threads'", [][2]uint64{{1, 8}, {2, 8}}, true, true, true},
		{"never enough", [][2]uint64{{1, 8}}, false, true, true},
	} {
		s := &System{}
		s.known = known.New()
		low, enough := trace.Count{Size: 8, Before: 1, Added: -1, Least: 2}, trace.Count{Size: 8, Before: 5, Added: -1, Least: 2}
		s.steps = []stepInfo{{tr: &trace.Transition{Thread: 5}}}
		s.tallies = []tally{{0, 9, 1, enough}} // by another instruction
		if tt.enough {
			s.tallies = append(s.tallies, tally{0, 7, 2, enough})
		}
		for _, told := range tt.told {
			s.steps = append(s.steps, stepInfo{tr: &trace.Transition{Thread: trace.TID(told[0])}})
			k := tally{int32(len(s.steps) - 1), 7, nameBelow(trace.TID(told[0]), access(told[1])), low}
			s.tallies = append(s.tallies, k)
			s.known.Below.Add(k.name)
			s.widen(&k)
		}
		bl := &blends{learning: &s.learning}
		for at, want := range map[[2]uint64]bool{tt.told[0]: true, {1, 24}: tt.same, {3, 24}: tt.other} {
			if got := bl.isBelow(trace.TID(at[0]), access(at[1])); got != want {
				t.Errorf("%s: thread %d at %d: %v", tt.name, at[0], at[1], got)
			}
		}
	}
}
