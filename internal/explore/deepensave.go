package explore

import (
	"cmp"
	"errors"
	"slices"

	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler/witness"
)

// An iterative deepening in a checkpoint: the plan, and of each job what is kept of
// one that isn't running, with its search as it was left. It is saved between two
// turns or rounds, where nothing runs. These come after numbers of steps, whether
// there is a checkpoint or not; and every turn goes on from what a checkpoint has.
// So a deepening that was killed has the jobs, in the same order and with the same
// counts, of one that wasn't. The steps since the last time it was saved are run
// again.
//
// The searches beside the jobs are the exception. The bounded one hands over in the
// middle of its walk (bounded.go), not where a search can be saved; so does the one by
// states. It is run
// again to where it was, which takes as long as it took: half of all time so far at
// the most (boundedFirst). So are the samples (waysShare), for their guest has learned
// what the jobs' needn't know.
//
// Paths mean the steps of one epoch; those of another are left out. Epochs are
// counted anew by each process, so only what was of the last one is marked.

// save writes a checkpoint, if there is to be one and it is time: before the first step too, for a
// limit may end the search in its first turn. No job is at work.
func (d *deepening) save() error {
	if d.Config.Checkpoint == "" || d.steps > 0 && !d.saver.Due() {
		return nil
	}
	return d.saver.Run(func() error {
		p := d.checkpoint()
		p.Witnessed.Sightings = nil // each space has its own
		p.Deepening = d.saved()
		return p.Write(d.Config.Checkpoint)
	})
}

func (d *deepening) saved() *saved.Deepening {
	s := &saved.Deepening{SyncOnly: d.Config.SyncOnly, CandidatesOnly: d.Config.CandidatesOnly, Plan: d.plan.Save(), After: d.after, Checks: d.checks, Passed: d.passed,
		Steps: d.steps, Horizon: d.horizon, Used: d.Clock.Elapsed() - d.begun, Warm: d.warm}
	s.Shown = d.savedShown()
	if d.alone != nil {
		s.Alone = d.alone.ID
	}
	of := map[*space]int{}
	for _, j := range d.plan.Jobs() {
		if sp := d.spaces[j]; sp != nil {
			of[sp] = j.ID
			s.Spaces = append(s.Spaces, d.savedSpace(j, sp))
		}
	}
	for i, c := range d.races.Candidates() {
		o := saved.Sighted{Candidate: *c}
		if at := &d.sighted[i]; at.space != nil && at.epoch == d.Epoch() {
			o.Job, o.Path = of[at.space], at.path
		}
		s.Races = append(s.Races, o)
	}
	for _, c := range d.both.Candidates() {
		s.Both = append(s.Both, saved.Race{Candidate: *c})
	}
	for p, j := range d.benign {
		s.Benign = append(s.Benign, saved.Benign{Pair: p, Job: j.ID})
	}
	slices.SortFunc(s.Benign, func(a, b saved.Benign) int { return comparePairs(a.Pair, b.Pair) })
	for p := range d.apart {
		s.Apart = append(s.Apart, p)
	}
	slices.SortFunc(s.Apart, comparePairs)
	for _, f := range d.found {
		o := saved.Finding{Failure: f.failure, Key: f.key, Schedule: f.schedule, Preemptions: f.preemptions}
		if f.job != nil {
			o.Job = f.job.ID
		}
		s.Found = append(s.Found, o)
	}
	if k := d.stuck; k != nil {
		s.Stuck = &saved.Stuck{Job: k.job.ID, Verdict: k.result.Verdict, Reason: k.result.Reason, Problem: k.result.Problem, Place: k.result.Place}
	}
	s.Preempt, s.Delay, s.States, s.Fewer, s.Rungs = d.bounded.saved(), d.delayed.saved(), d.states.saved(), d.fewer.saved(), d.ladder.saved()
	if w := d.ways; w != nil {
		s.Slices, s.Gained = w.slices, w.gained
	}
	return s
}

func (d *deepening) savedSpace(j *deepen.Job, sp *space) saved.Space {
	o := saved.Space{Job: j.ID, Current: sp.epoch == d.Epoch(), Buggy: sp.buggy, Stats: sp.stats, Tree: sp.tree, Seen: sp.seen != nil, Outputs: sp.outcomes.saved()}
	if sp.sights != nil {
		o.Looked, o.Sights = true, sp.sights.List()
	}
	for p, c := range sp.told {
		o.Told = append(o.Told, saved.Told{Pair: p, Class: c})
	}
	slices.SortFunc(o.Told, func(a, b saved.Told) int { return comparePairs(a.Pair, b.Pair) })
	if sp.seen != nil {
		for _, name := range []string{"", "limited", "pure"} {
			if l := of[name](sp.seen); l != nil {
				for _, c := range l.Candidates() {
					o.Races = append(o.Races, saved.Race{Of: name, Candidate: *c})
				}
			}
		}
		o.Triangular, o.Stores = sp.seen.SavedTriangular(), sp.seen.SavedStores()
	}
	return o
}

func comparePairs(a, b race.Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }

// otherEpoch is none that a session ever has.
var otherEpoch = session.Epoch{Lives: -1}

// resume goes on from a checkpoint, if there is one to go on from.
func (d *deepening) resume() error {
	d.saver = saved.NewSaver(&d.Config)
	p, err := d.goOn()
	if p == nil {
		return err
	}
	if err := d.restore(p.Deepening); err != nil {
		return result.Errorf(result.BadCheckpoint, "%s: %w", d.Config.Resume, err)
	}
	return d.catchUp(p.Deepening)
}

// errJob is a job's number that there is none of.
var errJob = errors.New("it names a job that it hasn't got")

func (d *deepening) restore(s *saved.Deepening) error {
	if s.Plan == nil {
		return errJob
	}
	if err := d.plan.Restore(s.Plan); err != nil {
		return err
	}
	jobs := d.plan.Jobs()
	known := true
	job := func(id int) *deepen.Job {
		if id < 0 || id > len(jobs) {
			known = false
		}
		if id == 0 || !known {
			return nil
		}
		return jobs[id-1]
	}
	d.spaces = map[*deepen.Job]*space{}
	for i := range s.Spaces {
		j := job(s.Spaces[i].Job)
		if j == nil {
			return errJob
		}
		d.spaces[j] = d.restoredSpace(j, &s.Spaces[i])
	}
	for _, o := range s.Races {
		d.races.Restore(o.Candidate)
		at := sightedRace{epoch: otherEpoch}
		if j := job(o.Job); j != nil && d.spaces[j] != nil {
			at = sightedRace{d.spaces[j], d.Epoch(), o.Path}
		}
		d.sighted = append(d.sighted, at)
	}
	for _, o := range s.Both {
		d.both.Restore(o.Candidate)
	}
	for _, o := range s.Benign {
		if j := job(o.Job); j != nil {
			d.benign[o.Pair] = j
		}
	}
	for _, p := range s.Apart {
		d.apart[p] = true
	}
	for _, o := range s.Found {
		f := &finding{failure: o.Failure, key: o.Key, schedule: o.Schedule, preemptions: o.Preemptions, job: job(o.Job)}
		d.seen[f.key] = f
		d.found = append(d.found, f)
	}
	if k := s.Stuck; k != nil {
		d.stuck = &turn{job: job(k.Job)}
		d.stuck.hunt = &hunt{result: &result.Result{Verdict: k.Verdict, Reason: k.Reason, Problem: k.Problem, Place: k.Place}}
	}
	d.after, d.checks, d.passed, d.steps, d.horizon, d.warm = s.After, s.Checks, s.Passed, s.Steps, s.Horizon, s.Warm
	d.begun -= s.Used
	d.alone = job(s.Alone)
	d.reloadShown(s.Shown)
	if !known || len(d.races.Candidates()) != len(s.Races) || len(d.after) > len(jobs) || d.horizon == 0 {
		return errJob
	}
	return nil
}

func (d *deepening) restoredSpace(j *deepen.Job, o *saved.Space) *space {
	sp := d.space(j)
	sp.epoch, sp.buggy, sp.stats, sp.tree = otherEpoch, o.Buggy, o.Stats, o.Tree
	if o.Current {
		sp.epoch = d.Epoch()
	}
	sp.outcomes.reload(o.Outputs)
	if o.Looked {
		sp.sights = witness.SightsOf(o.Sights)
	}
	for _, t := range o.Told {
		sp.told[t.Pair] = t.Class
	}
	if o.Seen {
		sp.seen = detectors(d.Session, j)
		for i := range o.Races {
			if l := of[o.Races[i].Of]; l != nil {
				l(sp.seen).Reload(&o.Races[i])
			}
		}
		if sp.seen.Triangular != nil {
			for _, x := range o.Triangular {
				sp.seen.Triangular.Add(x)
			}
			sp.seen.Triangular.AddStores(o.Stores)
		}
	}
	return sp
}

// catchUp has the searches beside the jobs run again to where they were.
func (d *deepening) catchUp(s *saved.Deepening) error {
	if s.Slices > 0 {
		d.try()
	}
	for d.ways.open() && d.ways.slices < s.Slices {
		if !d.ways.slice() {
			return nil
		}
		d.takeWays()
		d.show()
	}
	if d.ways != nil {
		d.ways.gained = s.Gained
	}
	if err := d.climbTo(s.Rungs); err != nil {
		return err
	}
	var err error
	if s.Preempt != nil {
		if d.bounded, err = d.hire("bpor", rising(por.Preempt)); err != nil {
			return err
		}
	}
	if s.Delay != nil {
		if d.delayed, err = d.hire("bounded", rising(por.Delay)); err != nil {
			return err
		}
	}
	if s.States != nil {
		if d.states, err = d.hire(config.Stateful, nil); err != nil {
			return err
		}
	}
	if s.Fewer != nil {
		if d.fewer, err = d.hire(fewerSearch, nil); err != nil {
			return err
		}
	}
	return errors.Join(d.bounded.catchUp(d, s.Preempt), d.delayed.catchUp(d, s.Delay), d.states.catchUp(d, s.States), d.fewer.catchUp(d, s.Fewer))
}

// saved is where a search beside the jobs is, nil if there is none.
func (b *bounded) saved() *saved.Ascending {
	if b == nil {
		return nil
	}
	return &saved.Ascending{Steps: b.steps, Over: b.over}
}

// catchUp has it run again to where it was.
func (b *bounded) catchUp(d *deepening, to *saved.Ascending) error {
	if to == nil {
		return nil
	}
	for !b.over && (to.Over || b.steps < to.Steps) {
		if d.stop() {
			return nil
		}
		b.run(min(boundedSlice, to.Steps-min(b.steps, to.Steps)))
		d.show()
	}
	if b.steps != to.Steps || b.over != to.Over {
		return result.Errorf(result.BadCheckpoint, "%s: a search beside the jobs goes another way", d.Config.Resume)
	}
	b.taken = b.over
	return nil
}
