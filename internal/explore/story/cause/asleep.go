package cause

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
func (cs *Case) lookedTooEarly(b *result.Bug) string {
	if !cs.ticks {
		return ""
	}
	for i := range b.Waits {
		w := &b.Waits[i]
		waiter, ok := cs.guest.Lookup(w.Thread)
		if !ok {
			continue
		}
		left := latestStores
		for asleep, a := range cs.Backward(waiter, at{Beat: len(cs.Beats)}) {
			if !a.IsWrite() {
				continue
			}
			if left--; left < 0 {
				break
			}
			if text := cs.sleepsFrom(b, w, waiter, asleep); text != "" {
				return text
			}
		}
	}
	return ""
}

// sleepsFrom is that of one store that may say that the thread sleeps.
func (cs *Case) sleepsFrom(b *result.Bug, w *result.Wait, waiter trace.TID, asleep at) string {
	look, waker := cs.lastLook(waiter, asleep)
	if look.Beat < 0 || cs.RawAt(look) == cs.RawAt(asleep) {
		return ""
	}
	for change, c := range cs.Backward(waker, asleep) {
		if !c.IsWrite() || c.Flags&trace.Atomic != 0 {
			continue
		}
		test := cs.LastOf(waiter, change, c)
		if test.Beat < 0 || !test.Before(look) || cs.AccessAt(test).IsWrite() || cs.RawAt(test) == cs.RawAt(change) ||
			cs.LastOf(waiter, at{Beat: len(cs.Beats)}, c) != test || cs.writes(waiter, c, at{}) || cs.writes(waker, cs.AccessAt(asleep), test) {
			continue
		}
		m, r, l, s := cs.Shown(change), cs.Shown(test), cs.Shown(look), cs.Shown(asleep)
		if where(m.Stack) == "" || where(r.Stack) == "" || where(l.Stack) == "" || where(s.Stack) == "" || strings.HasPrefix(l.Name(), "0x") || len(w.Stack) > 0 && s.Stack[0].Function == w.Stack[0].Function {
			return "" // the last is what a switch saves
		}
		b.Cause = cs.cause(waiter, test, change, at{}, true, false)
		b.Accesses, cs.collided, cs.hit = []result.Access{r, m, l, s}, []at{test, change, look, asleep}, nil
		return fmt.Sprintf("Thread %s changes %s (%s), after thread %s has tested it (%s), and looks at %s (%s) before thread %s sets that (%s): the wake-up is lost. From the test until the thread counts as asleep, hold a lock that each waker takes, or have interrupts off.",
			m.Thread, m.Name(), where(m.Stack), w.Thread, where(r.Stack), l.Name(), where(l.Stack), w.Thread, where(s.Stack))
	}
	return ""
}

// lastLook is another thread's last read, before a store, of what is stored, and that thread.
// Its beat is -1 if there was a store since.
func (cs *Case) lastLook(waiter trace.TID, store at) (look at, by trace.TID) {
	a := cs.AccessAt(store)
	for i := store.Beat; i >= 0; i-- {
		beat := &cs.Beats[i]
		for k := len(beat.Accesses) - 1; k >= 0; k-- {
			o, x := &beat.Accesses[k], at{Beat: i, Access: k}
			t := beat.MadeBy(k)
			if !x.Before(store) || !o.Overlaps(a) || t == waiter && !o.IsWrite() {
				continue
			}
			if o.IsWrite() {
				return at{Beat: -1, Access: 0}, trace.NoThread
			}
			return x, t
		}
	}
	return at{Beat: -1, Access: 0}, trace.NoThread
}

// writes reports whether a thread writes some of an access's bytes, from a point on.
func (cs *Case) writes(t trace.TID, a *trace.Access, from at) bool {
	for _, o := range cs.Forward(t, from) {
		if o.IsWrite() && o.Overlaps(a) {
			return true
		}
	}
	return false
}
