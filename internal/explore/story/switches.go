package story

import (
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// switches lists the switches from thread to thread.
func (st *Story) switches(b *result.Bug) {
	from, last := 0, 0 // the latest beat of a thread
	for i := 1; i < len(st.beats); i++ {
		prev, next := &st.beats[last], &st.beats[i]
		if st.IsBeside(next.step.Thread) {
			continue
		}
		last = i
		if prev.step.Thread == next.step.Thread {
			continue
		}
		step := result.Step{
			From: st.Guest.Name(prev.step.Thread), To: st.Guest.Name(next.step.Thread),
			Why: prev.why, Preemption: next.step.Preemption, Instruction: prev.step.Last,
			Stack: st.Frames(st.leftAt(i)),
		}
		step.Accesses, step.Wakings = st.latest(from, i), st.wakings(from, i)
		from = i
		b.Steps = append(b.Steps, step)
	}
	b.Last, b.LastWakings = st.latest(from, len(st.beats)), st.wakings(from, len(st.beats))
}

// lastBeats is of how many beats before a switch the accesses are shown: of those that
// have any but a library's or a kernel's own, among the last farBeats.
const lastBeats, farBeats = 4, 64

// latest lists a thread's last accesses in some beats. Left out are reads of memory without a
// name in the guest that nothing writes in the story: a table of the dynamic linker's. Names with
// an underscore first are the C library's (C11 7.1.3).
func (st *Story) latest(from, to int) (list []result.Access) {
	tells := func(j, k int) (result.Access, bool) {
		a := st.shown(j, k)
		return a, a.Symbol != "" && a.Symbol[0] != '_' || st.varies(&st.beats[j].accesses[k])
	}
	first := to
	for seen := 0; first > from && first > to-farBeats && seen < lastBeats; {
		first--
		for k := range st.beats[first].accesses {
			if a, ok := tells(first, k); ok && !a.Bookkeeping {
				seen++
				break
			}
		}
	}
	for j := first; j < to; j++ {
		l := st.beats[j].accesses
		for k := range l {
			if k > 0 && l[k].Addr == l[k-1].Addr && l[k].Size == l[k-1].Size && l[k].PC == l[k-1].PC && l[k].IsWrite() == l[k-1].IsWrite() {
				continue // of one call
			}
			if a, ok := tells(j, k); ok && !st.written(j, k) {
				list = append(list, a)
			}
		}
	}
	return list
}

// varies reports whether the story has a write to memory that an access is to.
func (st *Story) varies(a *trace.Access) bool {
	if st.stored == nil {
		st.stored = map[uint64]bool{}
		for i := range st.beats {
			for k := range st.beats[i].accesses {
				if w := &st.beats[i].accesses[k]; w.IsWrite() {
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
		b := &st.beats[i]
		for k := range b.ops {
			o := &b.ops[k]
			if st.own[o.Obj] {
				continue
			}
			switch o.Kind {
			case trace.OpCondSignal, trace.OpCondBroadcast, trace.OpSemPost, trace.OpUnlock, trace.OpReadUnlock, trace.OpWriteUnlock:
			case trace.OpCancel, trace.OpPost:
				if w, ok := st.sends(i, o); ok {
					list = append(list, w)
				}
				continue
			default:
				continue
			}
			signal := o.Kind == trace.OpCondSignal || o.Kind == trace.OpCondBroadcast
			woken := b.woken()
			if len(woken) == 0 && !signal {
				continue // no thread waited, as nearly always
			}
			w := result.Waking{Thread: st.Guest.Name(b.step.Thread), Does: st.Guest.OpText(*o)}
			if o.PC != 0 {
				w.Place = st.caller(call{i, o})
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
	t := st.beats[i].step.Thread
	w = result.Waking{Thread: st.Guest.Name(t), Does: st.Guest.OpText(*o), Signal: true}
	switch {
	case o.Signal() == 0 || w.Does == "" || trace.TID(o.Obj) == t:
		return w, false
	case o.Arg&trace.Arrives != 0:
		w.Thread = st.Guest.Name(trace.TID(o.Obj))
		return w, !slices.ContainsFunc(st.beats[i-1].ops, func(sent trace.Op) bool { return sent.Kind == trace.OpPost && sent.Obj == o.Obj })
	case o.PC != 0:
		w.Place = result.Innermost(toUser(st.Frames(st.beats[i].stack)))
	}
	return w, true
}

// woken are the threads that a beat wakes, and doesn't create.
func (b *beat) woken() []trace.TID {
	return slices.DeleteFunc(slices.Clone(b.wakes), func(t trace.TID) bool {
		return slices.ContainsFunc(b.ops, func(o trace.Op) bool { return o.Kind == trace.OpCreate && o.Obj == uint64(t) })
	})
}

// shown is access k of beat j for a person.
func (st *Story) shown(j, k int) result.Access {
	b := &st.beats[j]
	a := st.Access(st.ownerOf(b.madeBy(k)), &b.accesses[k])
	switch {
	case st.IsBuffer(b.step.Thread) && !st.written(j, k):
		a.Op = "flushes"
	case st.delayed(j, k):
		a.Op = "buffers"
	}
	a.Old, a.New = b.values[k].old, b.values[k].new
	a.Held = st.held(at{j, k})
	if a.Symbol == "" && k < len(b.names) {
		a.Symbol = b.names[k]
	}
	if len(b.stack) > 0 && b.stack[0] == b.accesses[k].PC && standsInLibrary(st.Session, b.accesses[k].PC) {
		a.Stack = st.Frames(b.stack)
	}
	if b.stacks != nil && b.stacks[k] != nil {
		a.Stack = b.stacks[k]
	}
	a.Bookkeeping = st.bookkeeping(&a)
	return a
}

// madeBy is the thread that made an access.
func (b *beat) madeBy(k int) trace.TID {
	if b.by != nil {
		return b.by[k]
	}
	return b.step.Thread
}

// takes reports whether an operation took a lock.
func takes(o *trace.Op) bool {
	switch o.Kind {
	case trace.OpLock, trace.OpTryLock, trace.OpReadLock, trace.OpTryReadLock, trace.OpWriteLock, trace.OpTryWriteLock:
		return true
	}
	return false
}

// unlocks reports whether an operation releases a lock.
func unlocks(o *trace.Op) bool {
	return o.Kind == trace.OpUnlock || o.Kind == trace.OpReadUnlock || o.Kind == trace.OpWriteUnlock
}

// PreemptedAt adds the instructions before which a thread was preempted in the
// story, and those of a race that is its bug. A thread at the entry of
// the allocator counts as at the call, as in race.Access.
func (st *Story) PreemptedAt(at map[uint64]bool, f *scheduler.Failure) {
	for i := 1; i < len(st.beats); i++ {
		if !st.beats[i].step.Preemption {
			continue
		}
		if stack := st.leftAt(i); len(stack) > 0 {
			at[stack[0]] = true
			if len(stack) > 1 {
				at[stack[1]-1] = true
			}
		}
	}
	if f.Kind == trace.Race {
		if x := st.RaceIn(f.Message); x != nil {
			at[x.Earlier.PC], at[x.Later.PC] = true, true
		}
	}
}
