package scheduler

import "landgo/internal/trace"

// A loop may store the value that is there in each turn, and wait for something else. Without
// buffers such a store has no effect. With them it makes the buffer longer, and turns without
// end are states without end. Still it has no effect that a thread could see, if no other thread
// stores to its bytes. The thread itself finds the same value with and without the store. Once the
// thread's earlier stores are in memory, so is this value, and writing it again changes nothing.
//
// So a loop of several steps is an exact spin with such stores too (spin.go), as long as its thread
// is the only one that stores there while others live. That isn't known before. Where a loop
// depends on it, landgo learns the bytes and begins again. From then on it notes the threads that
// store to them. A second thread that does so ends it: landgo begins again, and the loop is run.
//
// Sound: up to the first store by a second thread, the executions that are left out differ from others
// in nothing but such stores. So that store is in an execution that is run. It is on record in
// either order with those of the first thread: alone is a thread only before others are created, and
// after they were joined.

// repeats reports whether the only thread that stores to the bytes of a store is its own.
func (b *buffers) repeats(t trace.TID, a *trace.Access) bool {
	k := &b.learning.known
	for n := range uint64(a.Size) {
		if at := a.Addr + n; k.Repeated[at] && b.storedBeside(at, t) {
			return false
		}
	}
	return true
}

// storedBeside reports whether another thread than t stores to a byte.
func (b *buffers) storedBeside(at uint64, t trace.TID) bool {
	return b.notedBeside(b.learning.known.Storers, at, t)
}

// relies learns the bytes of the stores in a loop's turn, a thread's steps of the present path from
// index i on. It reports whether they were known.
func (b *buffers) relies(th *thread, i int32) bool {
	known := true
	for ; int(i) < len(b.in.steps); i++ {
		tr := b.in.steps[i].tr
		for k := range tr.Accesses {
			a := &tr.Accesses[k]
			if tr.Thread != th.ID || !a.IsWrite() || a.Flags&trace.Buffered == 0 {
				continue
			}
			for n := range uint64(a.Size) {
				if b.learning.known.Repeated.Add(a.Addr + n) {
					b.learning.finer, known = true, false
				}
			}
		}
	}
	return known
}

// notesStorers notes which threads store to bytes on which loops depend. A step's operation on
// an object may be a store.
func (b *buffers) notesStorers(tr *trace.Transition) {
	k := &b.learning.known
	if len(k.Repeated) == 0 || b.in.Alone(tr.Thread) {
		return
	}
	note := func(addr, size uint64, t trace.TID) {
		for at := range k.Repeated {
			if at-addr < size && k.Storers.Add(streamed(at, t)) && b.storedBeside(at, t) {
				b.learning.finer = true
			}
		}
	}
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.IsWrite() {
			note(a.Addr, uint64(a.Size), tr.By(i))
		}
	}
	for i := range tr.Ops {
		note(tr.Ops[i].Obj, uint64(tr.Ops[i].Size), tr.DidBy(i))
	}
}
