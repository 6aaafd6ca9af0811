package race

import "landgo/internal/trace"

// A watch may have met the load of a triangular race. It still needs no clocks as long as each such load
// is guarded: in every execution since, one thread made all accesses to its bytes, or one lock was held.
// The lock's release and its next acquisition order any two of them, so that no two are adjacent.
// Accesses of the first thread while there is no other are ordered anyway. An access that one execution
// shows counts in all, so the order of executions doesn't matter.

// Guards of a granule, beside the slot of the lock's holder.
const (
	unguarded   int32 = -1
	firstThread int32 = -2 // and less: accesses of one thread alone
)

// guardedAccess follows an access to bytes from lo to hi, and reports whether the watch has to wake:
// a load that may be of a race isn't guarded. loads: this is one.
func (d *Triangular) guardedAccess(t trace.TID, lo, hi uint64, loads bool) (wakes bool) {
	lock := d.slots[d.threads[t].locks]
	if lock == 0 && d.alone(t) {
		return false
	}
	by := firstThread - int32(t)
	for g := lo &^ 7; g < hi; g += 8 {
		c := d.cell(g)
		switch {
		case c.guard == 0 && lock != 0:
			c.guard = lock
		case c.guard == 0:
			c.guard = by
		case c.guard != by && (c.guard != lock || lock == 0):
			c.guard = unguarded
		}
		c.loads = c.loads || loads
		wakes = wakes || c.loads && (c.object || c.guard == unguarded)
	}
	return wakes
}

// alone reports whether a thread is the first one, and has joined all others.
func (d *Triangular) alone(t trace.TID) bool {
	for i := 1; t == 0 && i < len(d.threads); i++ {
		if th := &d.threads[i]; d.slots[th.time] != 0 && d.slots[th.joined] == 0 {
			return false
		}
	}
	return t == 0
}

// unknown reports whether a step's thread, or one that ends a call in it, has no beginning.
func (d *Triangular) unknown(t *trace.Transition) bool {
	begun := func(t trace.TID) bool {
		return t == 0 || int(t) < len(d.threads) && d.slots[d.threads[t].time] != 0 && d.slots[d.threads[t].joined] == 0
	}
	for i := range t.Tails {
		if !begun(t.Tails[i].Thread) {
			return true
		}
	}
	return !begun(t.Thread)
}

// guards follows which lock guards what thread t does, before an operation's effect. It reports
// whether the watch has to wake: the operation breaks the rules of locks.
func (d *Triangular) guards(t trace.TID, o *trace.Op) (wakes bool) {
	switch o.Kind {
	case trace.OpCreate:
		d.ensure(trace.TID(o.Obj))
	case trace.OpJoin, trace.OpTryJoin:
		if int(o.Obj) < len(d.threads) {
			d.set(d.threads[o.Obj].joined, 1)
		}
	case trace.OpLock, trace.OpTryLock, trace.OpUnlock, trace.OpMutexInit, trace.OpMutexDestroy:
		slot, locks := d.object(holder, o.Obj), d.threads[t].locks
		held := d.slots[slot]
		mine := held/mostHeld == int32(t)+1
		switch {
		case o.Kind == trace.OpMutexInit || o.Kind == trace.OpMutexDestroy:
			return held != 0
		case o.Kind == trace.OpUnlock:
			if held%mostHeld == 1 && d.slots[locks] == slot {
				d.set(locks, 0)
			}
			return !mine
		case held == 0 && d.slots[locks] == 0:
			d.set(locks, slot)
		}
		return held != 0 && !mine
	}
	return false
}
