package explore

import (
	"errors"

	"landgo/internal/deepen"
	"landgo/internal/explore/story"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
)

// Iterative deepening (Blum and Gibson, OOPSLA 2016): without --pp, landgo runs
// many searches of one guest. Each switches threads at the points of one set, and
// package deepen says which when. All begin at the root of one booted machine. A
// search that is left for another is kept in the form of a checkpoint
// (por/snapshot.go), and goes on from there. One runs at a time at first (turn.go),
// then several in rounds (round.go).
//
// Either of these proves that there is no bug at any point:
//
//   - the end of the search with a point before every access (mem); or
//   - the end of a search with points before every operation of synchronisation
//     (sync) and before the accesses of some instructions. Every two conflicting
//     accesses of different threads must have had a common lock in it, or a point
//     before each (scheduler/witness/sights.go). That is Theorem 1 of the paper,
//     for this machine:
//
// Call accesses without a point before them invisible, everything else visible: a step is
// something visible and the invisible accesses that follow it. Take a shortest execution,
// switched anywhere, that is equivalent to none that was explored. All but its last event
// is equivalent to a sequence of steps, some without their ends. In it thread t makes an
// invisible access i, after an event o of another thread that conflicts with i and comes
// later than the beginning of t's step. If there were none, i could be put to where its
// step is. Now let t, and each thread that lacks the end of a step, finish the step where
// it is. The others' events stay what they are up to the first that conflicts with
// something added, o at the latest. This is the beginning of an explored execution, and has
// two conflicting accesses, and the earlier is invisible. They have no lock in common: t
// has released none since i that another thread has taken. So they have been seen, and one
// has no point before it.
//
// Merging lock and unlock with their neighbours (scheduler/library/lockmerge.go) keeps
// that: a lock that is only locked and unlocked moves right over others' events,
// and an unlock left. Operations on objects, and blocks that are freed, count
// as writes of their bytes.
//
// Deviation from the paper, whose theorem needs candidates of limited
// happens-before: what is asked for here leaves happens-before out altogether,
// so more instructions become points than race. They become points of the last
// search only.

// warmSteps is how much of the space with all points is explored first. 0, in
// tests, leaves that space out.
var warmSteps uint64 = 50_000

const (
	// stepRate is how many steps a second are planned for. It is fixed, and not
	// measured: else the order of jobs, and with it counts and bugs, would depend
	// on how busy the machine is. Where it is wrong, jobs are left too early or
	// too late, and taken up again.
	stepRate = 1_000_000
	// firstHorizon is for how many steps is planned without --time. Whenever
	// they are used up, for as many again as there were.
	firstHorizon = 32 * stepRate
)

func newDeepening(h *hunt) *deepening {
	d := &deepening{hunt: h, plan: h.newPlan(), spaces: map[*deepen.Job]*space{}, horizon: h.pace(firstHorizon), begun: h.Clock.Elapsed(), races: race.New(race.Config{}), both: race.New(race.Config{}), benign: map[race.Pair]*deepen.Job{}, apart: map[race.Pair]bool{}, narrowed: map[*deepen.Job]bool{}, shown: map[string]trace.Schedule{}}
	if h.Config.Time > 0 {
		d.horizon = h.pace(max(stepRate, uint64(h.Config.Time.Seconds()*stepRate)))
	}
	return d
}

// deepen runs jobs until a bug, a proof, or the end of the budget, and puts
// verdict and counts into the result.
func (h *hunt) deepen() error {
	d := newDeepening(h)
	defer d.dismiss()
	h.tell(por.Progress{})
	d.date()
	err := d.resume()
	if err != nil {
		return err
	}
	for err == nil && h.stopped == "" && !d.settled() && !d.stop() { // a job may be over before its search asks
		if err = d.save(); err != nil {
			break
		}
		d.lookOut()
		if d.alone != nil {
			d.accompany()
			err = d.run(d.alone)
			continue
		}
		d.renewProofs()
		jobs := d.plan.Deal(d.width())
		if len(jobs) == 0 {
			break
		}
		d.accompany()
		if len(jobs) == 1 {
			err = d.run(jobs[0])
		} else {
			err = d.round(jobs)
		}
	}
	if d.endless() {
		d.lookFairly()
	}
	err = errors.Join(err, d.endBounded())
	d.endWays()
	d.endRungs()
	if d.instead != nil || d.insteadErr != nil { // that is the result
		return err
	}
	var byStates error
	if d.endless() {
		byStates = d.lookByStates()
	}
	d.account()
	defer d.claim()
	var endless *por.EndlessError
	switch {
	case byStates != nil:
		return d.VerdictOf(byStates, h.result)
	case err == nil || d.byStates.proves() || d.states.proves() || d.fewer.proves() || len(d.found) > 0:
		return d.verdict()
	case d.byStates != nil && errors.As(d.byStates.err, &endless):
		return d.VerdictOf(endless, h.result)
	case d.doomed != nil:
		return d.doomed.judge(h.result)
	}
	return d.VerdictOf(err, h.result)
}

// fold takes over the result of a turn. The hunt's guest knows of threads and sharing what the
// turn's knew all the time.
func (d *deepening) fold(s *turn) error {
	d.learn(s, s.stats)
	s.sp.tree = s.tree
	d.stand(s.sp)
	s.outcomes.schedules(d.hunt, d.shown)
	s.sp.outcomes.merge(&s.outcomes)
	if len(s.found) > 0 || s.watched.Raced {
		s.sp.buggy = true
	}
	d.takeOver(s)
	d.takeDiffering()
	d.keepRaces(s)
	if s.watched.Adjacent != nil {
		d.both.Add(s.watched.Adjacent.Detector)
		d.watched = s.watched
		err := d.takeRaces(d.both)
		if d.watched = nil; err != nil {
			return err
		}
	}
	s.sp.epoch = d.Epoch()
	if err := errors.Join(d.settle(s.job), d.boundedErr); err != nil {
		return err
	}
	return d.ended(s)
}

// stand has the hunt's guest stop where a space's steps end.
func (d *deepening) stand(sp *space) {
	d.Guest.Rewind(d.Root)
	d.Guest.SetGranularity(sp.granularity)
	sp.sights = d.Guest.Seen().Look(sp.sights)
}

// takeOver takes over the bugs that a turn has found, and what it has seen
// beside them.
func (d *deepening) takeOver(s *turn) {
	if d.stopped == "" {
		d.stopped = s.stopped
	}
	d.result.Threads = max(d.result.Threads, s.result.Threads)
	if room := selfCheckRuns - len(d.checks); room > 0 && d.whole(s.job) { // a check follows steps at all points
		d.checks = append(d.checks, s.checks[:min(room, len(s.checks))]...)
	}
	for _, f := range s.found {
		f.fresh = true
		old := d.seen[f.key]
		switch {
		case old == nil:
			d.seen[f.key] = f
			d.found = append(d.found, f)
		case f.preemptions < old.preemptions:
			*old = *f
		}
	}
}

// settle names the executions of the bugs that a job has just found by their threads'
// instructions, because its steps mean nothing to the others.
func (d *deepening) settle(j *deepen.Job) (err error) {
	for _, f := range d.found {
		if !f.fresh {
			continue
		}
		f.fresh, f.job = false, j
		d.plan.Failed(j, true)
		d.publish() // as long as its story isn't known
		if f.schedule, err = story.Schedule(d.Session, f.path); err != nil {
			return err
		}
		f.told = nil
		d.publish()
	}
	return nil
}

// ended tells the plan how a turn ended.
func (d *deepening) ended(s *turn) error {
	j := s.job
	var long *scheduler.BudgetError
	if d.stopped != "" || d.settled() && !s.sp.buggy && !s.stats.Complete {
		return nil // it was running
	}
	switch {
	case errors.As(s.err, &long) && !s.fatal():
		// Perhaps with other points it has an end: a loop that waits.
		j.State, d.stuck = deepen.Stuck, s
	case s.err != nil:
		d.doomed = s
		return s.err
	case s.sp.buggy && !d.Config.KeepGoing:
		d.plan.Failed(j, false)
	case s.stats.Complete && s.sp.buggy:
		d.plan.Failed(j, false)
		d.exhausted = d.exhausted || d.whole(j)
	case s.stats.Complete && j.Set.Kinds == trace.SyncPoints && !d.Config.Naive() && !d.Judged(): // conditions between are judged too
		d.plan.Conclude(j, d.open())
	case s.stats.Complete:
		d.plan.Finished(j)
	}
	if j.State.Over() {
		s.sp.tree = nil
	}
	return nil
}
