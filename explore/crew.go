package explore

import (
	"landgo/por"
	"landgo/race"
	"landgo/result"
)

// crew is a hunt's further workers: each has a guest of its own, booted from
// the same file with the same configuration, and sees its own executions.
//
// What several workers find isn't taken as it comes, for the order in which
// they find it depends on timing. A search that ends without a bug has the same
// verdict and executions however many there are (por/crew.go). One that meets a
// bug, or something that landgo can't go on from, is made again by one worker,
// in a guest that knows nothing, so that all that is reported is what one
// worker reports. That costs a buggy guest at most what one worker alone would
// have taken; most bugs come before the search is split at all.
type crew struct {
	*hunt
	others []*hunt
	hired  bool // there were workers, in any attempt
	lost   bool // workers don't agree on threads' numbers: one goes on alone
}

// warmUp is por.Options.WarmUp: a test has the workers come early.
var warmUp uint64

// jobs is how many workers the search may have.
func (h *hunt) jobs() int { return h.cfg.Workers() }

// Hire implements por.Crew.
func (c *crew) Hire() (workers []por.Worker, err error) {
	if c.lost {
		return nil, nil
	}
	c.hired = true
	known := c.sys.Knowledge()
	for i := range c.jobs() - 1 {
		if i == len(c.others) {
			s, err := open(c.cfg)
			if err != nil { // no room for another guest: fewer will do
				if s != nil {
					s.close()
				}
				break
			}
			c.others = append(c.others, &hunt{session: s, ctx: c.ctx, result: &result.Result{}, seen: map[string]*finding{}})
		}
		o := c.others[i]
		if o.system == nil {
			o.system = o.watchedSystem()
			o.begin = o.system.Mark()
		}
		o.system.Rewind(o.begin)
		if _, err := o.sys.Learn(known); err != nil {
			c.lost = true
			return nil, nil
		}
		o.sys.Seal(true)
		workers = append(workers, por.Worker{Sys: o.system, Obs: o})
	}
	c.sys.Seal(len(workers) > 0)
	return workers, nil
}

// Settle implements por.Crew.
func (c *crew) Settle() (news bool, err error) {
	threads := len(c.sys.Knowledge().Names)
	for _, o := range c.others {
		k := o.sys.Knowledge()
		if len(k.Names) > threads {
			// Which worker met a thread first would number it.
			c.lost = true
			k.Names = nil
		}
		more, err := c.sys.Learn(k)
		if err != nil {
			return news, err
		}
		news = news || more
		c.result.Threads = max(c.result.Threads, o.result.Threads)
		o.sys.Seal(false)
	}
	c.sys.Seal(false)
	return news, nil
}

// Restarted: what the workers found will be found again.
func (c *crew) restarted() {
	for _, o := range c.others {
		o.Restarted()
	}
}

// close ends the workers. What they have seen is told to the search's own.
func (c *crew) close() {
	for _, o := range c.others {
		c.sys.Witness(o.sys.Witnessed())
		if c.watched != nil && o.watched != nil {
			c.watched.add(o.watched)
		}
		o.session.close()
	}
	c.others = nil
}

// bugs is how many distinct ones all have found; a race may be one that one
// worker has seen in one order, and another in the other.
func (c *crew) bugs() (n int) {
	n = len(c.found)
	both := race.New(race.Config{})
	for _, o := range append([]*hunt{c.hunt}, c.others...) {
		if o != c.hunt {
			n += len(o.found)
		}
		if o.watched != nil && o.watched.adjacent != nil {
			both.Add(o.watched.adjacent.Detector)
		}
	}
	if (&lookout{Detector: both}).confirmed() {
		n++
	}
	return n
}

// adopt takes over what a worker found, for a search that didn't come to its
// end.
func (c *crew) adopt() {
	for _, o := range c.others {
		for _, f := range o.found {
			old := c.seen[f.key]
			switch {
			case old == nil:
				c.seen[f.key] = f
				c.found = append(c.found, f)
			case f.preemptions < old.preemptions:
				*old = *f
			}
		}
	}
}

// together explores with several workers, and with one alone where what several
// found depends on timing.
func (h *hunt) together(spec por.Spec, opts por.Options) (por.Stats, error) {
	if err := h.saves(&opts); err != nil {
		return por.Stats{}, err
	}
	h.sys.Rewind(h.root)
	if h.jobs() == 1 || spec.Whole() != "" || opts.MaxExecutions > 0 {
		return h.run(opts)
	}
	c := &crew{hunt: h}
	h.crew = c
	opts.Crew, opts.WarmUp = c, warmUp
	stats, err := h.run(opts)
	h.crew = nil
	again := c.hired && h.stopped == "" && (err != nil || c.bugs() > 0)
	if c.hired && h.stopped != "" {
		c.adopt()
	}
	if !again {
		c.close()
		return stats, err
	}
	c.adopt()
	c.close()
	return h.again(opts, stats, err)
}

// again makes the search again with one worker and a guest that knows nothing.
// If time or memory run out before that has found anything, what is known is
// kept.
func (h *hunt) again(opts por.Options, stats por.Stats, err error) (por.Stats, error) {
	fresh, failed := open(h.cfg)
	if failed != nil {
		if fresh != nil {
			fresh.close()
		}
		return stats, failed
	}
	kept, watched, found, seen, checks := *h.session, h.watched, h.found, h.seen, h.checks
	fresh.clock = h.clock
	*h.session = *fresh
	h.found, h.seen, h.checks = nil, map[string]*finding{}, nil
	opts.Crew, opts.SaveNow, opts.Resume, h.saved = nil, nil, nil, nil
	h.sys.Rewind(h.root)
	oneStats, oneErr := h.run(opts)
	if h.stopped != "" && len(h.found) == 0 && !h.raced() && (len(found) > 0 || watched != nil && watched.raced) {
		h.session.close()
		*h.session = kept
		h.watched, h.found, h.seen, h.checks = watched, found, seen, checks
		return stats, err
	}
	kept.close()
	return oneStats, oneErr
}

// run makes the search once.
func (h *hunt) run(opts por.Options) (por.Stats, error) {
	engine, err := por.New(h.cfg.Search, opts)
	if err != nil {
		return por.Stats{}, result.Errorf(result.Usage, "%w", err)
	}
	return engine.Run(h.watchedSystem(), h)
}

// watchedSystem is the guest, at its root, with a race detector looking on if
// the configuration wants one.
func (h *hunt) watchedSystem() por.System {
	h.sys.Rewind(h.root)
	h.watched = nil
	if h.cfg.Race == RaceOff && h.fine() && !h.cfg.FailOnRace {
		return h.sys
	}
	w := h.watch()
	h.watched = w
	for i := range h.saved {
		r := &h.saved[i]
		of[r.Of](w).restore(r)
	}
	w.raced = w.adjacent.confirmed()
	return h.watched
}
