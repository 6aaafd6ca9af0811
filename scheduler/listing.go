package scheduler

import (
	"math/bits"
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
)

// In each state a search asks which threads there are and which can run. The answer is
// kept from state to state, and only changes are described again. So a step among a
// hundred threads costs what one among two does.
//
// A thread is described again
//
//   - when its own state changed: that is saved before (Save), or put back (Rewind);
//   - if it stands at a function or before a compare-and-exchange, when what it watches
//     changed: bytes, by the machine's journal, or the model of an object (ObjectChanges);
//   - in each state, if it may depend on more: at system calls, and some functions;
//   - when a timed wait was let run out, and after a rewind, if it watches anything.
type listing struct {
	trace.Present
	from  []trace.Thread // Present.Threads, with room for all
	place []int32        // by TID: the index in from + 1; 0 if it isn't there
	// Sets of threads: to be described again, to be so in each state, and with a watch.
	stale, always, watching trace.Set
	watches                 []Watch // by TID
	lines                   [256]uint16
	objects                 []uint64 // that have changed
	journal                 uint64   // of the machine, when it was looked at last
	void                    bool     // nothing of it is known to hold
	// locks are those that were perhaps taken or let go, and contended the threads that
	// stand before one of them.
	locks     []uint64
	changed   []emu.Range // scratch
	contended trace.Set
	late      trace.Set      // trace.Thread.Late
	spins     trace.Set      // those that stood in a spin when they were described
	kept      []trace.Thread // with store buffers, by TID: the threads as they were described
	there     trace.Set      // the same: those that were there
	altered   bool           // the same: the latest list has descriptions that aren't those that were kept
	edits     uint64         // see instant
	plans     []stood        // by TID (plans.go)
}

// Watch is the memory on which a thread's description depends beside the thread's own state.
type Watch struct {
	// Anything: it can't be said.
	Anything bool
	// Bytes of memory, or an object's with its model; none if Size is 0.
	Addr, Size uint64
	// Lock: they are a lock's, and the thread can run if that is free, or its own
	// (Memory.Owner). No more depends on them.
	Lock bool
}

// longestLook is how many changes of memory are compared with the watches. After more,
// all threads that watch anything are described again.
const longestLook = 128

// lineShift is the logarithm of the bytes that share an entry of listing.lines.
const lineShift = 6

// line is the entry of an address.
func (l *listing) line(addr uint64) *uint16 {
	return &l.lines[(addr>>lineShift)%uint64(len(l.lines))]
}

// room makes room for n threads.
func (l *listing) room(n int) {
	for len(l.watches) < n {
		l.watches, l.place = append(l.watches, Watch{}), append(l.place, 0)
	}
	l.Widen(n)
	for len(l.late) < len(l.Ready) {
		l.late, l.spins, l.there = append(l.late, 0), append(l.spins, 0), append(l.there, 0)
	}
	for len(l.stale) < len(l.Ready) {
		l.stale, l.always, l.watching, l.contended = append(l.stale, 0), append(l.always, 0), append(l.watching, 0), append(l.contended, 0)
	}
}

// changes notes that a thread's state changes.
func (l *listing) changes(t trace.TID) {
	l.edits++
	if int(t) < len(l.watches) {
		l.stale.Put(t, true)
	} else {
		l.void = true
	}
}

// watchersStale has all threads that watch anything described again, because it isn't known what
// changed.
func (l *listing) watchersStale() {
	for i := range l.stale {
		l.stale[i] |= l.watching[i]
	}
	l.objects = l.objects[:0]
}

// rewound notes that memory has gone back to what it was at a moment of the journal. A
// rewind to later than the latest look has changed nothing that was seen.
func (l *listing) rewound(to uint64) {
	l.edits++
	if to < l.journal {
		l.watchersStale()
		l.journal = to
	}
}

// ObjectChanges notes that the model of an object changes.
func (s *state) ObjectChanges(addr uint64) {
	l := &s.listing
	if n := len(l.objects); n == 0 || l.objects[n-1] != addr {
		l.objects = append(l.objects, addr)
	}
}

// Unlist has all threads described again: something changed that no step did.
func (s *state) Unlist() {
	s.listing.void = true
	s.listing.edits++
}

// change adds bytes to those that changed: to a range close by, if there is one.
func (l *listing) change(addr, size uint64) {
	for i := range l.changed {
		if r := &l.changed[i]; addr>>lineShift == r.Lo>>lineShift {
			r.Lo, r.Hi = min(r.Lo, addr), max(r.Hi, addr+size)
			return
		}
	}
	l.changed = append(l.changed, emu.Range{Lo: addr, Hi: addr + size})
}

// disturb adds the threads that watch any of the bytes that changed.
func (l *listing) disturb() {
	for i, set := range l.watching {
		for ; set != 0; set &= set - 1 {
			t := trace.TID(i*64 + bits.TrailingZeros64(set))
			w := &l.watches[t]
			if !slices.ContainsFunc(l.changed, func(r emu.Range) bool { return r.Lo < w.Addr+w.Size && w.Addr < r.Hi }) {
				continue
			}
			if !w.Lock {
				l.stale.Put(t, true)
				continue
			}
			l.contended.Put(t, true)
			if n := len(l.locks); n == 0 || l.locks[n-1] != w.Addr {
				l.locks = append(l.locks, w.Addr)
			}
		}
	}
}

// watch notes on what thread t's description depends.
func (l *listing) watch(t trace.TID, w Watch) {
	l.always.Put(t, w.Anything)
	if old := &l.watches[t]; *old != w {
		l.count(old, ^uint16(0))
		l.count(&w, 1)
		*old = w
		l.watching.Put(t, w.Size != 0)
	}
}

// again adds the description of a thread that was kept to the list that is made in place of the latest
// one. Mostly it is there already.
func (l *listing) again(dst []trace.Thread, t trace.TID) []trace.Thread {
	if n := len(dst); !l.altered && n < len(l.Present.Threads) && l.Present.Threads[n].ID == t {
		return dst[:n+1]
	}
	return append(dst, l.kept[t])
}

// count adds n to the lines of what a thread watches.
func (l *listing) count(w *Watch, n uint16) {
	for a := w.Addr &^ (1<<lineShift - 1); w.Size != 0 && a < w.Addr+w.Size; a += 1 << lineShift {
		*l.line(a) += n
	}
}
