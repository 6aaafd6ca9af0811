package library

import (
	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A trusted object's memory holds what the guest's own C library would have there: an
// owner, a count, that a routine has run. So a program that makes a new object of the
// memory is seen to do it, whichever way it does. It assigns an initialiser, copies another
// object, clears the memory, or calls a C++ constructor in a stack frame that is used
// again. Each use of an object compares its words with those that landgo left there; where
// they differ, the object takes its state from its bytes (adopt). An object that is at rest again
// has its initialiser's bytes again, so a new one with the same bytes needs no telling
// apart.
//
// landgo's own stores are no accesses: the operation is the event, and it overlaps
// every access to the bytes (trace.Op.Size).

// objectWords is the most words that an object's model is kept in.
const objectWords = 5

// shape is where the 32-bit words of an object are that its model is kept in, and how
// many bytes its init function clears.
type shape struct {
	at    []uint64
	clear uint64
}

type shapes [numKinds]shape

// libcShapes are those of glibc 2.34 and newer, and of musl 1.2.
var libcShapes = map[elffile.Libc]*shapes{
	elffile.Glibc: {
		kindMutex:   {[]uint64{0, 4, 8, 12, 16}, 40}, // __lock, __count, __owner, __nusers, __kind
		kindCond:    {[]uint64{36}, 48},              // __wrefs
		kindSem:     {[]uint64{0}, 12},               // value
		kindRWLock:  {[]uint64{0, 24, 48}, 56},       // __readers, __cur_writer, __flags
		kindBarrier: {[]uint64{0, 8}, 20},            // in, count
		kindOnce:    {[]uint64{0}, 4},
		kindSpin:    {[]uint64{0}, 4},
	},
	elffile.Musl: {
		kindMutex:   {[]uint64{0, 4, 20}, 40}, // _m_type, _m_lock, _m_count
		kindCond:    {[]uint64{12, 16}, 48},   // _c_waiters, _c_clock
		kindSem:     {[]uint64{0}, 12},        // __val[0]
		kindRWLock:  {[]uint64{0}, 56},        // _rw_lock
		kindBarrier: {[]uint64{8, 12}, 32},    // _b_limit, _b_count
		kindOnce:    {[]uint64{0}, 4},
		kindSpin:    {[]uint64{0}, 4},
	},
}

// Bits of glibc's __readers.
const (
	rwWritePhase = 1
	rwWriter     = 2
	rwReader     = 8
)

const (
	onceRuns     = 1
	onceDone     = 2
	muslHeld     = abi.EBUSY  // _m_lock of a normal mutex, and a spin lock's
	muslWriter   = 0x7fffffff // _rw_lock
	muslTID      = 0x3fffffff // the owner in _m_lock
	mutexProtect = 64         // __kind: PTHREAD_PRIO_PROTECT, whose __lock has a ceiling
)

// rewritten reports whether the guest has stored into an object since landgo last
// used it.
func (l *models) rewritten(o *object) bool {
	if l.shapes == nil || o.destroyed {
		return false
	}
	for i, at := range l.shapes[o.kind].at {
		if l.machine.Read32(o.addr+at) != o.words[i] {
			return true
		}
	}
	return false
}

// settle writes an object's state into its memory.
func (l *models) settle(o objectEdit) {
	if l.shapes == nil || o.destroyed {
		return
	}
	w := l.encode(o.object)
	for i, at := range l.shapes[o.kind].at {
		if w[i] != o.words[i] {
			l.machine.Write32(o.addr+at, w[i])
		}
	}
	o.words = w
}

// clear does to an object's memory what its init function does first.
func (l *models) clear(o objectEdit) {
	if l.shapes == nil {
		return
	}
	for at := uint64(0); at < l.shapes[o.kind].clear; at += 4 {
		if l.machine.Read32(o.addr+at) != 0 {
			l.machine.Write32(o.addr+at, 0)
		}
	}
	o.words = [objectWords]uint32{}
}

// encode is an object's state as the words of its shape.
func (l *models) encode(o *object) (w [objectWords]uint32) {
	musl := l.libc == elffile.Musl
	held := o.owner != trace.NoThread
	switch o.kind {
	case kindMutex:
		switch {
		case musl:
			w[0] = o.flags
			if held && o.mtype == mutexNormal {
				w[1] = muslHeld
			} else if held {
				w[1], w[2] = l.numberOf(o.owner), uint32(o.depth-1)
			}
		default:
			w[4] = o.flags
			if held {
				w[0], w[2], w[3] = 1, l.numberOf(o.owner), 1
				if o.mtype == mutexRecursive {
					w[1] = uint32(o.depth)
				}
			}
		}
	case kindSpin:
		switch {
		case musl && held:
			w[0] = muslHeld
		case !musl && !held:
			w[0] = 1
		}
	case kindCond:
		if musl {
			w[0], w[1] = uint32(len(o.waiters)), o.flags
		} else {
			w[0] = uint32(len(o.waiters))<<3 | o.flags
		}
	case kindSem:
		w[0] = uint32(o.value)
	case kindRWLock:
		switch {
		case musl && held:
			w[0] = muslWriter
		case musl:
			w[0] = uint32(len(o.readers))
		default:
			w[0], w[2] = uint32(len(o.readers))*rwReader, o.flags
			if held {
				w[0], w[1] = rwWriter|rwWritePhase, l.numberOf(o.owner)
			} else if len(o.waiters) > 0 {
				w[0] |= rwWriter
			}
		}
	case kindBarrier:
		if musl {
			w[0], w[1] = uint32(o.value-1), uint32(len(o.waiters))
		} else {
			w[0], w[1] = uint32(len(o.waiters)), uint32(o.value)
		}
	case kindOnce:
		switch {
		case o.done:
			w[0] = onceDone
		case held:
			w[0] = onceRuns
		}
	}
	return w
}

// adopt makes of an object what its bytes say: what a static initialiser left there,
// or a copy of another object.
func (l *models) adopt(o objectEdit) {
	if l.shapes == nil {
		return // a student's: what its bytes mean isn't known
	}
	var w [objectWords]uint32
	for i, at := range l.shapes[o.kind].at {
		w[i] = l.machine.Read32(o.addr + at)
	}
	o.words = w
	musl := l.libc == elffile.Musl
	switch o.kind {
	case kindMutex:
		lock, owner, depth := w[0], w[2], w[1]
		if musl {
			o.flags, lock, owner, depth = w[0], w[1], w[1]&muslTID, w[2]+1
			o.mtype = muslMutexType(o.flags)
		} else {
			o.flags = w[4]
			o.mtype = glibcMutexType(o.flags)
			if o.flags&mutexProtect != 0 {
				lock = 0
			}
		}
		if lock == 0 {
			break
		}
		if musl && o.mtype == mutexNormal {
			owner = 0 // it isn't told
		}
		if o.owner = l.numbered(owner); o.owner == trace.NoThread {
			o.strange = true
		} else if o.depth = 1; o.mtype == mutexRecursive {
			o.depth = max(1, uint64(depth))
		}
	case kindSpin:
		o.strange = musl == (w[0] != 0)
		if !musl {
			o.strange = w[0] != 1
		}
	case kindCond:
		if o.flags = w[1]; !musl {
			o.flags = w[0] & 7
		}
		o.clock = l.clockIn(o.flags)
	case kindSem:
		if o.value = uint64(w[0]); musl {
			o.value &= semMax
		}
	case kindRWLock:
		if musl {
			o.strange = w[0] != 0
			break
		}
		o.flags = w[2]
		if w[0]&rwWriter != 0 && w[0]&rwWritePhase != 0 && w[0] < rwReader {
			o.owner = l.numbered(w[1])
			o.strange = o.owner == trace.NoThread
		} else {
			o.strange = w[0] > rwWritePhase
		}
	case kindBarrier:
		if o.value = uint64(w[1]); musl && w[0] != 0 {
			o.value = uint64(w[0]&semMax) + 1
		} else if musl {
			o.value = 0
		}
	case kindOnce:
		o.done = w[0]&onceDone != 0 && !(musl && w[0] == 3)
		o.strange = !o.done && w[0] != 0
	}
}

// numberOf is the kernel's number of a thread.
func (l *models) numberOf(t trace.TID) uint32 {
	if k, ok := l.kernel.(interface{ Number(trace.TID) uint64 }); ok {
		return uint32(k.Number(t))
	}
	return uint32(t) + 1
}

// numbered is the live thread of a number, or NoThread.
func (l *models) numbered(n uint32) trace.TID {
	for i := range l.threads {
		if l.threads[i].Exists && l.threads[i].Live() && l.numberOf(trace.TID(i)) == n {
			return trace.TID(i)
		}
	}
	return trace.NoThread
}

// inUse says how an object is in use whose memory was written to, "" if it isn't or its
// life may be over. A thread that left the stack frame of a lock that it held does no harm
// by it.
func (l *models) inUse(o *object) string {
	if len(o.waiters) > 0 {
		return "while thread " + l.core.Name(o.waiters[0]) + " waits there"
	}
	for _, t := range append(o.readers[:len(o.readers):len(o.readers)], o.owner) {
		if t != trace.NoThread && l.threads[t].Live() && !l.core.Leaks.OnStack(t, o.addr) {
			if o.kind == kindOnce {
				return "while thread " + l.core.Name(t) + " runs its routine"
			}
			return "while thread " + l.core.Name(t) + " holds it"
		}
	}
	return ""
}

// Drop implements Memory: it ends the objects there.
func (l *models) Drop(p kernel.Pages) {
	if p.Size == 0 || l.shapes == nil {
		return
	}
	for _, a := range l.objectsIn(heap.Block{Addr: p.Addr, Size: p.Size}) {
		o := l.change(a)
		o.destroyed = true // with no mark in memory: what is used there next is new
	}
}

// touchesObject learns that a thread uses an object's memory. For an object among the
// program's variables, only what untrusted code did there besides is news.
func (l *models) touchesObject(th *thread, o *object) {
	if l.core.Alone(th.ID) {
		return
	}
	size := uint64(l.sizes[o.kind])
	if !l.core.Blocks.InHeap(o.addr) && !l.core.Mappings.Has(o.addr) {
		switch {
		case l.shapes == nil:
			return
		case l.static(o.addr):
			if l.machine.TouchTrusted(th.ID, o.addr, size, false) {
				l.core.Refine()
			}
			return
		}
	}
	l.core.Sharing.Shared(th.ID, o.addr, size)
}

// static reports whether an address is of the program's own segments.
func (l *models) static(addr uint64) bool {
	for i := range l.image.Segments {
		if g := &l.image.Segments[i]; addr-g.Addr < g.MemSize {
			return true
		}
	}
	return false
}

// sizeFor is the size of the object that a function of a role works on: a spin
// lock is modelled as a mutex, and is smaller.
func (l *models) sizeFor(r profile.Role, k objectKind) uint64 {
	switch r {
	case profile.SpinInit, profile.SpinInitOrUnlock, profile.SpinDestroy, profile.SpinLock, profile.SpinTryLock, profile.SpinUnlock:
		return 4
	}
	return uint64(l.sizes[k])
}

// clockIn is the clock that these say.
func (l *models) clockIn(flags uint32) uint64 {
	if l.libc == elffile.Musl {
		return uint64(flags)
	}
	return uint64(flags >> 1 & 1)
}
