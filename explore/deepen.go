package explore

import (
	"errors"
	"fmt"
	"time"

	"landgo/deepen"
	"landgo/por"
	"landgo/race"
	"landgo/result"
	"landgo/scheduler"
)

// Iterative deepening (Blum and Gibson, OOPSLA 2016): without --pp, landgo runs
// many searches of one guest, each of which switches threads at the points of
// one set, and package deepen says which when. All run on one booted machine,
// one at a time: a search that is left for another is kept as what a checkpoint
// has of it (por/snapshot.go), and goes on from there.
//
// What proves that there is no bug at any point:
//
//   - the end of the search with a point before every access (mem); or
//   - the end of a search with points before every operation of synchronisation
//     (sync) and before the accesses of some instructions, in which every two
//     conflicting accesses of different threads had a common lock, or a point
//     before each (scheduler/unexamined.go). That is Theorem 1 of the paper,
//     for this machine:
//
// Call accesses without a point before them invisible, everything else visible:
// a step is something visible and the invisible accesses that follow it. Take a
// shortest execution, switched anywhere, that is equivalent to none that was
// explored. All but its last event is equivalent to a sequence of steps of which
// some lack their ends. In it thread t makes an invisible access i, after an
// event o of another thread that conflicts with i and comes later than the
// beginning of t's step: if there were none, i could be put to where its step
// is. Now let t, and whoever else lacks the end of a step, finish the step where
// it is: the others' events stay what they are up to the first that conflicts
// with something added, o at the latest. This is the beginning of an explored
// execution, and has two conflicting accesses, of which the earlier is
// invisible. They have no lock in common: t has released none since i that
// anybody has taken. So they have been seen, and one has no point before it.
//
// Merging lock and unlock with their neighbours (scheduler/lockmerge.go) keeps
// that: a lock that is only locked and unlocked moves right over others' events,
// and an unlock left. Operations on objects, and blocks that are freed, count
// as writes of their bytes.
//
// Deviation from the paper, whose theorem needs candidates of limited
// happens-before: what is asked for here leaves happens-before out altogether,
// so more instructions become points than race. They become points of the last
// search only.

// deepening is a hunt through many spaces. It is the por.Observer.
type deepening struct {
	*hunt
	plan    *deepen.Plan
	spaces  map[*deepen.Job]*space
	job     *deepen.Job // that is running
	races   *race.Detector
	sighted []sightedRace // by candidate of races
	benign  map[race.Pair]bool
	after   []uint64       // executions of all jobs when each was added
	passed  bool           // one execution is over
	steps   uint64         // of all jobs
	both    *race.Detector // where races are bugs: of all jobs
	// horizon is up to how many steps is planned if there is no limit of time.
	horizon uint64
	begun   time.Duration // of the clock
	// beside is there once the warm-up is over, at warm steps.
	beside    *beside
	warm      uint64
	besideErr error
	exhausted bool  // all bugs there are were found
	failed    error // why a job has no end
}

// space is what is kept of a job that isn't running.
type space struct {
	granularity scheduler.Granularity
	stats       por.Stats
	sights      *scheduler.Sights
	tree        []byte // por.Options.Save's
	learned     uint64 // scheduler.System.Learned when it was left
	told        map[race.Pair]deepen.Class
	watched     *watched // while it runs
	leftOut     *lookout // what its points left out so far (unexamined.go)
	leave       bool     // it is to be left
	left        bool
	buggy       bool // a bug was found in it
}

// sightedRace is where a candidate is shown.
type sightedRace struct {
	space   *space
	learned uint64
	path    []por.PathStep
}

// warmSteps is how much of the space with all points is explored first. 0, in
// tests, leaves that space out.
var warmSteps uint64 = 50_000

const (
	// firstHorizon is for how many steps is planned without --time: half a
	// minute. Whenever they are used up, for as many again as there were.
	firstHorizon = 32_000_000
)

// newPlan is the plan with the seeds for the guest (§3.2).
func (h *hunt) newPlan() *deepen.Plan {
	if h.cfg.naive() {
		base := deepen.Set{Kinds: deepen.Kinds(h.cfg.PP &^ PointRace)}
		return deepen.New(deepen.Options{All: deepen.Kinds(PointMem), Seeds: []deepen.Set{base}, Maximal: &base, Naive: true})
	}
	seeds := []deepen.Set{{Kinds: deepen.Kinds(PointYield)}}
	locks, unlocks := h.lockPlaces()
	if h.noRoles() && h.img.AnyLocked() {
		locks, unlocks = 1, 1
	}
	for _, k := range []struct {
		points Points
		has    bool
	}{{PointLock, locks > 0}, {PointUnlock, unlocks > 0}, {PointLock | PointUnlock, locks > 0 && unlocks > 0}} {
		if k.has {
			seeds = append(seeds, deepen.Set{Kinds: deepen.Kinds(PointYield | k.points)})
		}
	}
	if h.cfg.SyncOnly {
		return deepen.New(deepen.Options{All: deepen.Kinds(PointMem), Seeds: seeds})
	}
	return deepen.New(deepen.Options{All: deepen.Kinds(PointMem), Seeds: seeds, Maximal: &deepen.Set{Kinds: deepen.Kinds(PointSync)}, Warm: warmSteps})
}

func newDeepening(h *hunt) *deepening {
	return &deepening{hunt: h, plan: h.newPlan(), spaces: map[*deepen.Job]*space{}, horizon: firstHorizon, begun: h.clock.elapsed(), races: race.New(race.Config{}), both: race.New(race.Config{}), benign: map[race.Pair]bool{}}
}

// deepen runs jobs until a bug, a proof, or the end of the budget, and puts
// verdict and counts into the result.
func (h *hunt) deepen() error {
	d := newDeepening(h)
	h.tell(por.Progress{})
	d.date()
	var err error
	for err == nil && h.stopped == "" && !d.settled() {
		j := d.plan.Next()
		if j == nil {
			break
		}
		err = d.run(j)
	}
	if d.beside != nil {
		d.beside.close()
		d.takeBeside()
		err = errors.Join(err, d.besideErr)
	}
	d.account()
	if err != nil {
		return h.verdictOf(err, h.result)
	}
	return d.verdict()
}

// settled reports whether the verdict is known.
func (d *deepening) settled() bool {
	return d.plan.Proof() != nil || d.exhausted || d.beside != nil && d.beside.proves() || len(d.found) > 0 && !d.cfg.KeepGoing
}

// run runs a job until it ends or is left.
func (d *deepening) run(j *deepen.Job) error {
	sp := d.spaces[j]
	if sp == nil {
		sp = &space{granularity: d.granularity(Points(j.Set.Kinds), j.Set.At), told: map[race.Pair]deepen.Class{}}
		d.spaces[j] = sp
	}
	if sp.learned != d.sys.Learned() {
		// Its steps would be others now.
		sp.tree, sp.stats, sp.sights, sp.leftOut = nil, por.Stats{}, nil, nil
	}
	if d.warm == 0 && d.steps > 0 && !d.cfg.naive() && !d.cfg.SyncOnly {
		d.warm = d.steps
		if !d.cfg.FailOnRace { // it watches for no races, and must not prove that there are none
			d.beside = d.openBeside()
		}
	}
	d.job, j.State = j, deepen.Running
	sp.leave, sp.left = false, false
	opts := por.Options{
		OneEvent: d.whole(j), Resume: sp.tree,
		Stop:    func() bool { return sp.left || d.stop() || d.settled() || d.besideErr != nil },
		SaveNow: func() bool { return sp.leave },
		Save:    func(tree []byte) error { sp.tree, sp.left = tree, true; return nil },
	}
	engine, err := por.New(d.cfg.Search, opts)
	if err != nil {
		return result.Errorf(result.Usage, "%w", err)
	}
	d.sys.Rewind(d.root)
	d.sys.SetGranularity(sp.granularity)
	sp.sights = d.sys.Look(sp.sights)
	own := *d.session
	own.cfg.PP = Points(j.Set.Kinds) // what it leaves out depends on the points
	sp.watched = own.watch()
	d.watched = sp.watched
	stats, err := engine.Run(sp.watched, d)
	d.learn(stats)
	d.keepRaces(sp, err == nil && stats.Complete)
	if sp.watched.adjacent != nil {
		d.both.Add(sp.watched.adjacent.Detector)
		if err := d.takeRaces(d.both); err != nil {
			return err
		}
	}
	sp.learned, sp.watched, d.watched = d.sys.Learned(), nil, nil
	if settleErr := errors.Join(d.settle(), d.besideErr); settleErr != nil {
		return settleErr
	}
	return d.ended(j, sp, stats, err)
}

// whole: a job with a point before every access.
func (d *deepening) whole(j *deepen.Job) bool { return Points(j.Set.Kinds).Has(PointMem) }

// ended tells the plan how a job's run ended.
func (d *deepening) ended(j *deepen.Job, sp *space, stats por.Stats, err error) error {
	var long *scheduler.BudgetError
	bug := sp.buggy
	if d.stopped != "" || d.settled() && !bug && !stats.Complete {
		return nil // it was running
	}
	switch {
	case errors.As(err, &long):
		if d.whole(j) || d.cfg.naive() {
			return err // steps with fewer points are longer still
		}
		// Perhaps with other points it has an end: a loop that waits.
		j.State, d.failed = deepen.Stuck, err
	case err != nil:
		return err
	case bug && !d.cfg.KeepGoing:
		d.plan.Failed(j, false)
	case stats.Complete && bug:
		d.plan.Failed(j, false)
		d.exhausted = d.exhausted || d.whole(j)
	case stats.Complete && Points(j.Set.Kinds) == PointSync && !d.cfg.naive():
		d.plan.Conclude(j, d.open())
	case stats.Complete:
		d.plan.Finished(j)
	default:
		d.plan.Suspend(j)
	}
	if j.State.Over() {
		sp.tree = nil
	}
	return nil
}

// open lists the instructions of the space just explored that conflict with
// others' without points between.
func (d *deepening) open() (at []uint64) {
	for _, p := range d.sys.Unexamined() {
		at = append(at, p.First.PC, p.Second.PC)
	}
	return at
}

// learn takes in how far the running job is.
func (d *deepening) learn(stats por.Stats) {
	sp := d.spaces[d.job]
	before, now := sp.stats.Transitions+sp.stats.Replayed, stats.Transitions+stats.Replayed
	if now < before {
		before = 0 // it began again
	}
	d.plan.Took(d.job, now-before)
	d.steps += now - before
	sp.stats, d.job.Executions = stats, stats.Executions
	d.candidates(sp)
}

// candidates tells the plan of the candidates that the running job has shown, or
// shown in the other order, since it was asked last.
func (d *deepening) candidates(sp *space) {
	if d.cfg.SyncOnly {
		return
	}
	for _, c := range sp.watched.races.Candidates() {
		class := deepen.OneOrder
		if c.BothOrders() {
			class = deepen.BothOrders
		}
		if old, ok := sp.told[c.Pair]; ok && old <= class || c.Kind == race.Recycled {
			continue
		}
		sp.told[c.Pair] = class
		if c.AFirst {
			d.plan.Candidate(d.job, c.A, class)
		}
		if c.BFirst {
			d.plan.Candidate(d.job, c.B, class)
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
	for _, sp := range d.spaces {
		if d.passed {
			n += sp.stats.Executions
		}
	}
	for len(d.after) < len(d.plan.Jobs()) {
		d.after = append(d.after, n)
	}
}

// keepRaces keeps what a job's detector found, and which of it is benign: it came
// in both orders, and no interleaving at the job's points failed.
func (d *deepening) keepRaces(sp *space, complete bool) {
	for _, c := range sp.watched.races.Candidates() {
		if c.Class(complete && len(d.found) == 0, false) == race.Benign {
			d.benign[c.Pair] = true
		}
	}
	if left := sp.watched.leftOut(); sp.leftOut == nil {
		sp.leftOut = left
	} else if left != nil {
		sp.leftOut.Add(left.Detector)
	}
	from := d.races.Add(sp.watched.races.Detector)
	for k, i := range d.races.Changed() {
		for len(d.sighted) <= i {
			d.sighted = append(d.sighted, sightedRace{})
		}
		d.sighted[i] = sightedRace{sp, d.sys.Learned(), sp.watched.races.shown[from[k]]}
	}
}

// settle names the executions of the bugs that the job has found by their
// threads' instructions, for its steps mean nothing to the others.
func (d *deepening) settle() (err error) {
	for _, f := range d.found {
		if !f.fresh {
			continue
		}
		f.fresh, f.job = false, d.job
		if f.schedule, err = d.schedule(f.path); err != nil {
			return err
		}
	}
	return nil
}

// left is how many steps there is time for. Without --time that depends on the
// steps alone, and so does the order of jobs; with it, on how fast they are.
func (d *deepening) left() float64 {
	if d.cfg.Time == 0 {
		for d.steps >= d.horizon {
			d.horizon *= 2
		}
		return float64(d.horizon - d.steps)
	}
	now := d.clock.elapsed()
	used, rest := (now - d.begun).Seconds(), (d.cfg.Time - now).Seconds()
	if used <= 0 || d.steps == 0 {
		return deepen.Never
	}
	return float64(d.steps) * rest / used
}

// Progress implements por.Observer.
func (d *deepening) Progress(p por.Progress) {
	d.job.Share = p.Share
	d.learn(p.Stats)
	sp := d.spaces[d.job]
	sp.leave = sp.leave || !d.plan.Goes(d.job, d.left())
	d.lookBeside()
	d.show()
}

// show tells the observer how far all jobs are, a few times a second.
func (d *deepening) show() {
	now := time.Now()
	if d.obs == nil || now.Sub(d.lastTold) < 200*time.Millisecond {
		return
	}
	d.lastTold = now
	elapsed := d.clock.elapsed()
	out := Progress{Phase: "searching", Bugs: len(d.found), Elapsed: elapsed}
	perStep := 0.0
	if d.steps > 0 {
		perStep = (elapsed - d.begun).Seconds() / float64(d.steps)
	}
	for _, j := range d.plan.Jobs() {
		sp := d.spaces[j]
		if sp != nil {
			out.Executions += sp.stats.Executions
			out.Blocked += sp.stats.Blocked
			out.Transitions += sp.stats.Transitions
		}
		switch j.State {
		case deepen.Finished:
			out.Verified++
		case deepen.Pending:
			out.Waiting++
		case deepen.Running, deepen.Suspended:
			row := result.JobProgress{PP: d.name(j), Running: j.State == deepen.Running, Executions: j.Executions, Explored: j.Share}
			if eta := j.ETA(); eta < deepen.Never {
				row.Left = time.Duration(min(eta*perStep, 1e9) * float64(time.Second))
			}
			out.Jobs = append(out.Jobs, row)
			if row.Running {
				out.Jobs[0], out.Jobs[len(out.Jobs)-1] = out.Jobs[len(out.Jobs)-1], out.Jobs[0]
			}
			if d.whole(j) {
				out.Explored, out.Left = row.Explored, row.Left
			}
		}
	}
	if len(out.Jobs) == 1 && out.Verified == 0 {
		out.Jobs = nil // one search so far
	}
	if out.Explored > 0 {
		out.Estimate = float64(d.plan.Jobs()[0].Executions) / out.Explored
	}
	d.obs.Progress(out)
}

// Ended implements por.Observer.
func (d *deepening) Ended(x *por.Execution) bool {
	if !d.passed {
		// What one execution shows is told apart (result.Job).
		d.candidates(d.spaces[d.job])
		d.passed = true
	}
	checks := d.checks
	goesOn := d.hunt.Ended(x)
	sp := d.spaces[d.job]
	sp.buggy = sp.buggy || !goesOn || d.cfg.KeepGoing && d.failureAt(x) != nil
	if !d.whole(d.job) {
		d.checks = checks // a check follows steps at all points
	}
	for _, f := range d.found {
		if f.fresh && f.job != d.job {
			f.job = d.job
			d.plan.Failed(d.job, true)
		}
	}
	return goesOn
}

// Restarted implements por.Observer: what the job has found so far will be found
// again. What others have found has its schedule.
func (d *deepening) Restarted() {
	kept := d.found[:0]
	for _, f := range d.found {
		if f.fresh {
			delete(d.seen, f.key)
			continue
		}
		kept = append(kept, f)
	}
	d.found, d.checks = kept, nil
	d.spaces[d.job].buggy = false
	if len(d.spaces) == 1 {
		d.passed = false // it begins with steps that have all that is known to be shared
	}
	d.spaces[d.job].watched.restart()
}

// verdict says what the jobs have come to.
func (d *deepening) verdict() error {
	r := d.result
	d.sys.Rewind(d.root)
	d.sys.SetGranularity(d.granularity(d.cfg.PP, nil))
	d.sys.Look(nil)
	d.showRaces()
	for _, f := range d.found {
		if err := d.align(f); err != nil {
			return err
		}
	}
	proof := d.plan.Proof()
	switch {
	case len(d.found) > 0:
		r.Verdict = result.Buggy
	case proof != nil:
		r.Verdict = result.Verified
		if !d.whole(proof) {
			r.Reason = fmt.Sprintf("explored at %s: no two accesses that conflict are without a common lock and without points, so the others can't make a difference", d.name(proof))
		}
	case d.beside != nil && d.beside.proves():
		r.Verdict = result.Verified
		r.Reason = "explored by ascending numbers of preemptions, until no interleaving was left that has more"
	case (d.cfg.naive() || d.cfg.SyncOnly) && d.stopped == "" && d.lastEnd() != nil:
		r.Verdict = result.Verified
		r.PP = d.name(d.lastEnd())
		r.Granularity, r.Certificate.Granularity = r.PP, r.PP
		d.watched.fine, d.watched.limited = false, d.spaces[d.lastEnd()].leftOut
	case d.stopped != "":
		r.Verdict, r.Problem = result.Budget, d.stopped
		r.Reason = d.stopReason()
	case d.failed != nil:
		return d.verdictOf(d.failed, r)
	default:
		panic("explore: all jobs are over, without a bug and without a proof")
	}
	return nil
}

// align makes the steps of a bug's execution those that it has with a point
// before every access. Where a thread goes round a loop in vain for which it
// would wait there, it keeps the points of its job.
func (d *deepening) align(f *finding) error {
	var err error
	if !d.cfg.SyncOnly { // its verdicts are at its sets' points, and so are its stories
		d.aligning = true
		err = d.refine(f)
		d.aligning = false
	}
	if (err != nil || d.cfg.SyncOnly) && f.job != nil && !d.whole(f.job) {
		c := d.cfg
		c.Deepen, c.PP, c.Races = false, Points(f.job.Set.Kinds), nil
		for _, pc := range f.job.Set.At {
			c.PP |= PointRace
			c.Races = append(c.Races, d.placeOf(pc))
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

// as does something with the preemption points with which a bug is told.
func (h *hunt) as(f *finding, do func() error) error {
	if f.config == nil {
		return do()
	}
	all, own := h.session, *h.session
	own.cfg = *f.config
	own.check = own.cfg.Check([]byte(own.img.SHA256), own.inputs...)
	var err error
	if own.racing, err = own.racePlaces(); err != nil {
		return err
	}
	h.session = &own
	h.sys.Rewind(h.root)
	h.sys.SetGranularity(own.granularity(own.cfg.PP, own.racing))
	err = do()
	h.session = all
	h.sys.Rewind(h.root)
	h.sys.SetGranularity(all.granularity(all.cfg.PP, all.racing))
	return err
}

// lastEnd is the last job if it is finished: of a naive plan the one with all
// that races, of one without candidates that with all synchronisation.
func (d *deepening) lastEnd() *deepen.Job {
	jobs := d.plan.Jobs()
	if j := jobs[len(jobs)-1]; j.State == deepen.Finished {
		return j
	}
	return nil
}

// showRaces hands the candidates of all jobs on to the report.
func (d *deepening) showRaces() {
	w := &watched{System: d.sys, races: &lookout{Detector: d.races}, listed: d.cfg.Race != RaceOff, fine: true}
	for i := range d.sighted {
		w.races.shown = append(w.races.shown, d.sighted[i].path)
	}
	all := d.granularity(d.cfg.PP, nil)
	w.toward = func(i int) bool {
		d.sys.Rewind(d.root)
		d.sys.SetGranularity(all)
		if i < 0 {
			return false
		}
		seen := &d.sighted[i]
		if seen.learned != d.sys.Learned() {
			return false
		}
		d.sys.SetGranularity(seen.space.granularity)
		return true
	}
	proven := d.plan.Proof() != nil && len(d.found) == 0
	w.settled = func(c *race.Candidate) race.Class {
		switch {
		case proven:
			// Whatever points other jobs lacked, this one had them.
			all := *c
			all.Bare = false
			return all.Class(true, false)
		case d.benign[c.Pair]:
			return race.Benign
		}
		return race.Untested
	}
	d.watched = w
}

// account puts the jobs and their counts into the result: those of the job that
// is the proof, else the sums.
func (d *deepening) account() {
	var sum por.Stats
	d.date()
	for i, j := range d.plan.Jobs() {
		out := result.Job{PP: d.name(j), State: j.State.String(), Explored: j.Share, After: d.after[i]}
		if j.Class != deepen.Seed {
			out.Race = map[deepen.Class]string{deepen.BothOrders: "both orders", deepen.OneOrder: "one order"}[j.Class]
		}
		if sp := d.spaces[j]; sp != nil {
			s := sp.stats
			out.Executions, out.Blocked, out.Transitions = s.Executions, s.Blocked, s.Transitions+s.Replayed
			sum.Executions += s.Executions
			sum.Blocked += s.Blocked
			sum.Transitions += s.Transitions
			sum.Replayed += s.Replayed
			if d.whole(j) {
				d.share = j.Share
			}
		}
		if j.Share > 0 {
			out.Estimate = float64(j.Executions) / j.Share
		}
		d.result.Jobs = append(d.result.Jobs, out)
	}
	if b := d.beside; b != nil {
		state := deepen.Suspended
		switch {
		case b.proves():
			state = deepen.Finished
		case len(b.found) > 0:
			state = deepen.Failing
		}
		d.result.Jobs = append(d.result.Jobs, result.Job{PP: "mem", Bound: string(por.Preempt), State: state.String(),
			Executions: b.stats.Executions, Blocked: b.stats.Blocked, Transitions: b.steps})
		sum.Executions += b.stats.Executions
		sum.Blocked += b.stats.Blocked
		sum.Transitions += b.stats.Transitions
		sum.Replayed += b.stats.Replayed
		d.result.Threads = max(d.result.Threads, b.result.Threads)
		if b.proves() {
			sum = b.stats
		}
	}
	if p := d.plan.Proof(); p != nil {
		sum = d.spaces[p].stats
	} else if len(d.plan.Jobs()) == 1 {
		sum = d.spaces[d.plan.Jobs()[0]].stats
		d.share = d.plan.Jobs()[0].Share
	}
	d.stats = sum
	d.counts(sum)
}

// name is a job's set, as --pp takes it.
func (d *deepening) name(j *deepen.Job) string {
	var places []string
	for _, pc := range j.Set.At {
		places = append(places, d.placeOf(pc))
	}
	p := Points(j.Set.Kinds)
	if len(places) > 0 {
		p |= PointRace
	}
	return pointList(p, places)
}
