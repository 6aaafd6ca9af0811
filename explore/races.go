package explore

import (
	"errors"
	"sort"

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
func (s *session) races(w *watched, r *result.Result) error {
	if !w.listed {
		return nil
	}
	all := w.races.Candidates()
	var rank []int
	for i, c := range all {
		switch c.Kind {
		case race.Data:
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
	for _, i := range rank[:min(maxRaces, len(rank))] {
		w.ranked = append(w.ranked, all[i])
		path := w.races.shown[i]
		if w.toward != nil && !w.toward(i) {
			path = nil
		}
		pair, err := s.racePair(all[i], path)
		if err != nil {
			return err
		}
		r.Races = append(r.Races, pair)
	}
	if w.toward != nil {
		w.toward(-1)
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

// racePair describes a candidate, and goes the path on which it is shown again
// to see who called what.
func (s *session) racePair(c *race.Candidate, path []por.PathStep) (result.RacePair, error) {
	p := result.RacePair{
		Variable: s.sys.VariableName(c.Shown.Earlier.Addr), BothOrders: c.BothOrders(),
		First: s.raceAccess(&c.Shown.Earlier), Second: s.raceAccess(&c.Shown.Later),
	}
	first, second, name, err := s.visit(path, &c.Shown)
	if name != "" {
		p.Variable = name
	}
	if len(first) > 0 {
		p.First.Stack = first
	}
	if len(second) > 0 {
		p.Second.Stack = second
	}
	return p, err
}

// visit goes a path again, for the stacks of two accesses on it and the name of
// what they access: nil of an access before which no thread comes to stand, ""
// if the path doesn't come to the later one. It leaves the guest there.
func (s *session) visit(path []por.PathStep, x *race.Sighting) (first, second []result.Frame, name string, err error) {
	s.sys.Rewind(s.root)
	for i := range path {
		if int(x.Earlier.Step) == i {
			if first, err = s.stackWithin(&path[i], &x.Earlier); err != nil {
				return first, second, name, err
			}
		}
		if int(x.Later.Step) == i {
			name = s.sys.Describe(x.Earlier.Addr)
			second, err = s.stackWithin(&path[i], &x.Later)
			return first, second, name, err
		}
		if _, err := s.take(&path[i]); errors.Is(err, por.ErrFiner) {
			return first, second, name, nil // the rest of the path has other steps now
		} else if err != nil {
			return first, second, name, err
		}
	}
	return first, second, name, nil
}

func (s *session) raceAccess(a *race.Access) result.Access {
	t := trace.Access{Addr: a.Addr, Size: a.Size, PC: a.PC}
	if a.Write {
		t.Flags = trace.Write
	}
	out := s.access(a.Thread, &t)
	if a.Free {
		out.Op, out.Instruction = "frees", "" // PC is in the call
	}
	return out
}

// stackWithin is the stack of an access in the step that comes next, which is
// run to there and taken back. Nil: the thread doesn't come to stand there.
func (s *session) stackWithin(p *por.PathStep, a *race.Access) ([]result.Frame, error) {
	k := s.sys.Mark()
	defer s.sys.Rewind(k)
	if until := p.Begin + uint64(a.Insn) - 1; a.Insn > 0 && until > p.Begin && until < p.Last {
		s.sys.Limit(until)
		_, err := s.sys.Step(p.Thread, p.Choice)
		s.sys.Limit(0)
		if err != nil && !errors.Is(err, por.ErrFiner) { // a stop in the middle of a step can teach something
			return nil, err
		}
	}
	if s.sys.PC(p.Thread) != a.PC {
		return nil, nil
	}
	return s.stack(p.Thread), nil
}
