package explore

import (
	"errors"
	"slices"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// A bug's execution can have hundreds of preemptions, if it was a sample's. The
// bounded search for the least (minimise) has to go through all executions with few of
// them. So first those that the bug doesn't need are left out. This is delta debugging
// (Zeller and Hildebrandt, TSE 2002) over the execution's preemptions. Half of them
// are left out, then a quarter, and so on to single ones, as long as the bug comes.
// Jalbert and Sen (FSE 2010) simplify traces by the same two moves. The result has no
// preemption that could be left out alone. It needn't be the least.
//
// An execution without some of its preemptions is run from its stints, the threads'
// turns. Where the preemption at the end of a stint is left out, either the stint comes
// later: its thread's next one includes it. Or its thread goes on until it waits, yields
// or ends. The other stints follow in their old order, each as far as it went, if its
// thread isn't there already. When they are used up, threads go on in a circle, without
// a preemption.

// shortenFrom is with how many preemptions a bug is shortened so. With fewer, the
// bounded search is as fast, and proves that it has found the least.
const shortenFrom = 2

// stint is some steps of one thread in a row.
type stint struct {
	thread trace.TID
	until  uint64 // the thread's instruction number after it
	forced bool   // it ends with a preemption
}

// move is the fate of a stint whose preemption is left out.
type move uint8

const (
	later  move = 1 + iota // it is part of its thread's next
	longer                 // its thread goes on
)

// shortener leaves out preemptions of a finding's execution.
type shortener struct {
	*hunt
	want     *finding
	run      *counted
	choices  map[choiceAt]trace.Choice
	stints   []stint
	path     []por.PathStep // of the execution tried last
	failure  *scheduler.Failure
	threads  []trace.Thread
	over     bool // it may not, or can't, go on
	ended    bool // the execution tried last ended
	coarse   bool // it didn't, for points became finer
	lost     bool // the finding's execution can't be run in finer steps
	settling bool

	shortens bool // and doesn't look for an execution that passes
	first    *firstStep
}

// firstStep is the step that each execution begins with, where the program has one thread then. A
// program with the linker that it names has a hundred thousand instructions in it, and each of the
// steps after it has ten. So executions begin behind it.
type firstStep struct {
	step   por.PathStep
	thread trace.Thread // as it was listed before
	after  trace.Mark
	epoch  session.Epoch // what was known of the guest
}

// choiceAt is a step with several outcomes.
type choiceAt struct {
	thread trace.TID
	begin  uint64
}

// shorten leaves out as many of a finding's preemptions as it can. It reports whether
// there were any.
func (h *hunt) shorten(f *finding, run *counted) bool {
	if f.preemptions < shortenFrom || !f.own() && !f.passed() {
		return false
	}
	s := &shortener{hunt: h, want: f, run: run, shortens: true}
	s.divide()
	before := *f
	before.path = slices.Clone(f.path)
	h.stopsWithin(h.Session, true)
	defer h.stopsWithin(h.Session, false)
	s.align()
	for size := len(s.forced()); size > 0 && !s.over; size /= 2 {
		for at := 0; at < len(s.forced()) && !s.over; {
			if !s.without(at, size, later) && !s.without(at, size, longer) {
				at += size
			}
		}
		size = min(size, len(s.forced()))
	}
	s.atPlaces()
	if s.lost {
		*f = before // its path's steps are others now
	}
	return f.preemptions < before.preemptions
}

// divide divides the finding's execution into stints.
func (s *shortener) divide() {
	s.stints, s.choices = s.stints[:0], map[choiceAt]trace.Choice{}
	for i := range s.want.path {
		p := &s.want.path[i]
		if p.Choice != 0 {
			s.choices[choiceAt{p.Thread, p.Begin}] = p.Choice
		}
		if n := len(s.stints); n > 0 && s.stints[n-1].thread == p.Thread {
			s.stints[n-1].until = p.Last
			continue
		} else if n > 0 {
			s.stints[n-1].forced = p.Preemption
		}
		s.stints = append(s.stints, stint{thread: p.Thread, until: p.Last})
	}
}

// forced lists the stints that end with a preemption.
func (s *shortener) forced() (list []int) {
	for i := range s.stints {
		if s.stints[i].forced {
			list = append(list, i)
		}
	}
	return list
}

// some are n of the stints that end with a preemption, from one on, and their move.
func (s *shortener) some(at, n int, m move) map[int]move {
	all, out := s.forced(), map[int]move{}
	for _, i := range all[min(at, len(all)):min(at+n, len(all))] {
		out[i] = m
	}
	return out
}

// without tries the execution without some of its preemptions, and takes it for the
// finding's if the bug comes, with fewer of them.
func (s *shortener) without(at, n int, m move) bool {
	if s.over {
		return false
	}
	count := s.try(s.some(at, n, m))
	for s.coarse {
		if s.settle(); s.over {
			return false
		}
		count = s.try(s.some(at, n, m))
	}
	return s.takes(count)
}

// takes takes the execution tried last for the finding's if the bug came, with fewer
// preemptions.
func (s *shortener) takes(count int) bool {
	if s.failure == nil || count >= s.want.preemptions {
		return false
	}
	key := s.key(s.failure)
	if s.failure.Kind != s.want.failure.Kind || s.Config.KeepGoing && key != s.want.key {
		return false // a test's own assertion comes with any order of a kernel's ticks, say
	}
	f := s.want
	f.failure, f.key, f.preemptions = *s.failure, key, count
	f.path = append(f.path[:0], s.path...)
	s.divide()
	return true
}

// finerTries is how often points may become finer while a finding's execution is run
// again.
const finerTries = 64

// settle runs the finding's execution again, in finer steps: its stints end at
// instructions, and stay what they are. However long it has taken so far, it goes
// on to the end, or what was left out would be lost.
func (s *shortener) settle() {
	s.settling = true
	defer func() { s.settling = false }()
	for range finerTries {
		count := s.try(nil)
		switch {
		case s.coarse && !s.over:
			continue
		case s.failure == nil || s.key(s.failure) != s.want.key:
			s.over, s.lost = true, true
		default:
			s.want.failure, s.want.preemptions = *s.failure, count
			s.want.path = append(s.want.path[:0], s.path...)
			s.divide()
		}
		return
	}
	s.over, s.lost = true, true
}

// try runs the execution without the preemptions at the ends of some stints, and
// counts those that it has all the same.
func (s *shortener) try(out map[int]move) (preemptions int) {
	at := map[trace.TID]uint64{}
	next, began := 0, 0 // the stint under way, and the length of the path when it began
	return s.execute(func() trace.TID {
		if n := len(s.path); n > 0 {
			at[s.path[n-1].Thread] = s.path[n-1].Last
		}
		for ; next < len(s.stints); next, began = next+1, len(s.path) {
			g := &s.stints[next]
			th := session.Find(s.threads, g.thread)
			switch {
			case th == nil || th.Status != trace.Ready || out[next] == later:
			case out[next] == longer && th.Yielding && len(s.path) > began:
			case out[next] == 0 && at[g.thread] >= g.until:
			default:
				return g.thread
			}
		}
		return por.Afterwards(s.threads, s.ran(s.path))
	})
}

// execute runs an execution of which pick chooses the threads, from those in s.threads, and
// counts its preemptions.
func (s *shortener) execute(pick func() trace.TID) (preemptions int) {
	s.path, s.failure, s.ended, s.coarse = s.path[:0], nil, false, false
	behind := s.first != nil && s.first.epoch == s.Epoch()
	if !behind {
		s.first = nil
		s.Guest.Rewind(s.Root)
	}
	longest := 2*len(s.want.path) + 1000
	for ; len(s.path) < longest; behind = false {
		if s.over = s.worn(); s.over {
			return preemptions
		}
		if s.threads = s.threads[:0]; behind {
			s.threads = append(s.threads, s.first.thread)
			s.Guest.Rewind(s.first.after)
		} else {
			s.threads = s.Guest.Threads(s.threads)
		}
		t := pick()
		if t == trace.NoThread {
			if behind {
				s.Guest.Rewind(s.Root)
			}
			s.failure, s.ended = s.wanted(s.Guest.Stuck(false)), true
			return preemptions
		}
		if behind {
			s.run.steps++
			s.path = append(s.path, s.first.step)
			continue
		}
		step := por.PathStep{Thread: t, Begin: s.Guest.Position(t).Insns, Preemption: s.preempts(t)}
		if c := s.choices[choiceAt{t, step.Begin}]; uint32(c) < session.Find(s.threads, t).Outcomes {
			step.Choice = c
		}
		tr, err := s.run.Step(t, step.Choice)
		if err != nil {
			// Finer points void the path's steps; whatever else there is, the bug stays
			// as it was found.
			s.coarse = errors.Is(err, por.ErrFiner)
			s.finer = s.finer || s.coarse
			s.over = s.coarse && !s.shortens || errors.Is(err, scheduler.ErrStopped)
			return preemptions
		}
		step.Last = tr.Last
		s.path = append(s.path, step)
		if step.Preemption {
			preemptions++
		}
		if s.want.passed() {
			if s.failure = s.passedAs(s.want.key); s.failure != nil {
				return preemptions
			}
		}
		switch tr.End {
		case trace.EndBug:
			s.failure = s.wanted(s.Guest.Failure(t))
			return preemptions
		case trace.EndProcess:
			s.failure, s.ended = s.wanted(s.Guest.Stuck(true)), true
			return preemptions
		}
		s.begunBy(step)
	}
	return preemptions
}

// begunBy notes the step that an execution has begun with, if each has to begin with it.
func (s *shortener) begunBy(step por.PathStep) {
	if len(s.path) == 1 && len(s.threads) == 1 && s.threads[0].Outcomes <= 1 {
		s.first = &firstStep{step: step, thread: s.threads[0], after: s.Guest.Mark(), epoch: s.Epoch()}
	}
}

// lastOf is the thread of a path's last step.
func lastOf(path []por.PathStep) trace.TID {
	if len(path) == 0 {
		return trace.NoThread
	}
	return path[len(path)-1].Thread
}

// ran is the thread of a path's last step, but for arrivals of signals.
func (h *hunt) ran(path []por.PathStep) trace.TID {
	for len(path) > 0 && h.IsArrival(path[len(path)-1].Thread) {
		path = path[:len(path)-1]
	}
	return lastOf(path)
}

// preempts reports whether going on with thread t is a preemption of the one that ran
// before, as searches count them.
func (s *shortener) preempts(t trace.TID) bool {
	last := session.Find(s.threads, s.ran(s.path))
	return !s.IsArrival(t) && last != nil && last.ID != t && last.Status == trace.Ready && !last.Yielding &&
		last.Pending.Kind != trace.OpExit && last.Pending.Kind != trace.OpEnd
}
