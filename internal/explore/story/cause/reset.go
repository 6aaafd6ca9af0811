package cause

import (
	"fmt"
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// An event that is reset: a thread sets a variable for the threads that wait for it, and the
// variable is set back before they have looked.

// wipe is a write to a variable that another one undoes.
type wipe struct{ set, back at }

// reset: a thread waits for ever on a condition variable, or in a loop, because of what it finds in
// a variable. That was set for it, and was set back unseen.
func (cs *Case) reset(b *result.Bug) string {
	for w, entered := range cs.CondWaits(b) {
		signals := cs.Calls(uint64(w.Address), trace.OpCondSignal, trace.OpCondBroadcast)
		for x, test := range cs.Backward(cs.By(*entered), at{Beat: entered.Beat, Access: int(entered.Op.At)}) {
			if len(cs.Held(x)) == 0 {
				break
			}
			v, ok := cs.wiped(cs.By(*entered), x)
			if test.IsWrite() || !ok || !slices.ContainsFunc(signals, func(c call) bool { return cs.By(c) == cs.Maker(v.set) && !cs.After(v.set, c) && cs.After(v.back, c) }) {
				continue
			}
			return cs.wipedText(&v, where(cs.Shown(x).Stack), w.Thread, where(w.Stack))
		}
	}
	if b.Kind != trace.Livelock {
		return ""
	}
	for i := range b.Loops {
		l := &b.Loops[i]
		spins, known := cs.guest.Lookup(l.Thread)
		for k := range l.Waits {
			if !known {
				continue
			}
			// A search is spared polls: the thread may have no look in the run.
			look, read := where(l.Lines), trace.Access{Addr: uint64(l.Waits[k].Address), Size: uint32(l.Waits[k].Size)}
			if x := cs.LastOf(spins, cs.End(), &read); x.Beat >= 0 && !cs.AccessAt(x).IsWrite() {
				look, read = where(cs.Shown(x).Stack), *cs.AccessAt(x)
			}
			if back, by, ok := cs.Latest(spins, &read); ok {
				if v, ok := cs.wipedBy(spins, &read, back, by); ok {
					return cs.wipedText(&v, look, l.Thread, where(l.Lines))
				}
			}
		}
	}
	return ""
}

// wiped is how the value came about that a thread reads and waits with: another thread wrote
// another value before. The thread that wrote over that hasn't read it, unless it wrote it itself,
// and neither has the waiting one.
func (cs *Case) wiped(waiter trace.TID, x at) (v wipe, ok bool) {
	back, by, ok := cs.Source(x)
	if !ok {
		return v, false
	}
	return cs.wipedBy(waiter, cs.AccessAt(x), back, by)
}

// wipedBy is wiped, where a thread wrote what is read.
func (cs *Case) wipedBy(waiter trace.TID, read *trace.Access, back at, by trace.TID) (v wipe, ok bool) {
	set, setter, ok := cs.Source(back)
	if !ok || setter == waiter || cs.Alone(set) || cs.RawAt(set) == cs.RawAt(back) {
		return v, false
	}
	over, first := cs.AccessAt(back), cs.AccessAt(set)
	if read.Addr != over.Addr || over.Addr != first.Addr || read.Size != over.Size || over.Size != first.Size || over.Flags&trace.RMW != 0 {
		return v, false
	}
	for _, t := range []trace.TID{waiter, by} {
		for y, a := range cs.Backward(t, back) {
			if y.Before(set) {
				break
			}
			if a.Overlaps(over) && !(a.IsWrite() && t == setter) {
				return v, false
			}
		}
	}
	return wipe{set, back}, true
}

// hadBefore reports whether a variable had the value to which it is set back before it was set, and whether the
// run has any access to it before that. It may have begun with 0.
func (cs *Case) hadBefore(v *wipe) (had, known bool) {
	to := cs.AccessAt(v.back)
	for i := 0; i <= v.set.Beat; i++ {
		for k := range cs.Beats[i].Accesses {
			if x := (at{Beat: i, Access: k}); x.Before(v.set) && cs.AccessAt(x).Overlaps(to) {
				known, had = true, had || cs.RawAt(x) == cs.RawAt(v.back)
			}
		}
	}
	return had || cs.RawAt(v.back) == 0, known
}

func (cs *Case) wipedText(v *wipe, look, waiter, waits string) string {
	set, back := cs.Shown(v.set), cs.Shown(v.back)
	if set.Symbol == "" || set.Bookkeeping || set.New == "" || back.New == "" || where(set.Stack) == "" || where(back.Stack) == "" || look == "" || waits == "" {
		return ""
	}
	if set.Thread == back.Thread {
		return fmt.Sprintf("Thread %s sets %s to %s (%s) and back to %s (%s) before thread %s looks at it (%s), so thread %s waits for ever (%s). Let a thread that has seen it set it back, or count these events and never count down.",
			set.Thread, set.Name(), set.New, where(set.Stack), back.New, where(back.Stack), waiter, look, waiter, waits)
	}
	switch had, known := cs.hadBefore(v); {
	case !known && back.Thread == waiter && cs.RawAt(v.back) != 0: // it begins with that
		return fmt.Sprintf("Thread %s sets %s to %s (%s) after thread %s has set it to %s (%s). So thread %s waits for ever (%s) for what has come already. Set it before another thread can reach it.",
			waiter, back.Name(), back.New, where(back.Stack), set.Thread, set.New, where(set.Stack), waiter, waits)
	case known && !had:
		return fmt.Sprintf("Thread %s sets %s to %s (%s), and hasn't looked at it since thread %s set it to %s (%s). So thread %s waits for ever (%s) for what has come already. Look at it and set it in one atomic step, or under one lock.",
			back.Thread, back.Name(), back.New, where(back.Stack), set.Thread, set.New, where(set.Stack), waiter, waits)
	}
	cure := "Set it back where a look finds it set, under the same lock as the look."
	if len(cs.Held(v.back)) == 0 {
		cure = "Set it back where a look finds it set, in one atomic step."
	}
	return fmt.Sprintf("Thread %s sets %s back to %s (%s), and hasn't looked at it since thread %s set it to %s (%s). So thread %s waits for ever (%s) for what has come already. %s",
		back.Thread, back.Name(), back.New, where(back.Stack), set.Thread, set.New, where(set.Stack), waiter, waits, cure)
}
