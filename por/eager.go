package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// eager is the common part of Figures 3 and 4 of Flanagan and Godefroid (POPL 2005). In
// each state s they look at the next transition of every process p, enabled or
// not (line 3). Line 4 finds the last transition i of the stack S that is
// dependent and may be co-enabled with it, and doesn't happen before p. It gets
// a backtrack point (lines 5-7). They differ in how lines 4-7 are carried out:
// figure3.go and figure4.go.
//
// Soundness: their Theorem 1. The threads explored from a state, when it is left, are a
// persistent set there. A search of persistent sets meets every deadlock and every local state of
// an acyclic space, and without sleep sets every trace. The theorem has three conditions: the
// dependences of next(s, p) are known in s, dependence holds in all states, and only a process
// itself changes its next transition.
//
// Deviations:
//   - Of a transition only its beginning is known before it is run (a step of
//     several events, a try that may fail). Lines 4-7 are gone through again when
//     it has run, with all that it did. That is still sound: the proof uses what
//     lines 3-9 do in s for p only if p is taken from s or no process is (appendix,
//     case 2). Otherwise it comes from the calls below (case 3). But what a step of
//     several events goes on to may depend on what others did before it, and with
//     it the step's dependence. Then line 4's last transition isn't enough. Where
//     the two are reversed the step may no longer depend on an earlier one that it
//     has to come before as well (finding 18). There the backtrack sets are also
//     made source sets, as with sleep sets below.
//   - The process's end ends every process. It depends on everything. The next
//     transitions of those it cuts off get the point that line 4 would give them
//     in the state after it. A wake-up or a creation is an order that isn't a
//     race, see relation/order.go.
//   - From one state to the next line 4 can give something new only for S's last
//     transition and for the processes that it moved or let go on. The rest isn't
//     looked at again.
//   - Each outcome of a transition with several is one of its own.
//   - Sleep sets, an option: §3 says that they can be added exactly as in [10],
//     which loses executions here (dpor.go, TestFinding1). So the races of
//     source.go make the backtrack sets source sets too. Any superset of a source
//     set is one, so soundness is then that of source-DPOR.
type eager struct {
	source
	// lines carries out lines 4-7 for next(s, p) = e in the state before event
	// end; first is the operation that e begins with.
	lines func(e *relation.Event, first trace.Op, end int32)
	// cut adds e, which the end of the process kept from being taken, before event c.
	cut   func(c int32, e *relation.Step)
	sleep bool
}

func newEager(h handle, sleep bool) eager {
	s := eager{source: sourceOf(h), sleep: sleep}
	s.cut = func(c int32, e *relation.Step) { s.sets.addElseAll(&s.path.nodes[c], e.Thread) }
	return s
}

func (s *eager) needs() *needs { return &needs{order: true, sleep: s.sleep} }

// racing reports whether backtrack sets are made source sets too.
func (s *eager) racing() bool {
	return (s.sleep || !s.opts.OneEvent) && s.opts.fault != paperSleep
}

// seed is lines 2-11 for the state of n.
func (s *eager) seed(n *node, _ *branch) error {
	s.processes()
	s.sets.addDefault(n)
	return nil
}

// processes is lines 3-9 for the current state.
func (s *eager) processes() {
	end := int32(s.path.depth())
	if end == 0 {
		return
	}
	top := s.path.nodes[end-1].cur
	for k := range s.path.threads {
		t := &s.path.threads[k]
		if t.Status == trace.Exited || t.Status != trace.Ready && s.opts.fault == noPending {
			continue
		}
		e := s.next.beginning(t)
		// For a thread that didn't move only the top is new: see above.
		if t.ID == top.Thread || s.wokenBy(t.ID, end-1) || e.Dependent(&top.Event) && s.path.order.MayBeCoenabled(end-1, t.Pending) {
			s.lines(e, t.Pending, end)
		}
	}
}

// wokenBy reports whether event i let thread t go on.
func (s *eager) wokenBy(t trace.TID, i int32) bool {
	for w := range s.path.order.Wakers(t) {
		return w == i
	}
	return false
}

// ran goes through lines 4-7 again for a step that was more than its beginning.
func (s *eager) ran(i int32) {
	e := s.path.event(i)
	if !s.opts.OneEvent || e.Loose || len(e.Accesses)+len(e.Ops) != 1 {
		if !e.Global || s.opts.fault != noProcessEnd {
			b := s.sets.pool.copy(e, 0)
			b.blur(true)
			s.lines(&b.Event, s.path.order.First(i), i)
			s.sets.pool.put(b)
		}
	}
	if s.racing() {
		s.reverse(i, s.insert)
	} else {
		s.sets.addOutcomes(i, nil)
	}
}

func (s *eager) end(e Ending) {
	if e == EndedStuck {
		s.processes()
	}
	s.next.cutOff(e, s.cut)
	if s.racing() {
		s.finish(e, s.insert)
	}
}

// expire: lines 3-9 have seen what the wait is for when its state was reached.
func (s *eager) expire() {
	if s.racing() {
		s.source.expire()
	}
}
