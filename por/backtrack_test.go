package por

import (
	"slices"
	"testing"

	"landgo/internal/trace"
)

// stateOf is a path of one state in which some threads can run, with what to
// explore from it.
func stateOf(ready ...trace.TID) (*backtrack, *node) {
	p := &path{words: 1, nodes: make([]node, 1), ready: make([]uint64, 1)}
	for _, t := range ready {
		p.ready[0] |= 1 << t
	}
	n := &p.nodes[0]
	n.running, n.next = trace.NoThread, trace.NoThread
	return &backtrack{path: p}, n
}

// listed are the threads and outcomes of a list of branches.
func listed(b *branch) (list [][2]int) {
	for ; b != nil; b = b.next {
		list = append(list, [2]int{int(b.Thread), int(b.Choice)})
	}
	return list
}

// TestAddLeavesOut: what sleeps, was explored, was refused, is planned or being
// explored isn't added, nor is a thread that can't run.
func TestAddLeavesOut(t *testing.T) {
	s, n := stateOf(0, 1, 2, 3, 4)
	named := func(t trace.TID) *branch { return s.pool.named(t, 0) }
	n.done, n.over, n.cur = named(0), named(1), named(2)
	s.path.sleep = []*branch{named(3)}
	n.slept = 1
	s.addAll(n)
	s.addAll(n)
	if got := listed(n.todo); !slices.Equal(got, [][2]int{{4, 0}}) {
		t.Errorf("added %v, want thread 4 only", got)
	}
	s.addElseAll(n, 9)
	if got := listed(n.todo); len(got) != 1 {
		t.Errorf("a thread that can't run: %v", got)
	}
}

// TestAddOutcomes: each outcome of a step is a branch of its own.
func TestAddOutcomes(t *testing.T) {
	s, n := stateOf(0, 1)
	s.path.choices = []choice{{1, 3, nil}}
	n.cur = s.pool.named(1, 1)
	s.addOutcomes(0, nil)
	if got := listed(n.todo); !slices.Equal(got, [][2]int{{1, 0}, {1, 2}}) {
		t.Errorf("outcomes %v beside the one that was run", got)
	}
	s, n = stateOf(0, 1)
	s.path.choices = []choice{{1, 2, nil}}
	s.addEvery(n)
	if got := listed(n.todo); !slices.Equal(got, [][2]int{{0, 0}, {1, 0}, {1, 1}}) {
		t.Errorf("every step: %v", got)
	}
}

// TestOwnCopies: a state that other workers have too is copied before it is added
// to.
func TestOwnCopies(t *testing.T) {
	s, n := stateOf(0, 1)
	first := s.pool.named(0, 0)
	n.todo, n.shared = first, &sharedState{todo: first}
	s.addThread(n, 1)
	if len(listed(n.todo)) != 2 || len(listed(n.shared.todo)) != 1 {
		t.Errorf("own %v, shared %v", listed(n.todo), listed(n.shared.todo))
	}
}

// TestByTurns: the guest's choice first, then the running thread, then the others;
// after a long turn in a circle, unless there is a bound.
func TestByTurns(t *testing.T) {
	for _, c := range []struct {
		name          string
		running, next trace.TID
		turn          int32
		bounded       bool
		want          []trace.TID
	}{
		{"at the start", trace.NoThread, trace.NoThread, 0, false, []trace.TID{1, 2, 4}},
		{"a thread runs on", 2, trace.NoThread, 5, false, []trace.TID{2, 1, 4}},
		{"the guest has chosen", 2, 4, 5, false, []trace.TID{4, 2, 1}},
		{"a long turn", 2, trace.NoThread, longestTurn, false, []trace.TID{4, 1, 2}},
		{"a long turn within a bound", 2, trace.NoThread, longestTurn, true, []trace.TID{2, 1, 4}},
		{"the running thread waits", 3, trace.NoThread, 5, false, []trace.TID{1, 2, 4}},
	} {
		s, n := stateOf(1, 2, 4)
		n.running, n.next, n.turn, s.bounded = c.running, c.next, c.turn, c.bounded
		if got := slices.Collect(s.byTurns(n)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestBudgetPolls: a walk asks whether to stop now and then, and within long work
// between two steps.
func TestBudgetPolls(t *testing.T) {
	asked := 0
	b := budget{opts: &Options{Stop: func() bool { asked++; return asked == 2 }}, look: 7, quota: 100}
	for range 7 {
		b.step()
	}
	if b.due {
		t.Error("due after seven steps")
	}
	if b.step(); !b.due {
		t.Error("not due after eight")
	}
	for k, want := range []bool{false, false, false, true, true} {
		if got := b.pollWithin(1 << 19); got != want {
			t.Errorf("work %d: stops %v", k, got)
		}
	}
	if asked != 2 || !b.stopped {
		t.Errorf("asked %d times, stopped %v", asked, b.stopped)
	}
}
