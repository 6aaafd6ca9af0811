package explore

import (
	"slices"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// A thread library's locks can have more steps than all that lies above them. So further searches
// go beside that of the library as it is, with parts of it trusted, as by --trust. The first
// trusts its mutex; the next ones also its condition variables, its semaphores, its read-write
// locks. Each goes by ascending preemptions, on a guest of its own. These are the rungs of a
// ladder (ladder.go) whose foot is the tested library. A rung's result is reported with its
// assumption (result.Rung).
//
// A bug that it finds is a bug of the run only if the tested library has it too (confirm.go). A
// finding that can't be confirmed is reported with the assumption, and is no verdict. A library
// that opens a trusted object by hand can't be run so: the rung steps aside, and the tested
// search goes on as if there were none.
//
// Nothing carries a kernel's own locks out for it. On a kernel's rung each function that
// locks or unlocks runs as one piece, as by --without, with a point before it or after it. A run of
// that kind is one of the kernel as it is, and is confirmed by running it so. Where the
// kernel's profile names semaphores, condition variables or read-write locks, there is a
// rung on which these run as they are, above locks in one piece.
type rung struct {
	*bounded
	trust  []string
	pieces []string     // functions
	points trace.Points // of a coarse one (coarse.go), else 0
	doubt  *finding     // its bug that the tested library hasn't shown
	// roomless: there was no room for a guest.
	roomless bool
}

// begin gives the rung a guest and a search. Without room for that there is none.
func (r *rung) begin(d *deepening) {
	cfg := r.at(d.Config)
	cfg.Trust = r.trust
	cfg.Rules = slices.Clone(cfg.Rules)
	for _, f := range r.pieces {
		cfg.Rules = append(cfg.Rules, config.Rule{Without: true, Function: f, Piece: true})
	}
	s, err := d.OpenAs(cfg)
	if err != nil {
		if s != nil {
			s.Close()
		}
		return
	}
	if r.coarse() {
		s.Hunt()
	}
	r.bounded = hireOn(s, "bpor", rising(por.Preempt))
}

// begun reports whether the rung has a guest.
func (r *rung) begun() bool { return r.bounded != nil }

// open reports whether the rung may go on.
func (r *rung) open() bool { return r.begun() && !r.over }

// aside reports whether what the rung trusts can't be trusted alone.
func (r *rung) aside() bool { return r.err != nil && !unending(r.err) }

// take takes over the bugs that the rung has found and that the tested library has.
func (r *rung) take(d *deepening) {
	if !r.begun() || r.taken {
		return
	}
	r.taken = true
	if r.aside() {
		return
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

// finish ends the rung, and tells how far it came; nil: it has nothing to say.
func (r *rung) finish() *result.Rung {
	r.end()
	defer r.Session.Close()
	if r.aside() || r.coarse() || len(r.found) > 0 && r.doubt == nil {
		return nil
	}
	out := &result.Rung{Trust: strings.Join(r.trust, ","), Pieces: r.pieces, Whole: r.proves()}
	if f := r.doubt; f != nil {
		out.Bug, out.Replay = r.brief(f), r.Config.ReplayCommand("", f.schedule.String())
	} else if levels, bounds := r.claims(); levels > 0 {
		of := &result.Result{}
		claim(of, levels, bounds, r.Session)
		out.BoundedAt, out.BoundedBy = of.BoundedAt, of.BoundedBy
	} else {
		return nil
	}
	return out
}

// brief of a rung's bug names its schedule, which is one above trusted functions.
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

// coarse reports whether the rung is such a one.
func (r *rung) coarse() bool { return r.points != 0 }

// at is a configuration with the rung's points.
func (r *rung) at(cfg config.Config) config.Config {
	if r.coarse() {
		cfg.PP, cfg.Deepen = r.points, false
	}
	return cfg
}
