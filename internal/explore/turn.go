package explore

import (
	"errors"
	"math"

	"landgo/internal/deepen"
	"landgo/internal/explore/races"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
	"landgo/scheduler"
	"landgo/scheduler/witness"
)

// turn is a job at work, from where it was left, or from its root, to where it is
// left again, on one guest. It is the por.Observer. It keeps its findings to
// itself, until it is folded in.
//
// A turn that is alone asks the plan every few thousand steps whether to go on, and
// tells it what it has found by then. Its search is divided among all workers once
// it is large (por/batch.go). After a number of steps it is paused, so that the
// deepening can be saved. Whether it is or not, the search goes on from the form of
// a checkpoint, and so runs the same. One of several at work at a time does nothing
// of that: it goes on for a number of steps.
type turn struct {
	*hunt
	d     *deepening
	job   *deepen.Job
	sp    *space
	round *round // nil: it is alone
	index int    // of it in the round
	from  uint64 // steps of the job when it began
	// room is how many executions there may be, 0: any number.
	room, ran uint64
	tree      []byte
	leave     bool // it is to be left
	left      bool
	paused    bool // the plan would have had it go on
	stats     por.Stats
	err       error
	unjudged  error // err, if it is no verdict

	// In a round.
	learned   bool // points became finer
	witnessed *witness.Statement
	reached   *session.Reached
	known     *scheduler.Knowledge
}

// pauseSteps is how many steps a turn that is alone has at a time: a moment,
// against some milliseconds to take it up again.
var pauseSteps uint64 = 1 << 17

// errLeft ends a search that was saved. Just to ask it to stop would have it run
// some steps more, in a divided one as many as the workers reach.
var errLeft = errors.New("left")

// turnOf begins a turn of a job's, on the hunt's own guest.
func (d *deepening) turnOf(j *deepen.Job) *turn {
	j.State = deepen.Running
	s := &turn{d: d, job: j, sp: d.space(j)}
	s.hunt = &hunt{Session: d.Session, result: &result.Result{}, seen: map[string]*finding{}}
	s.from = steps(s.sp.stats)
	if d.Config.MaxExecutions > 0 {
		s.room = d.Config.MaxExecutions - d.executions()
	}
	return s
}

// run runs a job alone until it ends or is left.
func (d *deepening) run(j *deepen.Job) error {
	s := d.turnOf(j)
	s.work()
	err := d.fold(s)
	d.alone = nil
	switch {
	case s.paused && s.left && err == nil && j.State == deepen.Running:
		d.alone = j
	case s.left:
		d.plan.Suspend(j)
	}
	d.narrow(j)
	return err
}

// work is the turn's search.
func (s *turn) work() {
	opts := por.Options{
		OneEvent: s.d.whole(s.job) && len(s.Config.AllRules()) == 0 && !s.Judged(), Resume: s.sp.tree, Stop: s.halts, Variable: s.Image.Extent,
		SaveNow: func() bool { return s.leave || restless },
		Save:    func(tree []byte) error { s.tree, s.left = tree, true; return errLeft },
	}
	var c *crew
	switch {
	case s.round != nil || s.room > 0:
		opts.WarmUp = math.MaxUint64 // it isn't divided
	default:
		c = &crew{hunt: s.hunt, stand: s.stand}
		opts.Crew, opts.WarmUp, opts.UnitSteps = c, warmUp, unitSteps
		c.lends(&opts, s.d.lender, &s.job.Set)
	}
	engine, err := por.New(s.Config.Search, opts)
	if err != nil {
		s.err = result.Errorf(result.Usage, "%w", err)
		s.unjudged = s.err
		return
	}
	sys := s.stand(s.hunt)
	if s.sp.seen != nil {
		s.watched.Races.Take(s.sp.seen.Races)
		s.watched.Limited.Take(s.sp.seen.Limited)
		s.watched.Pure.Take(s.sp.seen.Pure)
		s.watched.TakeTriangular(s.sp.seen)
	}
	s.err = s.promptly(func() (err error) {
		s.stats, err = engine.Run(sys, s)
		return err
	})
	if c != nil {
		s.Guest.Seen().Look(s.sp.sights) // which takes in what was seen of the parts
		c.close()
	}
	if s.err == errLeft {
		s.err, s.failedAt = nil, nil
	}
	if s.err == nil {
		return
	}
	at := s.Session
	if s.failedAt != nil && s.failedAt != at {
		at = s.failedAt
		defer at.Close()
	}
	s.unjudged = at.VerdictOf(s.err, s.result)
}

// judge puts what the turn failed with into a result.
func (s *turn) judge(r *result.Result) error {
	r.Verdict, r.Reason, r.Problem, r.Place = s.result.Verdict, s.result.Reason, s.result.Problem, s.result.Place
	return s.unjudged
}

// stand has a worker's guest stop where the space's steps end, with detectors
// looking on.
func (s *turn) stand(o *hunt) por.System {
	o.Guest.Rewind(o.Root)
	o.Guest.SetGranularity(s.sp.granularity)
	if o == s.hunt {
		s.sp.sights = o.Guest.Seen().Look(s.sp.sights)
	} else {
		o.Guest.Seen().Look(nil)
	}
	o.watched = detectors(o.Session, s.job)
	return o.watched
}

// halts is polled by the search.
func (s *turn) halts() bool {
	if s.round != nil {
		return s.left || s.learned || s.round.unwanted(s.index)
	}
	return s.left || s.stop() || s.d.settled() || s.d.boundedErr != nil
}

// fatal: there is no use in going on with other jobs.
func (s *turn) fatal() bool {
	var long *scheduler.BudgetError
	// Steps with fewer points than all are longer still.
	return s.err != nil && (!errors.As(s.err, &long) || s.d.whole(s.job) || s.d.Config.Naive())
}

// Progress implements por.Observer.
func (s *turn) Progress(p por.Progress) {
	s.share = p.Share
	if s.round != nil {
		s.leave = s.leave || steps(p.Stats) >= s.from+s.pace(roundSteps)
		if s.Session == s.d.Session { // one of those at work shows the time; the rest is as of the last round
			s.d.show()
		}
		return
	}
	d := s.d
	d.learn(s, p.Stats)
	if s.sp.buggy || len(s.found) > 0 {
		d.plan.Failed(s.job, true)
	}
	s.leave = s.leave || !d.plan.Goes(s.job, d.left())
	if !s.leave && steps(p.Stats) >= s.from+pauseSteps {
		s.leave, s.paused = true, true
	}
	if s.stopped == "" && (len(s.found) == 0 && !s.watched.Raced || s.Config.KeepGoing) {
		d.letRungs()
		d.letWays()
		d.letSamples(s.watched)
	}
	d.letBounded()
	d.show()
}

// letSamples lets samples with store buffers be taken, if there was a triangular race.
func (d *deepening) letSamples(watched *races.Watched) {
	racy := func(w *races.Watched) bool { return w != nil && w.Triangular != nil && len(w.Triangular.Found()) > 0 }
	for _, sp := range d.spaces {
		if racy(watched) {
			break
		}
		watched = sp.seen
	}
	if racy(watched) && len(d.found) == 0 {
		d.sample(d.steps)
	}
}

// Ended implements por.Observer.
func (s *turn) Ended(x *por.Execution) bool {
	if s.learned {
		return false
	}
	if d := s.d; !d.passed {
		// The candidates of one execution are distinguished (result.Job).
		d.candidates(s)
		d.passed = true
	}
	goesOn := s.hunt.Ended(x)
	if s.room > 0 && x.Ending <= por.EndedStuck {
		if s.ran++; s.ran >= s.room && s.stopped == "" {
			s.stopped = result.OutOfExecutions
			return false
		}
	}
	return goesOn
}

// Restarted implements por.Observer: what the job has found so far will be found
// again. A bug that was folded in has its schedule.
func (s *turn) Restarted() {
	clear(s.seen)
	s.found, s.checks = nil, nil
	s.outcomes, s.sp.outcomes = outputs{}, outputs{}
	s.sp.buggy, s.ran, s.from = false, 0, 0
	s.watched.Restart()
	if s.learned = s.round != nil; s.learned {
		s.known = s.Guest.Knowledge()
		return
	}
	if len(s.d.spaces) == 1 {
		s.d.passed = false // it begins with steps that have all that is known to be shared
	}
}
