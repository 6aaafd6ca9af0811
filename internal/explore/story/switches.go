package story

import (
	"slices"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// switches lists the switches from thread to thread.
func (st *Story) switches(b *result.Bug) {
	from, last := 0, 0 // the latest beat of a thread
	for i := 1; i < len(st.Beats); i++ {
		prev, next := &st.Beats[last], &st.Beats[i]
		if st.IsBeside(next.Step.Thread) {
			continue
		}
		last = i
		if prev.Step.Thread == next.Step.Thread {
			continue
		}
		step := result.Step{
			From: st.Guest.Name(prev.Step.Thread), To: st.Guest.Name(next.Step.Thread),
			Why: prev.Why, Preemption: next.Step.Preemption, Instruction: prev.Step.Last,
			Stack: st.Frames(st.leftAt(i)),
		}
		step.Accesses, step.Wakings = st.latest(from, i), st.wakings(from, i)
		from = i
		b.Steps = append(b.Steps, step)
	}
	b.Last, b.LastWakings = st.latest(from, len(st.Beats)), st.wakings(from, len(st.Beats))
}

// lastBeats is of how many beats before a switch the accesses are shown: of those that
// have any but a library's or a kernel's own, among the last farBeats.
const lastBeats, farBeats = 4, 64

// mostLatest is how many accesses are listed before a switch at the most, and allLatest before all of them together, but
// for lastBeats each. A step that goes past points may have made many, and a sample may have thousands of switches.
const mostLatest, allLatest = 1000, 50_000

// latest lists a thread's last accesses in some beats. Left out are reads of memory without a
// name in the guest that nothing writes in the story: a table of the dynamic linker's. Names with
// an underscore first are the C library's (C11 7.1.3).
func (st *Story) latest(from, to int) (list []result.Access) {
	tells := func(j, k int) (result.Access, bool) {
		a := st.Shown(record.At{Beat: j, Access: k})
		return a, a.Symbol != "" && a.Symbol[0] != '_' || st.varies(&st.Beats[j].Accesses[k])
	}
	first := to
	for seen := 0; first > from && first > to-farBeats && seen < lastBeats; {
		first--
		for k := range st.Beats[first].Accesses {
			if a, ok := tells(first, k); ok && !a.Bookkeeping {
				seen++
				break
			}
		}
	}
	most := max(min(mostLatest, allLatest/max(len(st.Schedule.Segments), 1)), lastBeats)
	for j := to - 1; j >= first && len(list) < most; j-- {
		l := st.Beats[j].Accesses
		for k := len(l) - 1; k >= 0 && len(list) < most; k-- {
			if k > 0 && l[k].Addr == l[k-1].Addr && l[k].Size == l[k-1].Size && l[k].PC == l[k-1].PC && l[k].IsWrite() == l[k-1].IsWrite() {
				continue // of one call
			}
			if a, ok := tells(j, k); ok && !st.Written(j, k) {
				list = append(list, a)
			}
		}
	}
	slices.Reverse(list)
	return list
}

// varies reports whether the story has a write to memory that an access is to.
func (st *Story) varies(a *trace.Access) bool {
	if st.stored == nil {
		st.stored = map[uint64]bool{}
		for i := range st.Beats {
			for k := range st.Beats[i].Accesses {
				if w := &st.Beats[i].Accesses[k]; w.IsWrite() {
					words(w, func(word uint64) bool { st.stored[word] = true; return false })
				}
			}
		}
	}
	return words(a, func(word uint64) bool { return st.stored[word] })
}

// words reports whether is accepts one of the words of eight bytes that an access is to.
func words(a *trace.Access, is func(word uint64) bool) bool {
	for word := a.Addr >> 3; word <= (a.Addr+uint64(max(a.Size, 1))-1)>>3; word++ {
		if is(word) {
			return true
		}
	}
	return false
}

// wakings lists the calls in some beats by which a thread wakes others, or would have.
func (st *Story) wakings(from, to int) (list []result.Waking) {
	for i := from; i < to; i++ {
		b := &st.Beats[i]
		for k := range b.Ops {
			o := &b.Ops[k]
			if st.IsOwnLock(o.Obj) {
				continue
			}
			switch o.Kind {
			case trace.OpCondSignal, trace.OpCondBroadcast, trace.OpSemPost, trace.OpUnlock, trace.OpReadUnlock, trace.OpWriteUnlock, trace.OpAdvance:
			case trace.OpCancel, trace.OpPost:
				if w, ok := st.sends(i, o); ok {
					list = append(list, w)
				}
				continue
			default:
				continue
			}
			signal := o.Kind == trace.OpCondSignal || o.Kind == trace.OpCondBroadcast
			woken := b.Woken()
			timeout := o.Kind == trace.OpAdvance
			if len(woken) == 0 && !signal && !timeout {
				continue // no thread waited, as nearly always
			}
			w := result.Waking{Thread: st.Guest.Name(b.Step.Thread), Does: st.Guest.OpText(*o), Timeout: timeout}
			if o.PC != 0 {
				w.Place = st.Caller(record.Call{Beat: i, Op: o})
			}
			for _, t := range woken {
				w.Wakes = append(w.Wakes, st.Guest.Name(t))
			}
			list = append(list, w)
			break // of several calls in a beat it isn't known which woke a thread
		}
	}
	return list
}

// sends is an operation of beat i that sends a thread a signal, or by which one arrives; the
// sending itself tells of one that arrives at once.
func (st *Story) sends(i int, o *trace.Op) (w result.Waking, ok bool) {
	t := st.Beats[i].Step.Thread
	w = result.Waking{Thread: st.Guest.Name(t), Does: st.Guest.OpText(*o), Signal: true}
	switch {
	case o.Signal() == 0 || w.Does == "" || trace.TID(o.Obj) == t:
		return w, false
	case o.Arg&trace.Arrives != 0:
		w.Thread = st.Guest.Name(trace.TID(o.Obj))
		return w, !slices.ContainsFunc(st.Beats[i-1].Ops, func(sent trace.Op) bool { return sent.Kind == trace.OpPost && sent.Obj == o.Obj })
	case o.PC != 0:
		w.Place = result.Innermost(toUser(st.Frames(st.Beats[i].Stack)))
	}
	return w, true
}

// leftAt is the stack at which the thread before beat i was left: where it
// stood when it went on, or where it stands at the end.
func (st *Story) leftAt(i int) []uint64 {
	for st.IsBeside(st.Beats[i-1].Step.Thread) {
		i--
	}
	t := st.Beats[i-1].Step.Thread
	if left := st.Beats[i-1].Left; left != nil {
		return left // and not where a signal has taken it since
	}
	for j := i; j < len(st.Beats); j++ {
		if st.Beats[j].Step.Thread == t {
			return st.Beats[j].Stack
		}
	}
	return st.Guest.Stack(t)
}
