package explore

import (
	"errors"
	"fmt"
	"runtime/debug"

	"landgo/internal/explore/races"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// bounded is a search bounded by preemptions that has a share of an iterative
// deepening's time: at every access, bound 0 first, then 1, and so on (Musuvathi
// and Qadeer, PLDI 2007; Coons, Musuvathi and McKinley, OOPSLA 2013). Most bugs
// need one or two preemptions; Blum and Gibson (OOPSLA 2016, §6.3) found that it
// beats their method where no data-race candidates appear, and propose to run
// both. Deviation: it has its share in any case, once the warm-up is over.
//
// It has a machine and a goroutine of its own and is left in place, in the
// middle of its walk: one of the two works at a time, and each hands over after
// a number of steps. So the order of everything is settled by numbers of steps.
type bounded struct {
	*hunt
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
}

const (
	// boundedShare: one step in so many is the bounded search's.
	boundedShare = 4
	// boundedSlice is how many steps it takes at a time, or more.
	boundedSlice = 16_384
	// boundedMost is more preemptions than a search reaches.
	boundedMost = 64
)

// accompany starts it, once the warm-up is over, unless there is no room for a
// second guest.
func (d *deepening) accompany() {
	if d.warm > 0 || d.steps == 0 || !d.accompanied() {
		return
	}
	d.warm = d.steps
	_ = d.hire() // without room there is none
}

// besides is a hunt that a deepening has beside its jobs, on a guest of its own.
func besides(s *session.Session) *hunt {
	return &hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}}
}

// hire begins it, with a guest of its own.
func (d *deepening) hire() error {
	s, err := d.Another()
	if err != nil {
		if s != nil {
			s.Close()
		}
		return err
	}
	d.bounded = &bounded{hunt: besides(s),
		turn: make(chan bool), back: make(chan struct{})}
	go d.bounded.work()
	return nil
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
	engine, err := por.New("bpor", por.Options{
		OneEvent: b.OneEvent(), Bounds: por.Bounds{{Measure: por.Preempt, Limit: boundedMost}}, Iterate: true,
		Stop: func() bool { return b.ending || b.raced() && !b.Config.KeepGoing },
	})
	if err == nil {
		b.Guest.Rewind(b.Root)
		var sys por.System = b.Guest
		if b.Config.FailOnRace {
			b.watched = races.Watch(b.Session)
			sys = b.watched
		}
		err = b.promptly(func() (err error) {
			b.stats, err = engine.Run(sys, b)
			return err
		})
	}
	b.count(b.stats)
	for _, f := range b.found {
		var s trace.Schedule
		if err == nil {
			s, err = story.Schedule(b.Session, f.path)
		}
		b.trace = append(b.trace, s)
	}
	b.err = err
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

// run gives it a number of steps. It reports whether it has come to an end.
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
	return b.over && b.err == nil && b.stats.Complete && b.stats.Pruned == 0 && len(b.found) == 0 && !b.raced()
}

// letBounded lets the bounded search have its share.
func (d *deepening) letBounded() {
	if d.bounded == nil || d.bounded.over || d.bounded.steps*(boundedShare-1) >= d.steps-d.warm {
		return
	}
	if d.bounded.run(max(d.pace(boundedSlice), (d.steps-d.warm)/(4*boundedShare))) {
		d.takeBounded()
	}
}

// takeBounded takes over the bugs that the bounded search has found.
func (d *deepening) takeBounded() {
	b := d.bounded
	if b.taken {
		return
	}
	b.taken = true
	var long *scheduler.BudgetError
	if b.err != nil && !errors.As(b.err, &long) {
		d.boundedErr = b.err
		return
	}
	if b.err != nil {
		return
	}
	if b.watched != nil {
		d.both.Add(b.watched.Adjacent.Detector)
		if d.boundedErr = b.takeRaces(d.both); d.boundedErr != nil {
			return
		}
	}
	for i, f := range b.found {
		if d.seen[f.key] != nil {
			continue
		}
		if i < len(b.trace) {
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
