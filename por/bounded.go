package por

import (
	"math"

	"landgo/trace"
)

// bounded is search "bounded", and "none" with a bound: every ready thread,
// with every outcome of its step, in every state, as far as the execution
// stays within the bounds (Musuvathi and Qadeer, PLDI 2007, for preemptions
// and switches; Emmi, Qadeer and Rakamaric, POPL 2011, for delays; Coons,
// Musuvathi and McKinley, OOPSLA 2013, §2.5.2, for the fair bound). See
// meter.go for what is counted. A step that exceeds a bound counts as pruned.
//
// Sound for any bounds together: no measure ever falls along an execution, so
// each execution within the bounds is a path of the tree whose prefixes are
// within them too.
//
// With Options.Iterate the first of the bounds (in the order of Measures) is
// 0 first, then 1, and so on, or until nothing more was cut off by it; the
// others stand. Work isn't done twice: where the bound strikes, the step is
// put, with its path, into the frontier of the value that it needs, and when
// the walk is back at the root it takes up the frontier of the next value
// (ICB's work queues). A frontier is in the order of the walk that wrote it,
// so the walk that takes it up goes from one entry to the next by way of the
// last state that they share: the steps that it runs again to get there
// (Stats.Replayed) are few.
//
// Deviation: ICB's Algorithm 1 keeps states in its queues; here these are
// paths, as in their tool (§4), and no state is remembered as visited.
type bounded struct {
	x       *explorer
	iterate bool
	measure int // that is iterated: an index of counted
	limit   int32
	waiting map[int32]*frontier // by value of the measure
	source  *frontier           // that is being taken up, nil in the first round
	shared  int                 // of its next entry, -1 if that isn't read yet
	err     error
}

func newBounded(x *explorer) strategy {
	s := &bounded{x: x, iterate: x.opts.Iterate, waiting: map[int32]*frontier{}}
	if s.iterate {
		s.measure = x.meter.first
		s.limit = x.meter.limits[s.measure]
		x.refill = s.refill
	}
	return s
}

func (s *bounded) ran(int32)          {}
func (s *bounded) end(Ending)         {}
func (s *bounded) expire()            {}
func (s *bounded) uses() (bool, bool) { return false, false }

func (s *bounded) reset() {
	s.drop()
	if s.iterate {
		s.x.meter.limits[s.measure] = 0
	}
}

// drop forgets what was cut off.
func (s *bounded) drop() {
	for _, f := range s.waiting {
		f.drop()
	}
	clear(s.waiting)
	if s.source != nil {
		s.source.drop()
	}
	s.source, s.shared, s.x.low = nil, -1, 0
}

// seed gives n the way to the next entry of the frontier, if it is on it, and
// else all branches within the bounds: the running thread first, then in
// ascending order.
func (s *bounded) seed(n *node, kids *branch) {
	if n.todo = kids; kids != nil {
		return
	}
	x := s.x
	tail := &n.todo
	put := func(t trace.TID) {
		c := x.meter.after(n, t)
		ok, but := x.meter.within(c, s.measure)
		for o := trace.Choice(0); o < x.outcomes(n, t); o++ {
			if ok {
				*tail = x.pool.named(t, o)
				tail = &(*tail).next
				continue
			}
			x.stats.Pruned++
			if s.iterate && but && c[s.measure] <= s.limit {
				s.wait(c[s.measure], n, t, o)
			}
		}
	}
	i := int(n.depth)
	if n.running != trace.NoThread && x.isReady(i, n.running) {
		put(n.running)
	}
	for t := trace.TID(0); int(t) < x.words*64; t++ {
		if t != n.running && x.isReady(i, t) {
			put(t)
		}
	}
	if n.todo == nil {
		n.ending = EndedPruned
	}
}

// wait puts a step of t from n, the newest state, into the frontier of value v.
func (s *bounded) wait(v int32, n *node, t trace.TID, c trace.Choice) {
	for _, f := range s.waiting {
		f.shared = min(f.shared, s.x.low)
	}
	s.x.low = math.MaxInt
	f := s.waiting[v]
	if f == nil {
		f = &frontier{}
		s.waiting[v] = f
	}
	f.begin(f.shared, int(n.depth)-f.shared+1)
	for i := f.shared; i < int(n.depth); i++ {
		f.add(s.x.nodes[i].cur.thread, s.x.nodes[i].cur.choice)
	}
	f.add(t, c)
	f.shared = int(n.depth)
	if err := f.spill(); err != nil && s.err == nil {
		s.err = err
	}
}

// refill gives n, of which nothing is left to explore, the way to the next
// entry of the frontier if it is on it. At the root it goes on to the next
// frontier.
func (s *bounded) refill(n *node) (more bool, err error) {
	if s.err != nil {
		return false, s.err
	}
	for {
		if s.source != nil && s.shared < 0 {
			shared, ok, err := s.source.next()
			if err != nil {
				return false, err
			}
			if s.shared = shared; !ok {
				s.source.drop()
				s.source, s.shared = nil, -1
			}
		}
		if s.source != nil {
			if s.shared < int(n.depth) {
				return false, nil
			}
			s.toEntry(n)
			return true, nil
		}
		if n.depth > 0 || !s.raise() {
			return false, nil
		}
	}
}

// raise raises the bound to the next value that something waits for.
func (s *bounded) raise() bool {
	for v := s.x.meter.limits[s.measure] + 1; v <= s.limit && len(s.waiting) > 0; v++ {
		s.x.meter.limits[s.measure] = v
		if f := s.waiting[v]; f != nil {
			delete(s.waiting, v)
			s.source = f
			return true
		}
	}
	s.x.meter.limits[s.measure] = s.limit
	return false
}

// toEntry makes a chain of branches from n to the entry just read.
func (s *bounded) toEntry(n *node) {
	x := s.x
	if n.done != nil { // one says that something was explored from here
		x.pool.putAll(n.done.next)
		n.done.next = nil
	}
	x.stats.Pruned--
	path := s.source.path
	list := &n.todo
	for i := int(n.depth); i < len(path); i++ {
		b := x.pool.named(path[i].thread, path[i].choice)
		b.again = i < len(path)-1
		*list = b
		list = &b.kids
	}
	s.shared = -1
}

// share is the share of the present round that is done: how much later rounds
// will be isn't known.
func (s *bounded) share() (float64, bool) {
	if s.source == nil {
		return 0, false
	}
	return max(float64(s.source.read-1), 0.5) / float64(s.source.entries), true
}
