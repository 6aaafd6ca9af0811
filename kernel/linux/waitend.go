package linux

import (
	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// A signal that ends a wait for signals wakes a thread, and is pending until that thread gets
// to it. Meanwhile another thread may take it, if it was sent to the process, or have it
// ignored. The one that was woken then takes what else it waits for, or its call ends with EINTR
// (Linux's do_sigtimedwait). landgo has the wait end with the signal at once, and remembers how
// to take that back until the thread goes on.

// waitEnd is a signal that ended a thread's wait.
type waitEnd struct {
	sig  uint64
	info info
	set  uint64            // the signals that it waited for
	at   uint64            // where it was told about the signal, 0 for nowhere
	was  [siginfoSize]byte // and what was there before
	pc   uint64            // where it goes on
}

// waitEnds is a list that grows with every such end; a rewound entry is overwritten.
type waitEnds struct {
	list []waitEnd
	n    effect.Word // without a record, as frames have it
}

// endWait has a wait for signals end with one.
func (s *signals) endWait(to *target) {
	t := to.t
	e := waitEnd{sig: to.sig, info: to.info, set: s.log.Get(&t.awaited), at: t.wait.addr.Peek(), pc: s.now.host.Regs(t.id).RIP}
	if e.at != 0 && s.user.canRead(e.at, siginfoSize) {
		s.log.Read(e.at, e.was[:])
	}
	result := s.caught(e.at, e.sig, e.info)
	s.queues.wake(t, result)
	if result == e.sig {
		n := s.ends.n.Peek()
		s.ends.list = append(s.ends.list[:n], e)
		s.log.Init(&s.ends.n, n+1)
		s.log.Set(&t.waitEnd, n+1)
	}
}

// ended is how a signal ended a thread's wait, if the thread perhaps hasn't got to that yet, or
// nil.
func (s *signals) ended(t *thread) *waitEnd {
	n := t.waitEnd.Peek() // the end depends on each of the thread's steps anyway
	if n == 0 || t == s.now.call.t || s.now.host.Regs(t.id).RIP != s.ends.list[n-1].pc {
		return nil
	}
	return &s.ends.list[n-1]
}

// undoEnd takes back what the end of a thread's wait told it. How the wait ends instead is
// decided when the signal has found another thread.
func (s *signals) undoEnd(t *thread, e *waitEnd) {
	if e.at != 0 {
		s.log.As(t.id, func() { s.log.Write(e.at, e.was[:]) })
	}
}

// endAgain has a thread that lost its signal take another one that it waits for, or none.
func (s *signals) endAgain(t *thread) {
	e := s.ended(t)
	result := uint64(eintr)
	s.log.As(t.id, func() {
		s.log.Set(&t.waitEnd, 0)
		if ready := (s.log.Get(&t.sent) | s.log.Get(&s.pending)) & e.set; ready != 0 {
			sig := s.nextSignal(t, ready)
			result = s.caught(e.at, sig, s.take(t, sig))
		}
	})
	s.now.host.SetResult(t.id, result)
}

// meant is the signal to the process that a thread was chosen for and perhaps hasn't got to
// yet: a handler begins with it, or a wait ends. 0: there is none.
func (s *signals) meant(t *thread) uint64 {
	if f := s.arriving(t); f != nil && f.got.shared {
		return f.sig
	}
	if e := s.ended(t); e != nil && e.info.shared {
		return e.sig
	}
	return 0
}

// Gets implements scheduler.Receiver.
func (k *Kernel) Gets(id trace.TID) []trace.Access {
	t := k.roster.threads[id]
	if t.frame.Peek() == 0 && t.waitEnd.Peek() == 0 {
		return nil
	}
	k.call.t = nil // no call is under way
	var sig uint64
	if f := k.signals.arriving(t); f != nil {
		sig = f.sig
	} else if e := k.signals.ended(t); e != nil {
		sig = e.sig
	} else {
		return nil
	}
	k.log.Begin(id, k.host.Regs(id).RIP)
	k.log.Get(&k.signals.actions[sig].handler) // as it is now, see redirect.go
	if k.signals.meant(t) != 0 {
		k.log.Set(&k.signals.way, k.log.Get(&k.signals.way)+1)
	}
	return k.log.Made()
}
