package races

import (
	"testing"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/race"
)

// steps is a System whose step number n is the same whichever thread takes it.
type steps struct {
	por.System
	por.Awaiter
	list   []trace.Transition
	at     int
	polls  *trace.Polls // possible behind the first step
	taught bool         // by what was tried for them
}

func (s *steps) Polled(f func(*trace.Polls)) {
	if s.polls != nil && s.at == 1 {
		f(s.polls)
	}
}
func (s *steps) News() bool { return s.taught }

func (s *steps) Step(trace.TID, trace.Choice) (*trace.Transition, error) {
	s.at++
	return &s.list[s.at-1], nil
}
func (s *steps) Mark() trace.Mark    { return trace.Mark(s.at) }
func (s *steps) Rewind(k trace.Mark) { s.at = int(k) }

// write is a thread's write of a variable, as step of a search.
func write(t trace.TID, pc uint64) trace.Transition {
	return trace.Transition{Thread: t, Begin: pc, Last: pc, Accesses: []trace.Access{{Addr: 0x1000, Size: 4, PC: pc, Flags: trace.Write}}}
}

func watching(list ...trace.Transition) *Watched {
	s := &steps{list: list}
	return &Watched{Runner: session.Runner{System: s, Sparing: session.Sparing{Awaiter: s, Sparer: s}}, Races: NewLookout(race.Config{Mode: race.HB})}
}

// run takes steps until there are no more.
func run(t *testing.T, w *Watched) {
	t.Helper()
	for s := w.System.(*steps); s.at < len(s.list); {
		if _, err := w.Step(s.list[s.at].Thread, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPathOfCandidate: a candidate is shown on the path on which it was seen, though
// the search has gone back since; and detectors go back with it.
func TestPathOfCandidate(t *testing.T) {
	w := watching(write(0, 10), write(1, 20), write(0, 30))
	root := w.Mark()
	run(t, w)
	found := len(w.Races.Candidates())
	if found == 0 || len(w.path) != 3 {
		t.Fatalf("%d candidates after %d steps", found, len(w.path))
	}
	first := w.Races.Shown[0]
	if len(first) != 2 || first[1].Thread != 1 || first[1].Last != 20 {
		t.Errorf("the first is shown on %+v", first)
	}
	w.Rewind(root)
	if len(w.path) != 0 {
		t.Errorf("%d steps at the root", len(w.path))
	}
	if _, err := w.Step(0, 0); err != nil || len(w.Races.Candidates()) != found || len(w.Races.Shown[0]) != 2 {
		t.Errorf("after another first step: %d candidates, shown on %+v, %v", len(w.Races.Candidates()), w.Races.Shown[0], err)
	}
}

// TestTake: what two workers saw in one order each came in both orders, and forgetting
// leaves nothing.
func TestTake(t *testing.T) {
	a, b := watching(write(0, 10), write(1, 20)), watching(write(1, 20), write(0, 10))
	run(t, a)
	run(t, b)
	if a.Races.Candidates()[0].BothOrders() {
		t.Fatal("one worker saw one order")
	}
	a.Take(b)
	if c := a.Races.Candidates(); len(c) != 1 || !c[0].BothOrders() || a.Races.Candidate(c[0].Pair) != c[0] {
		t.Errorf("together they saw %+v", c)
	}
	kept := NewLookout(race.Config{Mode: race.HB})
	for _, r := range a.Races.Saved("") {
		kept.Reload(&r)
	}
	if c := kept.Candidates(); len(c) != 1 || !c[0].BothOrders() || len(kept.Shown[0]) != 2 {
		t.Errorf("a checkpoint has %+v", c)
	}
	a.Restart()
	if len(a.Races.Candidates()) != 0 || a.Races.Shown != nil {
		t.Error("candidates outlast finer points")
	}
}

// TestPollOfStep: a poll that no step makes is seen behind the step, on its path. What was tried for it may teach.
func TestPollOfStep(t *testing.T) {
	w := watching(write(0, 10), write(0, 20))
	s := w.System.(*steps)
	s.polls = &trace.Polls{Thread: 1, Accesses: []trace.Access{{Addr: 0x1000, Size: 4, PC: 30}}, Came: true, Before: func(int) bool { return false }}
	root := w.Mark()
	run(t, w)
	pairs := map[race.Pair][2]bool{}
	for _, c := range w.Races.Candidates() {
		pairs[c.Pair] = [2]bool{c.AFirst, c.BFirst}
	}
	if pairs[race.Pair{A: 10, B: 30}] != [2]bool{true, false} || pairs[race.Pair{A: 20, B: 30}] != [2]bool{false, true} || len(w.Races.Shown[0]) != 1 {
		t.Errorf("candidates %+v, the first shown on %+v", pairs, w.Races.Shown[0])
	}
	w.Rewind(root)
	s.taught = true
	if _, err := w.Step(0, 0); err != por.ErrFiner {
		t.Errorf("what was taught: %v", err)
	}
}
