package explore

import (
	"landgo/internal/deepen"
	"landgo/internal/explore/races"
	"landgo/internal/explore/saved"
	"landgo/internal/result"
	"landgo/por"
)

// Lender lends parts of a search to other processes, on other machines perhaps. A part
// that doesn't come back is worked on here (por/away.go).
type Lender interface {
	// Offer offers the parts of a batch. done is to be called with a part's place and what
	// Help made of it, from any goroutine, until Over returns.
	Offer(parts [][]byte, done func(part int, result []byte))
	// Over: what isn't back isn't wanted any more.
	Over()
}

// lent is a crew that lends. It implements por.Away.
type lent struct {
	*crew
	to Lender
	// part has all but the units, once the crew is hired.
	part saved.Part
}

// lends has a search's parts lent, if there are workers elsewhere, and one worker isn't
// to see all of it. set are the points of a space of a deepening, nil: those of the
// configuration.
func (c *crew) lends(opts *por.Options, to Lender, set *deepen.Set) {
	if to == nil {
		return
	}
	c.lent = &lent{crew: c, to: to, part: saved.Part{
		Format: saved.PartFormat, Version: result.Version, SHA256: c.Image.SHA256, Check: c.Check, Libraries: c.Config.Libraries,
		Search: c.Config.Search, OneEvent: opts.OneEvent, Unmerged: opts.Unmerged, Bounded: len(opts.Bounds) > 0, Iterate: opts.Iterate, From: opts.From,
		Steps: opts.UnitSteps, Set: set,
	}}
	opts.Away = c.lent
}

// Offer implements por.Away.
func (l *lent) Offer(parts [][]byte, done func(part int, result []byte)) {
	all := make([][]byte, len(parts))
	for i, units := range parts {
		p := l.part
		p.Units = units
		text, err := p.Pack()
		if err != nil {
			return // it is all done here
		}
		all[i] = text
	}
	l.to.Offer(all, done)
}

// Over implements por.Away.
func (l *lent) Over() { l.to.Over() }

// Seen implements por.Away. The guest is at work: what it takes to make detectors of it
// has to wait for Keep.
func (l *lent) Seen(text []byte) (any, error) {
	s, err := saved.ReadSeen(text)
	if err != nil {
		return nil, err
	}
	if _, err := l.ReadReached(s.Reached); err != nil {
		return nil, err
	}
	return s, nil
}

// seenAway is the findings in a unit away.
func (c *crew) seenAway(s *saved.Seen) *partSeen {
	p := &partSeen{threads: s.Threads, checks: s.Checks, witnessed: s.Witnessed}
	bugs, _ := s.Bugs() // it was read before
	for i := range bugs {
		b := &bugs[i]
		p.found = append(p.found, &finding{failure: b.Failure, key: b.Key, path: b.Path, preemptions: b.Preemptions, fresh: true})
	}
	p.outcomes.reload(s.Outputs)
	p.reached, _ = c.ReadReached(s.Reached) // it was read before
	if c.watched != nil {
		p.watched = c.watched.Empty()
		for i := range s.Races {
			if of := of[s.Races[i].Of]; of != nil {
				of(p.watched).Reload(&s.Races[i])
			}
		}
		if t := p.watched.Triangular; t != nil {
			for _, x := range s.Triangular {
				t.Add(x)
			}
			t.AddStores(s.Stores)
		}
	}
	return p
}

// saved is a worker's findings in a unit, for another process.
func (p *partSeen) saved() (*saved.Seen, error) {
	s := &saved.Seen{Threads: p.threads, Checks: p.checks, Witnessed: p.witnessed, Outputs: p.outcomes.saved(), Reached: p.reached.Saved()}
	var bugs []saved.Found
	for _, f := range p.found {
		bugs = append(bugs, saved.Found{Failure: f.failure, Key: f.key, Path: f.path, Preemptions: f.preemptions})
	}
	if p.watched != nil {
		s.Races = racesOf(p.watched)
		s.Triangular, s.Stores = p.watched.SavedTriangular(), p.watched.SavedStores()
	}
	return s, s.SetBugs(bugs)
}

// racesOf is a search's candidates for a checkpoint.
func racesOf(w *races.Watched) (all []saved.Race) {
	for _, name := range []string{"", "limited", "pure", "adjacent"} {
		if l := of[name](w); l != nil {
			all = append(all, l.Saved(name)...)
		}
	}
	return all
}
