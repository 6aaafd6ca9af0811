package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// A signal to a thread that runs arrives some time after it was sent: the thread may meanwhile
// see what the sender does next. Linux marks the thread (TIF_SIGPENDING), and interrupts the
// processor on which it runs. The thread takes the signal when that interrupt comes, or where
// its next call returns.
//
// So a signal to another thread (pthread_kill, tgkill, rt_tgsigqueueinfo), that the thread has a
// handler for and doesn't block, is kept. To take it is a step of its own, of a thread that the
// search has beside the guest's (scheduler/arrival.go). A signal to the process comes in the
// step that sends it (signal.go), as the C library's own and a timer's do.

// arrives reports whether a signal is kept until it arrives.
func (s *signals) arrives(to *target) bool {
	return to.t != nil && to.sig != 0 && !to.shared && to.t != s.now.call.t && s.now.call.t != nil &&
		!kernel.IsLibrarys(s.img.Libc(), to.sig) && s.log.Get(&to.t.blocked)&bit(to.sig) == 0 && s.fate(to.sig) == fateHandled &&
		s.now.host.Arrival(to.t.id) != kernel.ArrivesAtOnce
}

// posts is the sending of a signal that arrives later: a thread's steps don't depend on it, but
// for one that leaves a call from which it was woken (Linux has it take the signal first).
func (c *call) posts(to *target) trace.Op {
	op := trace.Op{Kind: trace.OpPost, Obj: uint64(to.t.id), Arg: to.sig}
	if c.k.host.Arrival(to.t.id) == kernel.ArrivesInCall {
		op.Kind = trace.OpCancel
	}
	return op
}

// onTheirWay are the signals that were sent to a thread and haven't arrived.
func (s *signals) onTheirWay(t *thread) uint64 { return s.log.Get(&t.sent) &^ s.log.Get(&t.blocked) }

// takesArrivals reports whether the caller takes signals that are on their way to it where its
// call returns.
func (c *call) takesArrivals() bool {
	return c.k.signals.onTheirWay(c.t) != 0 && c.k.host.TakesInCall(c.t.id)
}

// planArrival multiplies a plan's outcomes where the caller takes a signal that is on its way:
// Linux has it look for signals to the process then, which another thread may be about to take.
func (c *call) planArrival(p *kernel.Plan) {
	switch c.nr {
	case sysSigmask, sysSigreturn, sysSigwait, sysSigsuspend, sysTkill, sysTgkill, sysKill, sysSigqueue, sysTgsigqueue:
		return // it looks anyway
	}
	if p.Effect != kernel.Invalid && c.takesArrivals() {
		c.planLook(p, c.looks(^c.get(&c.t.blocked)))
	}
}

// Coming implements scheduler.Courier. No call may be under way.
func (k *Kernel) Coming(id trace.TID) (sig uint64, outcomes uint32) {
	t := k.roster.threads[id]
	if t.alive.Peek() == 0 {
		return 0, 0
	}
	set := t.sent.Peek() &^ t.blocked.Peek()
	if set == 0 {
		return 0, 0
	}
	k.log.Begin(id, 0)
	k.call = call{k: k}
	sig = k.signals.nextSignal(t, set)
	var p kernel.Plan
	k.call.planLook(&p, k.signals.looksAs(t))
	return sig, max(p.Outcomes, 1)
}

// looksAs is the look of a thread that takes signals.
func (s *signals) looksAs(t *thread) look {
	s.lookers = append(s.lookers[:0], t)
	return look{by: s.lookers}
}

// Arrive implements scheduler.Courier.
func (k *Kernel) Arrive(id, by trace.TID, choice trace.Choice) kernel.Outcome {
	s, t, o := &k.signals, k.roster.threads[id], &k.outcome
	k.log.Begin(by, 0)
	k.call = call{k: k, choice: uint64(choice)}
	k.ops, k.wakes, k.moves = k.ops[:0], k.wakes[:0], k.moves[:0]
	*o = kernel.Outcome{}
	k.call.op(trace.Op{Kind: trace.OpCancel, Obj: uint64(id), Arg: s.nextSignal(t, s.onTheirWay(t)) | trace.Arrives})
	k.call.takeOver(s.looksAs(t))
	for ready := s.onTheirWay(t); ready != 0 && o.Signal == 0 && o.Invalid == ""; ready = s.onTheirWay(t) {
		sig := s.nextSignal(t, ready)
		i := s.take(t, sig)
		switch s.fate(sig) {
		case fateDeadly:
			o.Signal = int(sig)
		case fateStop:
			o.Gap, o.Invalid = kernel.GapCall, "a signal that stops the process is not modelled"
		case fateHandled:
			if s.interrupt(&target{sig: sig, t: t, info: i}, o); o.Signal == 0 {
				s.latest(t).taken = true
			}
		}
	}
	s.deliverMoved(o)
	o.Accesses, o.Others = k.log.Made(), k.log.Others()
	o.Ops, o.Wakes = k.ops, k.wakes
	return *o
}
