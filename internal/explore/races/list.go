package races

import (
	"sort"

	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/por"
	"landgo/race"
)

// maxRaces is the number of candidates that a result describes.
const maxRaces = 20

// List describes the candidates: those that came in both orders first, then by address, so that
// it doesn't depend on when they were found. Those that synchronisation ordered in each execution
// come last, and say so. Where all interleavings were run, they aren't among them. Where
// goes doesn't let an execution be run again for it, the races left are reported without stacks.
func List(s *session.Session, w *Watched, r *result.Result, goes func(path []por.PathStep) bool) error {
	if !w.Listed {
		return nil
	}
	all := w.Races.Candidates()
	var rank []int
	apart := make([]bool, len(all))
	for i, c := range all {
		switch c.Kind {
		case race.Data, race.Unclear:
			if r.Verdict != result.Verified || !w.ordered(c) {
				rank = append(rank, i)
				apart[i] = w.isApart(c)
			}
		case race.Recycled:
			r.RacesRecycled++
		}
	}
	sort.Slice(rank, func(i, j int) bool {
		a, b := all[rank[i]], all[rank[j]]
		switch {
		case apart[rank[i]] != apart[rank[j]]:
			return apart[rank[i]]
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
	views := make([]story.View, len(rank))
	starts := r.ThreadStarts
	for k, i := range rank {
		w.ranked = append(w.ranked, all[i])
		views[k] = story.View{Sighting: &all[i].Shown, Path: w.Races.Shown[i]}
	}
	for k := range views {
		if views[k].Done {
			continue
		}
		if !goes(views[k].Path) {
			break
		}
		if w.Toward != nil && !w.Toward(rank[k]) {
			continue
		}
		along := []*story.View{&views[k]}
		for l := k + 1; l < len(views); l++ {
			if v := &views[l]; !v.Done && v.On(views[k].Path) && (w.Alike == nil || w.Alike(rank[k], rank[l])) {
				along = append(along, v)
			}
		}
		seen, err := story.Visit(s, views[k].Path, along...)
		if err != nil {
			return err
		}
		starts = seen.Starts(s, starts)
	}
	if w.Toward != nil {
		w.Toward(-1)
	}
	r.ThreadStarts = starts
	result.LabelByPath(r.ThreadStarts)
	for k, i := range rank {
		p := story.RacePair(s, all[i], &views[k])
		p.Ordered = !apart[i]
		r.Races = append(r.Races, p)
	}
	return nil
}

// Classify says what became of the races that are described, once the verdict
// and the bugs' executions are known.
func (w *Watched) Classify(r *result.Result, preempted map[uint64]bool) {
	for i, c := range w.ranked {
		failed := preempted[c.A] || preempted[c.B]
		class := c.Class(r.Verdict == result.Verified, failed)
		if w.Settled != nil && !failed {
			class = w.Settled(c)
		}
		if class == race.FalsePositive && w.unordered && c.Shown.Earlier.Write && c.Shown.Later.Write {
			class = race.Untested
		}
		r.Races[i].Class = class.String()
		if class == race.Benign && w.SettledAt != nil {
			r.Races[i].VerifiedAt = w.SettledAt(c)
		}
	}
}

// ordered is Ordered, or Orders where one search has seen all.
func (w *Watched) ordered(c *race.Candidate) bool {
	if w.Ordered != nil {
		return w.Ordered(c)
	}
	return w.Orders(c)
}

// Orders reports whether synchronisation ordered a candidate's accesses in each execution
// that was watched, with a point before each access.
func (w *Watched) Orders(c *race.Candidate) bool {
	return w.Fine && !w.Unordered(c)
}

// isApart is Apart, or Unordered where one search has seen all.
func (w *Watched) isApart(c *race.Candidate) bool {
	if w.Apart != nil {
		return w.Apart(c)
	}
	return w.Unordered(c)
}

// Unordered reports whether some execution that was watched had a candidate's accesses with
// no synchronisation between that orders them. If none can tell, it is true.
func (w *Watched) Unordered(c *race.Candidate) bool {
	return w.Pure == nil || w.Pure.Candidate(c.Pair) != nil
}
