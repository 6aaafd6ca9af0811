package cause

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Mistakes about what a thread has or leaves when it waits, or ends.

// heldAcross: a thread waits for ever for what another one does in a run that passes. It holds
// a lock meanwhile, and the other thread waits for that.
func (pr *Pair) heldAcross(b *result.Bug) string {
	for i := range b.Waits {
		w := &b.Waits[i]
		for k := range b.Waits {
			v := &b.Waits[k]
			object, _, _ := strings.Cut(w.Object, " (")
			if at, ok := pr.passedIn(w, v); ok {
				if place := pr.helpsLater(w, v); place != "" {
					sem, _, _ := strings.Cut(v.Object, " (")
					return fmt.Sprintf("Thread %s waits for %s (%s) after it has waited for %s (%s), and thread %s needs that (%s) before it %s (%s). Wait for %s first.",
						w.Thread, object, where(w.Stack), sem, at, v.Thread, where(v.Stack), helps(w.For, object), place, object)
				}
			}
			if !heldIn(w, v) {
				continue
			}
			if place := pr.helpsLater(w, v); place != "" {
				return fmt.Sprintf("Thread %s waits for %s (%s) while it holds %s (%s), and thread %s needs that (%s) before it %s (%s). Wait without %s.",
					w.Thread, object, where(w.Stack), v.Object, v.Acquired.Where(), v.Thread, where(v.Stack), helps(w.For, object), place, v.Object)
			}
		}
	}
	return ""
}

// helps says how a thread helps one that waits for an object of some kind.
func helps(kind, object string) string {
	return map[string]string{"semaphore": "posts " + object, "condition variable": "signals " + object, "barrier": "comes there"}[kind]
}

// joinsHolding: a thread waits for another one's end while it holds the lock that this one needs.
func joinsHolding(b *result.Bug) string {
	for i := range b.Waits {
		w := &b.Waits[i]
		for k := range b.Waits {
			if v := &b.Waits[k]; w.For == "thread" && w.Owner == v.Thread && heldIn(w, v) {
				return fmt.Sprintf("Thread %s waits for thread %s to end (%s) while it holds %s (%s), and thread %s needs that to go on (%s). Release %s before the join.",
					w.Thread, v.Thread, where(w.Stack), v.Object, v.Acquired.Where(), v.Thread, where(v.Stack), v.Object)
			}
		}
	}
	return ""
}

// heldIn reports whether v waits for a lock that is held in w.
func heldIn(w, v *result.Wait) bool {
	return v.Owner == w.Thread && (v.For == "mutex" || v.For == "read-write lock") && v.Acquired != nil && where(w.Stack) != "" && where(v.Stack) != ""
}

// helpsLater is where, in a run that passes, the thread of v next wakes threads that wait for the
// object of w. It does so after it has taken the lock for which it waits here. "" if there is no
// such place.
func (pr *Pair) helpsLater(w, v *result.Wait) string {
	helps := []trace.OpKind{trace.OpSemPost, trace.OpCondSignal, trace.OpCondBroadcast, trace.OpBarrierArrive}
	takes := []trace.OpKind{trace.OpLock, trace.OpReadLock, trace.OpWriteLock, trace.OpSemWait}
	next := func(obj result.Addr, kinds []trace.OpKind) (c call, ok bool) {
		theirs := pr.passes.CallsBy(v.Thread, uint64(obj), kinds)
		if made := len(pr.CallsBy(v.Thread, uint64(obj), kinds)); made < len(theirs) {
			return theirs[made], true
		}
		return c, false
	}
	taken, takesIt := next(v.Address, takes)
	help, helpsIt := next(w.Address, helps)
	if !takesIt || !helpsIt || help.Beat < taken.Beat {
		return ""
	}
	if ops := pr.passes.Beats[help.Beat].Ops; help.Beat == taken.Beat && slices.IndexFunc(ops, func(o trace.Op) bool { return o == *taken.Op }) > slices.IndexFunc(ops, func(o trace.Op) bool { return o == *help.Op }) {
		return ""
	}
	return pr.passes.Place(help)
}

// leftBehind: a thread ends because of what it finds in one variable, and what lies in another
// one is left there. In a run that passes it takes that.
func (pr *Pair) leftBehind() string {
	for _, t := range pr.Born() {
		x, ok := pr.lastFound(t)
		if !ok || pr.guest.StateText(t) != "ended" {
			continue
		}
		for y, took := range pr.passes.Forward(t, at{}) {
			left, giver, ok := pr.LastWrite(took.Addr, uint64(took.Size))
			_, from, given := pr.passes.Source(y)
			if took.IsWrite() || took.Overlaps(pr.AccessAt(x)) || !ok || giver == t || !given || pr.passes.guest.Name(from) != pr.guest.Name(giver) {
				continue
			}
			set, _, _ := pr.Source(x)
			taken, takes := pr.passes.takenAt(t, y)
			if !takes || !left.Before(set) || len(common(pr.Held(left), pr.Held(x))) == 0 {
				continue
			}
			s, l, h := pr.Shown(x), pr.Shown(left), pr.passes.Shown(taken)
			if s.Symbol == "" || l.Symbol == "" || where(s.Stack) == "" || where(l.Stack) == "" || where(h.Stack) == "" {
				continue
			}
			return fmt.Sprintf("Thread %s ends when it finds %s in %s (%s). What thread %s has put into %s before (%s) is left there; in a run that passes thread %s takes it (%s). Look at %s too before the end.",
				s.Thread, s.Old, s.Name(), where(s.Stack), l.Thread, l.Name(), where(l.Stack), s.Thread, where(h.Stack), l.Name())
		}
	}
	return ""
}

// lastFound is a thread's last access, if it read under a lock what another one had written.
func (cs *Case) lastFound(t trace.TID) (x at, ok bool) {
	for x, a := range cs.Backward(t, cs.End()) {
		_, by, ok := cs.Source(x)
		return x, ok && by != t && !a.IsWrite() && len(cs.Held(x)) > 0
	}
	return x, false
}

// takenAt is where a thread that has read a variable writes it next, if it holds a lock over both.
func (cs *Case) takenAt(t trace.TID, x at) (y at, ok bool) {
	first := cs.AccessAt(x)
	for y, a := range cs.Forward(t, at{Beat: x.Beat, Access: x.Access + 1}) {
		if a.Overlaps(first) && a.IsWrite() {
			return y, len(common(cs.Held(x), cs.Held(y))) > 0
		}
	}
	return y, false
}
