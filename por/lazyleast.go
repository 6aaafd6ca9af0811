package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// leastPreemptions finds whether a linearisation of the current execution has
// few preemptions. It searches, by ascending cost, pairs of a prefix of the
// trace (how many events of each thread) and the thread that ran last.
type leastPreemptions struct {
	path     *path
	prefixes int                // after this many the answer is yes
	blocks   bool               // the execution's blocks stay whole: Algorithm 10's estimate
	gaveUp   map[int32]trace.Op // per event that lets a wait run out: what it was for

	events      [][]int32 // per thread: its events
	nth         []int32   // per event: how many of its thread's are before it
	seen        prefixes
	layer, dear []int32 // prefixes to go on from, at the present cost and at one more
	counts      []int32
}

func (l *leastPreemptions) within(bound int32) bool {
	if int32(l.path.nodes[len(l.path.nodes)-1].preemptions) <= bound {
		return true
	}
	o := l.path.order
	for t := range l.events {
		l.events[t] = l.events[t][:0]
	}
	for len(l.events) < o.Width() {
		l.events = append(l.events, nil)
	}
	l.nth = l.nth[:0]
	for i := range int32(o.Len()) {
		t := o.Thread(i)
		l.nth = append(l.nth, int32(len(l.events[t])))
		l.events[t] = append(l.events[t], i)
	}
	l.seen.clear(o.Width())
	l.counts = append(l.counts[:0], make([]int32, o.Width())...)
	l.layer, l.dear = append(l.layer[:0], l.seen.number(l.counts, trace.NoThread)), l.dear[:0]
	for cost, looked := int32(0), 0; cost <= bound; cost++ {
		for len(l.layer) > 0 {
			p := l.layer[len(l.layer)-1]
			l.layer = l.layer[:len(l.layer)-1]
			if l.seen.done[p] {
				continue
			}
			l.seen.done[p] = true
			if looked++; looked > l.prefixes || l.goOn(p, cost < bound) {
				return true
			}
		}
		l.layer, l.dear = l.dear, l.layer
	}
	return false
}

// goOn adds the prefixes that one event, or block, makes of prefix p; those that cost a
// preemption only if they may. It reports whether p is the whole trace.
func (l *leastPreemptions) goOn(p int32, may bool) bool {
	counts, last, done := append(l.counts[:0], l.seen.at(p)...), l.seen.last[p], 0
	for _, n := range counts {
		done += int(n)
	}
	if done == l.path.order.Len() {
		return true
	}
	dear := last != trace.NoThread && l.goesOn(counts, last)
	for k := range counts {
		t, before := trace.TID(k), counts[k]
		switch costs := dear && t != last; {
		case costs && !may || !l.takes(counts, t):
			continue
		case costs:
			l.dear = append(l.dear, l.seen.number(counts, t))
		default:
			l.layer = append(l.layer, l.seen.number(counts, t))
		}
		counts[k] = before
	}
	return false
}

// takes adds thread t's next event to the prefix, with the rest of its block if that
// stays whole. If it can't come next the answer is false, and the prefix as it was.
func (l *leastPreemptions) takes(counts []int32, t trace.TID) bool {
	before := counts[t]
	for i := l.next(counts, t); i >= 0; {
		if !l.possible(counts, i) {
			counts[t] = before
			return false
		}
		counts[t]++
		j := l.next(counts, t)
		if !l.blocks || j != i+1 {
			break
		}
		i = j
	}
	return counts[t] > before
}

// next is thread t's first event after the prefix, -1 if it has none.
func (l *leastPreemptions) next(counts []int32, t trace.TID) int32 {
	if n := int(counts[t]); n < len(l.events[t]) {
		return l.events[t][n]
	}
	return -1
}

// has reports whether event i is in the prefix.
func (l *leastPreemptions) has(counts []int32, i int32) bool {
	return counts[l.path.order.Thread(i)] > l.nth[i]
}

// possible reports whether all that happens before event i is in the prefix.
func (l *leastPreemptions) possible(counts []int32, i int32) bool {
	for t, n := range l.path.order.Clock(i) {
		if j := n - 1; j >= 0 && j != i && t < len(counts) && !l.has(counts, j) {
			return false
		}
	}
	return true
}

// goesOn reports whether leaving t after the prefix is a preemption.
func (l *leastPreemptions) goesOn(counts []int32, t trace.TID) bool {
	p, o := l.path, l.path.order
	last := l.events[t][counts[t]-1]
	after := &p.nodes[last+1]
	if p.isReady(last+1, t) && !after.couldGoOn {
		return false // at a yield, or at its end
	}
	op, waits, wakers := trace.Op{}, []trace.Access(nil), o.Wakers(t)
	again := true // it may lock again a lock that it has
	i := l.next(counts, t)
	if i >= 0 {
		op, waits, wakers = o.First(i), p.nodes[i].cur.Waits, o.WakersOf(i)
		if op.Kind == trace.OpAdvance {
			if op, again = l.gaveUp[i], false; !relation.Acquires(op.Kind) {
				return false
			}
		}
	} else if th := p.thread(t); th != nil {
		if th.Status == trace.Exited || th.Status == trace.Spinning || th.Status == trace.Blocked && !relation.Acquires(th.Pending.Kind) {
			return false
		}
		op, again, waits = th.Pending, th.Status == trace.Ready, p.spinReads(t)
	}
	asleep := false
	for w := range wakers {
		if asleep = !l.has(counts, w); !asleep {
			break
		}
	}
	if asleep {
		return false
	}
	if len(waits) > 0 && !l.letGo(counts, last, waits) {
		return false
	}
	return !relation.Acquires(op.Kind) || l.free(counts, t, &op, i, again)
}

// letGo reports whether a write of the prefix ended the spin that came after
// event last.
func (l *leastPreemptions) letGo(counts []int32, last int32, waits []trace.Access) bool {
	o := l.path.order
	for i := range int32(o.Len()) {
		if !l.has(counts, i) || o.Thread(i) == o.Thread(last) || i < last && o.Before(i, last) {
			continue
		}
		for _, a := range l.path.nodes[i].cur.Accesses {
			for k := range waits {
				if a.IsWrite() && a.Conflicts(&waits[k]) {
					return true
				}
			}
		}
	}
	return false
}

// free reports whether t's acquire is possible after the prefix. i is its event,
// -1 if it was never taken; again: t may have the lock already.
func (l *leastPreemptions) free(counts []int32, t trace.TID, op *trace.Op, i int32, again bool) bool {
	o := l.path.order
	value, readers, ended := int64(0), 0, false
	depth, owner := 0, trace.NoThread
	if op.Kind == trace.OpSemWait {
		value = int64(op.Arg)
	}
	for y, kind := range o.History(op) {
		in := l.has(counts, y)
		sign := int64(0) // the value now is that before event i, and what came between
		if before := i < 0 || y < i; in && !before {
			sign = 1
		} else if !in && before {
			sign = -1
		}
		switch kind {
		case trace.OpSemPost:
			value += sign
		case trace.OpSemWait, trace.OpSemTryWait:
			value -= sign
		}
		if !in {
			continue
		}
		switch kind {
		case trace.OpLock, trace.OpTryLock, trace.OpFutexLockPI:
			if depth++; depth > 0 && owner == trace.NoThread {
				owner = o.Thread(y)
			}
		case trace.OpUnlock, trace.OpFutexUnlockPI:
			depth--
		case trace.OpReadLock, trace.OpTryReadLock:
			readers++
		case trace.OpReadUnlock:
			readers--
		case trace.OpWriteLock, trace.OpTryWriteLock:
			readers += 1 << 16
		case trace.OpWriteUnlock:
			readers -= 1 << 16
		case trace.OpExit:
			ended = true
		}
	}
	switch op.Kind {
	case trace.OpLock:
		return depth <= 0 || owner == t && again
	case trace.OpSemWait:
		return value > 0
	case trace.OpReadLock:
		return readers < 1<<15
	case trace.OpWriteLock:
		return readers <= 0
	case trace.OpJoin:
		return ended
	}
	return true
}
