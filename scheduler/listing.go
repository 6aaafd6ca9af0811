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

// Present implements por.Census.
func (s *System) Present() *trace.Present {
	l := &s.listing
	l.room(len(s.threads))
	if s.cfg.Buffers { // a buffer comes and goes with each store
		s.findStaleStorers()
		l.Take(s.list(l.Present.Threads[:0], true))
		clear(l.stale)
		return &l.Present
	}
	if l.void {
		s.enlistAll()
	}
	s.findStale()
	s.askLocks()
	again := false
	for i := range l.stale {
		for w := l.stale[i] | l.always[i]; w != 0; w &= w - 1 {
			again = !s.relist(trace.TID(i*64+bits.TrailingZeros64(w))) || again
		}
		l.stale[i] = 0
	}
	if again { // another thread is there, or one isn't
		l.void = true
		return s.Present()
	}
	if l.late.Len() > 0 {
		l.letEnd()
	}
	if s.timers.on() {
		s.timers.let(l.from)
		for i := range l.from {
			if d := &l.from[i]; s.threads[d.ID].isTimer() {
				l.Note(d)
			}
		}
	}
	if s.arrivals.met {
		l.Next = s.arrivals.next()
	}
	if l.Ready.Len() == 0 {
		if t, also := s.nextDeadline(); t != trace.NoThread && l.place[t] != 0 {
			for _, o := range append(also, t) {
				d := &l.from[l.place[o]-1]
				s.expires(d, t, also)
				l.Note(d)
				l.stale.Put(o, true)
			}
		}
	}
	return &l.Present
}

// mayStandInSpin yields the threads that may stand in a spin, by TID: those that did when they were
// described, and those whose state has changed since.
func (s *present) mayStandInSpin(yield func(trace.TID) bool) {
	l := &s.listing
	if l.void || s.cfg.Buffers { // none are described here
		for i := range s.threads {
			if !yield(trace.TID(i)) {
				return
			}
		}
		return
	}
	for i := range l.stale {
		for w := l.stale[i] | l.spins[i]; w != 0; w &= w - 1 {
			if !yield(trace.TID(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// enlistAll makes the list anew, with all threads to be described.
func (s *state) enlistAll() {
	l := &s.listing
	l.void, l.Next = false, trace.NoThread
	l.Listed++
	l.from = l.from[:0]
	for _, set := range []trace.Set{l.Ready, l.Spinning, l.Several, l.stale, l.always, l.watching, l.contended, l.late, l.spins} {
		clear(set)
	}
	clear(l.watches)
	l.lines = [len(l.lines)]uint16{}
	for i := range s.threads {
		if l.place[i] = 0; s.threads[i].Exists {
			l.from = append(l.from, trace.Thread{ID: trace.TID(i)})
			l.place[i] = int32(len(l.from))
			l.stale.Put(trace.TID(i), true)
		}
	}
	l.Threads = l.from
}

// findStale adds the threads to be described again for what they watch.
func (s *present) findStale() {
	l := &s.listing
	now := s.machine.Journal()
	from := l.journal
	l.journal = now
	switch {
	case now == from && len(l.objects) == 0:
		return
	case now < from || now-from > longestLook || len(l.objects) > 4:
		l.watchersStale()
		return
	}
	l.changed = l.changed[:0]
	s.machine.Changes(from, func(addr, size uint64) bool {
		if size > 8 { // of permissions, or of many bytes
			l.watchersStale()
			return false
		}
		if *l.line(addr) != 0 || *l.line(addr + size - 1) != 0 {
			l.change(addr, size)
		}
		return true
	})
	for _, o := range l.objects {
		l.change(o, 1)
	}
	l.objects = l.objects[:0]
	if len(l.changed) > 0 {
		l.disturb()
	}
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

// askLocks asks once for each lock that was perhaps taken or let go which thread has it,
// and lets the threads before it run or not. A hundred may wait for one.
func (s *present) askLocks() {
	l := &s.listing
	for len(l.locks) > 0 {
		addr := l.locks[0]
		l.locks = slices.DeleteFunc(l.locks, func(a uint64) bool { return a == addr })
		owner, plain := s.lib.Owner(addr)
		for t := range l.contended.All {
			if l.watches[t].Addr != addr {
				continue
			}
			l.contended.Put(t, false)
			if !plain || l.stale.Has(t) {
				l.stale.Put(t, true)
				continue
			}
			free := owner == trace.NoThread || owner == t
			d := &l.from[l.place[t]-1]
			if d.Status = trace.Blocked; free {
				d.Status = trace.Ready
			}
			l.Ready.Put(t, free)
		}
	}
}

// relist describes a thread again. It reports whether it is still there, or still not.
func (s *System) relist(t trace.TID) bool {
	l, th := &s.listing, &s.threads[t]
	if th.Exists != (l.place[t] != 0) {
		return false
	}
	if !th.Exists {
		return true
	}
	d := &l.from[l.place[t]-1]
	*d = trace.Thread{ID: t, Yielding: th.Yielding}
	w := s.describe(th, d)
	if d.Status == trace.Ready && d.Outcomes == 0 {
		d.Outcomes = 1
	}
	l.Note(d)
	l.late.Put(t, d.Late)
	l.spins.Put(t, th.Stand == StandSpin)
	l.watch(t, w)
	return true
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

// findStaleStorers is findStale with store buffers. The list itself is made anew in each state, of
// descriptions that are kept.
func (s *present) findStaleStorers() {
	l := &s.listing
	for len(l.kept) < len(s.threads) {
		l.kept = append(l.kept, trace.Thread{})
	}
	for t := range l.stale.All { // where a thread comes or goes, others may be described otherwise
		if th := &s.threads[t]; th.Exists != l.there.Has(t) {
			l.there.Put(t, th.Exists)
			l.void = true
		}
	}
	if l.void {
		l.void = false
		for _, set := range []trace.Set{l.always, l.watching, l.contended} {
			clear(set)
		}
		clear(l.watches)
		l.lines = [len(l.lines)]uint16{}
		for i := range s.threads {
			l.stale.Put(trace.TID(i), true)
			l.there.Put(trace.TID(i), s.threads[i].Exists)
		}
	}
	s.findStale()
	for i := range l.stale {
		l.stale[i] |= l.contended[i] | l.always[i]
		l.contended[i] = 0
	}
	l.locks = l.locks[:0]
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
