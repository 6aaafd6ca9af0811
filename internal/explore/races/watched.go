package races

import (
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
)

// Watched is a guest under control whose steps race detectors see, on every
// path that a search takes and goes back on.
type Watched struct {
	session.Runner
	// Races has the candidates that are listed.
	Races *Lookout
	// Limited is of mode Limited, where races has another one and the points
	// leave something out (unexamined.go); else nil.
	Limited *Lookout
	// Pure is of mode HB, where races has mode Limited; else nil. A pair that it never shows is
	// ordered by synchronisation in each execution that was run. A lock of the program's own
	// that is made of atomic operations counts. Where the points leave nothing out and
	// all interleavings were run, nothing else can come.
	Pure *Lookout
	// Adjacent is of mode Adjacent, where races are bugs (raced.go); else nil.
	Adjacent *Lookout
	// Triangular looks for triangular races, nil if nothing would come of that.
	Triangular *race.Triangular
	// Blind: neither the user nor the verdict needs races. The detector is there, and
	// sees nothing.
	Blind bool
	// Raced: some race is a bug.
	Raced  bool
	Listed bool              // the configuration wants races listed
	ranked []*race.Candidate // those that the result describes, in its order
	Fine   bool              // the points leave nothing out
	// unordered: the search runs one order of stores that no read tells apart.
	unordered bool
	marks     []watchedMark
	path      []por.PathStep
	polls     []trace.Polls // of the step under way
	shown     int           // how long a part of path candidates have: it is never changed in place
	// Toward, if not nil, has the System stop where it did when the path of a
	// candidate of races was taken. It reports whether it can. -1: where the
	// session's stops.
	Toward func(candidate int) bool
	// Alike, if not nil, reports whether toward has it stop at the same places for
	// two candidates.
	Alike func(candidate, other int) bool
	// Settled, if not nil, says what became of a candidate of races that has no
	// part in a bug, where several searches have seen it.
	Settled func(*race.Candidate) race.Class
	// Ordered, if not nil, reports whether synchronisation orders a candidate's accesses in
	// each execution, where several searches have seen it.
	Ordered func(*race.Candidate) bool
	// Apart, if not nil, is Unordered where several searches have seen it.
	Apart func(*race.Candidate) bool
	// SettledAt is the points at which it says so, "" if these are the verdict's.
	SettledAt func(*race.Candidate) string
}

// watchedMark is a state by the System's mark: the detectors', which go
// together, and the length of the path.
type watchedMark struct{ races, triangular, path int }

// Lookout is a detector that knows on which path it has seen what it shows.
type Lookout struct {
	*race.Detector
	Shown [][]por.PathStep // by candidate; never changed in place
}

// Watch begins at the root, where the session's guest has to stand.
func Watch(s *session.Session) *Watched {
	w := &Watched{Runner: s.Guest.Runner, Listed: s.Config.Race != config.RaceOff, Fine: s.Fine(), unordered: s.Config.Observes()}
	cfg := s.RaceConfig(race.Limited)
	cfg.Fine = w.Fine
	if s.Config.Race == config.RaceHB || s.Platform.OrdersOnly {
		// A kernel's own locks are known by what orders them only: sections without
		// interrupts.
		if !w.Fine {
			w.Limited = NewLookout(cfg)
		}
		cfg.Mode = race.HB
	}
	w.Races = NewLookout(cfg)
	if cfg.Mode == race.Limited {
		pure := cfg
		pure.Mode, pure.Stores = race.HB, true
		w.Pure = NewLookout(pure)
	}
	if s.Config.FailOnRace {
		cfg.Mode = race.Adjacent
		w.Adjacent = NewLookout(cfg)
	}
	if s.Buffered() {
		w.Triangular = race.NewTriangular(race.TriangularConfig{Coarse: !w.Fine, Unordered: s.Config.Observes(), Word: scheduler.IsKernelWord, Clock: scheduler.IsClock})
	}
	return w
}

func NewLookout(cfg race.Config) *Lookout { return &Lookout{Detector: race.New(cfg)} }

// lookouts calls f for each that sees something.
func (w *Watched) lookouts(f func(*Lookout)) {
	for _, l := range [...]*Lookout{w.Races, w.Limited, w.Pure, w.Adjacent} {
		if l != nil && !(w.Blind && l != w.Adjacent) {
			f(l)
		}
	}
}

// Empty are detectors of the same kinds, which have seen nothing and see nothing: others'
// candidates are put in.
func (w *Watched) Empty() *Watched {
	o := &Watched{Listed: w.Listed, Fine: w.Fine, Blind: w.Blind}
	for _, l := range [...]struct{ to, from **Lookout }{{&o.Races, &w.Races}, {&o.Limited, &w.Limited}, {&o.Pure, &w.Pure}, {&o.Adjacent, &w.Adjacent}} {
		if *l.from != nil {
			*l.to = NewLookout(race.Config{})
		}
	}
	if w.Triangular != nil {
		o.Triangular = race.NewTriangular(race.TriangularConfig{})
	}
	return o
}

// Restart forgets all candidates: points became finer.
func (w *Watched) Restart() {
	w.lookouts(func(l *Lookout) {
		l.Forget()
		l.Shown = nil
	})
	if w.Triangular != nil {
		w.Triangular.Forget()
	}
	w.Raced = false
}

// Take adds what another worker's detectors found.
func (w *Watched) Take(o *Watched) {
	w.Races.Take(o.Races)
	w.Limited.Take(o.Limited)
	w.Pure.Take(o.Pure)
	w.Adjacent.Take(o.Adjacent)
	w.TakeTriangular(o)
	w.Raced = w.Adjacent.Confirmed()
}

// TakeTriangular adds the triangular races that another has found.
func (w *Watched) TakeTriangular(o *Watched) {
	if w.Triangular == nil || o.Triangular == nil {
		return
	}
	for _, x := range o.Triangular.Found() {
		w.Triangular.Add(*x)
	}
	w.Triangular.AddStores(o.Triangular.Stores())
}

// SavedStores is the stores for a checkpoint.
func (w *Watched) SavedStores() []uint64 {
	if w.Triangular == nil {
		return nil
	}
	return w.Triangular.Stores()
}

// SavedTriangular is the triangular races for a checkpoint.
func (w *Watched) SavedTriangular() (all []race.Triangle) {
	if w.Triangular != nil {
		for _, x := range w.Triangular.Found() {
			all = append(all, *x)
		}
	}
	return all
}

// Step implements por.System.
func (w *Watched) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	tr, err := w.Runner.Step(t, c)
	if tr == nil {
		return tr, err
	}
	if len(w.path) == cap(w.path) { // fresh memory costs more than the step
		w.path = slices.Grow(w.path, len(w.path)+1)
	}
	w.path = append(w.path, por.PathStep{Thread: t, Choice: c, Begin: tr.Begin, Last: tr.Last})
	if tr.Updates {
		return tr, err // the store was seen where its thread made it
	}
	if w.Triangular != nil {
		w.Triangular.Step(tr)
	}
	w.polls = w.polls[:0]
	if !w.Blind {
		w.Polled(func(p *trace.Polls) { w.polls = append(w.polls, *p) })
	}
	w.lookouts(func(l *Lookout) {
		l.Step(tr)
		for i := range w.polls {
			l.Poll(&w.polls[i])
		}
		if w.Triangular != nil {
			for _, p := range w.Triangular.Crossed() {
				l.Cross(p)
			}
		}
		if changed := l.Changed(); len(changed) > 0 {
			w.shown = len(w.path)
			for _, i := range changed {
				l.keep(i, w.path[:w.shown:w.shown])
			}
		}
	})
	if w.Adjacent != nil && len(w.Adjacent.News()) > 0 {
		w.Raced = w.Raced || w.Adjacent.Confirmed()
	}
	if err == nil && len(w.polls) > 0 && w.News() { // what was tried for them has taught something
		err = por.ErrFiner
	}
	return tr, err
}

// Mark implements por.System.
func (w *Watched) Mark() trace.Mark {
	k := w.Runner.Mark()
	for len(w.marks) <= int(k) {
		w.marks = append(w.marks, watchedMark{})
	}
	w.marks[k].path = len(w.path)
	w.lookouts(func(l *Lookout) { w.marks[k].races = l.Mark() })
	if w.Triangular != nil {
		w.marks[k].triangular = w.Triangular.Mark()
	}
	return k
}

// Rewind implements por.System.
func (w *Watched) Rewind(k trace.Mark) {
	w.Runner.Rewind(k)
	m := w.marks[k]
	w.lookouts(func(l *Lookout) { l.Rewind(m.races) })
	if w.Triangular != nil {
		w.Triangular.Rewind(m.triangular)
	}
	if w.path = w.path[:m.path]; m.path < w.shown {
		w.path, w.shown = append(make([]por.PathStep, 0, cap(w.path)), w.path...), 0
	}
}

// Candidate is that of a pair, nil if there is none.
func (l *Lookout) Candidate(p race.Pair) *race.Candidate {
	for _, c := range l.Candidates() {
		if c.Pair == p {
			return c
		}
	}
	return nil
}

// keep remembers the path on which the candidate at place i is shown. Candidates
// share it: an access can race with hundreds at once, of thousands of steps.
func (l *Lookout) keep(i int, path []por.PathStep) {
	for len(l.Shown) <= i {
		l.Shown = append(l.Shown, nil)
	}
	l.Shown[i] = path
}

// Take adds what another lookout found. Both may be nil.
func (l *Lookout) Take(o *Lookout) {
	if l == nil {
		return
	}
	for k, i := range l.Add(o.Detector) {
		l.keep(l.Changed()[k], o.Shown[i])
	}
}

// Reload adds what a checkpoint has.
func (l *Lookout) Reload(r *saved.Race) {
	if l == nil {
		return
	}
	l.Restore(r.Candidate)
	for _, i := range l.Changed() {
		l.keep(i, r.Path)
	}
}

// Saved is the candidates for a checkpoint.
func (l *Lookout) Saved(of string) (all []saved.Race) {
	if l == nil {
		return nil
	}
	for i, c := range l.Candidates() {
		all = append(all, saved.Race{Of: of, Candidate: *c, Path: l.Shown[i]})
	}
	return all
}

// Confirmed reports whether a data race came in both orders.
func (l *Lookout) Confirmed() bool {
	return l != nil && slices.ContainsFunc(l.Candidates(), IsBug)
}

// IsBug reports whether a candidate is a data race that came in both orders.
func IsBug(c *race.Candidate) bool { return c.Kind == race.Data && c.BothOrders() }
