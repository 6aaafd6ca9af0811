package race

import "landgo/internal/trace"

// The effect of functions and system calls that landgo carries out on the store buffer of
// their thread. landgo runs none of their code. So this is the behaviour of every supported C library and
// kernel there, and the least of it where these differ.

// buffering is an operation's effect on the store buffer.
type buffering uint8

const (
	// nothing: it may be done without a locked instruction.
	nothing buffering = iota
	// drains: a locked instruction on the object, or a system call that takes a lock.
	drains
	// looks: it may be a plain load of the object. glibc's pthread_cond_signal reads
	// whether there are waiters, sem_trywait whether the value is 0.
	looks
	// stores: plain stores to the object.
	stores
)

var bufferingOf = [trace.NumOps]buffering{
	trace.OpCreate: drains, trace.OpExit: drains, trace.OpJoin: drains, trace.OpTryJoin: drains, trace.OpTryJoinFail: looks,
	trace.OpDetach: drains, trace.OpName: looks,

	trace.OpLock: drains, trace.OpTryLock: drains, trace.OpTryLockFail: looks, trace.OpUnlock: drains,
	trace.OpMutexInit: stores, trace.OpMutexDestroy: stores,

	trace.OpCondWait: drains, trace.OpCondSignal: looks, trace.OpCondBroadcast: looks, trace.OpCondTimeout: drains,
	trace.OpCondInit: stores, trace.OpCondDestroy: stores, trace.OpCondLook: looks,

	trace.OpSemWait: drains, trace.OpSemTryWait: drains, trace.OpSemTryWaitFail: looks, trace.OpSemPost: drains,
	trace.OpSemGet: looks, trace.OpSemInit: stores, trace.OpSemDestroy: stores,

	trace.OpReadLock: drains, trace.OpTryReadLock: drains, trace.OpTryReadLockFail: looks,
	trace.OpWriteLock: drains, trace.OpTryWriteLock: drains, trace.OpTryWriteLockFail: looks,
	trace.OpReadQueue: drains, trace.OpWriteQueue: drains, trace.OpReadUnlock: drains, trace.OpWriteUnlock: drains,
	trace.OpRWInit: stores, trace.OpRWDestroy: stores,

	trace.OpBarrierArrive: drains, trace.OpBarrierInit: stores, trace.OpBarrierDestroy: stores,

	trace.OpFutexWait: drains, trace.OpFutexLook: drains, trace.OpFutexWake: drains, trace.OpFutexMiss: drains, trace.OpFutexRequeue: drains, trace.OpFutexTimeout: drains,
	trace.OpFutexLockPI: drains, trace.OpFutexTryPI: drains, trace.OpFutexUnlockPI: drains,

	trace.OpSend: drains, trace.OpReceive: drains,
}

// drainsAt is bufferingOf, but for what depends on an operation's argument. A once routine
// that is done is found so by a plain load, which can only be of its last value.
func drainsAt(o *trace.Op) bool {
	if o.Kind == trace.OpOnce {
		return o.Arg == trace.OnceBegins
	}
	return bufferingOf[o.Kind] == drains && !unlocksByStore(o)
}

// unlocksByStore reports whether an operation lets a lock go by a plain store.
func unlocksByStore(o *trace.Op) bool {
	return o.Kind == trace.OpUnlock && o.Arg == trace.UnlockStores
}

// effect takes in what an operation does to the buffer.
func (d *Triangular) effect(t trace.TID, o *trace.Op) {
	switch {
	case d.nested(t, o):
	case drainsAt(o):
		d.set(d.threads[t].store, 0)
		d.stored = false
	case (bufferingOf[o.Kind] == stores || unlocksByStore(o)) && o.Size > 0:
		// It isn't known which of its bytes it stores, so it covers none.
		d.visits = append(d.visits, triVisit{time: d.now(t), store: d.slots[d.threads[t].store], Access: Access{Thread: t, PC: o.PC, Addr: o.Obj, Write: true}})
		d.set(d.threads[t].store, int32(len(d.visits)-1))
		d.stored = true
	}
}

// mostHeld is more than the times that a thread holds a mutex.
const mostHeld = 1 << 16

// nested follows which thread holds a mutex, and reports whether an operation only counts how
// often. Further locks and unlocks of a recursive mutex are plain stores to memory that no
// other thread reads meanwhile.
func (d *Triangular) nested(t trace.TID, o *trace.Op) bool {
	switch o.Kind {
	case trace.OpLock, trace.OpTryLock, trace.OpUnlock:
	default:
		return false
	}
	slot := d.object(holder, o.Obj)
	held, own := d.slots[slot], (int32(t)+1)*mostHeld
	mine := held > own && held < own+mostHeld
	switch {
	case o.Kind != trace.OpUnlock && mine:
		d.set(slot, min(held+1, own+mostHeld-1))
		return true
	case o.Kind != trace.OpUnlock:
		d.set(slot, own+1)
	case mine && held > own+1:
		d.set(slot, held-1)
		return true
	default:
		d.set(slot, 0)
	}
	return false
}

// looks takes in an operation as an access to its object: a plain load, or a change.
// Events between aren't asked about: two that nothing orders are taken to be
// adjacent.
func (d *Triangular) looks(t trace.TID, o *trace.Op) {
	if !hasObject(o) {
		return
	}
	x := d.operatedOn(o)
	look := looksAt(o)
	buffered := d.slots[d.threads[t].store]
	if look && buffered == 0 {
		return
	}
	// As of the step's beginning: what a step does after it has released a lock (a
	// wait on a condition variable) is done before.
	v := triVisit{time: d.began, before: d.clockOf(t), Access: Access{Thread: t, PC: o.PC, Addr: o.Obj, Size: o.Size, Write: !look}}
	if look {
		v.store = buffered
	}
	own := int32(0)
	for i := range x.all {
		p := &x.all[i]
		n := d.slots[p.last]
		switch {
		case p.thread == t && p.write == v.Write:
			own = p.last
		case p.thread == t || n == 0 || p.write == v.Write || d.at(v.before, p.thread) >= d.visits[n].time:
		case look:
			d.apart(&v, &d.visits[n])
		default:
			d.apart(&d.visits[n], &v)
		}
	}
	if own == 0 {
		own = d.newSlots(1)
		x.all = append(x.all, triPlace{thread: t, write: v.Write, last: own})
	}
	d.visits = append(d.visits, v)
	d.set(own, int32(len(d.visits)-1))
}

// hasObject reports whether an operation has an object in the guest's memory that it may load or
// change.
func hasObject(o *trace.Op) bool {
	return o.Kind == trace.OpOnce || o.Kind == trace.OpOncePass || bufferingOf[o.Kind] != nothing && o.Size != 0
}

// looksAt reports whether an operation may be a plain load of its object.
func looksAt(o *trace.Op) bool { return hasObject(o) && bufferingOf[o.Kind] == looks }

// operatedOn is the object of an operation.
func (d *Triangular) operatedOn(o *trace.Op) *triObject {
	if x := d.lately[o.Obj>>3%uint64(len(d.lately))]; x != nil && x.addr == o.Obj {
		return x
	}
	x := d.objs[o.Obj]
	if x == nil {
		x = &triObject{addr: o.Obj}
		d.objs[o.Obj] = x
		for g := o.Obj &^ 7; g < o.Obj+uint64(o.Size); g += 8 {
			d.cell(g).object = true
		}
	}
	d.lately[o.Obj>>3%uint64(len(d.lately))] = x
	return x
}

// calls takes in the beginning or the end of a call of an object that is to be
// linearizable. Which calls are over before others begin is the same on x86-TSO where the
// buffer is empty at each. These moments can then be taken for locked instructions on one
// more variable, which change nothing, and make no triangular race. With a store in the
// buffer the call is over before others see what it did.
func (d *Triangular) calls(t trace.TID, o *trace.Op) {
	s := d.slots[d.threads[t].store]
	if s == 0 || o.Kind != trace.OpCallBegins && o.Kind != trace.OpCallEnds {
		return
	}
	at := Access{Thread: t, PC: o.PC, Addr: o.Obj}
	d.Add(Triangle{Store: d.visits[s].Access, Load: at, Racing: at})
}

// apart adds the race of a look r and a change w that nothing orders.
func (d *Triangular) apart(r, w *triVisit) {
	s := &d.visits[r.store]
	if d.at(w.before, r.Thread) < s.time {
		d.Add(Triangle{Store: s.Access, Load: r.Access, Racing: w.Access})
	}
}

// besideObject adds the races of load r of an object's own bytes with operations on it by
// other threads that came before. Those that come after come before in another trace.
func (d *Triangular) besideObject(r *triVisit, g uint64) {
	for at, x := range d.objs {
		if at >= g+8 {
			continue
		}
		for i := range x.all {
			n := d.slots[x.all[i].last]
			if w := &d.visits[n]; n != 0 && w.Thread != r.Thread && w.Write && g < w.Addr+uint64(w.Size) {
				d.Add(Triangle{Store: d.visits[r.store].Access, Load: r.Access, Racing: w.Access})
			}
		}
	}
}
