package library

import (
	"slices"

	"landgo/heap"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// object is the model of one trusted synchronisation object, by its address.
// It comes into being at its first use, from the bytes that an initialiser
// left there, or by its init function.
//
// Objects are values (undo.Values): only an objectEdit has the object itself, all else a copy.
//
// invariant: slices are never changed in place (Rewind puts old values back).
type object struct {
	addr uint64
	kind objectKind

	// mutex, spin lock; rwlock: the writer. NoThread: free.
	owner trace.TID
	depth uint64 // of a recursive mutex
	mtype mutexType
	// flags are its initialiser's settings: a mutex's type, a condition variable's
	// clock, a read-write lock's preference, as the C library keeps them.
	flags uint32

	readers []trace.TID // rwlock
	value   uint64      // semaphore's count; barrier's number of parties
	waiters []trace.TID // condition variable's queue; barrier's arrivals; writers that keep readers out
	done    bool        // once: has run
	clock   uint64      // condition variable: the clock of its timed waits

	destroyed bool
	// forgotten: its bytes were written for something else (guard.go).
	forgotten bool
	// words are the values that landgo last saw or left in its memory (objectbytes.go).
	words [objectWords]uint32
	// strange: its bytes are those of no object at rest. torn, if not "": how it was
	// in use when they were overwritten.
	strange bool
	torn    string
}

type objectKind uint8

const (
	kindMutex objectKind = iota
	kindCond
	kindSem
	kindRWLock
	kindBarrier
	kindOnce
	kindSpin
	numKinds
)

type mutexType uint8

const (
	mutexNormal mutexType = iota
	mutexRecursive
	mutexErrorCheck
	mutexRobust mutexType = 8 // a flag; see distrust.go
)

// pthreadSizes are the numbers of bytes of the kinds of objects: both libcs
// agree on x86-64.
var pthreadSizes = objectSizes{kindMutex: 40, kindCond: 48, kindSem: 32, kindRWLock: 56, kindBarrier: 32, kindOnce: 4, kindSpin: 4}

// objectSizes has a size for each kind.
type objectSizes [numKinds]uint32

// renew makes a new object of the memory of another.
func (o objectEdit) renew(kind objectKind) {
	*o.object = object{addr: o.addr, kind: kind, owner: trace.NoThread}
}

// destroyedMark is the value that landgo leaves in the first bytes of a destroyed object.
// No initialiser does: where it is gone, the guest made a new object there by
// an assignment or a memset.
const destroyedMark = 0xdeadbeef

// glibcMutexType decodes __data.__kind: 0 normal, 1 recursive, 2 error
// checking, 3 adaptive; 16 robust.
func glibcMutexType(kind uint32) mutexType {
	t := [...]mutexType{mutexNormal, mutexRecursive, mutexErrorCheck, mutexNormal}[kind&3]
	if kind&16 != 0 {
		t |= mutexRobust
	}
	return t
}

// muslMutexType decodes _m_type: 0 normal, 1 recursive, 2 error checking; 4
// robust.
func muslMutexType(kind uint32) mutexType {
	t := [...]mutexType{mutexNormal, mutexRecursive, mutexErrorCheck, mutexNormal}[kind&3]
	if kind&4 != 0 {
		t |= mutexRobust
	}
	return t
}

// objectEdit is an object that may be changed: its value was kept since the latest mark. Only
// change and objectOf make one.
type objectEdit struct{ *object }

// change keeps an object's present value for Rewind, and lets it be changed until the next
// mark.
func (l *models) change(addr uint64) objectEdit {
	l.core.ObjectChanges(addr)
	return objectEdit{l.objects.Change(addr)}
}

func without(list []trace.TID, i int) []trace.TID {
	out := make([]trace.TID, 0, len(list)-1)
	return append(append(out, list[:i]...), list[i+1:]...)
}

func with(list []trace.TID, t trace.TID) []trace.TID {
	out := make([]trace.TID, 0, len(list)+1)
	return append(append(out, list...), t)
}

func index(list []trace.TID, t trace.TID) int {
	for i, x := range list {
		if x == t {
			return i
		}
	}
	return -1
}

func (o *object) digest() trace.Digest {
	h := trace.NewHash()
	h.Words(scheduler.PartCarried, o.addr, uint64(o.kind), uint64(o.owner), o.depth, uint64(o.mtype), o.value, o.clock, trace.Bit(o.done), trace.Bit(o.destroyed), uint64(o.flags), trace.Bit(o.strange))
	for _, w := range o.words {
		h.Word(uint64(w))
	}
	h.Text(o.torn)
	for _, list := range [][]trace.TID{o.readers, o.waiters} {
		h.Word(uint64(len(list)))
		for _, t := range list {
			h.Word(uint64(t))
		}
	}
	return h.Sum()
}

// objectsIn lists the objects in a block that aren't destroyed, by address.
func (l *models) objectsIn(b heap.Block) (list []uint64) {
	if b.Size < uint64(l.objects.Len()) {
		for a := b.Addr; b.Contains(a); a++ {
			if o, ok := l.objects.Get(a); ok && !o.destroyed {
				list = append(list, a)
			}
		}
		return list
	}
	for a, o := range l.objects.All() {
		if b.Contains(a) && !o.destroyed {
			list = append(list, a)
		}
	}
	slices.Sort(list)
	return list
}
