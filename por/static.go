package por

import (
	"math/bits"
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// static explores within static persistent sets, as Flanagan and Godefroid have it (POPL 2005,
// end of §3). "In lines 5 and 7, replace enabled(pre(S, i)) by PersistentSet(pre(S, i)), and in
// line 10, replace enabled(s) by PersistentSet(s)". Searches dpor:static=1 and static=2; with
// dynamic=0 all of each static set is explored, which is their Static POR.
//
// The sources of the sets. The paper needs to know of each process "which operations on
// which communication objects" it might execute in the future, and has that from a
// static analysis of the source. Machine code doesn't tell it. So landgo takes a
// *promise* in its place (promise.go): each thread's n-th step does only what it was
// seen to do. The search keeps to it as if it were proved, and checks every step that
// it runs, and how each thread's next step begins in every state. If something broke
// the promise, it is widened by all that was seen, and the search begins again from the
// root; what it counted is void. The search is over when nothing broke it.
//
// Soundness. Let P be the program, and P' the one in which a thread stops for good
// where its next step begins otherwise than promised, or goes on otherwise. In P' the
// promise holds in all executions, so that the sets are persistent there, and the
// search of P' misses no state of a thread. If some execution of P broke the promise,
// then P' has the state in which a thread stops first, and the search meets it. It
// met none in its last round: P' and P are the same. It is no argument that the first
// rounds saw much. They may have seen nothing.
//
// The sets. PersistentSet is a closure, as the stubborn sets of Godefroid 1996, ch. 4.
// It begins with a process; for each in it, ready or not, it takes in all whose future
// may depend on its next step. Where the process isn't ready, it takes in all that may
// wake it. Those of them that can run are persistent: nothing outside ever touches
// what they do next, nor lets one of them go on. The first of the smallest such sets
// is taken.
//
// static=2 widens every byte and every object to the variable that it is in
// (Options.Variable). An analysis knows no more if it can't tell the elements of an
// array apart, as the paper's can't. Whether locks guard data isn't known here.
//
// With sleep sets, or steps of several events, backtrack sets are source sets (source.go).
// Where the initial that a race asks for isn't in the static set, all of that is explored.
// It has an initial of the reversed sequence, or every step in it is a weak one, as nothing
// in the sequence touches it. So a set that sleeps as a whole isn't taken. Executions that
// begin with it are explored elsewhere, but an execution that ends there doesn't show the
// races that make others come first, before it (finding 29).
type static struct {
	strategy // the search within the sets
	handle
	held    promise // the one relied on, the same in a whole round
	seen    promise // the part seen in this round, which held
	states  []staticState
	broken  bool
	learned bool // the next start from the root is for a new promise
	want    needs
	ahead   []trace.TID   // scratch
	blurred relation.Step // the same
}

// staticState is static's record of a state of the path.
type staticState struct {
	number  int    // of the event after it, among its thread's
	limited bool   // only within can be explored
	within  []bool // by thread
}

// newStatic puts static around a search.
func newStatic(h handle, inner strategy) strategy {
	s := &static{strategy: inner, handle: h}
	if h.spec.Param("static") == 2 {
		s.held.whole = h.opts.Variable
	}
	s.want = *inner.needs()
	s.want.order, s.want.refill = true, s.refill
	h.sets.within = s.may
	return s
}

// newWithin is dpor:dynamic=0: all of each set.
func newWithin(h handle) strategy {
	return &everything{sets: h.sets, sleep: h.spec.Param("sleep") == 1}
}

type everything struct {
	passive
	sets  *backtrack
	sleep bool
}

func (s *everything) seed(n *node, _ *branch) error { s.sets.addEvery(n); return nil }
func (s *everything) needs() *needs                 { return &needs{sleep: s.sleep, raceless: true} }

func (s *static) needs() *needs { return &s.want }

// may reports whether t may be explored from the state of n.
func (s *static) may(n *node, t trace.TID) bool {
	st := &s.states[n.depth]
	return !st.limited || int(t) < len(st.within) && st.within[t]
}

// reset begins a round. Steps that were learned of aren't the same ones when points
// became finer.
func (s *static) reset() {
	if s.learned {
		s.held.steps = s.seen.steps
	} else {
		s.held.steps = nil
	}
	s.seen.steps = nil
	for t := range s.held.steps { // seen is a copy, which grows
		s.seen.steps = append(s.seen.steps, nil)
		for k := range s.held.steps[t] {
			f := s.held.steps[t][k]
			f.Accesses, f.Ops, f.wakes = slices.Clip(f.Accesses), slices.Clip(f.Ops), slices.Clip(f.wakes)
			s.seen.steps[t] = append(s.seen.steps[t], f)
		}
	}
	s.held.conclude()
	s.states, s.broken, s.learned = s.states[:0], false, false
	s.strategy.reset()
}

// refill ends a round.
func (s *static) refill(n *node) (more bool, err error) {
	if n.depth == 0 && s.broken && s.opts.fault != keepPromise {
		s.learned = true
		s.restart()
	}
	return false, nil
}

// ran checks event i.
func (s *static) ran(i int32) {
	st, number := &s.states[i], 0
	if p := s.path.order.Prev(i); p >= 0 {
		number = s.states[p].number + 1
	}
	st.number = number
	s.see(i, s.path.event(i))
	for t := range s.path.order.Woken(i) {
		s.saw(s.of(i).wake(t))
	}
	s.strategy.ran(i)
}

// of is the footprint seen of the step of event i.
func (s *static) of(i int32) *footprint {
	return s.seen.step(s.path.order.Thread(i), s.states[i].number)
}

// see notes what event i did, and what it may do elsewhere where it failed here. The
// searches take that for dependent, too (eager.go: ran), and a set has to be persistent by
// the dependence that they go by (finding 30).
func (s *static) see(i int32, e *relation.Event) {
	s.saw(s.of(i).include(s.held.widened(e)))
	if s.blurred.Copy(e); s.blurred.Blur(true) && s.opts.fault != asSeen {
		s.saw(s.of(i).include(s.held.widened(&s.blurred.Event)))
	}
}

func (s *static) saw(more bool) { s.broken = s.broken || more }

// upcoming is the number of the next step of thread t.
func (s *static) upcoming(t trace.TID) int {
	if i := s.path.order.Last(t); i >= 0 {
		return s.states[i].number + 1
	}
	return 0
}

// seed checks how the next steps begin in the state of n, and finds its set.
func (s *static) seed(n *node, kids *branch) error {
	s.states = atLeast(s.states, int(n.depth)+1)
	if n.depth > 0 {
		for t := range s.path.order.Woken(n.depth - 1) {
			s.saw(s.of(n.depth - 1).wake(t))
		}
	}
	s.look()
	s.limit(n)
	return s.strategy.seed(n, kids)
}

// look checks how the next steps begin in the newest state.
func (s *static) look() {
	for k := range s.path.threads {
		if t := &s.path.threads[k]; t.Status != trace.Exited {
			s.saw(s.seen.step(t.ID, s.upcoming(t.ID)).include(s.beginning(t)))
		}
	}
}

func (s *static) end(e Ending) {
	if s.path.at >= 0 { // else the process has ended, and there is no newer state
		s.look()
	}
	s.strategy.end(e)
}

// beginning is the known part of thread t's next step, or of what it waits for.
func (s *static) beginning(t *trace.Thread) *relation.Event {
	e := *s.next.beginning(t)
	if len(t.Waits) > 0 {
		e.Waits = t.Waits
	}
	return s.held.widened(&e)
}

// limit is PersistentSet for the state of n.
func (s *static) limit(n *node) {
	st := &s.states[n.depth]
	st.limited = false
	all := bitsIn(s.path.readySet(n))
	if all < 2 {
		return
	}
	futures := s.futures()
	best := all
	for t := range s.sets.byTurns(n) {
		if in, size := s.closure(n, futures, t); size < best && s.awake(n, in) {
			best, st.limited = size, true
			st.within = append(st.within[:0], in...)
		}
	}
}

// awake reports whether something in the set can be explored.
func (s *static) awake(n *node, in []bool) bool {
	for t := range in {
		if in[t] && s.path.isReady(n.depth, trace.TID(t)) {
			if _, ok := s.sets.awake(n, trace.TID(t)); ok || s.opts.fault == deadToTheWorld {
				return true
			}
		}
	}
	return false
}

// future is a thread's next events, and the footprints from then on.
type future struct {
	thread *trace.Thread
	next   []*relation.Event
	rest   []*footprint // with those of the threads that it is still to create
	first  *relation.Event
}

// futures are those of the threads that haven't ended.
func (s *static) futures() (all []future) {
	for k := range s.path.threads {
		t := &s.path.threads[k]
		if t.Status == trace.Exited {
			continue
		}
		number := s.upcoming(t.ID)
		f := future{thread: t, first: relation.Owned(s.beginning(t))}
		f.next = append(f.next, f.first)
		if int(t.ID) < len(s.held.steps) && number < len(s.held.steps[t.ID]) {
			f.next = append(f.next, &s.held.steps[t.ID][number].Event)
		}
		s.ahead = s.ahead[:0]
		f.rest = s.from(f.rest, t.ID, number)
		all = append(all, f)
	}
	return all
}

// from adds what thread t may do from a step on, and what the threads may do that it may still
// create.
func (s *static) from(list []*footprint, t trace.TID, number int) []*footprint {
	r := s.held.after(t, number)
	if r == nil {
		return list
	}
	list = append(list, r)
	for _, w := range r.wakes {
		if s.path.thread(w) == nil && !slices.Contains(s.ahead, w) {
			s.ahead = append(s.ahead, w)
			list = s.from(list, w, 0)
		}
	}
	return list
}

// closure is the set that begins with thread t, and how many of it can run.
func (s *static) closure(n *node, all []future, t trace.TID) (in []bool, size int) {
	in = make([]bool, int(all[len(all)-1].thread.ID)+1)
	var todo []int
	take := func(k int) {
		in[all[k].thread.ID] = true
		todo = append(todo, k)
		if s.path.isReady(n.depth, all[k].thread.ID) {
			size++
		}
	}
	take(slices.IndexFunc(all, func(f future) bool { return f.thread.ID == t }))
	for len(todo) > 0 {
		p := &all[todo[0]]
		todo = todo[1:]
		for k := range all {
			if q := &all[k]; !in[q.thread.ID] && (s.meets(p, q) || s.opts.fault != noWakers && !s.path.isReady(n.depth, p.thread.ID) && q.wakes(p.thread.ID)) {
				take(k)
			}
		}
	}
	return in, size
}

// meets reports whether something that q may still do depends on what p does next.
func (s *static) meets(p, q *future) bool {
	for _, e := range p.next {
		if e.Dependent(q.first) {
			return true
		}
		for _, r := range q.rest {
			if e.Dependent(&r.Event) {
				return true
			}
		}
	}
	return false
}

// wakes reports whether something that q may still do lets t go on.
func (q *future) wakes(t trace.TID) bool {
	return slices.ContainsFunc(q.rest, func(r *footprint) bool { return slices.Contains(r.wakes, t) })
}

func bitsIn(set []uint64) (n int) {
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// remember implements resumer.
func (s *static) remember() *resumeState {
	m, p := &resumeState{}, packer{}
	s.states = atLeast(s.states, len(s.path.nodes)) // an end has no set
	if r, ok := s.strategy.(resumer); ok {
		m = r.remember()
	}
	s.held.pack(&p)
	s.seen.pack(&p)
	p.putBool(s.broken)
	for i := range s.path.nodes {
		st := &s.states[i]
		p.put(uint64(st.number))
		p.putBool(st.limited)
		putList(&p, st.within, func(b *bool) { p.putBool(*b) })
	}
	p.putBytes(m.own)
	m.own = p.buf
	return m
}

// resumed implements resumer.
func (s *static) resumed(m *resumeState) error {
	if m == nil {
		return ErrSnapshot
	}
	u := unpacker{buf: m.own}
	s.held.unpack(&u)
	s.seen.unpack(&u)
	s.broken = u.bool()
	s.states = atLeast(s.states[:0], len(s.path.nodes))
	for i := range s.path.nodes {
		s.states[i] = staticState{number: u.number(), limited: u.bool(), within: getList(&u, u.bool)}
	}
	m.own = u.bytes()
	if u.bad || len(u.buf) > 0 {
		return ErrSnapshot
	}
	if r, ok := s.strategy.(resumer); ok {
		return r.resumed(m)
	}
	return nil
}
