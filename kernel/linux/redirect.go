package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// A thread looks up a signal's action when it gets to the signal, not when that was sent
// (Linux's get_signal). So a sigaction may come before that: the thread runs the new handler
// then, or the process ends. If the signal is ignored from now on, it is gone. landgo has the
// thread stand at its handler's first instruction from the sending on, so sigaction has an
// outcome for each set of threads that haven't got to the signal.

// coming are the threads that a signal is on its way to and that its new action matters to: all
// that run a handler, and those that wait for it too, if it is ignored from now on.
func (c *call) coming(sig uint64) (list []*thread) {
	s := &c.k.signals
	if c.a[1] == 0 || sig == 0 || sig >= numSignals || c.a[3] != 8 || !c.k.user.canRead(c.a[1], 32) {
		return nil
	}
	for _, t := range c.k.roster.threads {
		if t == nil {
			continue
		}
		f, e := s.arriving(t), s.ended(t)
		if f != nil && f.sig == sig || e != nil && e.sig == sig && ignores(sig, c.k.log.Read64(c.a[1])) {
			list = append(list, t)
		}
	}
	return list
}

// planRedirect multiplies a plan's outcomes by the sets of threads that haven't got to the signal.
func (c *call) planRedirect(p *kernel.Plan) {
	for range c.coming(c.a[0]) {
		if p.Outcomes = 2 * max(p.Outcomes, 1); p.Outcomes > maxOutcomes {
			beyond(p, kernel.GapThreads, p.Name+": too many threads have the signal pending")
			return
		}
	}
}

// undelivered takes the signal from the threads that haven't got to it, as the outcome says.
func (c *call) undelivered(sig uint64) (late []target) {
	for _, t := range c.coming(sig) {
		c.op(trace.Op{Kind: trace.OpCancel, Obj: uint64(t.id), Arg: trace.PassedOver})
		begun := c.choice&1 == 0
		if c.choice >>= 1; begun {
			continue
		}
		c.k.ops[len(c.k.ops)-1].Arg |= sig
		i := c.k.signals.lose(t)
		late = append(late, target{sig: sig, t: t, shared: i.shared, info: i})
	}
	return late
}

// redirect has threads get a signal by its new action.
func (s *signals) redirect(late []target, o *kernel.Outcome) {
	for i := range late {
		to := &late[i]
		switch f := s.fate(to.sig); {
		case s.ended(to.t) != nil:
			s.endAgain(to.t)
		case f == fateDeadly:
			o.Signal = int(to.sig)
		case f == fateStop:
			o.Invalid = "a signal that stops the process is not modelled"
		case f == fateHandled:
			s.interrupt(to, o)
		}
	}
}
