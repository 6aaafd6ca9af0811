package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// optimal is optimal-DPOR (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014,
// Algorithm 2, as corrected and extended in JACM 2017): source sets with wakeup
// trees. Under Options.OneEvent it runs exactly one execution of each
// Mazurkiewicz trace of a program without spins, but those that are awaits
// (Awaiter). It runs none in vain unless a try or a compare-and-exchange can fail in it.
// Only for a spin that
// reads several variables may a trace be run twice: what such a thread waits for
// is known only if it was seen waiting.
//
// At the end of an execution E it looks at each reversible race of an event e
// with a later e'. Let E' be the state before e, and v what comes after e in E
// without happening after it, then e'. Unless something asleep at E' is a weak
// initial of v, v is inserted into the wakeup tree of E'. See
// relation/sequence.go for v and wakeup.go for the tree.
//
// Blocking, as in JACM 2017: an acquire races with the acquire whose release let
// it in. Each operation that is blocked at the end of E races as if it came last
// (relation/order.go, relation/reversible.go). The end of the process races with
// the last event of every thread and with the next step of each that was still
// ready.
//
// Deviations:
//   - Algorithm 2 looks at every race of E each time. Here a race is settled once
//     unless the answer rested on events after e'. That is a weak initial, here or
//     further up in the tree, that v's essential part (e' and what happens before
//     it) doesn't contain. Only then may another continuation of the same prefix
//     give another answer, and the race stays open while e' is on the stack.
//   - v's non-essential events are added only as far as they are needed to tell v
//     from what is asleep or already in the tree. The rest commutes with v.
//   - What e' does in its new place isn't known before it is run. A failing try or
//     compare-and-exchange is taken for one that may succeed. At coarse granularity
//     e' is taken to depend on everything. It depends on what sleeps, so that v may
//     be inserted although it turns out redundant (counted as blocked when it
//     does). And it depends on the rest of v, which then comes before e'. What then
//     still sleeps at a leaf excuses less (wakeup.go).
//   - A poll isn't run where the System can tell it (Awaiter). Such an await is an
//     operation that blocks (relation/await.go).
//   - An end of the process that only cuts the others off comes last where the System
//     says so (trace.Thread.Late). It races with nothing: earlier it isn't possible.
//   - A step with several outcomes (which waiter a signal lets go) is that many events,
//     and each execution has one of them. The other outcomes become branches when it is
//     first run and not on the way to a reversed step (ran). That some of them aren't
//     possible after others' (--faults) makes no difference: what a step does with its
//     first outcome is possible after all that is independent of it.
//   - Where the reversed step turns out impossible (a spin that ended for another
//     reason), all ready threads become branches of that state: sound, not
//     optimal.
type optimal struct {
	source
	excuses []relation.Excuse // of the open races, in their order; those behind are old ones
}

// optimalWarmUp: split, the search may run something in vain (treedivision.go), which
// alone it never does. So what takes no longer than a second isn't split.
const optimalWarmUp = 500_000

func newOptimal(h handle) strategy {
	return &optimal{source: sourceOf(h)}
}

// seed adds the branches that the wakeup tree wants, else one arbitrary.
func (s *optimal) seed(n *node, kids *branch) error {
	if n.todo = kids; kids == nil {
		n.strays = n.slept - n.sleeps
		s.sets.addDefault(n)
	}
	return nil
}

// ran adds a step's other outcomes, but not on the way to a reversed one: c, which was
// reversed, sleeps there. What they lead to that doesn't begin with c has a race with it
// that was found below c, where they were run too. Divided, c may be explored later.
func (s *optimal) ran(i int32) {
	switch o := s.path.observers; {
	case !s.path.nodes[i].leads || s.path.divided || s.opts.fault == everyOutcome:
		s.sets.addOutcomes(i, nil)
	case o != nil && s.opts.fault != reversedOutcome:
		s.sets.addOutcomes(i, func(way trace.Choice) bool { return o.excluded(i, way, s.path) })
	}
}
func (s *optimal) expire() { s.next.expiring(s.pending(s.insert)) }

// reads reports whether loads have an order only with what they find.
func (s *optimal) reads() bool { return s.path.observers != nil && s.path.observers.reads }

// remember implements resumer.
func (s *optimal) remember() *resumeState {
	settled := s.path.order.Settled
	s.forget(int32(settled))
	m := &resumeState{open: slices.Clone(s.open), settled: settled}
	if o := s.path.observers; o != nil {
		m.own = o.pack()
	}
	return m
}

// resumed implements resumer: what another unit has settled is looked at again.
func (s *optimal) resumed(m *resumeState) error {
	clear(s.excuses)
	if m != nil {
		s.open, s.path.order.Settled = append(s.open[:0], m.open...), m.settled
	}
	return nil
}

func (s *optimal) end(e Ending) {
	o := s.path.order
	settled := o.Settled
	o.Settled = len(o.Races)
	s.forget(int32(settled))
	s.retry()
	for r := int32(settled); int(r) < len(o.Races); r++ {
		if s.again(r, s.insert) {
			s.leaveOpen(len(s.open), r)
		}
	}
	o.Looked = int32(o.Len())
	s.atEnd(e, s.insert)
}

// retry inserts the sequences of the open races again, but for those whose excuse stands.
func (s *optimal) retry() {
	o := s.path.order
	n := 0
	s.roomForExcuses(len(s.open))
	for k, r := range s.open {
		if s.excuses[k].Stands(o, o.Races[r], o.Looked) {
			s.stats.Weighed += uint64(int32(o.Len()) - o.Looked)
			s.excuses[n], s.excuses[k] = s.excuses[k], s.excuses[n]
			s.open = append(s.open[:n], r)
			n++
		} else if s.again(r, s.insert) {
			s.leaveOpen(n, r)
			n++
		}
	}
	s.open = s.open[:n]
}

// leaveOpen makes r the n-th open race, with the excuse of the latest insertion.
func (s *optimal) leaveOpen(n int, r int32) {
	s.roomForExcuses(n + 1)
	s.open = append(s.open[:n], r)
	s.seq.Excuse(&s.excuses[n])
}

func (s *optimal) roomForExcuses(n int) {
	if n > len(s.excuses) {
		s.excuses = slices.Grow(s.excuses, n-len(s.excuses))[:n]
	}
}

// insert puts the sequence, which reverses a race, into the wakeup tree of the
// state before the race. It does so once for each outcome that its last step e' has
// if it comes first there. It reports whether the answer may change while e' is on
// the stack.
func (s *optimal) insert() (open bool) {
	n, e := &s.path.nodes[s.seq.From], s.seq.Last
	s.sets.own(n)
	o := s.path.observers
	if s.reads() {
		if s.seq.Joint == nil {
			s.seq.Joint = o.joint(s.seq)
		}
		if s.seq.Found() {
			return o.reverse(s)
		}
	} else if o != nil {
		if list, more, reads := o.outcomes(s.seq); reads {
			for _, e.Choice = range list {
				s.seq.Start()
				more = s.sets.insert(n, s.seq) || more
			}
			return more
		}
	}
	if !s.seq.First {
		s.seq.Start()
		return s.sets.insert(n, s.seq)
	}
	for k, of := trace.Choice(0), s.path.choice(n, e.Thread); k < of.count(); k++ {
		e.Choice = of.way(k)
		s.seq.Start()
		open = s.sets.insert(n, s.seq) || open
	}
	return open
}
