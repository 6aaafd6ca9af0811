package story

import (
	"fmt"
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Mistakes by which a thread misses what another one has done.

// roundMissed: a thread is woken by a broadcast, but before it looks the thread that woke it
// has changed again what it looks at, and waits in its turn. A barrier that counts the threads
// of a round, and no rounds, is of that kind.
func (st *Story) roundMissed(b *result.Bug) string {
	for w, entered := range st.condWaits(b) {
		waiter := st.by(*entered)
		var woken *call
		for _, c := range st.calls(uint64(w.Address), trace.OpCondBroadcast) {
			for _, t := range st.beats[c.beat].wakes {
				if t == waiter && c.beat < entered.beat {
					woken = &c
				}
			}
		}
		if woken == nil || !st.waitsToo(b, st.by(*woken), w.Address) {
			continue
		}
		for x, look := range st.backward(waiter, at{entered.beat, int(entered.op.At)}) {
			if x.beat <= woken.beat {
				break
			}
			again, by, ok := st.source(x)
			if look.IsWrite() || !ok || by != st.by(*woken) || !st.after(again, *woken) {
				continue
			}
			first := st.lastOf(by, again, look)
			for first.beat >= 0 && (!st.accessAt(first).IsWrite() || st.after(first, *woken)) {
				first = st.lastOf(by, first, look)
			}
			m := st.shown(again.beat, again.access)
			if first.beat < 0 || st.rawAt(first) == st.rawAt(x) || len(common(st.held(first), st.held(x))) == 0 || m.Symbol == "" || where(m.Stack) == "" {
				continue
			}
			return fmt.Sprintf("Thread %s wakes thread %s (%s), but changes %s again (%s) before that has looked at it (%s), so thread %s waits once more for what has come and gone. Count the rounds too, and wait until that number changes.",
				m.Thread, w.Thread, st.place(*woken), m.Name(), where(m.Stack), where(st.shown(x.beat, x.access).Stack), w.Thread)
		}
	}
	return ""
}

// after reports whether an access comes after a call.
func (r *record) after(x at, c call) bool {
	return x.beat > c.beat || x.beat == c.beat && x.access >= int(c.op.At)
}

// waitsToo reports whether a thread waits for the same object in the end.
func (st *Story) waitsToo(b *result.Bug, t trace.TID, obj result.Addr) bool {
	for i := range b.Waits {
		if b.Waits[i].Address == obj && b.Waits[i].Thread == st.Guest.Name(t) {
			return true
		}
	}
	return false
}

// takenBackLate: a thread that leaves work for another one finds a mark set, by which that
// is still at it. The other one has looked for work for the last time, and takes the mark back
// after that.
func (st *Story) takenBackLate() string {
	for i := len(st.beats) - 1; i >= 0; i-- {
		for k := range st.beats[i].accesses {
			if text := st.takenBackAt(at{i, k}); text != "" {
				return text
			}
		}
	}
	return ""
}

func (st *Story) takenBackAt(back at) string {
	mark, worker := st.accessAt(back), st.beats[back.beat].madeBy(back.access)
	if declared, _ := st.Image.Atomic(mark.PC, mark.Addr); !mark.IsWrite() || mark.Addr < lowestVariable || !declared && mark.Flags&trace.Atomic == 0 {
		return ""
	}
	found, giver := st.foundSet(back, mark, worker)
	if found.beat < 0 || st.rawAt(found) == st.rawAt(back) {
		return ""
	}
	for left, work := range st.backward(giver, found) {
		if !work.IsWrite() || len(st.held(left)) == 0 {
			continue
		}
		looked := st.lastOf(worker, back, work)
		if looked.beat < 0 || !looked.before(left) || len(common(st.held(looked), st.held(left))) == 0 || st.touched(work, left) {
			continue
		}
		m, l, w, b := st.shown(found.beat, found.access), st.shown(looked.beat, looked.access), st.shown(left.beat, left.access), st.shown(back.beat, back.access)
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
func (st *Story) foundSet(back at, mark *trace.Access, worker trace.TID) (found at, by trace.TID) {
	for i := back.beat; i >= 0; i-- {
		for k := len(st.beats[i].accesses) - 1; k >= 0; k-- {
			x, a := at{i, k}, &st.beats[i].accesses[k]
			if !x.before(back) || a.Addr != mark.Addr || !a.IsWrite() {
				continue
			}
			by = st.beats[i].madeBy(k)
			was, _, ok := st.source(x)
			if by == worker || a.Flags&trace.RMW == 0 || !ok || st.rawAt(was) != st.rawAt(x) {
				return at{beat: -1}, by
			}
			return x, by
		}
	}
	return at{beat: -1}, by
}

// touched reports whether any thread uses the bytes of an access again after it.
func (st *Story) touched(work *trace.Access, x at) bool {
	for i := x.beat; i < len(st.beats); i++ {
		for k := range st.beats[i].accesses {
			if x.before(at{i, k}) && st.beats[i].accesses[k].Overlaps(work) {
				return true
			}
		}
	}
	return false
}

// postedEarly: a thread waits for a semaphore that another one posts, and then reads what that
// one writes only afterwards.
func (st *Story) postedEarly(f *flip) string {
	data := st.shown(f.first.beat, f.first.access)
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" {
		return ""
	}
	var wait *call // the late thread's last operation before the read
	for i := 0; i <= f.first.beat; i++ {
		for k := range st.beats[i].ops {
			o := &st.beats[i].ops[k]
			if st.beats[i].step.Thread == f.other && (i < f.first.beat || int(o.At) <= f.first.access) {
				wait = &call{i, o}
			}
		}
	}
	if wait == nil || wait.op.Kind != trace.OpSemWait {
		return ""
	}
	posts, waits := st.calls(wait.op.Obj, trace.OpSemPost), st.calls(wait.op.Obj, trace.OpSemWait, trace.OpSemTryWait)
	n := slices.IndexFunc(waits, func(c call) bool { return c.op == wait.op })
	// Only the two use it, so that its n-th post lets the n-th wait go on.
	others := slices.ContainsFunc(posts, func(c call) bool { return st.by(c) != f.thread }) || slices.ContainsFunc(waits, func(c call) bool { return st.by(c) != f.other })
	if others || n < 0 || n >= len(posts) || posts[n].beat > wait.beat {
		return ""
	}
	return fmt.Sprintf("Thread %s posts %s (%s) before it writes %s (%s), and thread %s, which has waited for that (%s), reads it (%s). Post after the write.",
		f.early.thread, st.Guest.VariableName(wait.op.Obj), st.place(posts[n]), data.Name(), f.earlyIs, data.Thread, st.place(*wait), f.here)
}
