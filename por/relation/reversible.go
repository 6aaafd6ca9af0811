package relation

import "landgo/internal/trace"

// dropped reports whether event i is one of o.drops or happens after one.
func (o *Order) dropped(i int32) bool {
	for _, d := range o.drops {
		if i >= d && (i == d || o.Before(d, i)) {
			return true
		}
	}
	return false
}

// possible reports whether e could have come before event c. e is the event at
// position end, or one pending there. e's thread has done all that it did before.
// The question is whether it can run in the state before c, followed by what came
// between and doesn't happen after c. The method possible leaves in o.drops what
// would have to come later: c and, for a writer, the readers that would hold the
// lock.
//
// This is the reversible race of Abdulla et al. (JACM 2017, §3 and the treatment
// of blocking there), decided by the kind of the operation with which e begins.
func (o *Order) possible(c int32, e *Event, first trace.Op, end int32) bool {
	o.drops = append(o.drops[:0], c)
	switch first.Kind {
	case trace.OpLock:
		return o.mutexFree(o.leftOf(c, o.object(&first)), e.Thread, end)
	case trace.OpSemWait:
		v := int64(first.Arg)
		for r := o.objs[o.object(&first)].head; r >= 0 && o.ops[r].ev >= c; r = o.ops[r].prev {
			y := &o.ops[r]
			if y.ev >= end || !o.dropped(y.ev) {
				continue
			}
			switch y.kind {
			case trace.OpSemPost:
				v--
			case trace.OpSemWait, trace.OpSemTryWait:
				v++
			}
		}
		return v > 0
	case trace.OpDrained:
		return o.allStored(&first, end)
	case trace.OpReadLock:
		return !o.writerHolds(&first, e.Thread, end)
	case trace.OpWriteLock:
		return o.freeOfReaders(c, &first, e.Thread, end)
	case trace.OpJoin:
		known := false
		for r := o.objs[o.object(&first)].head; r >= 0; r = o.ops[r].prev {
			if y := &o.ops[r]; (y.kind == trace.OpExit || y.kind == trace.OpDetach) && y.ev < end {
				if !o.dropped(y.ev) {
					return true // a join of what is detached fails at once
				}
				known = true
			}
		}
		return !known
	case trace.OpBarrierLeave:
		return true // the event that let it go is in its base
	case trace.OpOnce:
		if o.last[e.Thread] <= c {
			return o.Ready(c, e.Thread)
		}
		return true
	}
	if e.Await != nil && !o.goesOn(e, end) {
		return false
	}
	if len(e.Waits) > 0 {
		return o.letGo(c, e, end)
	}
	return true
}

// leftOf is the newest of the operations on object n that may be left without event c. Where c has one itself, it is the
// one before: all that come later on a mutex happen after c then.
func (o *Order) leftOf(c, n int32) int32 {
	end := int32(len(o.ops))
	if int(c)+1 < len(o.ev) {
		end = o.ev[c+1].ops
	}
	for r := o.ev[c].ops; r < end; r++ {
		if o.ops[r].obj == n {
			return o.ops[r].prev
		}
	}
	return o.objs[n].head
}

// mutexFree reports whether thread t can lock a mutex, without what is dropped. Operations that lock it, or unlock it,
// are all ordered. So those that are left, of r and those before it, are the first ones: the last of them tells.
func (o *Order) mutexFree(r int32, t trace.TID, end int32) bool {
	for ; r >= 0; r = o.ops[r].prev {
		if y := &o.ops[r]; y.stops() && y.ev < end && !o.dropped(y.ev) {
			return y.held == 0 || o.ev[y.ev].thread == t && o.taken(end)
		}
	}
	return true
}

// taken reports whether the step at position end was taken: if a thread got a
// lock that it has, the lock is recursive; if it is blocked there, it isn't.
func (o *Order) taken(end int32) bool { return end < int32(len(o.ev)) }

// writerHolds reports whether another thread holds the read-write lock for
// writing, without what is dropped.
func (o *Order) writerHolds(op *trace.Op, t trace.TID, end int32) bool {
	for r := o.objs[o.object(op)].head; r >= 0; r = o.ops[r].prev {
		y := &o.ops[r]
		if y.ev >= end || o.dropped(y.ev) {
			continue
		}
		switch y.kind {
		case trace.OpWriteLock, trace.OpTryWriteLock:
			return o.ev[y.ev].thread != t || !o.taken(end)
		case trace.OpWriteUnlock, trace.OpRWInit:
			return false
		}
	}
	return false
}

// freeOfReaders reports whether the read-write lock can be had for writing
// before c. Readers that came after c, independently of it, and didn't leave in
// time, have to come later too: they are added to o.drops. One that t comes
// after (it may be t itself) can't.
func (o *Order) freeOfReaders(c int32, op *trace.Op, t trace.TID, end int32) bool {
	prev := o.previous(t, end)
	for again := true; again; {
		again = false
		if o.writerHolds(op, t, end) {
			return false
		}
		for r := o.objs[o.object(op)].head; r >= 0 && !again; r = o.ops[r].prev {
			y := &o.ops[r]
			if y.ev >= end || y.kind != trace.OpReadLock && y.kind != trace.OpTryReadLock || o.dropped(y.ev) || o.released(r, op, end) {
				continue
			}
			if o.ev[y.ev].thread == t && o.taken(end) {
				continue
			}
			if y.ev < c || y.ev == prev || prev >= 0 && o.Before(y.ev, prev) {
				return false
			}
			o.drops = append(o.drops, y.ev)
			again = true
		}
	}
	return true
}

// released reports whether the read lock taken by operation record r is given
// back, by something that isn't dropped.
func (o *Order) released(r int32, op *trace.Op, end int32) bool {
	t, depth := o.ev[o.ops[r].ev].thread, 0
	for k := o.objs[o.ops[r].obj].head; k > r; k = o.ops[k].prev {
		y := &o.ops[k]
		if y.ev >= end || o.ev[y.ev].thread != t || o.dropped(y.ev) {
			continue
		}
		switch y.kind {
		case trace.OpReadUnlock:
			depth++
		case trace.OpReadLock, trace.OpTryReadLock:
			depth--
		}
	}
	return depth > 0
}

// previous is thread t's last event before the one at position end, -1 if it
// has none.
func (o *Order) previous(t trace.TID, end int32) int32 {
	if end < int32(len(o.ev)) && o.ev[end].thread == t {
		return o.ev[end].prev
	}
	return o.last[t] - 1
}

// letGo reports whether a spinning thread would go on before c: it stood ready
// there, or another write that isn't dropped let it go.
func (o *Order) letGo(c int32, e *Event, end int32) bool {
	prev := o.previous(e.Thread, end)
	if prev < c && o.Ready(c, e.Thread) {
		return true
	}
	for k := range e.Waits {
		w := &e.Waits[k]
		hi := w.Addr + uint64(w.Size)
		for g := w.Addr &^ 7; g < hi; g += 8 {
			m := trace.GranuleMask(g, w.Addr, hi)
			for r := o.grans[o.granule(g)].write; r >= 0; r = o.accs[r].prevWrite {
				a := &o.accs[r]
				if a.ev >= end || a.mask&m == 0 || o.ev[a.ev].thread == e.Thread || o.buffered && o.ownPair(e, a.ev) {
					continue
				}
				if prev >= 0 && a.ev <= prev && o.Before(a.ev, prev) {
					if a.blend != trace.NoBlend {
						continue
					}
					break
				}
				if !o.dropped(a.ev) {
					return true
				}
			}
		}
	}
	return false
}

// MayBeCoenabled reports whether there may be a state in which event i and a
// transition of another thread that begins with operation op are both enabled
// (Flanagan and Godefroid §2.2). There is none if op waits for a lock that i's
// thread has there: it has it wherever it makes i. There is none if op is a
// join and i the exit that it waits for.
func (o *Order) MayBeCoenabled(i int32, op trace.Op) bool {
	switch op.Kind {
	case trace.OpDrained: // while there is something to update it is impossible
		return !o.ev[i].event.Update
	case trace.OpJoin:
		for _, y := range o.ev[i].event.Ops {
			if y.Kind == trace.OpExit && y.Obj == op.Obj {
				return false
			}
		}
		return true
	case trace.OpLock, trace.OpReadLock, trace.OpWriteLock:
	default:
		return true
	}
	depth := 0 // of the locks that i's thread has
	for ev, kind := range o.History(&op) {
		if ev >= i {
			continue
		}
		own := o.ev[ev].thread == o.ev[i].thread
		switch kind {
		case trace.OpMutexInit, trace.OpMutexDestroy, trace.OpRWInit, trace.OpRWDestroy:
			return depth <= 0 // earlier events don't count
		case trace.OpReadLock, trace.OpTryReadLock, trace.OpReadUnlock:
			own = own && op.Kind == trace.OpWriteLock
		}
		if !own {
			continue
		}
		switch kind {
		case trace.OpLock, trace.OpTryLock, trace.OpFutexLockPI, trace.OpReadLock, trace.OpTryReadLock, trace.OpWriteLock, trace.OpTryWriteLock:
			depth++
		case trace.OpUnlock, trace.OpFutexUnlockPI, trace.OpReadUnlock, trace.OpWriteUnlock:
			depth--
		}
	}
	return depth <= 0
}
