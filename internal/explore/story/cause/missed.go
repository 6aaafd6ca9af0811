package cause

import (
	"fmt"
	"slices"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Mistakes by which a thread misses what another one has done.

// roundMissed: a thread is woken by a broadcast, but before it looks the thread that woke it
// has changed again what it looks at, and waits in its turn. A barrier that counts the threads
// of a round, and no rounds, is of that kind.
func (cs *Case) roundMissed(b *result.Bug) string {
	for w, entered := range cs.CondWaits(b) {
		waiter := cs.By(*entered)
		var woken *call
		for _, c := range cs.Calls(uint64(w.Address), trace.OpCondBroadcast) {
			for _, t := range cs.Beats[c.Beat].Wakes {
				if t == waiter && c.Beat < entered.Beat {
					woken = &c
				}
			}
		}
		if woken == nil || !cs.waitsToo(b, cs.By(*woken), w.Address) {
			continue
		}
		for x, look := range cs.Backward(waiter, at{Beat: entered.Beat, Access: int(entered.Op.At)}) {
			if x.Beat <= woken.Beat {
				break
			}
			again, by, ok := cs.Source(x)
			if look.IsWrite() || !ok || by != cs.By(*woken) || !cs.After(again, *woken) {
				continue
			}
			first := cs.LastOf(by, again, look)
			for first.Beat >= 0 && (!cs.AccessAt(first).IsWrite() || cs.After(first, *woken)) {
				first = cs.LastOf(by, first, look)
			}
			m := cs.Shown(again)
			if first.Beat < 0 || cs.RawAt(first) == cs.RawAt(x) || len(common(cs.Held(first), cs.Held(x))) == 0 || m.Symbol == "" || where(m.Stack) == "" {
				continue
			}
			return fmt.Sprintf("Thread %s wakes thread %s (%s), but changes %s again (%s) before that has looked at it (%s), so thread %s waits once more for what has come and gone. Count the rounds too, and wait until that number changes.",
				m.Thread, w.Thread, cs.Place(*woken), m.Name(), where(m.Stack), where(cs.Shown(x).Stack), w.Thread)
		}
	}
	return ""
}

// waitsToo reports whether a thread waits for the same object in the end.
func (cs *Case) waitsToo(b *result.Bug, t trace.TID, obj result.Addr) bool {
	for i := range b.Waits {
		if b.Waits[i].Address == obj && b.Waits[i].Thread == cs.guest.Name(t) {
			return true
		}
	}
	return false
}

// takenBackLate: a thread that leaves work for another one finds a mark set, by which that
// is still at it. The other one has looked for work for the last time, and takes the mark back
// after that.
func (cs *Case) takenBackLate() string {
	for i := len(cs.Beats) - 1; i >= 0; i-- {
		for k := range cs.Beats[i].Accesses {
			if text := cs.takenBackAt(at{Beat: i, Access: k}); text != "" {
				return text
			}
		}
	}
	return ""
}

func (cs *Case) takenBackAt(back at) string {
	mark, worker := cs.AccessAt(back), cs.Beats[back.Beat].MadeBy(back.Access)
	if !mark.IsWrite() || mark.Addr < record.LowestVariable || !cs.IsAtomic(mark) {
		return ""
	}
	found, giver := cs.foundSet(back, mark, worker)
	if found.Beat < 0 || cs.RawAt(found) == cs.RawAt(back) {
		return ""
	}
	for left, work := range cs.Backward(giver, found) {
		if !work.IsWrite() || len(cs.Held(left)) == 0 {
			continue
		}
		looked := cs.LastOf(worker, back, work)
		if looked.Beat < 0 || !looked.Before(left) || len(common(cs.Held(looked), cs.Held(left))) == 0 || cs.touched(work, left) {
			continue
		}
		m, l, w, b := cs.Shown(found), cs.Shown(looked), cs.Shown(left), cs.Shown(back)
		if w.Symbol == "" || m.Symbol == "" || where(w.Stack) == "" || where(m.Stack) == "" || where(l.Stack) == "" || where(b.Stack) == "" {
			return ""
		}
		return fmt.Sprintf("Thread %s changes %s (%s) and finds %s set (%s), as if thread %s would still look there. But thread %s has looked for the last time (%s), and takes %s back only then (%s). Look again after taking it back.",
			m.Thread, w.Name(), where(w.Stack), m.Name(), where(m.Stack), b.Thread, b.Thread, where(l.Stack), m.Name(), where(b.Stack))
	}
	return ""
}

// foundSet is the last exchange of another thread with a mark, before it is taken back, that
// found what it wrote; its beat is -1 if there is none.
func (cs *Case) foundSet(back at, mark *trace.Access, worker trace.TID) (found at, by trace.TID) {
	for i := back.Beat; i >= 0; i-- {
		for k := len(cs.Beats[i].Accesses) - 1; k >= 0; k-- {
			x, a := at{Beat: i, Access: k}, &cs.Beats[i].Accesses[k]
			if !x.Before(back) || a.Addr != mark.Addr || !a.IsWrite() {
				continue
			}
			by = cs.Beats[i].MadeBy(k)
			was, _, ok := cs.Source(x)
			if by == worker || a.Flags&trace.RMW == 0 || !ok || cs.RawAt(was) != cs.RawAt(x) {
				return at{Beat: -1}, by
			}
			return x, by
		}
	}
	return at{Beat: -1}, by
}

// touched reports whether any thread uses the bytes of an access again after it.
func (cs *Case) touched(work *trace.Access, x at) bool {
	for i := x.Beat; i < len(cs.Beats); i++ {
		for k := range cs.Beats[i].Accesses {
			if x.Before(at{Beat: i, Access: k}) && cs.Beats[i].Accesses[k].Overlaps(work) {
				return true
			}
		}
	}
	return false
}

// postedEarly: a thread waits for a semaphore that another one posts, and then reads what that
// one writes only afterwards.
func (pr *Pair) postedEarly(f *flip) string {
	data := pr.Shown(f.first)
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" {
		return ""
	}
	var wait *call // the late thread's last operation before the read
	for i := 0; i <= f.first.Beat; i++ {
		for k := range pr.Beats[i].Ops {
			o := &pr.Beats[i].Ops[k]
			if pr.Beats[i].Step.Thread == f.other && (i < f.first.Beat || int(o.At) <= f.first.Access) {
				wait = &call{Beat: i, Op: o}
			}
		}
	}
	if wait == nil || wait.Op.Kind != trace.OpSemWait {
		return ""
	}
	posts, waits := pr.Calls(wait.Op.Obj, trace.OpSemPost), pr.Calls(wait.Op.Obj, trace.OpSemWait, trace.OpSemTryWait)
	n := slices.IndexFunc(waits, func(c call) bool { return c.Op == wait.Op })
	// Only the two use it, so that its n-th post lets the n-th wait go on.
	others := slices.ContainsFunc(posts, func(c call) bool { return pr.By(c) != f.thread }) || slices.ContainsFunc(waits, func(c call) bool { return pr.By(c) != f.other })
	if others || n < 0 || n >= len(posts) || posts[n].Beat > wait.Beat {
		return ""
	}
	return fmt.Sprintf("Thread %s posts %s (%s) before it writes %s (%s), and thread %s, which has waited for that (%s), reads it (%s). Post after the write.",
		f.early.thread, pr.guest.VariableName(wait.Op.Obj), pr.Place(posts[n]), data.Name(), f.earlyIs, data.Thread, pr.Place(*wait), f.here)
}
