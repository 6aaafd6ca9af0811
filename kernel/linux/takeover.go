package linux

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A signal to the process stays in a set that all threads share until the thread that
// Linux chose gets to it. Any other that looks at its pending signals meanwhile takes it
// if it doesn't block it: where it changes its mask, waits for signals, or is sent
// another one. landgo has the chosen thread stand at its handler's first instruction from
// the sending on (see signal.go). So a look has an outcome for each way to share out
// the signals of that kind; a thread that loses its one goes back to where it was.

// A look is what may change which thread takes signals to the process.
type look struct {
	// by are the threads that look; takes are the signals that the caller takes.
	by    []*thread
	takes uint64
}

// looks is the caller's look for signals of a set.
func (c *call) looks(set uint64) look {
	c.k.signals.lookers = append(c.k.signals.lookers[:0], c.t)
	return look{c.k.signals.lookers, set}
}

// A move is a signal that another thread takes.
type move struct {
	sig      uint64
	from, to *thread
	info     info
}

// takersOf are the threads that may take the signal which the thread before them was
// chosen for. Valid until the next call.
func (s *signals) takersOf(t *thread, sig uint64, l look) []*thread {
	list := append(s.options[:0], t)
	for _, o := range l.by {
		if o != t && s.takes(o, l)&bit(sig) != 0 {
			list = append(list, o)
		}
	}
	s.options = list
	return list
}

// takes are the signals that one of the threads that look takes.
func (s *signals) takes(t *thread, l look) uint64 {
	if t == s.now.call.t {
		return l.takes
	}
	return ^s.maskBefore(t)
}

// maskBefore is a thread's mask, as it was before a signal's handler that the thread
// hasn't begun.
func (s *signals) maskBefore(t *thread) uint64 {
	if f := s.arriving(t); f != nil {
		return f.mask
	}
	return s.log.Get(&t.blocked)
}

// underway reports whether a thread was chosen for a signal to the process, and perhaps
// hasn't got to it.
func (s *signals) underway(t *thread) bool {
	f := s.arriving(t)
	return f != nil && f.got.shared
}

// planLook multiplies a plan's outcomes by those of a look.
func (c *call) planLook(p *kernel.Plan, l look) {
	outcomes := uint64(max(p.Outcomes, 1))
	for _, t := range c.k.roster.threads {
		if t == nil {
			continue
		}
		if sig := c.k.signals.meant(t); sig != 0 {
			takers := uint64(len(c.k.signals.takersOf(t, sig, l)))
			if takers > 1 && c.k.signals.ended(t) == nil && c.k.signals.isRealTime(sig) && c.k.signals.pending.Peek()&bit(sig) != 0 {
				invalid(p, whichFirst)
			}
			outcomes = product(outcomes, takers)
		}
	}
	if p.Outcomes = uint32(outcomes); outcomes > maxOutcomes {
		beyond(p, kernel.GapThreads, p.Name+": too many threads have signals to the process pending")
	}
}

// takeOver carries a look out: threads whose signals others take, as the outcome says, are
// back where they were. The caller's are pending now, the other moves are still to be
// delivered. It depends on every thread that is in the handler of such a signal, or of
// any for a kill: that may have just begun.
func (c *call) takeOver(l look) {
	k := c.k
	c.looked = true
	if slices.ContainsFunc(l.by, func(t *thread) bool { return k.signals.takes(t, l) != 0 }) {
		c.get(&k.signals.way)
	}
	for _, t := range k.roster.threads {
		if t == nil || t == c.t || !c.mayBeMeant(t) {
			continue
		}
		c.op(trace.Op{Kind: trace.OpCancel, Obj: uint64(t.id), Arg: trace.PassedOver})
		sig := k.signals.meant(t)
		if sig == 0 {
			continue
		}
		list := k.signals.takersOf(t, sig, l)
		n := uint64(len(list))
		to := list[c.choice%n]
		if c.choice /= n; to != t {
			k.ops[len(k.ops)-1].Arg |= sig
			k.moves = append(k.moves, move{sig, t, to, k.signals.lose(t)})
		}
	}
	for _, m := range k.moves {
		if m.to == c.t {
			k.signals.keepAgain(m.sig, m.info)
			c.unmasks = true
		}
	}
}

// mayBeMeant reports whether a thread is in a handler that a signal to the process began, or
// goes on after its wait for one. A handler for a signal that is sent to the process counts too.
func (c *call) mayBeMeant(t *thread) bool {
	if n := t.waitEnd.Peek(); n != 0 && c.k.signals.ends.list[n-1].info.shared {
		return true
	}
	if t.frame.Peek() == 0 { // as that of those that have ended
		return false
	}
	f := &c.k.signals.handlers.list[t.frame.Peek()-1]
	return !f.got.fault && (f.got.shared || c.toProcess())
}

// lose takes the signal to the process from a thread that it was meant for, and says what
// it carries.
func (s *signals) lose(t *thread) info {
	if e := s.ended(t); e != nil {
		s.undoEnd(t, e)
		return e.info
	}
	i := s.arriving(t).got
	s.retract(t)
	return i
}

// deliverMoved sends the threads that take others' signals into their handlers, and those
// that lost one into the next one's that they don't block, or out of their waits.
func (s *signals) deliverMoved(o *kernel.Outcome) {
	for _, m := range s.now.moves {
		if m.to != s.now.call.t {
			s.interrupt(&target{sig: m.sig, t: m.to, shared: true, info: m.info}, o)
		}
		if s.ended(m.from) != nil {
			s.endAgain(m.from)
			continue
		}
		if ready := (s.log.Get(&m.from.sent) | s.log.Get(&s.pending)) &^ s.log.Get(&m.from.blocked); ready != 0 {
			sig := s.nextSignal(m.from, ready)
			s.interrupt(&target{sig: sig, t: m.from, info: s.take(m.from, sig)}, o)
		}
	}
}

// restore takes back that a thread was sent into the handler at whose first instruction it
// stands: these are its registers before, and the frame.
func (s *signals) restore(t *thread) (emu.Regs, frame) {
	f := s.handlers.list[t.frame.Peek()-1]
	regs := *s.now.host.Regs(t.id)
	gs, fs := regs.GSBase, regs.FSBase
	s.log.As(t.id, func() {
		for n, r := range frameOrder(&regs) {
			*r = s.log.Read64(f.addr + frameRegs + uint64(8*n))
		}
		s.log.Set(&t.blocked, f.mask)
		s.log.Set(&t.frame, f.prev)
	})
	if f.once {
		s.log.Set(&s.actions[f.sig].handler, f.handler)
	}
	regs.GSBase, regs.FSBase = gs, fs
	return regs, f
}

// retract has a thread that stands at the first instruction of a handler stand where the
// signal found it. A call that the signal ended begins again: Linux does so where no
// handler runs.
func (s *signals) retract(t *thread) {
	regs, f := s.restore(t)
	if t.wait.leaving.Peek() == f.addr {
		s.stay(t, &regs)
	} else if f.slept && regs.RAX == eintr {
		s.queues.again(t, &regs)
	}
	s.now.host.Retract(t.id, &regs, f.cpu)
}

// catches reports whether a thread was sent out of a wait for signals, one of them sig,
// into the handler of another, and perhaps hasn't left the wait yet.
func (s *signals) catches(t *thread, sig uint64) bool {
	f := s.arriving(t)
	return f != nil && f.awaited&bit(sig) != 0
}

// catch has such a thread's wait end with the signal. The handler comes after that.
func (s *signals) catch(to *target, o *kernel.Outcome) {
	t := to.t
	regs, f := s.restore(t)
	s.log.As(t.id, func() { regs.RAX = s.caught(f.told, to.sig, to.info) })
	s.now.host.Retract(t.id, &regs, f.cpu)
	s.interrupt(&target{sig: f.sig, t: t, shared: f.got.shared, info: f.got}, o)
}
