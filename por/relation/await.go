package relation

// Awaits: a step that is possible only where its first access finds a value that lets its
// thread out of a loop. The value before the step depends on one thing, the last write of
// these bytes. For each write is of all of them, and any two depend on each other, but for additions (goesOn). So the
// step is to its writes what an acquire is to a lock. The write that let it go on is no
// race if the value before didn't let it. It hides an earlier one that may be a race.
// Jonsson, Lång and Sagonas ("Awaiting for Godot", FMCAD 2022) treat awaits so. They search
// for a set of writes to be left out; here one is enough, for what comes after it in the
// bytes goes with it.
//
// Deviation: their awaits are instructions, with a condition in the program. Here the
// System finds out which values let a thread go on (Event.Await).

// gatherAwait finds the writes that an await comes after, as far back as one without
// which it could have come. Older ones happen before that one.
func (o *Order) gatherAwait(e *Event, base []int32) {
	for _, w := range e.Await.Past {
		if t := o.ev[w.At].thread; t == e.Thread || base[t] > w.At {
			return // older writes happen before the thread's own events
		}
		if o.find(e, w.At, base); w.Goes {
			return
		}
	}
}

// goesOn reports whether an await at position end could go on without what is dropped.
// The oldest write of its bytes that is dropped takes the newer ones with it, but for additions that
// commute with it (tested.go). The numbers between these are the same in each order.
func (o *Order) goesOn(e *Event, end int32) bool {
	past := e.Await.Past
	goes := o.taken(end) // it went on with what is there, or waits
	for len(past) > 0 {
		alike, dropped := o.alike(past), 0
		for _, w := range past[:alike] {
			if o.dropped(w.At) {
				goes = past[dropped].Goes
				dropped++
			}
		}
		if dropped < alike {
			break
		}
		past = past[alike:]
	}
	return goes
}

// alike is how many of the newest writes commute with each other: one at least.
func (o *Order) alike(past []Past) int {
	n := 1
	for n < len(past) && o.ev[past[n].At].event.AddsAlike(o.ev[past[0].At].event) {
		n++
	}
	return n
}
