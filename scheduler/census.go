package scheduler

import (
	"math/bits"
	"slices"

	"landgo/internal/trace"
)

// The list of threads (listing.go), brought up to date in each state.

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
