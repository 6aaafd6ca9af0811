package shorter

import (
	"math"
	"slices"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// An execution that goes on past points was too long to be taken point by point. Shorter ones are run in the same way:
// a step goes on to the end of its turn, or until its thread waits. So each costs as little as a sample did, whatever
// it has of instructions.

// mostSwitched is how many of the bug's preemptions are tried alone, and mostPaired in pairs.
const mostSwitched, mostPaired = 24, 6

// fewSwitches looks for the bug in executions with one of its preemptions, and then with two.
func (s *Shortener) fewSwitches() {
	for done := false; !done && !s.over; {
		if done = s.trySwitches(); s.coarse {
			s.settle()
		}
	}
}

// trySwitches tries these executions. It reports whether that is over: else points became finer.
func (s *Shortener) trySwitches() bool {
	all, forced := s.turns, s.distinct()
	if s.coarse {
		return false
	}
	var list [][]turn
	for _, i := range forced[:min(mostSwitched, len(forced))] {
		list = append(list, switched(all, i))
	}
	forced = forced[:min(mostPaired, len(forced))]
	for n, j := range forced {
		for _, i := range forced[n+1:] {
			list = append(list, switched(all, min(i, j), max(i, j)))
		}
	}
	for _, turns := range list {
		s.turns = turns
		count := s.try(nil)
		s.turns = all
		if s.coarse || s.takes(count) || s.over {
			return !s.coarse
		}
	}
	return true
}

// distinct are the turns that end with a preemption, the last of each place first, as there are few places: accesses, and
// then operations. Among all others that hardly matter, one may stand where a lock is missing.
func (s *Shortener) distinct() (list []int) {
	var where []spot
	s.execute(func() trace.TID {
		n := len(s.path)
		if n == len(s.Bug.Path) || !s.goesOn(n) {
			return trace.NoThread
		}
		if s.Bug.Path[n].Preemption {
			where = append(where, whereIs(session.Find(s.threads, s.ran())))
		}
		s.stride = s.Bug.Path[n]
		return s.Bug.Path[n].Thread
	})
	var ops, rest []int
	known := map[spot]bool{}
	for n, i := range slices.Backward(s.forced()) {
		switch {
		case n >= len(where) || known[where[n]]:
			rest = append(rest, i)
			continue
		case where[n].kind == trace.OpAccess:
			list = append(list, i)
		default:
			ops = append(ops, i)
		}
		known[where[n]] = true
	}
	return slices.Concat(list, ops, rest)
}

// switched are the turns with the preemptions at the ends of some alone, in the same order. The first thread goes on
// until it waits, each of the others to where it is preempted, and the thread that came next there until it waits.
func switched(turns []turn, at ...int) (list []turn) {
	list = []turn{{thread: turns[0].thread, until: math.MaxUint64}}
	if turns[at[0]].thread == turns[0].thread {
		list = nil
	}
	for _, i := range at {
		list = append(list, turns[i])
	}
	return append(list, turn{thread: turns[at[len(at)-1]+1].thread, until: math.MaxUint64})
}

// within reports whether a turn that is at its last instruction ends within it, and later.
func (s *Shortener) within(g *turn) bool {
	if g.part == 0 {
		return false
	}
	at := s.guest.Position(g.thread)
	return at.Insns == g.until && at.Part < g.part
}

// strideTo is how a step of a turn ends: at the turn's end. nil: as late as can be.
func (s *Shortener) strideTo(g *turn) por.PathStep {
	switch {
	case s.Parts == nil || g != nil && s.within(g):
		return por.PathStep{}
	case g == nil || g.until == math.MaxUint64:
		return por.PathStep{Stride: math.MaxUint32}
	}
	return por.PathStep{Stride: math.MaxUint32, Limit: g.until}
}
