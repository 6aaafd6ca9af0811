package explore

import (
	"landgo/internal/explore/config"
	"landgo/internal/explore/races"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
	"landgo/scheduler/witness"
)

// crew is a hunt's workers: each has a guest booted from the same file with the same
// configuration, the first that of the hunt itself, and sees its own executions. Their
// findings are taken part by part, and kept in the order of the parts (por/batch.go),
// so that what is reported doesn't depend on which worker saw it. All know the same of
// threads and what they share; if one learns more, all begin anew with that.
type crew struct {
	*hunt
	workers []*hunt
	kept    witness.Statement // all seen before and in the parts so far
	reached *session.Reached  // the same
	// stand has a worker's guest begin a part, with detectors looking on.
	stand func(*hunt) por.System
	lent  *lent // nil: nothing is lent
}

// warmUp and unitSteps are those of por.Options: a test has searches divided early
// and often.
var warmUp, unitSteps uint64

// partSeen is a worker's findings in a part.
type partSeen struct {
	found     []*finding
	threads   int
	checks    [][]por.PathStep
	watched   *races.Watched
	witnessed *witness.Statement
	outcomes  outputs
	reached   *session.Reached
}

// Hire implements por.Crew.
func (c *crew) Hire() (all []por.Worker, err error) {
	known := c.Guest.Knowledge()
	if c.lent != nil {
		c.lent.part.Knowledge = known
	}
	c.kept.Add(c.Guest.Seen().Take())
	c.reached = c.TakeReached()
	for i := range c.Config.Workers() {
		s := c.Session
		if i > 0 {
			if s, err = c.Another(); err == nil {
				_, err = s.Guest.Learn(known)
			}
			if err != nil { // no room for another guest: fewer will do
				if s != nil {
					s.Close()
				}
				break
			}
			s.Guest.Seen().Take()
		}
		s.Guest.Seal(true)
		c.stopsWithin(s, true)
		o := &hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}}
		c.workers = append(c.workers, o)
		all = append(all, por.Worker{Begin: func() por.System { return c.stand(o) }, Obs: o, Seen: func() any { return o.take() }})
	}
	return all, nil
}

// take returns what the worker has seen, and forgets it.
func (h *hunt) take() *partSeen {
	p := &partSeen{h.found, h.result.Threads, h.checks, h.watched, h.Guest.Seen().Take(), h.outcomes, h.TakeReached()}
	h.outcomes = outputs{}
	h.found, h.seen, h.checks, h.result.Threads = nil, map[string]*finding{}, nil, 0
	return p
}

// Keep implements por.Crew.
func (c *crew) Keep(seen any) {
	p, here := seen.(*partSeen)
	if !here {
		p = c.seenAway(seen.(*saved.Seen))
	}
	for _, f := range p.found {
		old := c.seen[f.key]
		switch {
		case old == nil:
			c.seen[f.key] = f
			c.found = append(c.found, f)
		case f.preemptions < old.preemptions:
			*old = *f
		}
	}
	if len(p.found) > 0 {
		c.publish()
	}
	c.result.Threads = max(c.result.Threads, p.threads)
	if room := selfCheckRuns - len(c.checks); c.Config.SelfCheck && room > 0 {
		c.checks = append(c.checks, p.checks[:min(room, len(p.checks))]...)
	}
	if p.watched != nil {
		c.watched.Take(p.watched)
	}
	c.kept.Add(p.witnessed)
	c.outcomes.merge(&p.outcomes)
	c.reached.Add(p.reached)
}

// Restart implements por.Crew. All begin with new guests: what those of before
// have learned of parts that don't count can't be taken from them.
func (c *crew) Restart(w int) (por.System, error) {
	known := c.workers[w].Guest.Knowledge()
	c.dismiss(nil)
	c.CountReached(c.reached)
	c.reached = nil
	if err := c.Session.Anew(known); err != nil {
		return nil, err
	}
	return c.stand(c.hunt), nil
}

// Failed implements por.Crew.
func (c *crew) Failed(w int) { c.failedAt = c.workers[w].Session }

// dismiss ends the workers but the first, and the one whose guest is still
// wanted.
func (c *crew) dismiss(wanted *session.Session) {
	for _, o := range c.workers[min(1, len(c.workers)):] {
		if o.Session != wanted {
			o.Session.Close()
		}
	}
	c.workers = nil
}

// close ends what Hire began.
func (c *crew) close() {
	c.Guest.Seal(false)
	c.Guest.Seen().Hear(&c.kept)
	c.CountReached(c.reached)
	c.dismiss(c.failedAt)
}

// together explores with as many workers as there are.
func (h *hunt) together(spec por.Spec, opts por.Options) (por.Stats, error) {
	if err := h.saves(&opts); err != nil {
		return por.Stats{}, err
	}
	h.Guest.Rewind(h.Root)
	if h.Config.Whole() != "" {
		return h.run(opts)
	}
	h.crew = &crew{hunt: h, stand: (*hunt).watchedSystem}
	opts.Crew, opts.WarmUp, opts.UnitSteps = h.crew, warmUp, unitSteps
	h.crew.lends(&opts, h.lender, nil)
	stats, err := h.run(opts)
	h.crew.close()
	h.crew = nil
	return stats, err
}

// run makes the search.
func (h *hunt) run(opts por.Options) (por.Stats, error) {
	engine, err := por.New(h.Config.Search, opts)
	if err != nil {
		return por.Stats{}, result.Errorf(result.Usage, "%w", err)
	}
	return engine.Run(h.watchedSystem(), h)
}

// watchedSystem is the guest, at its root, with a race detector looking on if
// the configuration wants one.
func (h *hunt) watchedSystem() por.System {
	h.Guest.Rewind(h.Root)
	h.watched = nil
	idle := h.Config.Race == config.RaceOff && h.Fine() && !h.Config.FailOnRace
	if idle && !h.Buffered() {
		return h.Guest
	}
	w := races.Watch(h.Session)
	w.Blind = idle
	h.watched = w
	for i := range h.saved {
		r := &h.saved[i]
		of[r.Of](w).Reload(r)
	}
	if w.Triangular != nil {
		for _, x := range h.savedTriangular {
			w.Triangular.Add(x)
		}
		w.Triangular.AddStores(h.savedStores)
	}
	w.Raced = w.Adjacent.Confirmed()
	return h.watched
}
