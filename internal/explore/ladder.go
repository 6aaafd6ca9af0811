package explore

import (
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/result"
)

// ladder is the rungs beside a deepening (rung.go), from the one that trusts the least up.
// The first is there from the start. Each of the others begins once the first has called
// functions that it trusts: without them it would be the one below it. Those that are
// there take turns, so that each has had about as many steps.
//
// A checkpoint has the number of steps of each. A rung is run again to where it was. It hands
// over in the middle of its walk, where no search can be saved, and its steps follow from the
// guest alone.
type ladder []*rung

const (
	// rungFirst: one step in this many is the rungs' until each has had rungSoon steps, and one
	// in rungShare from then on.
	rungFirst, rungShare = 2, 16
	rungSoon             = 500_000
)

// trustedSoon are the groups of --trust's that rungs trust, each beside those before it. Those
// that need no other one have a rung of their own, too. A mutex that is opened by hand can't be
// trusted, and a semaphore may be all that a program uses.
var trustedSoon = []string{"mutex", "cond", "sem", "rwlock"}

// newLadder lists the possible rungs, for a guest whose library has objects to trust, or for a
// kernel that names its functions that lock.
func (d *deepening) newLadder() ladder {
	l := ladder{}
	if !d.accompanied() || len(d.Config.Trust) > 0 {
		return l
	}
	var trust []string
	for _, group := range trustedSoon {
		if needs := config.Needed(group); d.Trustable(group) && (needs == "" || slices.Contains(trust, needs)) {
			trust = append(slices.Clone(trust), group)
			l = append(l, &rung{trust: trust})
		}
	}
	for _, group := range trustedSoon[1:] {
		if len(l) > 0 && config.Needed(group) == "" && d.Trustable(group) {
			l = append(l, &rung{trust: []string{group}})
		}
	}
	if len(l) > 0 {
		return l
	}
	l = d.coarseRung()
	all := d.LockFunctions()
	if below := d.LockFunctions(trustedSoon[1:]...); len(below) > 0 && len(below) < len(all) {
		l = append(l, &rung{pieces: below})
	}
	if len(all) > 0 {
		l = append(l, &rung{pieces: all})
	}
	return l
}

// climb begins the rungs that are of use by now.
func (d *deepening) climb() {
	if d.ladder == nil {
		d.ladder = d.newLadder()
	}
	for i, r := range d.ladder {
		if !r.begun() && !r.roomless && (i == 0 || d.ladder.wants(r)) {
			r.begin(d)
			r.roomless = !r.begun()
		}
	}
}

// wants reports whether a rung is another than the ones below it.
func (l ladder) wants(r *rung) bool {
	return len(r.trust) == 0 || l[0].begun() && l[0].Called(r.trust[len(r.trust)-1])
}

// next is the rung that goes on, nil if none can: the one with the fewest steps. A coarse one has a
// share of its own.
func (l ladder) next() (next *rung) {
	for _, r := range l {
		if r.open() && !r.coarse() && (next == nil || r.steps < next.steps) {
			next = r
		}
	}
	return next
}

// steps is how many all have had, and soon how many they have with a large share.
func (l ladder) steps(each uint64) (had, soon uint64) {
	for _, r := range l {
		if r.begun() && !r.coarse() {
			had, soon = had+r.steps, soon+each
		}
	}
	return had, soon
}

// letRungs lets the rungs have their share.
func (d *deepening) letRungs() {
	for !d.settled() && !d.stop() {
		d.climb()
		d.letCoarse()
		r := d.ladder.next()
		had, soon := d.ladder.steps(d.pace(rungSoon))
		share := uint64(rungShare)
		if had < soon {
			share = rungFirst
		}
		if r == nil || had*(share-1) >= d.steps {
			return
		}
		if r.run(d.pace(boundedSlice)) {
			r.take(d)
		}
	}
}

// endRungs ends the rungs, and tells how far each came. One that comes no further than a
// rung that trusts less isn't told.
func (d *deepening) endRungs() {
	fewest := slices.Clone(d.ladder)
	slices.SortStableFunc(fewest, func(a, b *rung) int { return len(a.trust) - len(b.trust) })
	for _, r := range fewest {
		if !r.begun() {
			continue
		}
		if out := r.finish(); out != nil && !slices.ContainsFunc(d.result.Rungs, func(below result.Rung) bool { return below.Implies(out) }) {
			d.result.Rungs = append(d.result.Rungs, *out)
		}
	}
}

// saved is where the rungs are.
func (l ladder) saved() (list []*saved.Ascending) {
	for _, r := range l {
		list = append(list, r.bounded.saved())
	}
	return list
}

// climbTo has the rungs run again to where they were.
func (d *deepening) climbTo(to []*saved.Ascending) error {
	if len(to) > 0 && d.ladder == nil {
		d.ladder = d.newLadder()
	}
	for i, at := range to {
		if at == nil || i >= len(d.ladder) {
			continue
		}
		r := d.ladder[i]
		if r.begin(d); !r.begun() {
			r.roomless = true
			continue
		}
		if err := r.catchUp(d, at); err != nil {
			return err
		}
		if r.over {
			r.taken = false
			r.take(d)
		}
	}
	return nil
}
