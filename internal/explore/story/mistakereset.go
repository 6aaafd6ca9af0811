package story

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
func (st *Story) reset(b *result.Bug) string {
	for w, entered := range st.condWaits(b) {
		signals := st.calls(uint64(w.Address), trace.OpCondSignal, trace.OpCondBroadcast)
		for x, test := range st.backward(st.by(*entered), at{entered.beat, int(entered.op.At)}) {
			if len(st.held(x)) == 0 {
				break
			}
			v, ok := st.wiped(st.by(*entered), x)
			if test.IsWrite() || !ok || !slices.ContainsFunc(signals, func(c call) bool { return st.by(c) == st.maker(v.set) && !st.after(v.set, c) && st.after(v.back, c) }) {
				continue
			}
			return st.wipedText(&v, x, w.Thread, where(w.Stack))
		}
	}
	if b.Kind != trace.Livelock {
		return ""
	}
	for i := range b.Loops {
		l := &b.Loops[i]
		spins, known := st.Guest.Lookup(l.Thread)
		for k := range l.Waits {
			x := st.lastOf(spins, st.end(), &trace.Access{Addr: uint64(l.Waits[k].Address), Size: uint32(l.Waits[k].Size), Flags: trace.Write})
			if !known || x.beat < 0 || st.accessAt(x).IsWrite() {
				continue
			}
			if v, ok := st.wiped(spins, x); ok {
				return st.wipedText(&v, x, l.Thread, where(l.Lines))
			}
		}
	}
	return ""
}

// wiped is how the value came about that a thread reads and waits with: another thread wrote
// another value before. The thread that wrote over that hasn't read it, unless it wrote it itself,
// and neither has the waiting one.
func (st *Story) wiped(waiter trace.TID, x at) (v wipe, ok bool) {
	back, by, ok := st.source(x)
	if !ok {
		return v, false
	}
	set, setter, ok := st.source(back)
	if !ok || setter == waiter || st.alone(set) || st.rawAt(set) == st.rawAt(back) {
		return v, false
	}
	read, over, first := st.accessAt(x), st.accessAt(back), st.accessAt(set)
	if read.Addr != over.Addr || over.Addr != first.Addr || read.Size != over.Size || over.Size != first.Size || over.Flags&trace.RMW != 0 {
		return v, false
	}
	for _, t := range []trace.TID{waiter, by} {
		for y, a := range st.backward(t, back) {
			if y.before(set) {
				break
			}
			if a.Overlaps(over) && !(a.IsWrite() && t == setter) {
				return v, false
			}
		}
	}
	return wipe{set, back}, true
}

func (st *Story) wipedText(v *wipe, x at, waiter, waits string) string {
	set, back, look := st.shown(v.set.beat, v.set.access), st.shown(v.back.beat, v.back.access), st.shown(x.beat, x.access)
	if set.Symbol == "" || set.Bookkeeping || set.New == "" || back.New == "" || where(set.Stack) == "" || where(back.Stack) == "" || where(look.Stack) == "" || waits == "" {
		return ""
	}
	if set.Thread == back.Thread {
		return fmt.Sprintf("Thread %s sets %s to %s (%s) and back to %s (%s) before thread %s looks at it (%s), so thread %s waits for ever (%s). Let a thread that has seen it set it back, or count these events and never count down.",
			set.Thread, set.Name(), set.New, where(set.Stack), back.New, where(back.Stack), waiter, where(look.Stack), waiter, waits)
	}
	cure := "Set it back where a look finds it set, under the same lock as the look."
	if len(st.held(v.back)) == 0 {
		cure = "Set it back where a look finds it set, in one atomic step."
	}
	return fmt.Sprintf("Thread %s sets %s back to %s (%s), and hasn't looked at it since thread %s set it to %s (%s). So thread %s waits for ever (%s) for what has come already. %s",
		back.Thread, back.Name(), back.New, where(back.Stack), set.Thread, set.New, where(set.Stack), waiter, waits, cure)
}

// maker is the thread that made an access.
func (r *record) maker(x at) trace.TID { return r.beats[x.beat].madeBy(x.access) }
