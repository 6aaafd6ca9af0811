package races

import (
	"slices"
	"sort"

	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/race"
)

// Below the granularity of every shared access, a verdict leaves something out: accesses
// that conflict and were never tried in other orders. The race detector knows these:
// candidates, atomic ones too, with one access that was made without a preemption point
// right before it. By limited happens-before, for under it preemption points at all
// candidates and all synchronisation are as good as points everywhere (Blum and Gibson,
// OOPSLA 2016, Theorem 1). If nothing is unexamined, a verdict at lock and unlock points is
// one at every access. Pure happens-before would leave out what the order of two critical
// sections hides.

// LeftOut is the detector that knows what the points leave out, nil if they
// leave nothing out.
func (w *Watched) LeftOut() *Lookout {
	switch {
	case w.Fine:
		return nil
	case w.Limited != nil:
		return w.Limited
	}
	return w.Races
}

// Examined reports whether the points that a search had leave nothing out.
func Examined(s *session.Session, w *Watched) bool {
	if w.LeftOut() == nil {
		return true
	}
	return !w.Blind && len(s.Guest.Seen().Unexamined()) == 0 &&
		!slices.ContainsFunc(w.LeftOut().Candidates(), func(c *race.Candidate) bool { return c.Bare && c.Kind != race.Recycled })
}

// Unexamined puts in what the granularity left out, by address.
func Unexamined(s *session.Session, w *Watched, r *result.Result) {
	if w.LeftOut() == nil {
		return
	}
	var open []*race.Candidate
	for _, c := range w.LeftOut().Candidates() {
		if c.Bare && c.Kind != race.Recycled {
			open = append(open, c)
		}
	}
	sort.Slice(open, func(i, j int) bool {
		a, b := open[i], open[j]
		switch {
		case a.Shown.Earlier.Addr != b.Shown.Earlier.Addr:
			return a.Shown.Earlier.Addr < b.Shown.Earlier.Addr
		case a.A != b.A:
			return a.A < b.A
		}
		return a.B < b.B
	})
	r.Unexamined = uint64(len(open))
	unexaminedOfHandlers(s, r)
	for _, c := range open[:min(3-len(r.UnexaminedFirst), len(open))] {
		r.UnexaminedFirst = append(r.UnexaminedFirst, result.RacePair{
			Variable: s.Guest.VariableName(c.Shown.Earlier.Addr), First: story.RaceAccess(s, &c.Shown.Earlier), Second: story.RaceAccess(s, &c.Shown.Later),
		})
	}
	if r.Unexamined > 0 {
		r.Finer = s.Config.FinerCommand()
	}
}

// unexaminedOfHandlers adds what signal handlers and their own threads conflict in,
// which are one thread to the race detector.
func unexaminedOfHandlers(s *session.Session, r *result.Result) {
	for _, p := range s.Guest.Seen().Unexamined() {
		if p.A != p.B {
			continue
		}
		if r.Unexamined++; len(r.UnexaminedFirst) < 3 {
			r.UnexaminedFirst = append(r.UnexaminedFirst, result.RacePair{
				Variable: s.Guest.VariableName(p.First.Addr), First: s.Access(p.A, &p.First), Second: s.Access(p.B, &p.Second),
			})
		}
	}
}
