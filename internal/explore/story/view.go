package story

import (
	"errors"
	"slices"

	"landgo/heap"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/race"
)

// RacePair describes a candidate.
func RacePair(s *session.Session, c *race.Candidate, v *View) result.RacePair {
	p := result.RacePair{
		Variable: s.Guest.VariableName(v.Earlier.Addr), BothOrders: c.BothOrders(),
		First: RaceAccess(s, &v.Earlier), Second: RaceAccess(s, &v.Later),
	}
	if v.name != "" {
		p.Variable = v.name
	}
	if len(v.first) > 0 {
		p.First.Stack = v.first
	}
	if len(v.second) > 0 {
		p.Second.Stack = v.second
	}
	return p
}

// View is the picture of two accesses from a run along a path: their stacks, and the
// name of their variable. A stack is nil if no thread stops before the access; the
// name is "" if the path doesn't reach the later one.
type View struct {
	*race.Sighting
	Path          []por.PathStep
	first, second []result.Frame
	name          string
	Done          bool
}

// On reports whether a path reaches both accesses as the view's own does.
func (v *View) On(path []por.PathStep) bool {
	n := int(v.Later.Step) + 1
	return n <= len(path) && n <= len(v.Path) && slices.Equal(v.Path[:n], path[:n])
}

// Visited is the record of a way along a path: blocks, and what threads run.
type Visited struct {
	namer
	roots
	*session.Session
	created map[trace.TID]result.Frame
}

// Block implements scheduler.Observer.
func (v *Visited) Block(t trace.TID, b heap.Block, given bool) {
	if given {
		v.given(v.Session, b, allocating(v.Session, t, b))
	}
}

// Created implements scheduler.Observer.
func (v *Visited) Created(parent, child trace.TID) {
	if f := result.Innermost(v.Stack(parent)); f.File != "" && !f.Library {
		v.created[child] = f
	}
}

// Did implements scheduler.Observer.
func (v *Visited) Did(trace.TID, int, *trace.Op) {}

// Visit goes a path again, up to the last access of views that are on it. It leaves
// the guest there.
func Visit(s *session.Session, path []por.PathStep, views ...*View) (seen *Visited, err error) {
	seen = &Visited{roots: roots{}, Session: s, created: map[trace.TID]result.Frame{}}
	s.Guest.Rewind(s.Root)
	s.Guest.Observe(seen)
	defer s.Guest.Observe(nil)
	stands := func(p *por.PathStep, a *race.Access) ([]result.Frame, error) {
		s.Guest.Observe(nil) // of what is taken back
		defer s.Guest.Observe(seen)
		return stackWithin(s, p, a)
	}
	defer func() { views[0].Done = true }() // it won't come farther another time
	left := len(views)
	// come takes in what views show right before a step, or of threads that wait behind it.
	come := func(i int, polls bool) (err error) {
		for _, v := range views {
			if e := &v.Earlier; int(e.Step) == i && e.Polls == polls && err == nil {
				v.first, err = stands(&path[i], e)
			}
			if l := &v.Later; int(l.Step) == i && l.Polls == polls && err == nil {
				v.name, v.Done = seen.describe(s, v.Earlier.Addr), true
				left--
				v.second, err = stands(&path[i], l)
			}
		}
		return err
	}
	for i := range path {
		if err := come(i, false); err != nil || left == 0 {
			return seen, err
		}
		seen.look(s, path[i].Thread, nil)
		if tr, err := s.Take(&path[i]); errors.Is(err, por.ErrFiner) {
			return seen, nil // the rest of the path has other steps now
		} else if err != nil {
			return seen, err
		} else {
			seen.pointers(tr)
		}
		if err := come(i, true); err != nil || left == 0 {
			return seen, err
		}
	}
	return seen, nil
}

// pointers takes in what a step's accesses say of blocks.
func (v *Visited) pointers(tr *trace.Transition) {
	word := v.Image.Machine.Word()
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; uint64(a.Size) == word && a.Addr >= record.LowestVariable {
			v.learn(v.Session, a.Addr, little(v.Plain.SeenBy(tr.Thread, a.Addr, word)))
		}
		if a := &tr.Accesses[i]; a.Size > 0 && a.Size <= 8 && a.Addr >= record.LowestVariable {
			v.doubt(v.Session, a, little(v.Plain.SeenBy(tr.Thread, a.Addr, uint64(a.Size))))
		}
	}
}

func RaceAccess(s *session.Session, a *race.Access) result.Access {
	t := trace.Access{Addr: a.Addr, Size: a.Size, PC: a.PC}
	if a.Write {
		t.Flags = trace.Write
	}
	out := s.Access(a.Thread, &t)
	if a.Free {
		out.Op, out.Instruction = "frees", "" // PC is in the call
	}
	return out
}

// mostCarried is how many functions that landgo has carried out in a step count: each is an
// instruction of the thread's, and isn't one in the accesses' numbers.
const mostCarried = 4

// stackWithin is the stack of an access in the step that comes next, which is
// run to there and taken back; of a poll, where the thread stands. Nil: the thread doesn't stop there.
func stackWithin(s *session.Session, p *por.PathStep, a *race.Access) ([]result.Frame, error) {
	if a.Polls {
		if s.Guest.PC(a.Thread) != a.PC {
			return nil, nil
		}
		return s.Stack(a.Thread), nil
	}
	k := s.Guest.Mark()
	stands := func() bool { return s.Guest.PC(p.Thread) == a.PC || calledAt(s, p.Thread, a.PC) }
	until := p.Begin + uint64(a.Insn) - 1
	if a.Insn == 0 || until <= p.Begin || until >= p.Last {
		if !stands() {
			return nil, nil
		}
		return s.Stack(p.Thread), nil
	}
	for most := min(until+mostCarried, p.Last-1); until <= most; until++ {
		s.Guest.Limit(until)
		_, err := s.Guest.Step(p.Thread, p.Choice)
		s.Guest.Limit(0)
		var stack []result.Frame
		if stands() {
			stack = s.Stack(p.Thread)
		}
		s.Guest.Rewind(k)
		if err != nil && !errors.Is(err, por.ErrFiner) { // a stop in the middle of a step can teach something
			return nil, err
		}
		if stack != nil {
			return stack, nil
		}
	}
	return nil, nil
}

// calledAt: a thread stands at a function's entry, and pc is in the call.
func calledAt(s *session.Session, t trace.TID, pc uint64) bool {
	stack := s.Guest.Stack(t)
	return len(stack) > 1 && stack[1]-1 == pc
}
