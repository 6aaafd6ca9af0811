package explore

import (
	"slices"

	"landgo/explore/config"
	"landgo/explore/saved"
	"landgo/explore/session"
	"landgo/por"
	"landgo/race"
	"landgo/trace"
)

// watched is a guest under control whose steps race detectors see, on every
// path that a search takes and goes back on.
type watched struct {
	session.Runner
	// races has the candidates that are listed.
	races *lookout
	// limited is of mode Limited, where races has another one and the points
	// leave something out (unexamined.go); else nil.
	limited *lookout
	// adjacent is of mode Adjacent, where races are bugs (raced.go); else nil.
	adjacent *lookout
	// blind: neither the user nor the verdict needs races. The detector is there, and
	// sees nothing.
	blind bool
	// raced: some race is a bug.
	raced  bool
	listed bool              // the configuration wants races listed
	ranked []*race.Candidate // those that the result describes, in its order
	fine   bool              // the points leave nothing out
	marks  []watchedMark
	path   []por.PathStep
	// toward, if not nil, has the System stop where it did when the path of a
	// candidate of races was taken. It reports whether it can. -1: where the
	// session's stops.
	toward func(candidate int) bool
	// alike, if not nil, reports whether toward has it stop at the same places for
	// two candidates.
	alike func(candidate, other int) bool
	// settled, if not nil, says what became of a candidate of races that has no
	// part in a bug, where several searches have seen it.
	settled func(*race.Candidate) race.Class
	// settledAt is the points at which it says so, "" if these are the verdict's.
	settledAt func(*race.Candidate) string
}

// watchedMark is a state by the System's mark: the detectors', which go
// together, and the length of the path.
type watchedMark struct{ races, path int }

// lookout is a detector that knows on which path it has seen what it shows.
type lookout struct {
	*race.Detector
	shown [][]por.PathStep // by candidate; never changed in place
}

// watch begins at the root, where the session's guest has to stand.
func watch(s *session.Session) *watched {
	w := &watched{Runner: s.Guest, listed: s.Config.Race != config.RaceOff, fine: s.Fine()}
	cfg := s.RaceConfig(race.Limited)
	cfg.Fine = w.fine
	if s.Config.Race == config.RaceHB || s.Platform.OrdersOnly {
		// A kernel's own locks are known by what orders them only: sections without
		// interrupts.
		if !w.fine {
			w.limited = newLookout(cfg)
		}
		cfg.Mode = race.HB
	}
	w.races = newLookout(cfg)
	if s.Config.FailOnRace {
		cfg.Mode = race.Adjacent
		w.adjacent = newLookout(cfg)
	}
	return w
}

func newLookout(cfg race.Config) *lookout { return &lookout{Detector: race.New(cfg)} }

// lookouts calls f for each that sees something.
func (w *watched) lookouts(f func(*lookout)) {
	for _, l := range [...]*lookout{w.races, w.limited, w.adjacent} {
		if l != nil && !(w.blind && l != w.adjacent) {
			f(l)
		}
	}
}

// restart forgets all candidates: points became finer.
func (w *watched) restart() {
	w.lookouts(func(l *lookout) {
		l.Forget()
		l.shown = nil
	})
	w.raced = false
}

// add adds what another worker's detectors found.
func (w *watched) add(o *watched) {
	w.races.add(o.races)
	w.limited.add(o.limited)
	w.adjacent.add(o.adjacent)
	w.raced = w.adjacent.confirmed()
}

// Step implements por.System.
func (w *watched) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	tr, err := w.Runner.Step(t, c)
	if tr == nil {
		return tr, err
	}
	w.path = append(w.path, por.PathStep{Thread: t, Choice: c, Begin: tr.Begin, Last: tr.Last})
	w.lookouts(func(l *lookout) {
		l.Step(tr)
		if changed := l.Changed(); len(changed) > 0 {
			path := slices.Clone(w.path)
			for _, i := range changed {
				l.keep(i, path)
			}
		}
	})
	if w.adjacent != nil && len(w.adjacent.News()) > 0 {
		w.raced = w.raced || w.adjacent.confirmed()
	}
	return tr, err
}

// Mark implements por.System.
func (w *watched) Mark() trace.Mark {
	k := w.Runner.Mark()
	for len(w.marks) <= int(k) {
		w.marks = append(w.marks, watchedMark{})
	}
	w.marks[k].path = len(w.path)
	w.lookouts(func(l *lookout) { w.marks[k].races = l.Mark() })
	return k
}

// Rewind implements por.System.
func (w *watched) Rewind(k trace.Mark) {
	w.Runner.Rewind(k)
	m := w.marks[k]
	w.lookouts(func(l *lookout) { l.Rewind(m.races) })
	w.path = w.path[:m.path]
}

// of is the candidate of a pair, nil if there is none.
func (l *lookout) of(p race.Pair) *race.Candidate {
	for _, c := range l.Candidates() {
		if c.Pair == p {
			return c
		}
	}
	return nil
}

// keep remembers the path on which the candidate at place i is shown. Candidates
// share it: an access can race with hundreds at once, of thousands of steps.
func (l *lookout) keep(i int, path []por.PathStep) {
	for len(l.shown) <= i {
		l.shown = append(l.shown, nil)
	}
	l.shown[i] = path
}

// add adds what another lookout found. Both may be nil.
func (l *lookout) add(o *lookout) {
	if l == nil {
		return
	}
	for k, i := range l.Add(o.Detector) {
		l.keep(l.Changed()[k], o.shown[i])
	}
}

// restore adds what a checkpoint has.
func (l *lookout) restore(r *saved.Race) {
	if l == nil {
		return
	}
	l.Restore(r.Candidate)
	for _, i := range l.Changed() {
		l.keep(i, r.Path)
	}
}

// save is what a checkpoint keeps.
func (l *lookout) save(of string) (all []saved.Race) {
	if l == nil {
		return nil
	}
	for i, c := range l.Candidates() {
		all = append(all, saved.Race{Of: of, Candidate: *c, Path: l.shown[i]})
	}
	return all
}

// confirmed reports whether a data race came in both orders.
func (l *lookout) confirmed() bool {
	return l != nil && slices.ContainsFunc(l.Candidates(), isBug)
}

func isBug(c *race.Candidate) bool { return c.Kind == race.Data && c.BothOrders() }
