package por

// dpor is dynamic partial-order reduction as in Flanagan and Godefroid (POPL 2005), Figure 5:
// with clock vectors and without stack traversals, for each object knows its last accesses. Reads
// and writes are distinguished, as the end of their §4.2 proposes without giving the algorithm.
// Options choose Figures 3 and 4 in its place (figure3.go, figure4.go), and whether there are
// sleep sets.
//
// Soundness, without sleep sets: their Theorem 1, as in eager.go; with them,
// that of source-DPOR (source.go).
//
// Deviations:
//   - An object has any number of last accesses, a transition any number of objects
//     (relation/order.go). Figure 5 looks at next(s, p) of every p in every state
//     s. Here it is looked at when p takes the step, with all that the step did: at
//     coarse granularity that isn't known before. Steps that weren't taken are
//     looked at at the end of the execution. Between the two p doesn't move. The
//     proof needs lines 3-9 in s for p only if p is taken from s, or no thread is
//     (appendix, cases 2 and 3).
//   - "May be co-enabled" is decided exactly where the operation allows
//     (relation/reversible.go), so that acquires race with acquires as in §4.2.
//   - All last dependent transitions that aren't ordered among each other get a
//     backtrack point, not only the greatest.
//   - Sleep sets "can be added exactly as in [10]", says §3. That loses executions
//     (TestFinding1). A point is a thread p ready before e, which needn't be a
//     first step of the reversed sequence. The paper counts on the exploration of p
//     there to find the rest. But p may be asleep there, or what it leads to cut by
//     what sleeps. Then it is explored from an earlier state, to which its races
//     add their points, and not to this one. So a first step of the reversed
//     sequence is added too, unless there is one. Then the backtrack set is a
//     source set (source.go), as soundness with sleep sets requires.
//   - The process's end, operations blocked for ever, outcomes: see optimal.go.
type dpor struct {
	source
	sleep bool
}

func newDPOR(h handle) strategy {
	inner := newWithin(h)
	if h.spec.Param("dynamic") == 1 {
		inner = newDynamic(h)
	}
	if h.spec.Param("static") > 0 {
		return newStatic(h, inner)
	}
	return inner
}

// newDynamic makes dynamic persistent sets.
func newDynamic(h handle) strategy {
	switch h.spec.Param("figure") {
	case 3:
		if h.spec.Param("mark") == 1 {
			return newMarking(h)
		}
		return newFigure3(h)
	case 4:
		return newFigure4(h)
	}
	s := &dpor{sourceOf(h), h.spec.Param("sleep") == 1}
	return s
}

func (s *dpor) needs() *needs { return &needs{order: true, sleep: s.sleep} }

func (s *dpor) ran(i int32)  { s.reverse(i, s.backtrack) }
func (s *dpor) end(e Ending) { s.finish(e, s.backtrack) }
func (s *dpor) expire()      { s.next.expiring(s.pending(s.backtrack)) }

// backtrack is lines 5-7: before the earlier event the thread of the later step
// has to be tried, or every thread if it couldn't run there.
func (s *dpor) backtrack() (open bool) {
	s.sets.addElseAll(&s.path.nodes[s.seq.From], s.seq.Last.Thread)
	return s.sleep && s.opts.fault != paperSleep && s.insert()
}
