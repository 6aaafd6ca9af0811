package por

import "landgo/trace"

// bpor is bounded partial-order reduction.
type bpor struct {
	source
	main   func() bool // adds the backtrack point before the race
	naive  bool        // no conservative points
	states []within
	pre    bool // preemptions are bounded
	fair   bool // leads in yields are bounded
	round  int32
	limit  int32
}

// within is what bpor keeps of a state.
type within struct {
	block int32 // where the block of the step before began
	// cut: a branch from here or below was refused because of the bound.
	cut bool
	// soft: something here or below may be left out because of a sleeper whose
	// own exploration was cut.
	soft    bool
	waiting []trace.TID // threads to be added if cut; all is everybody
}

// all stands for every ready thread.
const all = trace.NoThread

func newBounding(x *explorer) *bpor {
	s := &bpor{source: source{x: x}}
	s.seq.x = x
	s.main = s.insert
	if x.meter == nil {
		return s
	}
	_, s.pre = x.opts.Bounds.Limit(Preempt)
	_, s.fair = x.opts.Bounds.Limit(Fair)
	x.allow, x.refill = s.allow, s.refill
	return s
}

func newBPOR(x *explorer) strategy {
	s := newBounding(x)
	s.main = s.persistent
	return s
}

// persistent adds the thread of the later step, or everybody if that can't run.
func (s *bpor) persistent() (open bool) {
	c, u := s.seq.c, s.seq.e.thread
	n := &s.x.nodes[c]
	if s.x.isReady(int(c), u) {
		s.x.anyThread(n, u)
	} else {
		s.x.anyAll(n)
	}
	return s.insert()
}

func (s *bpor) reset() {
	s.open = s.open[:0]
	s.x.order.keepLets = s.pre && !s.naive
	s.enter(0, 0)
}

func (s *bpor) enter(i, block int32) {
	for len(s.states) <= int(i) {
		s.states = append(s.states, within{})
	}
	st := &s.states[i]
	st.block, st.cut, st.soft, st.waiting = block, false, false, st.waiting[:0]
}

// seed adds the cheapest branch.
func (s *bpor) seed(n *node, _ *branch) {
	x := s.x
	if x.meter == nil {
		x.anyway(n)
		return
	}
	st := &s.states[n.depth]
	for _, b := range x.sleep[n.sleeps:n.slept] {
		st.soft = st.soft || b.cut
	}
	if n.depth > 0 {
		s.changed(n)
		s.waiting(n)
	}
	best, found := s.cheapest(n)
	if found && best == all {
		st.cut = true
		n.ending = EndedPruned
	} else if found {
		c, _ := x.awake(n, best)
		add(&n.todo, x.pool.named(best, c))
	}
}

// cheapest is the thread that is awake and costs least; all if every one
// exceeds the bound.
func (s *bpor) cheapest(n *node) (best trace.TID, found bool) {
	x := s.x
	best = all
	var least cost
	look := func(t trace.TID) {
		if t == trace.NoThread || !x.isReady(int(n.depth), t) {
			return
		}
		if _, ok := x.awake(n, t); !ok {
			return
		}
		found = true
		c := x.meter.after(n, t)
		if ok, _ := x.meter.within(c, 0); !ok {
			x.stats.Pruned++
			return
		}
		if best == all || s.pre && c[0] < least[0] || !s.pre && x.meter.yields[t] < x.meter.yields[best] {
			best, least = t, c
		}
	}
	look(n.running)
	for t := trace.TID(0); int(t) < x.words*64; t++ {
		if t != n.running {
			look(t)
		}
	}
	if best != all {
		return best, true
	}
	return all, found
}

// allow refuses branches that exceed the bound.
func (s *bpor) allow(n *node, b *branch) bool {
	if ok, _ := s.x.meter.within(s.x.meter.after(n, b.thread), 0); ok {
		return true
	}
	s.x.stats.Pruned++
	s.states[n.depth].cut = true
	return false
}

// changed looks at what the step to n changed.
func (s *bpor) changed(n *node) {
	x := s.x
	p := &x.nodes[n.depth-1]
	w := x.words
	now, before := x.ready[int(n.depth)*w:], x.ready[int(p.depth)*w:]
	diff := false
	for i := 0; i < w; i++ {
		d := now[i] ^ before[i]
		if int(p.cur.thread)/64 == i {
			d &^= 1 << (p.cur.thread % 64)
		}
		diff = diff || d != 0
	}
	p.cur.changes = diff || x.meter.states[p.depth].yields
	if s.fair && p.cur.changes && !s.naive {
		s.later(p.depth, all)
		if s.pre {
			s.later(s.states[n.depth].block, all)
		}
	}
}

// waiting looks at what the step to n keeps from going on, while it does.
func (s *bpor) waiting(n *node) {
	x := s.x
	if x.opts.fault == noPending || dev("nowait") {
		return
	}
	top := &x.nodes[n.depth-1].cur.event
	for k := range x.threads {
		t := &x.threads[k]
		if t.Status != trace.Blocked || !acquires[t.Pending.Kind] {
			continue
		}
		x.stuck = event{thread: t.ID, ops: append(x.stuck.ops[:0], t.Pending)}
		if !top.dependent(&x.stuck) {
			continue
		}
		b := x.upcoming(t)
		x.order.pending(&b.event, t.Pending, x.readyFn, func(c int32, row []int32) {
			if !s.fails() {
				s.seq.pending(c, b, row)
				s.point()
			}
		})
		x.pool.put(b)
	}
}

func (s *bpor) ran(i int32) {
	n := &s.x.nodes[i]
	block := i
	if i > 0 && n.running == n.cur.thread && s.x.meter != nil && !s.x.meter.leaves(n) {
		block = s.states[i].block
	}
	s.enter(i+1, block)
	s.reverse(i, s.point)
	o := s.x.order
	for k := o.ev[i].lets; k < int32(len(o.lets)); k++ {
		s.release(o.lets[k].first, i)
	}
}

func (s *bpor) end(e Ending) { s.finish(e, s.point) }

func (s *bpor) point() (open bool) {
	open = s.main()
	if s.pre && !s.naive {
		s.blockPoint(s.seq.c, s.seq.e.thread, s.seq.event(s.seq.items[0]).thread)
	}
	return open
}

func (s *bpor) blockPoint(c int32, u, q trace.TID) {
	j := s.states[c+1].block
	if j == c {
		return
	}
	switch {
	case s.x.isReady(int(j), u):
		s.later(j, u)
	case s.x.isReady(int(j), q):
		s.later(j, q)
	default:
		s.later(j, all)
	}
}

// release: event c let event i in.
func (s *bpor) release(c, i int32) {
	u := s.x.order.ev[i].thread
	ready := s.x.isReady(int(c), u)
	if !ready && s.x.order.ev[i].prev < c {
		return
	}
	if ready {
		s.later(c, u)
	} else {
		s.later(c, all)
	}
	s.blockPoint(c, u, u)
}

// later adds t to the state before event j when it turns out that something
// below was cut off.
func (s *bpor) later(j int32, t trace.TID) {
	if s.x.opts.fault == noConservative {
		return
	}
	st := &s.states[j]
	for _, w := range st.waiting {
		if w == t || w == all {
			return
		}
	}
	st.waiting = append(st.waiting, t)
}

// refill adds the conservative points of n if something was cut off from there
// on.
func (s *bpor) refill(n *node) (more bool, err error) {
	st := &s.states[n.depth]
	if st.cut || dev("eager") {
		for _, t := range st.waiting {
			if t == all {
				s.x.anyAll(n)
			} else {
				s.x.anyThread(n, t)
			}
		}
		st.waiting = st.waiting[:0]
		if n.todo != nil {
			return true, nil
		}
	}
	if n.depth > 0 {
		up := &s.states[n.depth-1]
		up.cut, up.soft = up.cut || st.cut, up.soft || st.soft
		s.x.nodes[n.depth-1].cur.cut = st.cut || st.soft
	}
	return false, nil
}

// inheritWithin gives n its sleep set where executions are bounded.
func (x *explorer) inheritWithin(n, p *node) {
	if !x.sleeps || dev("nosleep") {
		return
	}
	e := &p.cur.event
	stuck := x.waitsNow(e.thread)
	asleep := func(b *branch) bool {
		if b.dependent(e) && !(x.opts.fault == keepAsleep && b.thread != e.thread) {
			return false
		}
		return !b.cut || stuck == nil || !b.dependent(stuck)
	}
	for i := p.sleeps; i < p.slept; i++ {
		if b := x.sleep[i]; asleep(b) {
			x.sleep = append(x.sleep, b)
		}
	}
	pre, fair := x.meter.limits[0] >= 0, x.meter.limits[1] >= 0
	for b := p.done; b != nil; b = b.next {
		if dev("softall") {
			b.cut = true
		}
		if b.cut && (pre && b.price >= p.cur.price || fair && b.changes) {
			continue
		}
		if asleep(b) {
			x.sleep = append(x.sleep, b)
		}
	}
	n.slept = int32(len(x.sleep))
}

// waitsNow is what thread t waits for in the newest state, nil if it doesn't.
func (x *explorer) waitsNow(t trace.TID) *event {
	for k := range x.threads {
		th := &x.threads[k]
		if th.ID != t {
			continue
		}
		switch th.Status {
		case trace.Blocked:
			x.stuck = event{thread: t, ops: append(x.stuck.ops[:0], th.Pending)}
			return &x.stuck
		case trace.Spinning:
			x.stuck = event{thread: t, waits: th.Waits}
			return &x.stuck
		}
	}
	return nil
}
