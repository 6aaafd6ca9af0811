package shorter

import (
	"slices"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// Leaving preemptions out one by one (shorten.go) ends where each that is left is needed
// beside the others. Yet another execution may show the bug with fewer: a pool's worker
// misses the last wake-up whichever of ten jobs it had. The bounded search (minimise)
// reaches that one after all others with as few preemptions. But where threads are
// preempted in the one at hand is known. So first executions are tried that have one
// preemption at one of these places, then two, then three. Beside them a thread goes on
// until it waits, and the next in a circle follows. The last two places of the execution
// come first, then four, and so on.

const (
	// fewFrom is with how many preemptions a bug is looked for so: of one with fewer the
	// bounded search soon finds the least.
	fewFrom = 3
	// fewMost is how many preemptions are tried.
	fewMost = 3
)

// spot is where threads are preempted.
type spot struct {
	kind trace.OpKind
	at   uint64 // an access's instruction, or an operation's object
}

func whereIs(th *trace.Thread) spot {
	if th.Pending.Kind == trace.OpAccess {
		return spot{trace.OpAccess, th.PendingAccess.PC}
	}
	return spot{th.Pending.Kind, th.Pending.Obj}
}

// handover has a thread take over when another reaches a place for the n-th time.
type handover struct {
	n      int
	thread trace.TID
}

// atPlaces looks for an execution of the finding with fewer preemptions, at places where it
// has some. It takes half of the steps that are left. (Store buffers would be threads of their
// own in it.)
func (s *Shortener) atPlaces() {
	if s.over || s.Buffers || s.Parts != nil {
		return
	}
	defer s.run.Halve()()
	all := s.preemptedAt()
	for s.coarse {
		if s.settle(); s.over {
			return
		}
		all = s.preemptedAt()
	}
	for k := 1; k <= fewMost && k < s.Bug.Preemptions && s.Bug.Preemptions >= fewFrom; k++ {
		for n := 2; ; n *= 2 {
			some := map[spot]bool{}
			for _, p := range all[:min(n, len(all))] {
				some[p] = true
			}
			for s.visit(some, nil, k) {
				if !s.coarse || s.over {
					return
				}
				if s.settle(); s.over {
					return
				}
			}
			if n >= len(all) {
				break
			}
		}
	}
}

// preemptedAt lists the places where threads are preempted in the finding's execution, the
// last first; where it goes another way than it did, those up to there.
func (s *Shortener) preemptedAt() (list []spot) {
	s.execute(func() trace.TID {
		n := len(s.path)
		if n == len(s.Bug.Path) || !s.goesOn(n) {
			return trace.NoThread
		}
		if s.Bug.Path[n].Preemption {
			list = append(list, whereIs(session.Find(s.threads, s.ran())))
		}
		return s.Bug.Path[n].Thread
	})
	slices.Reverse(list)
	known := map[spot]bool{}
	return slices.DeleteFunc(list, func(p spot) bool {
		was := known[p]
		known[p] = true
		return was
	})
}

// goesOn reports whether step n of the finding's execution can come next, as its thread can run.
func (s *Shortener) goesOn(n int) bool {
	th := session.Find(s.threads, s.Bug.Path[n].Thread)
	return th != nil && th.Status == trace.Ready
}

// align has the finding's steps be those that it has here, where it was found with others: while
// the guest knew of less, or of more.
func (s *Shortener) align() {
	same := true
	s.execute(func() trace.TID {
		n := len(s.path)
		same = same && (n == 0 || s.path[n-1].Last == s.Bug.Path[n-1].Last)
		if same = same && n < len(s.Bug.Path) && s.goesOn(n); !same {
			return trace.NoThread
		}
		return s.Bug.Path[n].Thread
	})
	if !s.over && (s.coarse || len(s.path) < len(s.Bug.Path)) {
		s.settle()
	}
}

// visit tries all executions with k handovers, the first of which are given. It reports
// whether no more are to be tried: one of them is the finding's now, or points became finer.
func (s *Shortener) visit(places map[spot]bool, overs []handover, k int) bool {
	type meeting struct {
		n     int
		ready []trace.TID
	}
	var met []meeting
	n, next := 0, 0
	count := s.execute(func() trace.TID {
		t := por.Afterwards(s.threads, s.ran())
		if t == trace.NoThread || t != s.ran() || !places[whereIs(session.Find(s.threads, t))] {
			return t
		}
		switch n++; {
		case next < len(overs) && overs[next].n == n:
			t = overs[next].thread
			next++
		case next == len(overs) && len(overs) < k:
			m := meeting{n: n}
			for i := range s.threads {
				if th := &s.threads[i]; th.Status == trace.Ready && th.ID != t {
					m.ready = append(m.ready, th.ID)
				}
			}
			met = append(met, m)
		}
		return t
	})
	switch {
	case s.over || s.coarse:
		return true
	case len(overs) == k:
		return s.takes(count)
	}
	for _, m := range slices.Backward(met) {
		for _, t := range m.ready {
			if s.visit(places, append(overs, handover{m.n, t}), k) {
				return true
			}
		}
	}
	return false
}
