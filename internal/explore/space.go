package explore

import (
	"landgo/internal/deepen"
	"landgo/internal/explore/races"
	"landgo/internal/explore/session"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
	"landgo/scheduler/witness"
)

// space is the state of a job that isn't running.
type space struct {
	granularity scheduler.Granularity
	stats       por.Stats
	sights      witness.Sights
	tree        []byte        // por.Options.Save's
	epoch       session.Epoch // when it was left
	told        map[race.Pair]deepen.Class
	seen        *races.Watched // its searches' detectors, with their findings so far
	buggy       bool           // a bug was found in it
	outcomes    outputs
	moves       por.Moves
}

// sightedRace is where a candidate is shown.
type sightedRace struct {
	space *space
	epoch session.Epoch
	path  []por.PathStep
}

// space is a job's, as it is now.
func (d *deepening) space(j *deepen.Job) *space {
	sp := d.spaces[j]
	if sp == nil {
		sp = &space{granularity: granularityOf(d.Session, &j.Set), told: map[race.Pair]deepen.Class{}}
		d.spaces[j] = sp
	}
	d.renew(j, sp)
	return sp
}

// renew has a job's search begin again if its steps would be others now.
func (d *deepening) renew(j *deepen.Job, sp *space) {
	if sp.epoch == d.Epoch() {
		return
	}
	if sp.stats.Executions > 0 {
		d.plan.Again(j)
	}
	sp.tree, sp.stats, sp.sights, sp.seen, sp.outcomes, sp.epoch = nil, por.Stats{}, nil, nil, outputs{}, d.Epoch()
}

// renewProofs does so for those that may be the proof, before the plan chooses.
func (d *deepening) renewProofs() {
	for _, j := range d.plan.Jobs() {
		if sp := d.spaces[j]; sp != nil && !j.State.Over() && d.plan.Verifies(j) {
			d.renew(j, sp)
		}
	}
}

// learn takes in how far a job is.
func (d *deepening) learn(s *turn, stats por.Stats) {
	sp := s.sp
	before, now := steps(sp.stats), steps(stats)
	if now < before || stats.Restarts > sp.stats.Restarts {
		before = 0 // it began again
		d.plan.Again(s.job)
	}
	d.plan.Took(s.job, now-before)
	d.steps += now - before
	sp.stats, s.job.Executions = stats, stats.Executions
	if s.share > 0 {
		s.job.Share = s.share
		sp.moves.Note(stats.Executions, s.share)
	}
	d.candidates(s)
}

// candidates tells the plan of the candidates that a job has shown, or shown in
// the other order, since it was asked last.
func (d *deepening) candidates(s *turn) {
	if d.Config.SyncOnly {
		return
	}
	for _, c := range s.watched.Races.Candidates() {
		class := deepen.OneOrder
		if c.BothOrders() {
			class = deepen.BothOrders
		}
		if old, ok := s.sp.told[c.Pair]; ok && old <= class || c.Kind == race.Recycled {
			continue
		}
		s.sp.told[c.Pair] = class
		if c.AFirst {
			d.plan.Candidate(s.job, c.A, class)
		}
		if c.BFirst {
			d.plan.Candidate(s.job, c.B, class)
		}
	}
	d.date()
}

// date notes for the jobs that are new how many executions there were before.
func (d *deepening) date() {
	if len(d.after) == len(d.plan.Jobs()) {
		return
	}
	n := uint64(0)
	if d.passed {
		n = d.executions()
	}
	for len(d.after) < len(d.plan.Jobs()) {
		d.after = append(d.after, n)
	}
}

// executions is how many there were in all spaces.
func (d *deepening) executions() (n uint64) {
	for _, sp := range d.spaces {
		n += sp.stats.Executions
	}
	return n
}

// keepRaces keeps what a job's detectors have found, and which of it is benign:
// it came in both orders, and no interleaving at the job's points failed.
func (d *deepening) keepRaces(s *turn) {
	complete := s.err == nil && s.stats.Complete
	for _, c := range s.watched.Races.Candidates() {
		at := d.benign[c.Pair]
		if c.Class(complete && len(d.found) == 0, false) == race.Benign && (at == nil || len(s.job.Set.At) > len(at.Set.At)) {
			d.benign[c.Pair] = s.job
		}
	}
	if pure := s.watched.Pure; pure != nil {
		for _, c := range pure.Candidates() {
			d.apart[c.Pair] = true
		}
	}
	s.sp.seen = s.watched
	from := d.races.Add(s.watched.Races.Detector)
	for k, i := range d.races.Changed() {
		for len(d.sighted) <= i {
			d.sighted = append(d.sighted, sightedRace{})
		}
		d.sighted[i] = sightedRace{s.sp, d.Epoch(), s.watched.Races.Shown[from[k]]}
	}
}
