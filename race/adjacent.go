package race

import "landgo/internal/trace"

// Mode Adjacent is the order of all dependent events. Beside synchronisation,
// each access comes after the conflicting ones before it, and each operation
// after the others on its object. Two conflicting accesses race in it if they
// could be made neighbours in an equivalent execution: nothing between depends
// on the first while the second depends on it. The second's thread could then
// as well have gone first. This is the reversible race of partial-order
// reduction (Abdulla et al., JACM 2017, §4.3), and true whatever the program
// synchronises by: a lock of its own, flags, turns.
//
// It says less than HB (what came between hides a race in one execution, and
// another shows it) and never what isn't so.

// adjacent looks for races of the access under way, whose sites are d.hit, and
// puts it after what it conflicts with.
func (d *Detector) adjacent(t trace.TID, v visit) {
	before := d.clockOf(t)
	clock := before
	for _, h := range d.hit {
		for i := range h.site.rivals {
			r := &h.site.rivals[i]
			e := &d.visits[d.slots[r.last]]
			if e.time == 0 {
				continue
			}
			clock = d.joined(clock, e.clock)
			if !r.has(seen) && e.life == h.life && d.at(before, r.thread()) < e.time && d.neighbours(r.thread(), e) {
				v.life = h.life
				d.race(h.site, r, e, &v)
			}
		}
	}
	d.set(d.threads[t].clock, clock)
	d.tick(t)
	d.clockOf(t) // as visits keep it
}

// neighbours reports whether no other access that the one under way conflicts
// with comes after visit e of thread t.
func (d *Detector) neighbours(t trace.TID, e *visit) bool {
	for _, h := range d.hit {
		for i := range h.site.rivals {
			o := &h.site.rivals[i]
			if v := &d.visits[d.slots[o.last]]; v.time != 0 && d.at(v.clock, t) >= e.time && (o.thread() != t || v.time != e.time) {
				return false
			}
		}
	}
	return true
}

// group tells which operations on one object commute with each other: those of
// one group do, if it isn't 0. Package por does the same. An order here would
// hide a race with two of them between, in the only execution that a search
// runs of its trace. (por knows a few pairs more, between groups, which are
// ordered here: that hides a race at worst.)
func group(o *trace.Op) uint8 {
	switch o.Kind {
	case trace.OpReadLock, trace.OpTryReadLock, trace.OpTryReadLockFail, trace.OpReadUnlock:
		return 1
	case trace.OpSemPost:
		return 2
	case trace.OpSemTryWaitFail, trace.OpSemGet:
		return 3
	case trace.OpFutexWait:
		return 6
	case trace.OpTryLockFail, trace.OpTryJoinFail, trace.OpName, trace.OpTryWriteLockFail, trace.OpCondLook, trace.OpOnceLook, trace.OpOncePass, trace.OpBarrierLeave, trace.OpFutexMiss:
		return 4 // no two of them are of one kind of object
	case trace.OpSyscall:
		if o.Arg != 1 {
			return 5
		}
	}
	return 0
}

const groups = 7

// onObject puts an operation after those on its object that it doesn't commute
// with.
func (d *Detector) onObject(t trace.TID, o *trace.Op) {
	switch o.Kind {
	case trace.OpYield, trace.OpSleep, trace.OpTime, trace.OpCreate, trace.OpFutexLook:
		return
	}
	k := objectKey{anyOperation, o.Obj}
	slot, ok := d.objects[k]
	if !ok {
		slot = d.newSlots(groups)
		d.objects[k] = slot
	}
	own := int32(group(o))
	for g := range int32(groups) {
		if g == 0 || g != own {
			d.joinClock(t, d.slots[slot+g])
		}
	}
	d.releaseTo(t, slot+own)
}
