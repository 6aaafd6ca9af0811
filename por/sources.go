package por

import (
	"errors"
	"slices"

	"landgo/internal/trace"
	"landgo/por/readsfrom"
	"landgo/por/relation"
)

// Search readsfrom: of the accesses to a cell (observers.go) no order counts but that of a load
// and the store that it finds. That is the equivalence of Abdulla, Atig, Jonsson, Lång, Ngo and
// Sagonas ("Optimal stateless model checking for reads-from equivalence under sequential
// consistency", OOPSLA 2019).
//
// A load has an outcome for each store of the path that it can find, and for the first value.
// It can find a store if the path's steps, with it, have an order in which each load finds
// its store (package readsfrom). In such an order sys takes the steps. A store is named by
// its thread and its number in the thread; so are the outcomes of loads.
//
// A *configuration* is a set of such steps with all that happens before them (the thread's
// earlier steps, the store that is found, dependent operations) that has such an order. A
// class of executions is a configuration that can't be larger. That optimal-DPOR, over this
// system, reaches each class: say the walk has left state E, and C is a class with E that
// was run nowhere. Take an explored or sleeping step b of E and a largest part K of C
// behind E. K is closed under what happens before, so E, b and K together are a
// configuration. Take an execution with them, which there is by induction. Let e be a first
// step of C behind E and K.
//   - e is of b's thread, or depends on b: this is a race (for a load b and a store of K, the
//     one of relation/sources.go). Its sequence v has K and e. What begins v in E, or covers
//     it, could be taken for b with a larger K.
//   - else e doesn't go with b and K, though without b it does. Both are loads then: a store
//     can always come last, an operation that is possible too. Without b its thread t could
//     load elsewhere: behind t's last step of E in an order of E, K and e. It finds a store
//     of E there, which is an outcome of t in E that goes with K and e. Or it finds one of
//     K, and is a race of b. Its sequence has K and that load, and what covers it in E is
//     another b, of another thread, with the same K. There are as many of these as threads.
//
// This needs more of a weak initial b of v than that nothing of v depends on it: there has
// to be a configuration with b and v (joint). And where a load doesn't go, in its new place,
// with all of v's rest, every step is explored in E instead, which misses no class.
//
// Deviation: the paper keeps for each load the sequences to be run before it, and marks the
// loads that may be swapped again. Wakeup trees and sleep sets do both here.
//
// Read-modify-writes, and all accesses to bytes that one of them accesses, keep their order.

// threadBits are the bits of a store's name that have its thread, stepLimit is how many steps a
// thread has at the most.
const (
	threadBits = 12
	stepLimit  = 1 << 19
)

var errNames = errors.New("search readsfrom has no names for so many steps of one thread, or so many threads: use search optimal")

// loads reports whether an access is a load and nothing else.
func loads(a *trace.Access) bool { return a.Flags&(trace.Write|trace.RMW|trace.FailedCAS) == 0 }

// next names the next step of thread t, a store.
func (o *observers) next(t trace.TID) trace.Choice {
	n := o.order.Steps(t)
	if n >= stepLimit || t >= 1<<threadBits {
		o.err = errNames
	}
	return trace.Choice(1 + n<<threadBits + int(t))
}

// initial is the outcome of a load that finds what was there first.
const initial trace.Choice = 0

// sources are the outcomes that a load of c by thread t may have in the present state, what
// the present order of steps would have first.
func (o *observers) sources(t trace.TID, c *storeCell) []trace.Choice {
	if c == nil || len(c.all) == 0 {
		return []trace.Choice{initial}
	}
	o.number()
	base := o.base(t)
	var list []trace.Choice
	last := int32(-1)
	for k := -1; k < len(c.all); k++ {
		i := int32(readsfrom.Initial)
		if k >= 0 {
			i = c.all[k]
		}
		hidden := slices.ContainsFunc(c.all, func(w int32) bool {
			return w != i && base[o.order.Thread(w)] > w && (i < 0 || i < w && o.order.Before(i, w))
		})
		if o.fault != freeReads && (hidden || o.slot(c, i, base) < 0 && !o.poseLoad(t, c, i, base)) {
			continue
		}
		if list = append(list, o.nameOf(i)); i >= 0 && (last < 0 || o.at[i] > o.at[last]) {
			list[0], list[len(list)-1], last = list[len(list)-1], list[0], i
		}
	}
	return list
}

// nameOf is the outcome of a load that finds what step i stored.
func (o *observers) nameOf(i int32) trace.Choice {
	if i < 0 {
		return initial
	}
	return o.steps[i].Choice
}

// number notes where in the present order each of the path's steps is.
func (o *observers) number() {
	o.at = slices.Grow(o.at[:0], len(o.steps))[:len(o.steps)]
	for k, i := range o.real.order {
		o.at[i] = int32(k)
	}
}

// base is the clock of what happens before the next step of thread t.
func (o *observers) base(t trace.TID) []int32 {
	o.order.Widen(int(t) + 1)
	o.clock = slices.Grow(o.clock[:0], o.order.Width())[:o.order.Width()]
	o.order.Base(o.clock, t)
	return o.clock
}

// slot is where in the present order a load that comes after base finds what step i stored, -1
// if nowhere.
func (o *observers) slot(c *storeCell, i int32, base []int32) int {
	from, first, next := -1, -1, len(o.real.order)
	if i >= 0 {
		from = int(o.at[i])
	}
	for _, n := range base {
		if n > 0 {
			first = max(first, int(o.at[n-1]))
		}
	}
	for _, w := range c.all {
		if k := int(o.at[w]); k > from {
			next = min(next, k)
		}
	}
	if next <= first {
		return -1
	}
	return next
}

// load has thread t take its next step, a load that is to find the store that c names.
func (o *observers) load(s *taken, t trace.TID, cell *storeCell, c trace.Choice) (*trace.Transition, error) {
	n, i := int32(len(o.steps)), int32(readsfrom.Initial)
	order, at := o.real.order, len(o.real.order)
	if cell != nil {
		if c != initial {
			k := slices.IndexFunc(cell.all, func(i int32) bool { return o.steps[i].Choice == c })
			if k < 0 {
				return nil, errUnrepeated
			}
			i = cell.all[k]
		}
		o.number()
		base := o.base(t)
		if at = o.slot(cell, i, base); at < 0 {
			if !o.poseLoad(t, cell, i, base) {
				return nil, errUnrepeated
			}
			order = o.linear(base)
		}
	}
	if at >= 0 {
		order = slices.Insert(slices.Clone(order), at, n)
	}
	s.Thread, s.inner, s.fresh = t, 0, true
	o.steps = append(o.steps, s)
	o.redo(order)
	o.steps = o.steps[:n]
	if o.err != nil {
		return nil, o.err
	}
	if s.Choice = c; o.enter(s) || o.lost {
		o.lost = true
		return &s.Transition, ErrFiner
	}
	return &s.Transition, nil
}

// reverse puts into the wakeup tree of a state what reverses a race of a load with a store
// that it could have found.
func (o *observers) reverse(s *optimal) (open bool) {
	v := s.seq
	if !o.poseFound(v, v.Has) && o.fault != narrowRest {
		if o.poseFound(v, func(i int32) bool { return i < v.From || v.Essential(i) }) {
			s.sets.addAll(&s.path.nodes[v.From])
		}
		return false
	}
	v.Start()
	return s.sets.insert(&s.path.nodes[v.From], v)
}

// joint is Sequence.Joint of v. A step may need fewer events before it that aren't in the
// path than are asked for here. Then v is explored though it is covered.
func (o *observers) joint(v *relation.Sequence) func(b *relation.Step, aside []*relation.Step) bool {
	return func(b *relation.Step, aside []*relation.Step) bool {
		if !b.Loads() || o.fault == looseInitials {
			return true
		}
		return o.poseBeside(v, append(slices.Clip(aside), b))
	}
}
