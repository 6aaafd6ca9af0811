package shorter

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
// An execution without some of its preemptions is run from its turns. Where the preemption
// at the end of a turn is left out, either the turn comes later: its thread's next one
// includes it. Or its thread goes on until it waits, yields or ends. It may do so at once, or behind the turns of all
// others. In a ring of locks a thread waits by itself if it comes behind the one that it waits for.
// The other turns follow in their old order, each as far as it went, if its
// thread isn't there already. When they are used up, threads go on in a circle, without
// a preemption.

// shortenFrom is with how many preemptions a bug is shortened so. With fewer, the
// bounded search is as fast, and proves that it has found the least.
const shortenFrom = 2

// turn is some steps of one thread in a row.
type turn struct {
	thread trace.TID
	until  uint64 // the thread's instruction number after it
	part   uint32 // not 0: it ends behind that many accesses of the instruction there
	forced bool   // it ends with a preemption
}

// move is the fate of a turn whose preemption is left out.
type move uint8

const (
	later  move = 1 + iota // it is part of its thread's next
	longer                 // its thread goes on
	behind                 // it, and those of its thread after it, come behind all others: its thread goes on then
)

// Bug is an execution that ends with a bug, or goes past one (Failure.At).
type Bug struct {
	Failure     scheduler.Failure
	Key         string // bugs with one key are the same
	Path        []por.PathStep
	Preemptions int
}

// passed: it is an error that the execution goes past.
func (b *Bug) passed() bool { return b.Failure.At != 0 }

// Guest is a guest that goes along executions.
type Guest interface {
	// Present is the list of threads, until it is asked again.
	Present() *trace.Present
	Mark() trace.Mark
	Rewind(trace.Mark)
	Position(trace.TID) scheduler.Position
	Failure(trace.TID) *scheduler.Failure
	Stuck(ended bool) *scheduler.Failure
	Starts() []scheduler.Start
}

// Judge says which failures are wanted, and what they are.
type Judge interface {
	// Wanted is a failure, or nil if the user doesn't want to know of it.
	Wanted(f *scheduler.Failure) *scheduler.Failure
	// PassedAs is the error with a key that the guest's execution went past, or nil.
	PassedAs(key string) *scheduler.Failure
	Key(f *scheduler.Failure) string
	// Epoch is what is known of the guest: paths have the same steps in one epoch.
	Epoch() session.Epoch
	// IsArrival reports whether a thread is a signal on its way.
	IsArrival(t trace.TID) bool
	// Stop reports whether the user wants no more.
	Stop() bool
}

// Budget runs steps and counts what they cost.
type Budget interface {
	// Take takes a step that begins there, and that ends where its Limit, Stride and Aim say.
	Take(step *por.PathStep) (*trace.Transition, error)
	// Count counts a step that needn't be run again.
	Count()
	Cost() uint64
	// Spent reports whether they have cost all that they may.
	Spent() bool
	// Halve has half of what is left be all, until all is called.
	Halve() (all func())
}

// Rules are those by which an execution is changed.
type Rules struct {
	OneKey  bool // it has to end with the same bug, and not only with one of its kind
	Buffers bool // stores may wait in store buffers
	// Parts are not nil where the execution goes on past points: by threads and instructions, behind how many accesses of
	// an instruction turns end.
	Parts map[Place]uint32
	// Unreadable limits the cost of an execution that has too many preemptions to be read.
	Unreadable uint64
	Root       trace.Mark // where executions begin
}

// Shortener changes a bug's execution, as long as the bug comes.
type Shortener struct {
	Rules
	guest Guest
	Judge
	run Budget
	// Bug is the bug, by the best execution so far.
	Bug Bug
	// Finer: points became finer. Lost: the bug's execution can't be run in finer steps.
	Finer, Lost bool

	choices  map[Place]trace.Choice
	turns    []turn
	path     []por.PathStep // of the execution tried last
	failure  *scheduler.Failure
	threads  []trace.Thread
	freed    []int // turns of the execution tried last behind which their threads wait no more
	over     bool  // it may not, or can't, go on
	ended    bool  // the execution tried last ended
	coarse   bool  // it didn't, for points became finer
	settling bool

	stride   por.PathStep // in a stride: the ends of the step that is picked
	shortens bool         // and doesn't look for an execution that passes
	first    *firstStep
}

// New makes a Shortener of a bug. The bug's path isn't changed.
func New(guest Guest, judge Judge, run Budget, rules Rules, bug Bug) *Shortener {
	bug.Path = slices.Clone(bug.Path)
	s := &Shortener{Rules: rules, guest: guest, Judge: judge, run: run, Bug: bug}
	s.divide()
	return s
}

// firstStep is the step that each execution begins with, where the program has one thread then. A
// program with the linker that it names has a hundred thousand instructions in it, and each of the
// steps after it has ten. So executions begin behind it.
type firstStep struct {
	step    por.PathStep
	threads []trace.Thread // one, as it was listed before
	after   trace.Mark
	epoch   session.Epoch // what was known of the guest
}

// Place is how far a thread is: how many instructions it has completed.
type Place struct {
	Thread trace.TID
	Insns  uint64
}

// Fewer leaves out as many of the bug's preemptions as it can. It reports whether there were any.
func (s *Shortener) Fewer() bool {
	before := s.Bug.Preemptions
	if before < shortenFrom {
		return false
	}
	s.shortens = true
	if s.Parts != nil {
		s.fewSwitches()
	} else {
		s.align()
	}
	for size := len(s.forced()); size > 0 && !s.over; size /= 2 {
		for at := 0; at < len(s.forced()) && !s.over; {
			if !s.without(at, size, later) && !s.without(at, size, longer) && !s.without(at, size, behind) {
				at += size
			}
		}
		size = min(size, len(s.forced()))
	}
	s.atPlaces()
	return !s.Lost && s.Bug.Preemptions < before
}

// divide divides the finding's execution into turns.
func (s *Shortener) divide() {
	s.turns, s.choices = s.turns[:0], map[Place]trace.Choice{}
	for i := range s.Bug.Path {
		p := &s.Bug.Path[i]
		if p.Choice != 0 {
			s.choices[Place{p.Thread, p.Begin}] = p.Choice
		}
		if n := len(s.turns); n > 0 && s.turns[n-1].thread == p.Thread {
			s.turns[n-1].until = p.Last
			continue
		} else if n > 0 {
			s.turns[n-1].forced = p.Preemption
		}
		s.turns = append(s.turns, turn{thread: p.Thread, until: p.Last})
	}
	for i := range s.turns {
		if g := &s.turns[i]; g.forced {
			g.part = s.Parts[Place{g.thread, g.until}]
		}
	}
}

// forced lists the turns that end with a preemption.
func (s *Shortener) forced() (list []int) {
	for i := range s.turns {
		if s.turns[i].forced {
			list = append(list, i)
		}
	}
	return list
}

// some are n of the turns that end with a preemption, from one on, and their move.
func (s *Shortener) some(at, n int, m move) map[int]move {
	all, out := s.forced(), map[int]move{}
	for _, i := range all[min(at, len(all)):min(at+n, len(all))] {
		out[i] = m
	}
	return out
}

// without tries the execution without some of its preemptions, and takes it for the
// finding's if the bug comes, with fewer of them.
func (s *Shortener) without(at, n int, m move) bool {
	if s.over {
		return false
	}
	out := s.some(at, n, m)
	for range mostFollow {
		count := s.try(out)
		for s.coarse {
			if s.settle(); s.over {
				return false
			}
			out = s.some(at, n, m)
			count = s.try(out)
		}
		if s.takes(count) {
			return true
		}
		if m != behind || len(s.freed) == 0 {
			return false
		}
		for _, i := range s.freed {
			out[i] = behind
		}
	}
	return false
}

// mostFollow is how often threads that waited for one that comes behind all others come behind it, too.
const mostFollow = 16

// takes takes the execution tried last for the finding's if the bug came, with fewer
// preemptions.
func (s *Shortener) takes(count int) bool {
	if s.failure == nil || count >= s.Bug.Preemptions {
		return false
	}
	key := s.Key(s.failure)
	if s.failure.Kind != s.Bug.Failure.Kind || s.OneKey && key != s.Bug.Key {
		return false // a test's own assertion comes with any order of a kernel's ticks, say
	}
	f := &s.Bug
	f.Failure, f.Key, f.Preemptions = *s.failure, key, count
	f.Path = append(f.Path[:0], s.path...)
	s.divide()
	return true
}

// finerTries is how often points may become finer while a finding's execution is run
// again.
const finerTries = 64

// settle runs the finding's execution again, in finer steps: its turns end at
// instructions, and stay what they are. However long it has taken so far, it goes
// on to the end, or what was left out would be lost.
func (s *Shortener) settle() {
	s.settling = true
	defer func() { s.settling = false }()
	for range finerTries {
		count := s.try(nil)
		switch {
		case s.coarse && !s.over:
			continue
		case s.failure == nil || s.Key(s.failure) != s.Bug.Key:
			s.over, s.Lost = true, true
		default:
			s.Bug.Failure, s.Bug.Preemptions = *s.failure, count
			s.Bug.Path = append(s.Bug.Path[:0], s.path...)
			s.divide()
		}
		return
	}
	s.over, s.Lost = true, true
}

// try runs the execution without the preemptions at the ends of some turns, and
// counts those that it has all the same.
func (s *Shortener) try(out map[int]move) (preemptions int) {
	at := map[trace.TID]uint64{}
	next, began := 0, 0 // the turn under way, and the length of the path when it began
	var late []trace.TID
	s.freed = s.freed[:0]
	return s.execute(func() trace.TID {
		if n := len(s.path); n > 0 {
			at[s.path[n-1].Thread] = s.path[n-1].Last
		}
		for ; next < len(s.turns); next, began = next+1, len(s.path) {
			g := &s.turns[next]
			th := session.Find(s.threads, g.thread)
			if out[next] == behind && !slices.Contains(late, g.thread) {
				late = append(late, g.thread)
			}
			switch {
			case slices.Contains(late, g.thread):
			case th == nil || th.Status != trace.Ready || out[next] == later:
			case out[next] == longer && th.Yielding && len(s.path) > began:
			case out[next] == 0 && at[g.thread] >= g.until && !s.within(g):
				if !g.forced && s.ran() == g.thread && s.couldGoOn() {
					s.freed = append(s.freed, next)
				}
			default:
				if s.Parts != nil && out[next] == 0 {
					s.stride = s.strideTo(g)
				}
				return g.thread
			}
		}
		for ; len(late) > 0; late, began = late[1:], len(s.path) {
			first := late[0]
			if th := session.Find(s.threads, first); th != nil && th.Status == trace.Ready && !(th.Yielding && len(s.path) > began) {
				return first
			}
		}
		return por.Afterwards(s.threads, s.ran())
	})
}

// execute runs an execution whose threads pick chooses, from those in s.threads. It counts the
// preemptions.
func (s *Shortener) execute(pick func() trace.TID) (preemptions int) {
	s.path, s.failure, s.ended, s.coarse = s.path[:0], nil, false, false
	behind := s.first != nil && s.first.epoch == s.Epoch()
	if !behind {
		s.first = nil
		s.guest.Rewind(s.Root)
	}
	longest := 2*len(s.Bug.Path) + 1000
	for ; len(s.path) < longest; behind = false {
		if s.over = s.worn(); s.over {
			return preemptions
		}
		if behind {
			s.threads = s.first.threads
			s.guest.Rewind(s.first.after)
		} else {
			s.threads = s.guest.Present().Threads
		}
		s.stride = s.strideTo(nil)
		t := pick()
		if t == trace.NoThread {
			if behind {
				s.guest.Rewind(s.Root)
			}
			s.failure, s.ended = s.Wanted(s.guest.Stuck(false)), true
			return preemptions
		}
		if behind {
			s.run.Count()
			s.path = append(s.path, s.first.step)
			continue
		}
		step := s.stride
		step.Thread, step.Begin, step.Preemption = t, s.guest.Position(t).Insns, s.preempts(t)
		if c := s.choices[Place{t, step.Begin}]; uint32(c) < session.Find(s.threads, t).Outcomes {
			step.Choice = c
		}
		tr, err := s.run.Take(&step)
		if err != nil {
			// Finer points void the path's steps; whatever else there is, the bug stays
			// as it was found.
			s.coarse = errors.Is(err, por.ErrFiner)
			s.Finer = s.Finer || s.coarse
			s.over = s.coarse && !s.shortens || errors.Is(err, scheduler.ErrStopped)
			return preemptions
		}
		step.Last = tr.Last
		s.path = append(s.path, step)
		if step.Preemption {
			preemptions++
		}
		if s.Bug.passed() {
			if s.failure = s.PassedAs(s.Bug.Key); s.failure != nil {
				return preemptions
			}
		}
		switch tr.End {
		case trace.EndBug:
			s.failure = s.Wanted(s.guest.Failure(t))
			return preemptions
		case trace.EndProcess:
			s.failure, s.ended = s.Wanted(s.guest.Stuck(true)), true
			return preemptions
		}
		s.begunBy(step)
	}
	return preemptions
}

// begunBy notes the step that an execution has begun with, if each has to begin with it.
func (s *Shortener) begunBy(step por.PathStep) {
	if len(s.path) == 1 && len(s.threads) == 1 && s.threads[0].Outcomes <= 1 {
		s.first = &firstStep{step: step, threads: slices.Clone(s.threads), after: s.guest.Mark(), epoch: s.Epoch()}
	}
}

// LastOf is the thread of a path's last step.
func LastOf(path []por.PathStep) trace.TID {
	if len(path) == 0 {
		return trace.NoThread
	}
	return path[len(path)-1].Thread
}

// Ran is the thread of a path's last step, but for arrivals of signals.
func Ran(path []por.PathStep, isArrival func(trace.TID) bool) trace.TID {
	for len(path) > 0 && isArrival(path[len(path)-1].Thread) {
		path = path[:len(path)-1]
	}
	return LastOf(path)
}

func (s *Shortener) ran() trace.TID { return Ran(s.path, s.IsArrival) }

// preempts reports whether going on with thread t is a preemption of the one that ran
// before, as searches count them.
func (s *Shortener) preempts(t trace.TID) bool {
	return !s.IsArrival(t) && t != s.ran() && s.couldGoOn()
}

// couldGoOn reports whether switching away from the thread that ran is a preemption.
func (s *Shortener) couldGoOn() bool {
	last := session.Find(s.threads, s.ran())
	return last != nil && last.Status == trace.Ready && !last.Yielding &&
		last.Pending.Kind != trace.OpExit && last.Pending.Kind != trace.OpEnd
}

// readable is how many preemptions a story may have that is read. One with more, as of
// a random walk through a kernel, is shortened for Rules.Unreadable, however soon it was
// found.
const readable = 16

// worn reports whether the shortening of a story is to end.
func (s *Shortener) worn() bool {
	looks := len(s.path)&63 == 0
	switch {
	case looks && s.Stop():
		return true
	case s.settling:
		return false
	case s.shortens && s.Bug.Preemptions > readable:
		return s.run.Cost() >= s.Unreadable
	}
	return s.run.Spent()
}
