package por

import (
	"landgo/internal/trace"
)

// lazyBPOR is Lazy-BPOR (Nidhugg thesis, Sachinoglou 2018, Algorithms 10 and 11):
// source-DPOR that bounds traces, not executions. A trace is within the bound if
// some linearisation of it is: min{Bv([E])} <= b.
//
// Algorithm 11 refuses a step as soon as the least of the execution so far exceeds the bound.
// That isn't sound, for two reasons (TestLazyPrinted has a program for it). The least isn't
// monotone, because a thread that was left may turn out to have had only its end to go on to. And
// the races of what is refused are never seen, though some lead to traces within the bound. So
// here, by the option cut:
//   - 1, what is sound. A step is refused when every trace that goes on from it is
//     beyond the bound: unavoidable counts the preemptions that all of them have. That
//     is a property of the trace so far, and it only grows. So of a trace within the
//     bound each linearisation can be run, and sleep sets take no heed of the bound.
//     Where something was refused below a state every thread is tried there, for its
//     races weren't seen, unless a step that was tried can come first in any case
//     (habits).
//   - 2, as printed: a step is refused when the least of the prefix exceeds the bound,
//     and nothing is added for it. A run without a bug proves nothing.
//   - 0: nothing is refused on the way.
//
// An execution that ends with a trace beyond the bound is dropped: its least number of
// preemptions is found by a search over the trace's prefixes (leastPreemptions).
//
// Deviation: Options.Iterate changes nothing. Traces come in the order of source-DPOR,
// and an execution shown may have more preemptions than its trace needs.
type lazyBPOR struct {
	source
	bound       int32
	cut         uint64
	least       leastPreemptions
	unavoidable unavoidable
	habits      habits
	refused     []bool // per state: a branch from there or below it was refused
	restart     func()
}

// The values of the option cut.
const (
	cutNever   = 0
	cutSound   = 1
	cutPrinted = 2
)

func newLazyBPOR(h handle) strategy {
	s := &lazyBPOR{source: sourceOf(h), bound: h.meter.limits[0], cut: h.spec.Param(lazyCut.Name), restart: h.restart}
	s.least = leastPreemptions{path: h.path, prefixes: int(h.spec.Param("prefixes")), blocks: h.spec.Param("blocks") == 1, gaveUp: map[int32]trace.Op{}}
	s.unavoidable = unavoidable{path: h.path}
	s.habits = habits{path: h.path, on: h.opts.OneEvent && h.opts.Unmerged}
	return s
}

func (s *lazyBPOR) needs() *needs {
	n := &needs{order: true, sleep: true, freely: true, beyond: s.beyond}
	if s.cut == cutSound {
		n.late, n.allow, n.refill = true, s.allow, s.refill
	}
	return n
}

// reset keeps the habits: what was learned of them began the search again.
func (s *lazyBPOR) reset() {
	s.source.reset()
	s.unavoidable.reset()
	s.habits.relied = nil
	s.refused = append(s.refused[:0], false)
}

func (s *lazyBPOR) beyond() bool { return !s.least.within(s.bound) }

func (s *lazyBPOR) ran(i int32) {
	s.enter(i)
	if s.cut == cutSound && !s.habits.learn(i) {
		s.restart()
	}
	s.source.ran(i)
}

// enter notes event i, and the state after it.
func (s *lazyBPOR) enter(i int32) {
	s.unavoidable.enter(i)
	s.habits.enter(i)
	s.refused = append(s.refused[:i+1], false)
}

// seed is source's, unless everything from here on is beyond the bound, or would be
// run in vain.
func (s *lazyBPOR) seed(n *node, kids *branch) error {
	switch {
	case s.cut == cutSound && s.unavoidable.from(nil) > s.bound:
		s.refuse(n)
		return nil
	case s.cut == cutPrinted && n.depth > 0 && !s.least.within(s.bound):
		s.refuse(n)
		return nil
	case s.cut == cutSound && n.depth > 0 && s.inVain(n):
		return nil
	}
	return s.source.seed(n, kids)
}

// refuse notes that the bound cuts something off at n.
func (s *lazyBPOR) refuse(n *node) {
	s.stats.Pruned++
	s.refused[n.depth] = true
	n.ending = EndedPruned
}

// end learns what the threads would do next, which may never be run. The assumptions have to hold
// for that too.
func (s *lazyBPOR) end(e Ending) {
	if s.cut == cutSound && !s.habits.learnPending(s.next) {
		s.restart()
		return
	}
	s.source.end(e)
}

// inVain reports whether a step that fell asleep just now, on the way to n, will never be
// woken. Then all that goes on from n was explored from the state before. (A step that
// has slept for longer says nothing: what races with the path since then isn't known.)
func (s *lazyBPOR) inVain(n *node) bool {
	p := &s.path.nodes[n.depth-1]
	for b := p.done; b != nil; b = b.next {
		if !b.Dependent(&p.cur.Event) && s.first(b) {
			return true
		}
	}
	return false
}

// asleepForGood reports whether a step sleeps in n that nothing can wake: then all
// traces from there are explored elsewhere.
func (s *lazyBPOR) asleepForGood(n *node) bool {
	for _, b := range s.path.sleepers(n) {
		if s.first(b) {
			return true
		}
	}
	return false
}

// first reports whether every trace from the newest state can begin with step b, and be
// within the bound then.
//
// That b is private is not enough: where the process may end before b, b must not make
// leaving its thread dearer. So it has to be left at a price where it stands.
func (s *lazyBPOR) first(b *branch) bool {
	last := s.path.order.Last(b.Thread)
	if last < 0 {
		return false
	}
	var op trace.Op
	if len(b.Ops) > 0 {
		op = b.Ops[0]
	}
	return s.unavoidable.costly(s.unavoidable.at[last].start, last, -1, &op) && s.habits.private(b)
}

// allow refuses a branch if all that begins with it is beyond the bound.
func (s *lazyBPOR) allow(n *node, b *branch) bool {
	if s.path.at != int(n.depth) {
		s.comeTo(n) // the path has the threads of another state
	}
	if s.unavoidable.from(b) <= s.bound {
		return true
	}
	s.refuse(n)
	return false
}

// refill is asked when nothing is left to explore from n: it adds every thread if
// something was refused there or below. It needn't if a step was explored with which
// every trace from n can begin.
func (s *lazyBPOR) refill(n *node) (more bool, err error) {
	if !s.refused[n.depth] {
		return false, nil
	}
	if !n.ended && !s.beginsAll(n) && s.opts.fault != noConservative {
		s.sets.addAll(n)
	}
	if n.depth > 0 && n.todo == nil {
		s.refused[n.depth-1] = true
	}
	return n.todo != nil, nil
}

// beginsAll reports whether a step that was explored from n can come first in every
// trace.
func (s *lazyBPOR) beginsAll(n *node) bool {
	for b := n.done; b != nil; b = b.next {
		if s.first(b) && s.path.outcomes(n, b.Thread) == 1 {
			return true
		}
	}
	return s.asleepForGood(n)
}

// expire notes what the wait is for: leaving its thread is a preemption where that
// is free.
func (s *lazyBPOR) expire() {
	for k := range s.path.threads {
		if t := &s.path.threads[k]; t.Expiring {
			s.least.gaveUp[int32(s.path.depth())] = t.Pending
		}
	}
	s.source.expire()
}

// remember implements resumer.
func (s *lazyBPOR) remember() *resumeState {
	m, p := s.source.remember(), packer{}
	for i := range s.path.nodes {
		p.putBool(s.refused[i])
	}
	s.habits.pack(&p)
	m.own = p.buf
	return m
}

// resumed implements resumer.
func (s *lazyBPOR) resumed(m *resumeState) error {
	if m == nil {
		return ErrSnapshot
	}
	u := unpacker{buf: m.own}
	for i := range s.path.nodes {
		if i > 0 {
			s.enter(int32(i) - 1)
		}
		s.refused[i] = u.bool()
	}
	s.habits.unpack(&u)
	if u.bad || len(u.buf) > 0 {
		return ErrSnapshot
	}
	return s.source.resumed(m)
}
