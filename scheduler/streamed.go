package scheduler

import (
	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// Stores past the caches (movnt, maskmov) are in no order with others. Nothing tells as long as no
// other thread has to do with their bytes: their own thread finds them at once. Memory is known to be shared
// by pieces of 8 bytes. So where such a store goes to a piece that threads share, landgo learns the
// bytes of it that each touches, and begins again. A program isn't run to a verdict if two threads touch a byte of
// such a store, in any execution.
//
// Sound: up to the first access by another thread to such a byte, what happened is an execution of x86-TSO, whatever
// the order of those stores. Both accesses are in it. The searches run one of its trace, or have been in its states.

// grainSize is the size of the pieces.
const grainSize = 8

// streamed names a byte that a thread touched in such a piece.
func streamed(addr uint64, t trace.TID) uint64 { return addr<<16 | uint64(uint16(t)) }

// streams notes a store past the caches to memory that threads share. It reports whether another thread
// has to do with its bytes.
func (b *buffers) streams(th *thread, a *trace.Access) (shared bool) {
	if b.attempt.probing {
		return false
	}
	k := &b.learning.known
	for g := a.Addr &^ (grainSize - 1); g < a.Addr+uint64(a.Size); g += grainSize {
		if k.Streamed.Add(g) {
			b.learning.finer = true
		}
	}
	for i := range a.Size {
		shared = shared || b.touchedBeside(a.Addr+uint64(i), th.ID)
	}
	return shared
}

// touchedBeside reports whether another thread than t has touched a byte in such a piece.
func (b *buffers) touchedBeside(addr uint64, t trace.TID) bool {
	return b.notedBeside(b.learning.known.Touchers, addr, t)
}

// notedBeside reports whether another thread than t is noted in a set with a byte (streamed).
func (b *buffers) notedBeside(noted known.Addresses, addr uint64, t trace.TID) bool {
	for u := range b.in.threads {
		if trace.TID(u) != t && noted[streamed(addr, trace.TID(u))] {
			return true
		}
	}
	return false
}

// touches notes what a step has touched in pieces with such stores.
func (b *buffers) touches(tr *trace.Transition) {
	k := &b.learning.known
	if len(k.Streamed) == 0 {
		return
	}
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		for n := range uint64(a.Size) {
			if at := a.Addr + n; k.Streamed[at&^(grainSize-1)] && k.Touchers.Add(streamed(at, tr.By(i))) && b.touchedBeside(at, tr.By(i)) {
				b.learning.finer = true
			}
		}
	}
}
