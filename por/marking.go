package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// marking is optimization 2 of Flanagan and Godefroid (POPL 2005, end of §3), search
// dpor:figure=3,mark=1. Where line 5's E is empty, line 7 adds all that is enabled.
// This adds one process instead, and begins a new persistent set with it:
//
//	[...] selecting a single other process q enabled in pre(S, i) and not
//	previously executed from pre(S, i), and to re-start a new persistent-set
//	computation in pre(S, i) with q as the initial process. [...] "mark" process
//	proc(t_i) in state pre(S, i) so that, if proc(t_i) is ever selected to be
//	backtracked in pre(S, i) during this new persistent-set computation starting
//	with q, yet another fresh persistent-set computation may be needed.
//
// So a state has a set that is being computed, and the demands that the
// exploration of each process made there: one of E, or all. A demand counts while
// its process is in the set. A process is marked if it demands all, or only marked
// ones. A set that would need a marked process is given up for a new one. When no
// process is left to begin with, all were explored.
//
// Soundness: the last set is closed under the demands of its processes, so their
// Lemma 1 holds of it. The branches explored for sets that were given up are more
// than that. The branches planned for them stay planned (the paper doesn't say).
type marking struct {
	*figure3
	states []persistentSet // by depth
}

// persistentSet is one that is being computed in a state.
type persistentSet struct {
	members, marked []trace.TID
	demands         []demand
}

// demand is a request of lines 5-7 while process by was explored: one of among.
type demand struct {
	by    trace.TID
	among []trace.TID
}

func newMarking(h handle) strategy {
	s := &marking{figure3: newFigure3(h)}
	s.backtrack = func(i int32) { s.demand(i, s.procs) }
	s.cut = func(c int32, e *relation.Step) { s.demand(c, []trace.TID{e.Thread}) }
	return s
}

// seed is line 11: the first process begins the set.
func (s *marking) seed(n *node, kids *branch) error {
	s.states = atLeast(s.states, int(n.depth)+1)
	set := &s.states[n.depth]
	set.members, set.marked, set.demands = set.members[:0], set.marked[:0], set.demands[:0]
	err := s.figure3.seed(n, kids)
	if n.todo != nil {
		set.members = append(set.members, n.todo.Thread)
	}
	return err
}

// demand is lines 5-7 for the state before event i: one of the processes that can run
// there, or all.
func (s *marking) demand(i int32, procs []trace.TID) {
	d := demand{by: s.path.event(i).Thread}
	for _, q := range procs {
		if s.sets.may(&s.path.nodes[i], q) && !slices.Contains(d.among, q) {
			d.among = append(d.among, q)
		}
	}
	set := &s.states[i]
	set.demands = append(set.demands, d)
	s.settle(&s.path.nodes[i], set)
}

// settle adds what the demands of the set's processes ask for.
func (s *marking) settle(n *node, set *persistentSet) {
	for k := 0; k < len(set.demands); k++ {
		d := &set.demands[k]
		if !slices.Contains(set.members, d.by) || slices.ContainsFunc(d.among, func(q trace.TID) bool { return slices.Contains(set.members, q) }) {
			continue
		}
		q := s.cheapest(n, set, d.among)
		if q == trace.NoThread {
			set.marked = append(set.marked, d.by)
			if q = s.fresh(n); q == trace.NoThread || s.opts.fault == noFresh {
				return // all were explored, or will be
			}
			set.members = set.members[:0]
		}
		set.members = append(set.members, q)
		s.sets.addThread(n, q)
		k = -1 // demands of a process that was explored before count again
	}
}

// cheapest is the first of the processes that isn't marked; one that was explored
// already before others. NoThread: all are marked.
func (s *marking) cheapest(n *node, set *persistentSet, among []trace.TID) trace.TID {
	first := trace.NoThread
	for _, q := range among {
		if slices.Contains(set.marked, q) {
			continue
		}
		if s.chosen(n, q) {
			return q
		}
		if first == trace.NoThread {
			first = q
		}
	}
	return first
}

// fresh is a process that wasn't executed in the state of n, NoThread if there is
// none.
func (s *marking) fresh(n *node) trace.TID {
	s.sets.own(n)
	for q := range s.sets.byTurns(n) {
		if _, awake := s.sets.awake(n, q); awake && (n.cur == nil || n.cur.Thread != q) {
			return q
		}
	}
	return trace.NoThread
}

// remember implements resumer.
func (s *marking) remember() *resumeState {
	m, p := s.source.remember(), packer{}
	s.states = atLeast(s.states, len(s.path.nodes)) // an end has no set
	put := func(list *[]trace.TID) { putList(&p, *list, func(t *trace.TID) { p.put(uint64(*t)) }) }
	for i := range s.path.nodes {
		set := &s.states[i]
		put(&set.members)
		put(&set.marked)
		putList(&p, set.demands, func(d *demand) { p.put(uint64(d.by)); put(&d.among) })
	}
	m.own = p.buf
	return m
}

// resumed implements resumer.
func (s *marking) resumed(m *resumeState) error {
	if m == nil {
		return ErrSnapshot
	}
	u := unpacker{buf: m.own}
	get := func() []trace.TID { return getList(&u, func() trace.TID { return u.thread() }) }
	s.states = atLeast(s.states, len(s.path.nodes))
	for i := range s.path.nodes {
		s.states[i] = persistentSet{members: get(), marked: get(),
			demands: getList(&u, func() demand { return demand{by: u.thread(), among: get()} })}
	}
	if u.bad || len(u.buf) > 0 {
		return ErrSnapshot
	}
	return s.source.resumed(m)
}
