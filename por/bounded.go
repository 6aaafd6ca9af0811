package por

import (
	"math"

	"landgo/internal/trace"
)

// bounded is search "bounded", and "none" with a bound: every ready thread, with
// every outcome of its step, in every state, as far as the execution stays within
// the bounds. It follows Musuvathi and Qadeer (PLDI 2007) for preemptions and
// switches, Emmi, Qadeer and Rakamaric (POPL 2011) for delays. The fair bound is
// that of Coons, Musuvathi and McKinley (OOPSLA 2013, §2.5.2). See meter.go for
// what is counted. A step that exceeds a bound counts as pruned.
//
// Sound for any bounds together: no measure ever falls along an execution. So
// each execution within the bounds is a path of the tree whose prefixes are
// within them too.
//
// With Options.Iterate the first of the bounds (in the order of Measures) is 0
// first, then 1, and so on, until it cuts nothing off any more; the others stand.
// No work is done twice. Where the bound strikes, the step is put, with its path,
// into the frontier of the value that it needs (ICB's work queues; iteration.go).
// When the walk is back at the root it takes up the frontier of the next value, by
// chunks. Some hundred entries make a tree of steps to run again (Stats.Replayed).
// A frontier is in the order of the walk that wrote it, so entries of a chunk share
// most of their steps.
//
// Deviation: ICB's Algorithm 1 keeps states in its queues. Here these are paths,
// as in their tool (§4), and no state is remembered as visited.
type bounded struct {
	passive
	*iteration
	handle
	iterate bool
	measure int         // that is iterated: an index of counted
	low     int         // the least depth since a step was last put into a frontier
	flushes *earlyFlush // nil: all are run
}

func newBounded(h handle) strategy {
	s := &bounded{handle: h, iterate: h.opts.Iterate, iteration: &iteration{}}
	if h.spec.kind.Name == "bounded" {
		s.flushes = newEarlyFlush(&h)
		s.meter.early = s.flushes
	}
	if s.iterate {
		s.measure = s.meter.first
		s.limit = s.meter.limits[s.measure]
		s.from = min(int32(h.opts.From), s.limit)
	}
	return s
}

func (s *bounded) needs() *needs {
	if s.iterate {
		return &needs{refill: s.refill, left: func(depth int) { s.low = min(s.low, depth) }}
	}
	return &needs{}
}

// limitTo sets the bound that is raised.
func (s *bounded) limitTo(level int32) { s.meter.limits[s.measure] = level }

func (s *bounded) reset() {
	s.drop()
	s.low = 0
	if s.iterate {
		s.limitTo(s.from)
	}
}

// seed gives n the way to the next entry of the frontier, if it is on it, and
// else all branches within the bounds, in the order of byTurns.
func (s *bounded) seed(n *node, kids *branch) error {
	if n.todo = kids; kids != nil {
		return nil
	}
	tail := &n.todo
	cut := false
	for t := range s.sets.byTurns(n) {
		if s.flushes != nil && s.flushes.misplaced(n, t) {
			continue
		}
		for o := trace.Choice(0); o < s.path.outcomes(n, t); o++ {
			c := s.meter.after(n, t, o)
			ok, but := s.meter.within(c, s.measure)
			if ok {
				*tail = s.sets.pool.named(t, o)
				tail = &(*tail).next
				continue
			}
			s.stats.Pruned++
			cut = true
			if s.iterate && but && c[s.measure] <= s.limit {
				if err := s.wait(c[s.measure], n, t, o); err != nil {
					return err
				}
			}
		}
	}
	if n.todo == nil && cut {
		n.ending = EndedPruned
	}
	return nil
}

// wait puts a step of t from n, the newest state, into the frontier of value v.
func (s *bounded) wait(v int32, n *node, t trace.TID, c trace.Choice) error {
	for _, f := range s.waiting {
		f.shared = min(f.shared, s.low)
	}
	s.low = math.MaxInt
	f := s.frontier(v)
	f.begin(f.shared, int(n.depth)-f.shared+1)
	for i := f.shared; i < int(n.depth); i++ {
		e := s.path.event(int32(i))
		f.add(e.Thread, e.Choice)
	}
	f.add(t, c)
	f.shared = int(n.depth)
	return f.spill()
}

// refill gives the root, when all of it is explored, the way to the
// next entries that wait.
func (s *bounded) refill(n *node) (more bool, err error) {
	if n.depth > 0 {
		return false, nil
	}
	chunk, err := s.nextChunk(true)
	if chunk == nil || err != nil {
		return false, err
	}
	s.limitTo(s.level)
	s.stats.Levels = uint64(s.level)
	s.stats.Pruned -= uint64(len(chunk.ends))
	if n.done != nil { // one says that something was explored from here
		s.sets.pool.putAll(n.done.next)
		n.done.next = nil
	}
	n.todo = chunk.tree(&s.sets.pool)
	return true, nil
}

// giveUp returns what was cut off, and begins afresh.
func (s *bounded) giveUp() map[int32]*frontier {
	cutOff := s.waiting
	s.waiting = nil
	return cutOff
}

// share is the share of the present round that is done: how much later rounds
// will be isn't known.
func (s *bounded) share() (float64, bool) { return s.iteration.share() }

// takeAway returns how far the search has come, and leaves it at the beginning.
func (s *bounded) takeAway() *iteration {
	a := s.iteration
	s.iteration = &iteration{limit: a.limit, from: a.from}
	return a
}
