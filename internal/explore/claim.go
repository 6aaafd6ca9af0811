package explore

import (
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
)

// claim says in a result without a verdict what is explored to its end all the same:
// the executions with few preemptions, or else those with few delays.
func (d *deepening) claim() {
	if d.result.Verdict == result.Budget {
		d.result.BoundedAt, d.result.BoundedBy = d.claimed()
	}
}

// claimed is the claim that a run would make that ended now.
func (d *deepening) claimed() (at *int, by string) {
	for _, b := range d.ascending() {
		if len(b.found) > 0 || b.raced() {
			return nil, ""
		}
		if levels, bounds := b.claims(); levels > 0 {
			var r result.Result
			claim(&r, levels, bounds, b.Session)
			return r.BoundedAt, r.BoundedBy
		}
	}
	return nil, ""
}

// claims is the bound of the search, and how many of its values are explored to their ends.
func (b *bounded) claims() (levels uint64, bounds por.Bounds) {
	if !b.proven() {
		return 0, nil
	}
	if b.plain > 0 && b.plain >= b.stats.Levels {
		return b.plain, b.bounds[:1]
	}
	return b.stats.Levels, b.bounds
}

// fairlyLimit is how many steps a deepening that has met an execution without an end
// gives the search by preemptions, before it turns to states.
const fairlyLimit = 500_000

// lookFairly has the search by preemptions run where the jobs can't go on, until it has
// a claim.
func (d *deepening) lookFairly() {
	if d.bounded == nil {
		if d.bounded, _ = d.hire("bpor", rising(por.Preempt)); d.bounded == nil {
			return // without room there is none
		}
	}
	b := d.bounded
	for begun := b.steps; !b.over && b.stats.Levels <= boundedSoon && b.steps-begun < d.pace(fairlyLimit) && !d.stop(); {
		b.run(d.pace(boundedSlice))
		d.show()
	}
}

// claim notes in a result that the first levels of the first of some bounds, from 0 on,
// were explored to their ends without a bug. The session is the search's.
func claim(r *result.Result, levels uint64, bounds por.Bounds, s *session.Session) {
	if levels == 0 || len(bounds) == 0 {
		return
	}
	at := int(levels) - 1
	within := append(por.Bounds{{Measure: bounds[0].Measure, Limit: at}}, bounds[1:]...)
	r.BoundedAt, r.BoundedBy = &at, within.String()
	if len(s.Guest.Seen().Met.Copied) > 0 {
		r.BoundedBy += "," + result.WholeCopies
	}
}
