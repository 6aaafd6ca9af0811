package explore

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"landgo/internal/explore/config"
	"landgo/internal/explore/races"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// bounded is a search bounded by preemptions that has a share of an iterative
// deepening's time. It has a point at every access, and takes bound 0 first, then
// 1, and so on (Musuvathi and Qadeer, PLDI 2007; Coons, Musuvathi and McKinley,
// OOPSLA 2013). Most bugs need one or two preemptions; Blum and Gibson (OOPSLA
// 2016, §6.3) found that it beats their method where no data-race candidates
// appear, and propose to run both. Deviation: it has its share in any case, once
// the warm-up is over.
//
// It has a machine and a goroutine of its own and is left in place, in the middle
// of its walk. One of the two works at a time, and each hands over after a number
// of steps. So the order of everything is settled by numbers of steps.
//
// Each bound that it has explored to the end is a claim: no bug with this many preemptions. A run
// that ends without a proof can say that for sure. So it has half of all steps until it can say
// so of boundedSoon preemptions, and a quarter from then on. It begins when the first job has
// been alone for pauseSteps, or isn't alone any more.
//
// Where an execution may have no end (threads that wait, and write while they do), it begins
// again with a fair bound. A thread that yields may be ahead of others by fairLead yields (Coons
// et al., §2.5.2). The claim names that. If there is no end even then, because a thread waits
// that doesn't yield, the turns of its loop count as yields from then on (scheduler.YieldRounds).
//
// Where there are more than manyThreads, a search by ascending delays (Emmi, Qadeer and
// Rakamaric, POPL 2011) has a share beside it. Executions with two preemptions grow with
// the square of the steps and with the choices of a thread at each; those with two delays
// only with the former. So it has one, too, where the search by preemptions hasn't reached
// an end of bound 0 in delayedAfter steps. Each wait of a thread is a choice of the next
// one there, and costs no preemption.
type bounded struct {
	*hunt
	search string
	bounds por.Bounds
	plain  uint64    // levels that it had explored before it got a fair bound
	turn   chan bool // to it: go on, or (false) end
	back   chan struct{}
	steps  uint64 // of all bounds
	until  uint64 // hands over then
	before uint64 // the search's own count, when it was asked last
	ending bool
	over   bool
	taken  bool // its bugs are the deepening's
	stats  por.Stats
	err    error
	fault  string
	trace  []trace.Schedule // of the bugs found, in order
	shown  map[string]trace.Schedule
}

const (
	// boundedShare: one step in this many is the bounded search's. boundedFirst is that until it
	// has explored what has up to boundedSoon preemptions. delayedShare is the share of the
	// search by delays.
	boundedShare, boundedFirst, boundedSoon, delayedShare = 4, 2, 2, 16
	// aloneShare is its share while the first job is still alone, for that one's end is near,
	// up to aloneSteps of it.
	aloneShare, aloneSteps = 16, 1_000_000
	// longSteps is of how many steps an execution has to be that it has its full share at
	// once. Judging their races takes a time that grows with the square, and the first
	// job's end is far though few steps are left.
	longSteps = 2_000
	// boundedSlice is how many steps it takes at a time, or more.
	boundedSlice = 16_384
	// boundedMost is more preemptions than a search reaches.
	boundedMost = 64
	// endlessSteps is after how many steps of an execution it begins again, with
	// fairLead.
	endlessSteps, fairLead = 5_000, 1
	// stillEndless is after how many it begins once more, and takes loops' turns as yields.
	stillEndless = 100_000
	manyThreads  = 4
	delayedAfter = 500_000
)

// accompany starts them, once the warm-up is over, unless there is no room for further
// guests.
func (d *deepening) accompany() {
	if d.warm > 0 || d.steps == 0 || !d.accompanied() {
		return
	}
	d.warm = d.steps
	d.bounded, _ = d.hire("bpor", rising(por.Preempt)) // without room there is none
	if d.result.Threads > manyThreads {
		d.delayed, _ = d.hire("bounded", rising(por.Delay))
	}
}

// besides is a hunt that a deepening has beside its jobs, on a guest of its own.
func besides(s *session.Session) *hunt {
	return &hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}}
}

// hire begins a search beside the jobs, with a guest of its own: by ascending bound, if
// there are bounds.
func (d *deepening) hire(search string, bounds por.Bounds) (*bounded, error) {
	s, err := d.Another()
	if err != nil {
		if s != nil {
			s.Close()
		}
		return nil, err
	}
	return hireOn(s, search, bounds), nil
}

// rising is the bound of a search by ascending bound.
func rising(m por.Measure) por.Bounds { return por.Bounds{{Measure: m, Limit: boundedMost}} }

// hireOn begins such a search on a guest.
func hireOn(s *session.Session, search string, bounds por.Bounds) *bounded {
	b := &bounded{hunt: besides(s), search: search, bounds: bounds, turn: make(chan bool), back: make(chan struct{})}
	go b.work()
	return b
}

func (b *bounded) work() {
	defer close(b.back)
	defer func() {
		if r := recover(); r != nil {
			b.fault = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	if !<-b.turn {
		return
	}
	longest := endlessSteps
	if b.search != "bpor" {
		longest = 0 // its bound can't be made fair
	}
	err := b.explore(longest)
	if errors.Is(err, por.ErrTooLong) {
		b.plain = b.stats.Levels
		b.bounds = append(b.bounds, por.Bound{Measure: por.Fair, Limit: fairLead})
		b.before = 0
		if err = b.explore(stillEndless); unending(err) && !b.ending && len(b.found) == 0 && !b.Platform.Ticks {
			b.Plain.YieldRounds()
			b.before = 0
			err = b.explore(0)
		}
	}
	for _, f := range b.found {
		var s trace.Schedule
		if err == nil || unending(err) {
			s, err = story.Schedule(b.Session, f.path)
		}
		b.trace = append(b.trace, s)
	}
	b.err = err
	b.shown = map[string]trace.Schedule{}
	b.outcomes.schedules(b.hunt, b.shown)
}

// unending reports whether a search ended because an execution did not, or a step.
func unending(err error) bool {
	var long *scheduler.BudgetError
	return errors.As(err, &long) || errors.Is(err, por.ErrTooLong)
}

// explore runs the search. It ends with por.ErrTooLong where an execution has more steps
// than are given, if any are.
func (b *bounded) explore(longest int) error {
	engine, err := por.New(b.search, por.Options{
		OneEvent: b.OneEvent(), Bounds: b.bounds, Iterate: len(b.bounds) > 0, TooLong: longest, WarmUp: math.MaxUint64, // it isn't divided
		Stop: func() bool {
			return b.ending || b.raced() && !b.Config.KeepGoing || b.byStates() && b.steps > statesLimit
		},
	})
	if err != nil {
		return err
	}
	b.Guest.Rewind(b.Root)
	var sys por.System = b.Guest
	if b.Config.FailOnRace || b.Buffered() && !b.byStates() {
		b.watched = races.Watch(b.Session)
		b.watched.Blind = !b.Config.FailOnRace
		sys = b.watched
	}
	err = b.promptly(func() (err error) {
		b.stats, err = engine.Run(sys, b)
		return err
	})
	b.count(b.stats)
	return err
}

func (b *bounded) count(s por.Stats) {
	now := steps(s)
	if now < b.before {
		b.before = 0 // it began again
	}
	b.steps += now - b.before
	b.before = now
}

// Progress implements por.Observer.
func (b *bounded) Progress(p por.Progress) {
	b.count(p.Stats)
	b.stats, b.share = p.Stats, p.Share
	if b.steps < b.until || b.ending {
		return
	}
	b.back <- struct{}{}
	b.ending = !<-b.turn
}

// Restarted implements por.Observer.
func (b *bounded) Restarted() {
	b.hunt.Restarted()
}

// run gives it a number of steps. It reports whether it has ended.
func (b *bounded) run(steps uint64) (over bool) {
	b.until = b.steps + steps
	b.turn <- true
	_, more := <-b.back
	b.over = !more
	if b.fault != "" {
		panic(b.fault)
	}
	return b.over
}

// end ends it, wherever it is. Its guest stays.
func (b *bounded) end() {
	if b.over {
		return
	}
	b.turn <- false
	for range b.back {
	}
	b.over = true
	if b.fault != "" {
		panic(b.fault)
	}
}

// proves reports whether it has explored everything.
func (b *bounded) proves() bool {
	return b != nil && b.over && b.err == nil && b.proven() && b.stats.Complete && b.stats.Pruned == 0 && len(b.found) == 0 && !b.raced()
}

// proven reports whether its claims hold for the guest.
func (b *bounded) proven() bool { return b.search != "bpor" || b.provenWithin() }

// fairly reports whether executions had no end without a fair bound. The jobs' have none
// then either.
func (b *bounded) fairly() bool { return len(b.bounds) > 1 }

// nearlyOver reports whether the first job is still alone and may soon be over.
func (d *deepening) nearlyOver() bool {
	if d.alone == nil || d.steps >= d.pace(aloneSteps) || d.bounded != nil && d.bounded.fairly() {
		return false
	}
	s := &d.spaces[d.alone].stats
	return s.Executions > 0 && s.Longest < longSteps
}

// part: one step in this many is a search's own, of its steps and the jobs'.
func (d *deepening) part(b *bounded) uint64 {
	switch {
	case b.byStates():
		return statesShare
	case b.fewer():
		return fewerShare
	case d.nearlyOver():
		return aloneShare
	case b.search != "bpor" && d.bounded != nil && d.bounded.stats.Levels == 0 && b.stats.Levels <= boundedSoon:
		return boundedShare
	case b.search != "bpor":
		return delayedShare
	case b.stats.Levels <= boundedSoon:
		return boundedFirst
	}
	return boundedShare
}

// ascending lists the searches by ascending bound that there are.
func (d *deepening) ascending() (list []*bounded) {
	for _, b := range []*bounded{d.bounded, d.delayed} {
		if b != nil {
			list = append(list, b)
		}
	}
	return list
}

// delay begins the search by delays where that by preemptions reaches no claim.
func (d *deepening) delay() {
	if b := d.bounded; b == nil || d.delayed != nil || b.over || b.stats.Levels > 0 || b.steps < d.pace(delayedAfter) || d.undelayed {
		return
	}
	var err error
	d.delayed, err = d.hire("bounded", rising(por.Delay))
	d.undelayed = err != nil // without room there is none
}

// letBounded lets the bounded searches have their shares.
func (d *deepening) letBounded() {
	d.delay()
	d.lookForFewer()
	d.idle()
	d.lookAtStates()
	for _, b := range d.besides() {
		part := d.part(b)
		if b.over || b.steps*(part-1) >= d.steps-d.warm {
			continue
		}
		if b.run(max(d.pace(boundedSlice), (d.steps-d.warm)/(4*part))) {
			d.takeBounded(b)
		}
	}
}

// besides lists the searches that have a guest and a share of their own.
func (d *deepening) besides() []*bounded {
	list := d.ascending()
	for _, b := range []*bounded{d.fewer, d.states} {
		if b != nil {
			list = append(list, b)
		}
	}
	return list
}

// endBounded ends them, and takes over what they have reached.
func (d *deepening) endBounded() error {
	for _, b := range d.besides() {
		d.endBeside(b)
		d.takeShown(b.shown)
	}
	return d.boundedErr
}

// endBeside ends one of them, with its guest.
func (d *deepening) endBeside(b *bounded) {
	b.end()
	d.takeBounded(b)
	d.Guest.Seen().Met.Add(&b.Guest.Seen().Met)
	b.Session.Close()
}

// takeBounded takes over the bugs that a bounded search has found.
func (d *deepening) takeBounded(b *bounded) {
	if b.taken {
		return
	}
	b.taken = true
	if b.err != nil && b.byStates() {
		return // a state without a digest, or without an end: the jobs find what matters
	}
	if b.err != nil && !unending(b.err) {
		d.boundedErr = b.err
		return
	}
	if b.err != nil && len(b.found) == 0 {
		return
	}
	if b.watched != nil && b.watched.Adjacent != nil {
		d.both.Add(b.watched.Adjacent.Detector)
		if d.boundedErr = b.takeRaces(d.both); d.boundedErr != nil {
			return
		}
	}
	for i, f := range b.found {
		if d.seen[f.key] != nil {
			continue
		}
		if i < len(b.trace) && len(b.trace[i].Segments) > 0 {
			f.schedule = b.trace[i]
		} else if f.schedule, d.boundedErr = story.Schedule(b.Session, f.path); d.boundedErr != nil { // a race
			return
		}
		f.fresh = false
		f.told = b.brief(f)
		d.seen[f.key] = f
		d.found = append(d.found, f)
	}
	d.publish()
}

// takeShown takes over executions that show outcomes.
func (d *deepening) takeShown(shown map[string]trace.Schedule) {
	for key, s := range shown {
		if _, known := d.shown[key]; !known {
			d.shown[key] = s
		}
	}
}

// byStates reports whether it is that search.
func (b *bounded) byStates() bool { return b.search == config.Stateful }

// fewer reports whether it is that search.
func (b *bounded) fewer() bool { return b.search == fewerSearch }

// idle ends that search where it is spared nothing. A run that goes on from a checkpoint begins it again,
// and ends it again. The outcomes that it had seen are the jobs' too: these show them themselves.
func (d *deepening) idle() {
	if b := d.fewer; b != nil && !b.over && !b.Plain.Spares() {
		d.endBeside(b)
		d.fewer, d.fewerless = nil, true
	}
}
