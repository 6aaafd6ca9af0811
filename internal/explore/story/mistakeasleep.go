package story

import (
	"fmt"
	"strings"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// latestStores is how many of a waiting thread's last stores are looked at: what says that it
// sleeps is among them.
const latestStores = 60

// lookedTooEarly: a kernel's thread waits for ever to be woken. Between its test and the store
// that says that it sleeps, another thread changed what was tested, and looked whether the thread
// sleeps (at its state, or at a list). It didn't.
func (st *Story) lookedTooEarly(b *result.Bug) string {
	if !st.Platform.Ticks {
		return ""
	}
	for i := range b.Waits {
		w := &b.Waits[i]
		waiter, ok := st.Guest.Lookup(w.Thread)
		if !ok {
			continue
		}
		left := latestStores
		for asleep, a := range st.backward(waiter, at{beat: len(st.beats)}) {
			if !a.IsWrite() {
				continue
			}
			if left--; left < 0 {
				break
			}
			if text := st.sleepsFrom(b, w, waiter, asleep); text != "" {
				return text
			}
		}
	}
	return ""
}

// sleepsFrom is that of one store that may say that the thread sleeps.
func (st *Story) sleepsFrom(b *result.Bug, w *result.Wait, waiter trace.TID, asleep at) string {
	look, waker := st.lastLook(waiter, asleep)
	if look.beat < 0 || st.rawAt(look) == st.rawAt(asleep) {
		return ""
	}
	for change, c := range st.backward(waker, asleep) {
		if !c.IsWrite() || c.Flags&trace.Atomic != 0 {
			continue
		}
		test := st.lastOf(waiter, change, c)
		if test.beat < 0 || !test.before(look) || st.accessAt(test).IsWrite() || st.rawAt(test) == st.rawAt(change) ||
			st.lastOf(waiter, at{beat: len(st.beats)}, c) != test || st.writes(waiter, c, at{}) || st.writes(waker, st.accessAt(asleep), test) {
			continue
		}
		m, r, l, s := st.shown(change.beat, change.access), st.shown(test.beat, test.access), st.shown(look.beat, look.access), st.shown(asleep.beat, asleep.access)
		if where(m.Stack) == "" || where(r.Stack) == "" || where(l.Stack) == "" || where(s.Stack) == "" || strings.HasPrefix(l.Name(), "0x") || len(w.Stack) > 0 && s.Stack[0].Function == w.Stack[0].Function {
			return "" // the last is what a switch saves
		}
		b.Cause = st.cause(waiter, test, change, at{}, true, false)
		b.Accesses, st.collided, st.hit = []result.Access{r, m, l, s}, []at{test, change, look, asleep}, nil
		return fmt.Sprintf("Thread %s changes %s (%s), after thread %s has tested it (%s), and looks at %s (%s) before thread %s sets that (%s): the wake-up is lost. From the test until the thread counts as asleep, hold a lock that each waker takes, or have interrupts off.",
			m.Thread, m.Name(), where(m.Stack), w.Thread, where(r.Stack), l.Name(), where(l.Stack), w.Thread, where(s.Stack))
	}
	return ""
}

// lastLook is another thread's last read, before a store, of what is stored, and that thread.
// Its beat is -1 if there was a store since.
func (st *Story) lastLook(waiter trace.TID, store at) (look at, by trace.TID) {
	a := st.accessAt(store)
	for i := store.beat; i >= 0; i-- {
		beat := &st.beats[i]
		for k := len(beat.accesses) - 1; k >= 0; k-- {
			o, x := &beat.accesses[k], at{i, k}
			t := beat.madeBy(k)
			if !x.before(store) || !o.Overlaps(a) || t == waiter && !o.IsWrite() {
				continue
			}
			if o.IsWrite() {
				return at{-1, 0}, trace.NoThread
			}
			return x, t
		}
	}
	return at{-1, 0}, trace.NoThread
}

// writes reports whether a thread writes some of an access's bytes, from a point on.
func (st *Story) writes(t trace.TID, a *trace.Access, from at) bool {
	for _, o := range st.forward(t, from) {
		if o.IsWrite() && o.Overlaps(a) {
			return true
		}
	}
	return false
}
