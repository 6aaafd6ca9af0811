package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// unavoidable counts the preemptions that each execution has whose trace goes on from
// that of the path.
//
// A *stretch* is events of one thread, one after the other, such that leaving it
// between two of them costs a preemption whatever the others do. If an event of
// another thread happens after the first and before the last, the thread is left in
// between. Stretches with such an event are found greedily: one ends where the first
// such event is known, and the next begins. They are disjoint, so each costs a
// preemption of its own. That is less than the least at times (two stretches may
// exclude each other without such an event), and never more.
//
// A thread's next operation counts as an event. If it is done, it comes there. If it
// never is, the thread was left for good, and that costs as much.
type unavoidable struct {
	path *path
	at   []stretch // per event: how things stand after it
	// Scratch: clocks and conflicts of what would come next.
	clock, clash, upon []int32
	step, other        relation.Step
}

// stretch is that of an event's thread after the event.
type stretch struct {
	cost  int32 // preemptions, of all threads up to here
	start int32 // its first event
}

func (u *unavoidable) reset() { u.at = u.at[:0] }

// enter notes event i.
func (u *unavoidable) enter(i int32) {
	o := u.path.order
	st := stretch{start: i}
	if i > 0 {
		st.cost = u.at[i-1].cost
	}
	if last := o.Prev(i); last >= 0 && len(u.path.nodes[i].cur.Waits) == 0 {
		op := o.First(i)
		if start := u.at[last].start; u.costly(start, last, i, &op) {
			if u.interrupted(start, o.Thread(i), o.Clock(i)) {
				st.cost++
			} else {
				st.start = start
			}
		}
	}
	u.at = append(u.at[:i], st)
}

// interrupted reports whether the clock has another thread's event after event start,
// of t.
func (u *unavoidable) interrupted(start int32, t trace.TID, clock []int32) bool {
	for v, n := range clock {
		if j := n - 1; j > start && trace.TID(v) != t && u.path.order.Before(start, j) {
			return true
		}
	}
	return false
}

// from is the number for what goes on from the newest state, with b if that isn't nil.
func (u *unavoidable) from(b *branch) (cost int32) {
	p, o := u.path, u.path.order
	if n := p.depth(); n > 0 {
		cost = u.at[n-1].cost
	}
	var first *trace.Thread
	if b != nil {
		if first = p.thread(b.Thread); first == nil {
			return cost
		}
		u.step.Begin(first)
		u.step.Dim()
		u.upon = slices.Clone(u.conflicts(&u.step.Event))
	}
	for k := range p.threads {
		t := &p.threads[k]
		last := o.Last(t.ID)
		if last < 0 || t.Status != trace.Ready && t.Status != trace.Blocked || t.Expiring {
			continue
		}
		start := u.at[last].start
		if !u.costly(start, last, -1, &t.Pending) {
			continue
		}
		u.other.Begin(t)
		u.other.Dim()
		e := &u.other.Event
		after := u.after(start, u.conflicts(e))
		if !after && first != nil && first.ID != t.ID && e.Dependent(&u.step.Event) {
			// b comes before it: does it come after start?
			o.Base(u.clock, first.ID)
			after = u.clock[t.ID] > start || u.after(start, u.upon)
		}
		if after {
			cost++
		}
	}
	return cost
}

// conflicts are the events that e depends on, but those that come before it without
// fail. Valid until the next call.
func (u *unavoidable) conflicts(e *relation.Event) []int32 {
	o := u.path.order
	u.clock = atLeast(u.clock, o.Width())
	o.Base(u.clock, e.Thread)
	u.clash = o.Conflicts(e, u.clock, u.clash[:0])
	return u.clash
}

// after reports whether one of the events is event start or happens after it.
func (u *unavoidable) after(start int32, events []int32) bool {
	for _, x := range events {
		if x == start || u.path.order.Before(start, x) {
			return true
		}
	}
	return false
}

// costly reports whether it is a preemption to leave a thread after event last,
// whatever the others do. The thread's next operation is op, at event i, or not done
// yet (-1). start is where its stretch began.
func (u *unavoidable) costly(start, last, i int32, op *trace.Op) bool {
	p, t := u.path, u.path.order.Thread(last)
	switch {
	case !p.nodes[last+1].couldGoOn || !p.isReady(last+1, t) || op.Kind == trace.OpAdvance:
		return false // at a yield, at its end, or where it waited
	case !relation.Acquires(op.Kind):
		return true
	case op.Kind == trace.OpJoin:
		return u.hasEnded(last, op)
	case op.Kind == trace.OpLock || op.Kind == trace.OpReadLock || op.Kind == trace.OpWriteLock:
		return u.isFree(start, last, i, op)
	}
	return false
}

// hasEnded reports whether the thread that op joins has ended before event last in each
// linearisation.
func (u *unavoidable) hasEnded(last int32, op *trace.Op) bool {
	for y, kind := range u.path.order.History(op) {
		if kind == trace.OpExit {
			return y == last || u.path.order.Before(y, last)
		}
	}
	return false
}

// isFree reports whether op's lock is free after event last in each linearisation in
// which the thread wasn't left since start. It isn't where another thread may have taken
// it before start and not have given it back. An operation still to come can't have: it
// is after an operation of the stretch on the lock, or after op if that was done (event
// i).
func (u *unavoidable) isFree(start, last, i int32, op *trace.Op) bool {
	o := u.path.order
	t, settled := o.Thread(last), i >= 0
	released := map[trace.TID]int32{} // the release that follows, newest first
	for y, kind := range o.History(op) {
		by := o.Thread(y)
		switch {
		case by == t:
			settled = settled || y >= start
			continue
		case i >= 0 && (y == i || o.Before(i, y)):
			continue
		}
		switch kind {
		case trace.OpUnlock, trace.OpFutexUnlockPI, trace.OpReadUnlock, trace.OpWriteUnlock:
			released[by] = y
		case trace.OpLock, trace.OpTryLock, trace.OpFutexLockPI, trace.OpFutexTryPI, trace.OpReadLock, trace.OpTryReadLock, trace.OpWriteLock, trace.OpTryWriteLock:
			z, ok := released[by]
			delete(released, by)
			if !o.Before(start, y) && !(ok && o.Before(z, last)) {
				return false
			}
		case trace.OpMutexInit, trace.OpMutexDestroy, trace.OpRWInit, trace.OpRWDestroy, trace.OpTryLockFail, trace.OpTryReadLockFail, trace.OpTryWriteLockFail:
		default:
			return false // its effect on the lock isn't looked at here
		}
	}
	return settled
}
