package explore

import (
	"slices"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/por"
)

// A thread library's mutex can have more steps than all that lies above it. So beside
// the search of the library as it is goes one in which its mutex is trusted, as by
// --trust mutex. It goes by ascending preemptions, on a guest of its own. It is the
// rung below the tested library, and what it comes to is told by its assumption
// (result.Rung).
//
// A bug that it finds is a bug of the run only if the tested library has it too
// (confirm.go). A finding that can't be confirmed is told with the assumption, and is
// no verdict. A library that opens a mutex by hand can't be run so: the rung steps
// aside, and the tested search goes on as if there were none.
//
// Nothing carries a kernel's own locks out for it. On a kernel's rung each function that
// locks or unlocks runs as one piece, as by --without, with a point before it or after it. A run of
// that kind is one of the kernel as it is, and is confirmed by running it so.
type rung struct {
	*bounded
	trust  []string
	pieces []string // functions
	doubt  *finding // its bug that the tested library hasn't shown
}

const (
	// rungFirst: one step in so many is the rung's until it has had rungSoon steps, and
	// one in rungShare from then on.
	rungFirst, rungShare = 2, 16
	rungSoon             = 500_000
)

// climb begins the rung, if the guest has a mutex that can be trusted, or is a kernel
// that says which functions lock.
func (d *deepening) climb() {
	if d.rung != nil || !d.accompanied() || len(d.Config.Trust) > 0 {
		return
	}
	cfg := d.Config
	if d.Trustable("mutex") {
		d.rung = &rung{trust: []string{"mutex"}}
		cfg.Trust = d.rung.trust
	} else if locks := d.LockFunctions(); len(locks) > 0 {
		d.rung = &rung{pieces: locks}
		cfg.Rules = slices.Clone(cfg.Rules)
		for _, f := range locks {
			cfg.Rules = append(cfg.Rules, config.Rule{Without: true, Function: f, Piece: true})
		}
	} else {
		return
	}
	s, err := session.Open(cfg, d.Limits)
	if err != nil {
		if s != nil {
			s.Close()
		}
		return
	}
	d.rung.bounded = hireOn(s, "bpor", rising(por.Preempt))
}

// open reports whether the rung may go on.
func (r *rung) open() bool { return r != nil && r.bounded != nil && !r.over }

// letRung lets the rung have its share.
func (d *deepening) letRung() {
	if d.settled() || d.stop() {
		return
	}
	d.climb()
	for d.rung.open() && !d.settled() {
		share := uint64(rungShare)
		if d.rung.steps < d.pace(rungSoon) {
			share = rungFirst
		}
		if d.rung.steps*(share-1) >= d.steps {
			return
		}
		if d.rung.run(d.pace(boundedSlice)) {
			d.takeRung()
		}
		if d.stop() {
			return
		}
	}
}

// takeRung takes over the bugs that the rung has found and that the tested library has.
func (d *deepening) takeRung() {
	r := d.rung
	if r == nil || r.bounded == nil || r.taken {
		return
	}
	r.taken = true
	if r.err != nil && !unending(r.err) {
		return // this library's mutex can't be trusted
	}
	for i, f := range r.found {
		own := d.confirm(r, f)
		switch {
		case own == nil && r.doubt == nil && i < len(r.trace):
			f.schedule = r.trace[i]
			r.doubt = f
		case own != nil && d.seen[own.key] == nil:
			d.seen[own.key] = own
			d.found = append(d.found, own)
			d.publish()
		}
	}
}

// endRung ends the rung, and tells how far it came.
func (d *deepening) endRung() {
	r := d.rung
	if r == nil || r.bounded == nil {
		return
	}
	r.end()
	if d.rungless() {
		r.Session.Close()
		return
	}
	out := &result.Rung{Trust: strings.Join(r.trust, ","), Pieces: r.pieces}
	if f := r.doubt; f != nil {
		out.Bug, out.Replay = r.brief(f), r.Config.ReplayCommand("", f.schedule.String())
	} else if levels, bounds := r.claims(); levels > 0 {
		of := &result.Result{}
		claim(of, levels, bounds)
		out.BoundedAt, out.BoundedBy = of.BoundedAt, of.BoundedBy
	}
	out.Whole = r.proves()
	if out.Bug != nil || out.BoundedAt != nil {
		d.result.Rung = out
	}
	r.Session.Close()
}

// rungless: the rung has nothing to say.
func (d *deepening) rungless() bool {
	r := d.rung
	return r.err != nil && !unending(r.err) || len(r.found) > 0 && r.doubt == nil
}

// brief of a rung's bug names its schedule, which is one above a trusted mutex.
func (r *rung) brief(f *finding) *result.Bug {
	b := r.bounded.brief(f)
	b.Schedule = f.schedule.String()
	return b
}

// scheduled makes a path on a guest of its own a finding of the run's.
func scheduled(h *hunt, f *finding) (*finding, error) {
	var err error
	if f.preemptions, err = h.CountPreemptions(f.path); err != nil {
		return nil, err
	}
	if f.schedule, err = story.Schedule(h.Session, f.path); err != nil {
		return nil, err
	}
	f.told = h.brief(f)
	f.path = nil // its steps mean nothing to the run's guest
	return f, nil
}
