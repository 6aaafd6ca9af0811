package spins

import (
	"iter"

	"landgo/internal/trace"
)

// Writes are those of the present path by word, and what was there before: the values that a thread
// which waits could have found. It is a stack, which goes back with a mark.
type Writes struct {
	list   []write
	latest map[uint64]int32 // by word: its latest in list, by its index + 1
}

// write is a write of the present path, and what was there before its step.
type write struct {
	addr  uint64
	size  uint32
	part  bool  // of something larger, or an operation's
	step  int32 // its place on the path
	older int32 // the one before it in the same word: its index in list + 1
	old   uint64
}

// Len is how many there are.
func (w *Writes) Len() int { return len(w.list) }

// Add remembers a write by a step to some bytes, word by word. part: it is of something larger, or an
// operation's. Else old says what was there.
func (w *Writes) Add(step int32, addr, size uint64, part bool, old func(addr, size uint64) uint64) {
	if w.latest == nil {
		w.latest = map[uint64]int32{}
	}
	for end := addr + size; addr < end; {
		next := min(addr&^7+8, end)
		n := write{addr: addr, size: uint32(next - addr), part: part, step: step, older: w.latest[addr&^7]}
		if !part {
			n.old = old(addr, next-addr)
		}
		w.list = append(w.list, n)
		w.latest[addr&^7] = int32(len(w.list))
		addr = next
	}
}

// Cut leaves the first n.
func (w *Writes) Cut(n int) {
	for i := len(w.list) - 1; i >= n; i-- {
		o := &w.list[i]
		if o.older == 0 {
			delete(w.latest, o.addr&^7)
		} else {
			w.latest[o.addr&^7] = o.older
		}
	}
	w.list = w.list[:n]
}

// InParts reports whether the bytes of an access were written with others, or not all.
func (w *Writes) InParts(a *trace.Access) bool {
	for i := w.latest[a.Addr&^7]; i != 0; i = w.list[i-1].older {
		if o := &w.list[i-1]; o.addr < a.Addr+uint64(a.Size) && a.Addr < o.addr+uint64(o.size) && (o.part || o.addr != a.Addr || o.size != a.Size) {
			return true
		}
	}
	return false
}

// Before are the writes of an access's bytes, the latest first: the step, and what was there before it.
func (w *Writes) Before(a *trace.Access) iter.Seq2[int32, uint64] {
	return func(yield func(int32, uint64) bool) {
		for i := w.latest[a.Addr&^7]; i != 0; i = w.list[i-1].older {
			if o := &w.list[i-1]; o.addr == a.Addr && o.size == a.Size && !yield(o.step, o.old) {
				return
			}
		}
	}
}
