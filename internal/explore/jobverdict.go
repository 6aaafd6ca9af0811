package explore

import (
	"fmt"

	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/explore/races"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/race"
)

// The verdict of an iterative deepening, once no job runs any more.

// verdict says the result of the jobs.
func (d *deepening) verdict() error {
	r := d.result
	d.Guest.Rewind(d.Root)
	d.Guest.SetGranularity(d.Granularity(d.Config.PP, nil))
	d.Guest.Seen().Look(nil)
	d.showRaces()
	if first := d.plan.Jobs()[0]; len(d.Config.AllRules()) > 0 && d.whole(first) && d.spaces[first].seen != nil {
		d.watched.Fine, d.watched.Limited = false, d.spaces[first].seen.LeftOut()
	}
	if err := d.alignAll(); err != nil {
		return err
	}
	proof := d.plan.Proof()
	switch {
	case len(d.found) > 0:
		r.Verdict = result.Buggy
	case proof != nil:
		r.Verdict = result.Verified
		d.hunt.whole = d.spaces[proof].seen
		if !d.whole(proof) {
			r.Reason = fmt.Sprintf("explored at %s: no two accesses that conflict are without a common lock and without points, so the others can't make a difference", d.name(proof))
		}
	case d.bounded != nil && d.bounded.proves():
		r.Verdict = result.Verified
		d.hunt.whole = d.bounded.watched
		r.Reason = "explored by ascending numbers of preemptions, until no interleaving was left that has more"
	case d.fewer.proves():
		r.Verdict = result.Verified
		d.hunt.whole = d.fewer.watched
		r.Search, r.Certificate.Search = fewerSearch, fewerSearch
		r.Reason = d.fewer.sparedText()
	case d.byStates.proves():
		r.Verdict = result.Verified
		r.Search, r.Certificate.Search = config.Stateful, config.Stateful
		r.Reason = "explored state by state, for some executions have no end"
	case d.states.proves():
		r.Verdict = result.Verified
		r.Search, r.Certificate.Search = config.Stateful, config.Stateful
		r.Reason = "explored state by state: it has far more interleavings than states"
	case (d.Config.Naive() || d.Config.Seeded()) && d.stopped == "" && d.lastEnd() != nil:
		r.Verdict = result.Verified
		r.PP = d.name(d.lastEnd())
		r.Granularity, r.Certificate.Granularity = r.PP, r.PP
		d.hunt.whole = d.spaces[d.lastEnd()].seen
		d.watched.Fine, d.watched.Limited = false, d.spaces[d.lastEnd()].seen.LeftOut()
	case d.stopped != "":
		r.Verdict, r.Problem = result.Budget, d.stopped
		r.Reason = d.stopReason()
	case d.stuck != nil:
		return d.stuck.judge(r)
	default:
		panic("explore: all jobs are over, without a bug and without a proof")
	}
	return nil
}

// alignAll aligns all bugs. News on the way to one makes the steps of those before
// others.
func (d *deepening) alignAll() error {
	for known, first := d.Epoch(), true; first || d.Epoch() != known; first = false {
		known = d.Epoch()
		for _, f := range d.found {
			if err := d.align(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// align makes the steps of a bug's execution those that it has with a point
// before every access. Where a thread goes round a loop in vain for which it
// would wait there, it keeps the points of its job.
func (d *deepening) align(f *finding) error {
	if f.known != nil { // else its execution would begin again for each word that threads share
		if _, err := d.Guest.Learn(f.known); err != nil {
			f.known = nil // threads were met in another order
		}
	}
	var err error
	if !d.Config.SyncOnly { // its verdicts are at its sets' points, and so are its stories
		d.Aligning = true
		err = d.refine(f)
		d.Aligning = false
	}
	if (err != nil || d.Config.SyncOnly) && f.job != nil && !d.whole(f.job) {
		c := d.Config
		c.Deepen, c.PP, c.Races = false, f.job.Set.Kinds, nil
		for _, pc := range f.job.Set.At {
			c.PP |= trace.PointRace
			c.Races = append(c.Races, d.PlaceOf(pc))
		}
		f.config = &c
		err = d.as(f, func() error { return d.refine(f) })
	}
	if err != nil {
		return err
	}
	f.preemptions = 0
	for i := range f.path {
		if f.path[i].Preemption {
			f.preemptions++
		}
	}
	return nil
}

// lastEnd is the last job if it is finished: of a naive plan the one with all
// that races, of one without candidates that with all synchronisation.
func (d *deepening) lastEnd() *deepen.Job {
	jobs := d.plan.Jobs()
	if d.Config.CandidatesOnly {
		return d.mostPoints()
	}
	if j := jobs[len(jobs)-1]; j.State == deepen.Finished {
		return j
	}
	return nil
}

// mostPoints is, of jobs that are all finished or part of others, the one with the most
// points. A candidate that it shows without a point would have made a larger one, so
// its end is the total verification of Blum and Gibson's Theorem 1. It is nil if not
// all are.
func (d *deepening) mostPoints() (most *deepen.Job) {
	for _, j := range d.plan.Jobs() {
		switch {
		case j.State == deepen.Finished && (most == nil || len(j.Set.At) >= len(most.Set.At)):
			most = j
		case j.State != deepen.Finished && j.State != deepen.Covered:
			return nil
		}
	}
	return most
}

// showRaces hands the candidates of all jobs on to the report.
func (d *deepening) showRaces() { d.watched = d.racesSeen() }

// racesSeen has the candidates of all jobs, to be listed.
func (d *deepening) racesSeen() *races.Watched {
	w := &races.Watched{Runner: d.Guest.Runner, Races: &races.Lookout{Detector: d.races}, Listed: d.Config.Race != config.RaceOff, Fine: true}
	for i := range d.sighted {
		w.Races.Shown = append(w.Races.Shown, d.sighted[i].path)
	}
	all := d.Granularity(d.Config.PP, nil)
	w.Toward = func(i int) bool {
		d.Guest.Rewind(d.Root)
		d.Guest.SetGranularity(all)
		if i < 0 {
			return false
		}
		seen := &d.sighted[i]
		if seen.epoch != d.Epoch() {
			return false
		}
		d.Guest.SetGranularity(seen.space.granularity)
		return true
	}
	w.Alike = func(i, j int) bool {
		return d.sighted[i].space == d.sighted[j].space && d.sighted[i].epoch == d.sighted[j].epoch
	}
	proven := d.plan.Proof() != nil && len(d.found) == 0
	w.Settled = func(c *race.Candidate) race.Class {
		switch {
		case proven && len(d.Config.AllRules()) == 0:
			// Whatever points other jobs lacked, this one had them.
			all := *c
			all.Bare = false
			return all.Class(true, false)
		case proven:
			if own := d.spaces[d.plan.Proof()].seen.Races.Candidate(c.Pair); own != nil {
				return own.Class(true, false)
			}
			return race.Untested
		case d.benign[c.Pair] != nil:
			return race.Benign
		}
		return race.Untested
	}
	w.Ordered = func(c *race.Candidate) bool {
		proof := d.plan.Proof()
		return proven && d.whole(proof) && d.spaces[proof].seen.Orders(c)
	}
	if d.Config.Race == config.RaceLimited && !d.Platform.OrdersOnly {
		w.Apart = func(c *race.Candidate) bool { return d.apart[c.Pair] }
	}
	w.SettledAt = func(c *race.Candidate) string {
		if j := d.benign[c.Pair]; j != nil && !proven {
			return d.name(j)
		}
		return ""
	}
	return w
}
