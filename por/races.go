package por

import (
	"slices"

	"landgo/trace"
)

// gather fills o.found with the events that e directly depends on, newest
// first, each once: those by other threads that aren't in e's base. What it
// leaves out happens before one that it has.
//
// For an operation that can block, the release that let it in is no race
// (reversed, the operation would still be impossible), and hides the acquire
// before, which is one: so the walk goes on behind it until it meets an
// operation that could have come second.
func (o *order) gather(e *event, first trace.Op, base []int32, ready readiness) {
	o.found = o.found[:0]
	o.tick(len(o.ev) + 1)
	if e.global {
		o.gatherAll(e, base)
		return
	}
	for k := range e.accesses {
		o.gatherAccess(e, &e.accesses[k], base)
	}
	for k := range e.waits {
		o.gatherAccess(e, &e.waits[k], base)
	}
	for k := range e.ops {
		op := &e.ops[k]
		if classOf[op.Kind] == noClass {
			continue
		}
		n := o.object(op)
		o.gatherOps(e, op, n, first, base, ready)
		if ob := &o.objs[n]; ob.plain {
			for g := ob.lo &^ 7; g < ob.hi; g += 8 {
				o.walk(e, o.granule(g), mask(g, ob.lo, ob.hi), true, base)
			}
		}
	}
	o.gatherAdvance(e, base)
	sortDown(o.found)
}

// sortDown sorts positions, newest first. There are few, but where somebody polled
// a thousand times what others now write.
func sortDown(p []int32) {
	if len(p) > 16 {
		slices.Sort(p)
		slices.Reverse(p)
		return
	}
	for i := 1; i < len(p); i++ {
		for j := i; j > 0 && p[j-1] < p[j]; j-- {
			p[j-1], p[j] = p[j], p[j-1]
		}
	}
}

// tick starts a new generation of marks on events 0..n-1.
func (o *order) tick(n int) {
	for len(o.stamp) < n {
		o.stamp = append(o.stamp, make([]uint32, n+64)...)
	}
	o.now++
	if o.now == 0 {
		clear(o.stamp)
		o.now = 1
	}
}

// find adds position c to o.found unless it is there, is e's own thread's or
// in base.
func (o *order) find(e *event, c int32, base []int32) {
	t := o.ev[c].thread
	if t == e.thread || base[t] > c || o.stamp[c] == o.now {
		return
	}
	o.stamp[c] = o.now
	o.found = append(o.found, c)
}

// gatherAll: the end of the process comes after everything.
func (o *order) gatherAll(e *event, base []int32) {
	for t := range o.last {
		if l := o.last[t]; l > 0 {
			o.find(e, l-1, base)
		}
	}
	sortDown(o.found)
}

// gatherAdvance: an advance of the clock comes before everything later.
func (o *order) gatherAdvance(e *event, base []int32) {
	if o.advanced > 0 {
		o.find(e, o.advanced-1, base)
	}
}

func (o *order) gatherAccess(e *event, a *trace.Access, base []int32) {
	hi := a.Addr + uint64(a.Size)
	for g := a.Addr &^ 7; g < hi; g += 8 {
		n := o.granule(g)
		o.walk(e, n, mask(g, a.Addr, hi), a.IsWrite(), base)
		for k := o.grans[n].objs; k >= 0; k = o.objGranules[k+1] {
			ob := &o.objs[o.objGranules[k]]
			if a.Addr >= ob.hi || ob.lo >= hi {
				continue
			}
			for r := ob.head; r >= 0; r = o.ops[r].prev {
				o.find(e, o.ops[r].ev, base)
				if total[o.ops[r].kind] {
					break
				}
			}
		}
	}
}

// walk finds the accesses of granule n that an access to the bytes in m
// conflicts with.
func (o *order) walk(e *event, n int32, m uint8, write bool, base []int32) {
	if !write {
		for k := o.grans[n].write; k >= 0 && m&o.accs[k].written != 0; k = o.accs[k].other {
			if a := &o.accs[k]; a.mask&m != 0 {
				o.find(e, a.ev, base)
				m &^= a.mask
			}
		}
		return
	}
	for k := o.grans[n].head; k >= 0 && m&o.accs[k].below != 0; k = o.accs[k].prev {
		a := &o.accs[k]
		if a.mask&m == 0 {
			continue
		}
		o.find(e, a.ev, base)
		if a.write {
			m &^= a.mask
		}
	}
}

// gatherOps finds the operations on object n that op depends on.
func (o *order) gatherOps(e *event, op *trace.Op, n int32, first trace.Op, base []int32, ready readiness) {
	blocks := acquires[op.Kind] && op.Obj == first.Obj && op.Kind == first.Kind
	for r, next := o.objs[n].head, int32(0); r >= 0; r = next {
		y := &o.ops[r]
		if next = y.prev; !dependentOps[y.kind][op.Kind] {
			next = y.other // a thousand tries that fail, one after the other
			continue
		}
		if classOf[op.Kind] == syscallClass && y.arg != 1 && op.Arg != 1 {
			continue
		}
		o.find(e, y.ev, base)
		if !total[y.kind] {
			continue
		}
		if t := o.ev[y.ev].thread; !blocks || t == e.thread || base[t] > y.ev || o.possible(y.ev, e, first, int32(len(o.ev)), ready) {
			return
		}
	}
}

// readiness tells whether thread t could run in the state before event at.
type readiness func(at int32, t trace.TID) bool

// dropped reports whether event i is one of o.drops or happens after one.
func (o *order) dropped(i int32) bool {
	for _, d := range o.drops {
		if i >= d && (i == d || o.before(d, i)) {
			return true
		}
	}
	return false
}

// possible reports whether e, the event at position end or one pending there,
// could have come before event c: whether e's thread can run, having done all
// that it did before, in the state before c followed by what came between and
// doesn't happen after c. It leaves in o.drops what would have to come later:
// c and, for a writer, the readers that would hold the lock.
//
// This is the reversible race of Abdulla et al. (JACM 2017, §3 and the
// treatment of blocking there), decided by the kind of the operation with
// which e begins.
func (o *order) possible(c int32, e *event, first trace.Op, end int32, ready readiness) bool {
	o.drops = append(o.drops[:0], c)
	switch first.Kind {
	case trace.OpLock, trace.OpFutexLockPI:
		return o.mutexFree(&first, e.thread, end)
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
	case trace.OpReadLock:
		return !o.writerHolds(&first, e.thread, end)
	case trace.OpWriteLock:
		return o.freeOfReaders(c, &first, e.thread, end)
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
		return true // what let it go is in its base
	case trace.OpOnce:
		if o.last[e.thread] <= c {
			return ready(c, e.thread)
		}
		return true
	}
	if len(e.waits) > 0 {
		return o.letGo(c, e, end, ready)
	}
	return true
}

// mutexFree reports whether thread t can lock the mutex, without what is
// dropped. The walk goes back through the operations of the last owner only,
// for a mutex that is locked recursively; before them it was free.
func (o *order) mutexFree(op *trace.Op, t trace.TID, end int32) bool {
	depth, owner := 0, trace.NoThread
	for r := o.objs[o.object(op)].head; r >= 0; r = o.ops[r].prev {
		y := &o.ops[r]
		if y.ev >= end || o.dropped(y.ev) {
			continue
		}
		who := o.ev[y.ev].thread
		switch y.kind {
		case trace.OpLock, trace.OpTryLock, trace.OpFutexLockPI, trace.OpFutexTryPI:
			if depth == 0 {
				return owner != trace.NoThread && owner != who || who == t && o.taken(end)
			}
			depth--
		case trace.OpUnlock, trace.OpFutexUnlockPI:
			if depth == 0 && owner != trace.NoThread && owner != who {
				return true
			}
			depth++
		case trace.OpMutexInit, trace.OpMutexDestroy:
			return true
		default: // a try that failed, a wait on the futex
			continue
		}
		owner = who
	}
	return true
}

// taken reports whether the step at position end was taken: if a thread got a
// lock that it has, the lock is recursive; if it is blocked there, it isn't.
func (o *order) taken(end int32) bool { return end < int32(len(o.ev)) }

// writerHolds reports whether another thread holds the read-write lock for
// writing, without what is dropped.
func (o *order) writerHolds(op *trace.Op, t trace.TID, end int32) bool {
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
func (o *order) freeOfReaders(c int32, op *trace.Op, t trace.TID, end int32) bool {
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
			if y.ev < c || y.ev == prev || prev >= 0 && o.before(y.ev, prev) {
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
func (o *order) released(r int32, op *trace.Op, end int32) bool {
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
func (o *order) previous(t trace.TID, end int32) int32 {
	if end < int32(len(o.ev)) && o.ev[end].thread == t {
		return o.ev[end].prev
	}
	return o.last[t] - 1
}

// letGo reports whether a spinning thread would go on before c: it stood ready
// there, or another write that isn't dropped let it go.
func (o *order) letGo(c int32, e *event, end int32, ready readiness) bool {
	prev := o.previous(e.thread, end)
	if prev < c && ready(c, e.thread) {
		return true
	}
	for k := range e.waits {
		w := &e.waits[k]
		hi := w.Addr + uint64(w.Size)
		for g := w.Addr &^ 7; g < hi; g += 8 {
			m := mask(g, w.Addr, hi)
			for r := o.grans[o.granule(g)].write; r >= 0; r = o.accs[r].prevWrite {
				a := &o.accs[r]
				if a.ev >= end || a.mask&m == 0 || o.ev[a.ev].thread == e.thread {
					continue
				}
				if prev >= 0 && a.ev <= prev && o.before(a.ev, prev) {
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
