package explore

import (
	"sort"

	"landgo/por"
	"landgo/race"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// watched is a guest under control whose steps a race detector sees, on every
// path that a search takes and goes back on.
type watched struct {
	*scheduler.System
	races *race.Detector
	// limited is a second detector, of mode Limited, where races has another one
	// and the points leave something out (unexamined.go); else nil.
	limited *race.Detector
	listed  bool          // the configuration wants races listed
	fine    bool          // nothing is left out
	marks   []watchedMark // by the System's marks
	path    []por.PathStep
	shown   [][]por.PathStep // by candidate: the path on which it is shown
}

type watchedMark struct{ races, path int }

// watch begins at the root, where the session's guest has to stand.
func (s *session) watch() *watched {
	cfg := race.Config{Mode: race.Limited, Atomic: s.img.Atomic, Fine: s.fine()}
	w := &watched{System: s.sys, listed: s.cfg.Race != RaceOff, fine: s.fine()}
	if s.cfg.Race == RaceHB {
		if !w.fine {
			w.limited = race.New(cfg)
		}
		cfg.Mode = race.HB
	}
	w.races = race.New(cfg)
	return w
}

// restart forgets all candidates: points became finer.
func (w *watched) restart() {
	w.races.Forget()
	if w.limited != nil {
		w.limited.Forget()
	}
	w.shown = nil
}

// add adds what another worker's detector found.
func (w *watched) add(o *watched) {
	for k, i := range w.races.Add(o.races) {
		w.keep(w.races.Changed()[k], o.shown[i])
	}
	if w.limited != nil {
		w.limited.Add(o.limited)
	}
}

// Step implements por.System.
func (w *watched) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	tr, err := w.System.Step(t, c)
	if tr == nil {
		return tr, err
	}
	w.path = append(w.path, por.PathStep{Thread: t, Choice: c, Begin: tr.Begin, Last: tr.Last})
	w.races.Step(tr)
	if w.limited != nil {
		w.limited.Step(tr)
	}
	for _, i := range w.races.Changed() {
		w.keep(i, w.path)
	}
	return tr, err
}

// keep remembers the path on which the candidate at place i is shown.
func (w *watched) keep(i int, path []por.PathStep) {
	for len(w.shown) <= i {
		w.shown = append(w.shown, nil)
	}
	w.shown[i] = append(w.shown[i][:0], path...)
}

// Mark implements por.System.
func (w *watched) Mark() trace.Mark {
	k := w.System.Mark()
	for len(w.marks) <= int(k) {
		w.marks = append(w.marks, watchedMark{})
	}
	w.marks[k] = watchedMark{w.races.Mark(), len(w.path)}
	if w.limited != nil {
		w.limited.Mark() // its marks go with those of races
	}
	return k
}

// Rewind implements por.System.
func (w *watched) Rewind(k trace.Mark) {
	w.System.Rewind(k)
	m := w.marks[k]
	w.races.Rewind(m.races)
	if w.limited != nil {
		w.limited.Rewind(m.races)
	}
	w.path = w.path[:m.path]
}

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
	for _, i := range rank[:min(maxRaces, len(rank))] {
		pair, err := s.racePair(all[i], w.shown[i])
		if err != nil {
			return err
		}
		r.Races = append(r.Races, pair)
	}
	return nil
}

// racePair describes a candidate, and goes the path on which it is shown again
// to see who called what.
func (s *session) racePair(c *race.Candidate, path []por.PathStep) (result.RacePair, error) {
	p := result.RacePair{
		Variable: s.sys.VariableName(c.Shown.Earlier.Addr), BothOrders: c.BothOrders(),
		First: s.raceAccess(&c.Shown.Earlier), Second: s.raceAccess(&c.Shown.Later),
	}
	s.sys.Rewind(s.root)
	for i := range path {
		for _, x := range []struct {
			of *race.Access
			to *result.Access
		}{{&c.Shown.Earlier, &p.First}, {&c.Shown.Later, &p.Second}} {
			if int(x.of.Step) != i {
				continue
			}
			stack, err := s.stackWithin(&path[i], x.of)
			if err != nil {
				return p, err
			}
			if len(stack) > 0 {
				x.to.Stack = stack
			}
		}
		if _, err := s.sys.Step(path[i].Thread, path[i].Choice); err != nil {
			return p, err
		}
	}
	return p, nil
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
		if err != nil {
			return nil, err
		}
	}
	if s.sys.PC(p.Thread) != a.PC {
		return nil, nil
	}
	return s.stack(p.Thread), nil
}
