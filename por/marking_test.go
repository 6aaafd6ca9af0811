package por

import (
	"slices"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

// TestMarking: a set that needs all is given up for a new one, which is given up in
// its turn where it needs what is marked.
func TestMarking(t *testing.T) {
	one := []model.Instr{{Code: model.Load}}
	p := &model.Program{Bytes: 8, Standing: true, Threads: [][]model.Instr{one, one, one, one, one}}
	spec, err := ParseSpec("dpor:figure=3,sleep=0,mark=1")
	if err != nil {
		t.Fatal(err)
	}
	x := newExplorer(model.New(p), nil, spec, Options{OneEvent: true})
	x.reset()
	if err := x.open(nil); err != nil {
		t.Fatal(err)
	}
	n, s := &x.nodes[0], x.strat.(*marking)
	set := &s.states[0]
	for _, c := range []struct {
		by                     trace.TID
		among                  []trace.TID
		members, marks, queued []trace.TID
	}{
		{0, []trace.TID{0, 1}, []trace.TID{0}, nil, nil},                          // it is there
		{0, []trace.TID{1}, []trace.TID{0, 1}, nil, []trace.TID{1}},               // it is added
		{1, nil, []trace.TID{2}, []trace.TID{1}, []trace.TID{2}},                  // it needs all
		{2, []trace.TID{1, 3}, []trace.TID{2, 3}, []trace.TID{1}, []trace.TID{3}}, // 1 is marked
		{1, []trace.TID{4}, []trace.TID{2, 3}, []trace.TID{1}, []trace.TID{3}},    // of a set that was given up
		{3, []trace.TID{0, 1}, []trace.TID{4}, []trace.TID{1, 0}, []trace.TID{4}}, // 0 needs 1, which is marked
	} {
		for b := remove(&n.todo, c.by, 0); b != nil; b = nil {
			b.next, n.done = n.done, b // it was explored
		}
		set.demands = append(set.demands, demand{c.by, c.among})
		s.settle(n, set)
		var queued []trace.TID
		for b := n.todo; b != nil; b = b.next {
			queued = append(queued, b.Thread)
		}
		if !slices.Equal(set.members, c.members) || !slices.Equal(set.marked, c.marks) || !slices.Equal(queued, c.queued) {
			t.Errorf("%d demands %v: members %v, marked %v, planned %v; want %v, %v, %v", c.by, c.among, set.members, set.marked, queued, c.members, c.marks, c.queued)
		}
	}
}

// TestMarkNeedsFigure3: an option without effect isn't taken in silence.
func TestMarkNeedsFigure3(t *testing.T) {
	for text, ok := range map[string]bool{"dpor:mark=1": false, "dpor:mark=1,figure=4": false, "dpor:mark=1,figure=3": true, "dpor:mark=0": true} {
		if _, err := ParseSpec(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
