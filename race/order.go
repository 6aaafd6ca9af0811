package race

import (
	"slices"

	"landgo/internal/trace"
)

// order is happens-before as an execution goes on: a clock for each thread and for each
// object that threads synchronise by. It goes back with the execution.
type order struct {
	vecs  []uint32 // vector clocks of width entries, end to end, or their leaves; number 0 is all zeros
	width int
	span  int     // how many leaves a clock has; 0: clocks are rows of vecs
	ids   []int32 // their numbers, by clock, and behind them what shownBy says
	under []int32 // scratch: the leaves of a clock that is made
	// publishes: others see a thread's clock only right before it ticks.
	publishes bool

	// Slots hold all changing values, so that one log of old values undoes them.
	slots   []int32
	log     []undo
	threads []threadSlots
	objects map[objectKey]int32      // its slot: the number of a clock
	tested  map[uint64][]trace.Blend // by word (wordOf): the tested additions that were met
	masks   map[uint64][]uint8       // by granule: its words, which locked instructions access
	// recentObjects has some of objects. An object keeps its slot for good.
	recentObjects [64]recentObject
	marks         []mark
}

type undo struct{ slot, old int32 }

// mark is a state: how much there was of what only grows. visits and steps are the
// owner's.
type mark struct {
	log, vecs, ids, visits int
	steps                  int32
}

// threadSlots are the slots of a thread.
type threadSlots struct {
	clock int32 // the number of its vector clock, in which its own time may be an earlier one
	time  int32 // its own time, 0 if it hasn't begun
	locks int32 // its lockset; of Triangular, the lock that guards what it does
	round int32 // the barrier round in which it arrived, see sync.go
	store int32 // its last store that may be in its buffer, see triangular.go
	// joined is not 0 once another thread has joined it, see triangularguard.go.
	joined int32
	polled int32 // its clock behind a try that has failed, plus 1; 0: none has (Detector.Poll)
}

func newOrder(publishes bool) order {
	o := order{width: 4, publishes: publishes, objects: map[objectKey]int32{}, tested: map[uint64][]trace.Blend{}, masks: map[uint64][]uint8{}}
	o.vecs = make([]uint32, o.width)
	o.slots = make([]int32, 1) // slot 0 is free
	return o
}

// mark remembers the present state.
func (d *order) mark(visits int, steps int32) int {
	if len(d.marks) == cap(d.marks) {
		d.marks = roomy(d.marks, 1)
	}
	d.marks = append(d.marks, mark{len(d.log), len(d.vecs), len(d.ids), visits, steps})
	return len(d.marks) - 1
}

// rewind comes back to a mark.
func (d *order) rewind(k int) mark {
	m := d.marks[k]
	for i := len(d.log) - 1; i >= m.log; i-- {
		d.slots[d.log[i].slot] = d.log[i].old
	}
	d.log, d.vecs, d.ids, d.marks = d.log[:m.log], d.vecs[:m.vecs], d.ids[:m.ids], d.marks[:k+1]
	return m
}

// roomy is a list with room for n more. A long execution has a hundred thousand clocks, and a site
// thousands of rivals: each time there is no room, it has twice as much afterwards.
func roomy[T any](list []T, n int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	return append(make([]T, 0, 2*len(list)+n), list...)
}

func (d *order) set(slot, v int32) {
	if old := d.slots[slot]; old != v {
		d.log = append(roomy(d.log, 1), undo{slot, old})
		d.slots[slot] = v
	}
}

func (d *order) newSlots(n int) int32 {
	s := int32(len(d.slots))
	d.slots = append(d.slots, make([]int32, n)...)
	return s
}

// ensureAll makes room for the threads of a transition.
func (d *order) ensureAll(t *trace.Transition) {
	d.ensure(t.Thread)
	for _, w := range t.Wakes {
		d.ensure(w)
	}
	for i := range t.Tails {
		d.ensure(t.Tails[i].Thread)
	}
}

// woken puts the threads that a transition woke after it. They come after woke, the clock of the
// operation that woke them, or after the whole transition if woke is less than 0. If a
// step has several operations, the last counts as the one.
func (d *order) woken(t *trace.Transition, woke int32) {
	for _, w := range t.Wakes {
		if slices.ContainsFunc(t.Ops, func(o trace.Op) bool { return o.Kind == trace.OpCreate && o.Obj == uint64(w) }) {
			continue // its creation ordered it
		}
		if woke < 0 {
			woke = d.clockOf(t.Thread)
			d.tick(t.Thread)
		}
		d.joinClock(w, woke)
	}
}
