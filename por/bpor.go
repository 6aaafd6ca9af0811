package por

import "landgo/internal/trace"

// bpor is bounded partial-order reduction (Coons, Musuvathi and McKinley, OOPSLA
// 2013): Algorithm 2, with Algorithm 3 for the preemption bound, Algorithm 4 for
// the fair bound, and §5.3 for both. It is DPOR with more backtrack points.
//
// Why more: DPOR may want another thread before a step where the switch is a
// preemption too many. The same trace may have a schedule within the bound that
// switches earlier, where it was free. So besides the point before the race,
// which may be refused (allow), there are *conservative* points
// (conservative.go). They stand at the start of the block of steps that the
// earlier event is in (Algorithm 3, line 9). There a switch costs what staying
// costs, so it is never refused.
//
// Soundness is the paper's. The branches explored from a state are a preemption-bound persistent
// set (Definition 4.6, Theorem 8), or a fair-bound one (Definition 4.7, Theorem 9). So each
// schedule within the bound has an equivalent one within the bound that begins with one of them.
// Lemmas 2, 3, 5 and 6 move the first such step, or its whole block, to the front. The paper
// doesn't prove sleep sets, "optimized" and both bounds together; these are argued below and
// where they are done. All of it is judged by exhaustive search under the same bounds: final
// states, bugs and traces (within_test.go).
//
// Deviations:
//   - next(s, u) is looked at when u takes the step (as in dpor.go), and not in
//     each s. Where it is an acquire it is also looked at when it is made
//     impossible (waiting). Then u can't be added at the start of a later block,
//     and a race that is found later may have no other place. Steps never taken are
//     looked at at the end. Only races that nothing orders between count: the
//     "optimized" rule 1 of §5. A point that a race with an event further back
//     would give comes from the execution in which the nearer race is reversed.
//     That is within the bound because block starts are.
//   - The reversed step's thread u is added if it can run, else every thread
//     (AddBacktrackPoint). At a block start there is a third way between: the
//     first thread of what has to come before u's step ("optimized" rule 2).
//   - A first step of the reversed sequence is added too, as in dpor.go, for
//     sleep sets.
//   - A pair of a release and the acquire that it let in is no race. It matters
//     to cost only, since leaving a thread that is blocked is free. Such pairs
//     give conservative points only (release).
//   - Preemptions aren't counted at a yield, at a thread's end and in a spin, and
//     a block ends there (meter.go).
//   - "All states within the bound": conservative points wait until something
//     from that state on was refused. If nothing was, the search from there is
//     DPOR without a bound, which needs none. optimised=0 adds them at once.
//   - Livelock at MAX: a System bounds an execution's steps itself, and reports a
//     bug by that name (package scheduler: the step budget).
//   - Options.Iterate starts at the root again for each bound: the sets of a
//     bound aren't those of the next.
type bpor struct {
	source
	main      func() bool // adds the points before the race
	naive     bool        // no conservative points
	sources   bool        // main adds source sets, which aren't persistent
	optimised bool        // they wait
	asleep    bool        // there are sleep sets
	states    []boundState
	preempt   bool // preemptions are bounded
	fair      bool // leads in yields are bounded
	limit     int32
}

// boundState is bpor's record of a state of the path.
type boundState struct {
	block int32 // where the block of the step that led here began
	// cut: a branch from here or below was refused because of the bound.
	cut bool
	// soft: something from here on may have been left out for a sleeper whose
	// own exploration was cut.
	soft    bool
	waiting []trace.TID // conservative points; allThreads is all
}

// allThreads stands for every ready thread.
const allThreads = trace.NoThread

func newBounding(h handle) *bpor {
	s := &bpor{source: sourceOf(h), optimised: true, asleep: true}
	s.main = s.insert
	_, s.preempt = s.opts.Bounds.Limit(Preempt)
	_, s.fair = s.opts.Bounds.Limit(Fair)
	s.limit = s.meter.limits[s.meter.first]
	s.path.order.KeepReleases = s.preempt
	return s
}

func newBPOR(h handle) strategy {
	s := newBounding(h)
	s.main = s.persistent
	s.optimised, s.asleep = s.spec.Param("optimised") == 1, s.spec.Param("sleep") == 1
	return s
}

// persistent is AddBacktrackPoint at the race.
func (s *bpor) persistent() (open bool) {
	s.sets.addElseAll(&s.path.nodes[s.seq.From], s.seq.Last.Thread)
	return s.insert()
}

func (s *bpor) needs() *needs {
	return &needs{order: true, sleep: s.asleep, freely: s.naive, late: true, allow: s.allow, refill: s.refill}
}

func (s *bpor) reset() {
	s.open = s.open[:0]
	if m := s.meter; s.opts.Iterate {
		m.limits[m.first] = min(int32(s.opts.From), s.limit)
	}
	s.enter(0, 0)
}

// remember implements resumer.
func (s *bpor) remember() *resumeState {
	m, meter, p := s.source.remember(), s.meter, packer{}
	m.limit, m.fresh = max(meter.limits[meter.first], 0), meter.fresh
	for i := range s.path.nodes {
		st := &s.states[i]
		p.put(uint64(st.block))
		putList(&p, st.waiting, func(t *trace.TID) { p.put(uint64(*t + 1)) }) // allThreads is -1
		p.putBool(st.cut)
		p.putBool(st.soft)
	}
	m.own = p.buf
	return m
}

// resumed implements resumer.
func (s *bpor) resumed(m *resumeState) error {
	if m == nil {
		return ErrSnapshot
	}
	u := unpacker{buf: m.own}
	for i := range s.path.nodes {
		s.enter(int32(i), int32(u.below(uint64(i)+1)))
		st := &s.states[i]
		st.waiting = getList(&u, func() trace.TID { return u.thread() - 1 })
		st.cut, st.soft = u.bool(), u.bool()
	}
	if u.bad || len(u.buf) > 0 {
		return ErrSnapshot
	}
	return s.source.resumed(m)
}

func (s *bpor) enter(i, block int32) {
	s.states = atLeast(s.states, int(i)+1)
	st := &s.states[i]
	st.block, st.cut, st.soft, st.waiting = block, false, false, st.waiting[:0]
}

// seed is Initialize: one branch, of the least cost. If the bound refuses all
// that is awake the execution ends here.
func (s *bpor) seed(n *node, _ *branch) error {
	st := &s.states[n.depth]
	for _, b := range s.path.sleepers(n) {
		st.soft = st.soft || b.cut
	}
	if n.depth > 0 {
		s.changed(n)
		s.waiting(n)
	}
	best, refused := s.cheapest(n)
	if best != allThreads {
		c, _ := s.sets.awake(n, best)
		add(&n.todo, s.sets.pool.named(best, c))
	} else if refused > 0 {
		s.stats.Pruned += refused
		st.cut = true
		n.ending = EndedPruned
	}
	return nil
}

// cheapest is the thread that is awake and costs least, of several the first of byTurns;
// allThreads if there is none within the bound. So many that are awake were refused. That cuts
// nothing off as long as there is another, because no race has asked for them.
func (s *bpor) cheapest(n *node) (best trace.TID, refused uint64) {
	best = allThreads
	var least int32
	for t := range s.sets.byTurns(n) {
		if _, ok := s.sets.awake(n, t); !ok {
			continue
		}
		c := s.meter.after(n, t, 0)
		if ok, _ := s.meter.within(c, 0); !ok {
			refused++
			continue
		}
		price := c[0]
		if !s.preempt {
			price = s.meter.yields[t]
		}
		if best == allThreads || price < least {
			best, least = t, price
		}
	}
	return best, refused
}

// allow is line 12 of Algorithm 2.
func (s *bpor) allow(n *node, b *branch) bool {
	if ok, _ := s.meter.within(s.meter.after(n, b.Thread, b.Choice), 0); ok {
		return true
	}
	s.stats.Pruned++
	s.states[n.depth].cut = true
	return false
}

func (s *bpor) ran(i int32) {
	n := &s.path.nodes[i]
	block := i
	if n.running == n.cur.Thread && !s.meter.leaves(n) {
		block = s.states[i].block
	}
	s.enter(i+1, block)
	s.reverse(i, s.point)
	o := s.path.order
	for _, r := range o.Releases[o.ReleasesOf(i):] {
		s.release(r.First, i)
	}
}

func (s *bpor) end(e Ending) { s.finish(e, s.point) }
func (s *bpor) expire()      { s.next.expiring(s.pending(s.point)) }

// point is Backtrack, for the race that s.seq reverses.
func (s *bpor) point() (open bool) {
	open = s.main()
	if s.preempt && !s.naive {
		u, q := s.seq.Last.Thread, s.seq.Event(s.seq.Lead()).Thread
		if s.sources {
			s.persist(u, q)
		}
		s.blockStart(s.seq.From, u, q)
	}
	return open
}

// refill is asked when nothing is left to explore from n: it adds the
// conservative points if they are needed, and at the root begins the next round.
func (s *bpor) refill(n *node) (more bool, err error) {
	st := &s.states[n.depth]
	if st.cut || !s.optimised {
		s.conserve(n, st)
		if n.todo != nil {
			return true, nil
		}
	}
	if n.depth > 0 {
		up := &s.states[n.depth-1]
		up.cut, up.soft = up.cut || st.cut, up.soft || st.soft
		s.path.nodes[n.depth-1].cur.cut = st.cut || st.soft
		return false, nil
	}
	if m := s.meter; s.opts.Iterate && st.cut && m.limits[m.first] < s.limit {
		m.limits[m.first]++
		m.fresh = m.limits[m.first]
		s.stats.Levels = uint64(m.fresh)
		s.stats.Pruned, s.stats.Blocked = 0, 0
		s.open = s.open[:0]
		s.sets.pool.putAll(n.done)
		s.sets.pool.putAll(n.over)
		n.done, n.over = nil, nil
		s.enter(0, 0)
		return true, s.seed(n, nil)
	}
	return false, nil
}
