package explore

import (
	"errors"
	"slices"
	"sort"

	"landgo/explore/session"
	"landgo/por"
	"landgo/race"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// maxRaces is the number of candidates that a result describes.
const maxRaces = 20

// races describes the candidates: those that came in both orders first, then by
// address, so that it doesn't depend on when they were found.
func races(s *session.Session, w *watched, r *result.Result) error {
	if !w.listed {
		return nil
	}
	all := w.races.Candidates()
	var rank []int
	for i, c := range all {
		switch c.Kind {
		case race.Data, race.Unclear:
			rank = append(rank, i)
		case race.Recycled:
			r.RacesRecycled++
		}
	}
	sort.Slice(rank, func(i, j int) bool {
		a, b := all[rank[i]], all[rank[j]]
		switch {
		case a.BothOrders() != b.BothOrders():
			return a.BothOrders()
		case a.A != b.A:
			return a.A < b.A
		}
		return a.B < b.B
	})
	r.RaceCount = uint64(len(rank))
	w.ranked = w.ranked[:0]
	rank = rank[:min(maxRaces, len(rank))]
	views := make([]view, len(rank))
	for k, i := range rank {
		w.ranked = append(w.ranked, all[i])
		views[k] = view{Sighting: &all[i].Shown, path: w.races.shown[i]}
	}
	for k := range views {
		if views[k].done || w.toward != nil && !w.toward(rank[k]) {
			continue
		}
		along := []*view{&views[k]}
		for l := k + 1; l < len(views); l++ {
			if v := &views[l]; !v.done && v.on(views[k].path) && (w.alike == nil || w.alike(rank[k], rank[l])) {
				along = append(along, v)
			}
		}
		if err := visit(s, views[k].path, along...); err != nil {
			return err
		}
	}
	if w.toward != nil {
		w.toward(-1)
	}
	for k, i := range rank {
		r.Races = append(r.Races, racePair(s, all[i], &views[k]))
	}
	return nil
}

// classify says what became of the races that are described, once the verdict
// and the bugs' executions are known.
func (w *watched) classify(r *result.Result, preempted map[uint64]bool) {
	for i, c := range w.ranked {
		failed := preempted[c.A] || preempted[c.B]
		class := c.Class(r.Verdict == result.Verified, failed)
		if w.settled != nil && !failed {
			class = w.settled(c)
		}
		r.Races[i].Class = class.String()
		if class == race.Benign && w.settledAt != nil {
			r.Races[i].VerifiedAt = w.settledAt(c)
		}
	}
}

// preemptedAt adds the instructions before which a thread was preempted in the
// story, and those of a race that is its bug. Who stood at a call of the
// allocator's is at the call, as in race.Access.
func (st *story) preemptedAt(at map[uint64]bool, f *scheduler.Failure) {
	for i := 1; i < len(st.beats); i++ {
		if !st.beats[i].step.Preemption {
			continue
		}
		if stack := st.leftAt(i); len(stack) > 0 {
			at[stack[0]] = true
			if len(stack) > 1 {
				at[stack[1]-1] = true
			}
		}
	}
	if f.Kind == failureRace {
		if x := st.raceIn(f.Message); x != nil {
			at[x.Earlier.PC], at[x.Later.PC] = true, true
		}
	}
}

// racePair describes a candidate.
func racePair(s *session.Session, c *race.Candidate, v *view) result.RacePair {
	p := result.RacePair{
		Variable: s.Guest.VariableName(v.Earlier.Addr), BothOrders: c.BothOrders(),
		First: raceAccess(s, &v.Earlier), Second: raceAccess(s, &v.Later),
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

// view is what is seen of two accesses by whoever goes the path on which they are:
// their stacks, nil of one before which no thread comes to stand, and the name of
// what they access, "" if the path doesn't come to the later one.
type view struct {
	*race.Sighting
	path          []por.PathStep
	first, second []result.Frame
	name          string
	done          bool
}

// on reports whether a path comes to both accesses as the view's own does.
func (v *view) on(path []por.PathStep) bool {
	n := int(v.Later.Step) + 1
	return n <= len(path) && n <= len(v.path) && slices.Equal(v.path[:n], path[:n])
}

// visit goes a path again, up to the last access of views that are on it. It leaves
// the guest there.
func visit(s *session.Session, path []por.PathStep, views ...*view) (err error) {
	s.Guest.Rewind(s.Root)
	defer func() { views[0].done = true }() // it won't come farther another time
	left := len(views)
	for i := range path {
		for _, v := range views {
			if int(v.Earlier.Step) == i {
				if v.first, err = stackWithin(s, &path[i], &v.Earlier); err != nil {
					return err
				}
			}
			if int(v.Later.Step) == i {
				v.name = s.Guest.Describe(v.Earlier.Addr)
				v.done = true
				left--
				if v.second, err = stackWithin(s, &path[i], &v.Later); err != nil {
					return err
				}
			}
		}
		if left == 0 {
			return nil
		}
		if _, err := s.Take(&path[i]); errors.Is(err, por.ErrFiner) {
			return nil // the rest of the path has other steps now
		} else if err != nil {
			return err
		}
	}
	return nil
}

func raceAccess(s *session.Session, a *race.Access) result.Access {
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

// stackWithin is the stack of an access in the step that comes next, which is
// run to there and taken back. Nil: the thread doesn't come to stand there.
func stackWithin(s *session.Session, p *por.PathStep, a *race.Access) ([]result.Frame, error) {
	k := s.Guest.Mark()
	defer s.Guest.Rewind(k)
	if until := p.Begin + uint64(a.Insn) - 1; a.Insn > 0 && until > p.Begin && until < p.Last {
		s.Guest.Limit(until)
		_, err := s.Guest.Step(p.Thread, p.Choice)
		s.Guest.Limit(0)
		if err != nil && !errors.Is(err, por.ErrFiner) { // a stop in the middle of a step can teach something
			return nil, err
		}
	}
	if s.Guest.PC(p.Thread) != a.PC && !calledAt(s, p.Thread, a.PC) {
		return nil, nil
	}
	return s.Stack(p.Thread), nil
}

// calledAt: a thread stands at a function's entry, and pc is in the call.
func calledAt(s *session.Session, t trace.TID, pc uint64) bool {
	stack := s.Guest.Stack(t)
	return len(stack) > 1 && stack[1]-1 == pc
}
