package scheduler

import (
	"fmt"
	"slices"

	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler/names"
)

// Signals on their way. A signal to a thread that runs arrives some time after it was sent (see
// kernel/linux/arrival.go). While one is on its way to a thread, the search sees one more thread,
// whose only step is the arrival. Each step of the guest's thread depends on it (interrupt.go),
// so the search tries it at each point. As a store buffer's, it is no step of the guest's
// threads: it counts as no switch, and a search that has no other reason begins with it.
//
// Signals come at once in programs with timers that send some. They do so too in searches that
// don't know that a step may stop a thread which could run.

// Courier is a kernel in which signals arrive some time after they were sent.
type Courier interface {
	// Coming is a signal that is on its way to a thread; 0 for none. No call may be under way.
	Coming(t trace.TID) uint64
	// Arrive has the first signal arrive of those that are on their way to a thread. By is the
	// thread that this is to the search.
	Arrive(t, by trace.TID) kernel.Outcome
}

// arrivals are signals on their way.
type arrivals struct {
	in        *present
	names     *names.Names
	learning  *learning
	traps     *Traps
	stacks    *Stacks
	describes func(*thread, *trace.Thread) Watch                  // System.describe
	intern    func(parent trace.TID, n uint64) (trace.TID, error) // names a thread
	met       bool                                                // some signal was sent that arrives later
}

// at is the thread that signals on their way to t are to the search, if there ever were any.
func (a *arrivals) at(t trace.TID) (trace.TID, bool) {
	return a.names.Find(t, names.Arrival)
}

// Arrival implements kernel.Interrupter.
func (s *System) Arrival(t trace.TID) kernel.Arrival {
	a := s.arrivals
	if s.courier == nil || s.timers.on() || s.cfg.AtOnce || s.Alone(t) {
		return kernel.ArrivesAtOnce
	}
	if _, err := a.intern(t, names.Arrival); err != nil {
		return kernel.NoArrival
	}
	a.met, s.seen.record.Met.Later = true, true
	if s.threads[t].woken {
		return kernel.ArrivesInCall
	}
	return kernel.Arrives
}

// TakesInCall implements kernel.Interrupter.
func (s *System) TakesInCall(t trace.TID) bool {
	return !s.trusted(&s.threads[t]) || s.inCalls(t)
}

// set has a thread for the signals on their way to each thread, after a step that may have sent
// or taken some.
func (a *arrivals) set(th edit, tr *trace.Transition) {
	if !a.met {
		return
	}
	for i := range a.in.threads {
		t := trace.TID(i)
		id, known := a.at(t)
		if !known {
			continue
		}
		a.in.ensure(id)
		comes := false
		if to := &a.in.threads[t]; to.Exists && to.Live() {
			comes = a.in.courier.Coming(t) != 0
		}
		if comes && !slices.Contains(th.posted, id) && sendsTo(tr, t) {
			th.posted, th.sent = append(slices.Clip(th.posted), id), append(slices.Clip(th.sent), id)
		}
		x := &a.in.threads[id]
		if x.Exists == comes {
			continue
		}
		a.in.Save(t)
		if comes {
			tr.Wakes = append(tr.Wakes, id)
			tr.Disables = tr.Disables || t != th.ID && a.in.threads[t].woken
			if !a.learning.known.Signalled.Has(uint64(t)) {
				a.learning.known.Signalled[uint64(t)], a.learning.finer = true, true
			}
		} else {
			a.arrived(id, tr)
			if a.in.threads[t].woken { // another thread took what it waited for
				tr.Wakes = append(tr.Wakes, t)
			}
			tr.Disables = tr.Disables || id != th.ID
		}
		e := a.in.edit(id)
		e.ID, e.Exists, e.Stand, e.Parent = id, comes, StandArrival, t
		a.in.Unlist()
	}
}

// sendsTo reports whether a step sends a thread a signal.
func sendsTo(tr *trace.Transition, t trace.TID) bool {
	return slices.ContainsFunc(tr.Ops, func(o trace.Op) bool {
		return o.Obj == uint64(t) && o.Signal() != 0 && o.Arg&trace.Arrives == 0
	})
}

// arrived notes that signals are no longer on their way.
func (a *arrivals) arrived(id trace.TID, tr *trace.Transition) {
	for i := range a.in.threads {
		o := &a.in.threads[i]
		at := slices.Index(o.posted, id)
		if at < 0 {
			continue
		}
		if a.atEnd(o) {
			tr.Wakes = append(tr.Wakes, o.ID)
		}
		a.in.edit(o.ID).posted = slices.Delete(slices.Clone(o.posted), at, at+1)
	}
}

// atEnd reports whether a thread stands before its end.
func (a *arrivals) atEnd(th *thread) bool {
	switch th.Stand {
	case StandTrap:
		return a.in.planned(th).Op.Kind == trace.OpExit
	case StandOp:
		op := a.in.lib.PendingOp(th.ID)
		return op.Kind == trace.OpExit || op.Kind == trace.OpFree && op == a.stacks.StackEnd(th.ID)
	}
	return false
}

// ends has the step in which a thread ends depend on the arrivals of what it sent, so that it
// comes after them in every order.
func (a *arrivals) ends(th *thread, tr *trace.Transition) {
	for _, id := range th.sent {
		tr.Did(trace.Op{Kind: trace.OpTurn, Obj: uint64(a.of(id))})
	}
}

// of is the thread that signals are on their way to.
func (a *arrivals) of(id trace.TID) trace.TID { return a.in.threads[id].Parent }

// holds reports whether a thread that d describes waits for signals. It takes its own before it
// leaves a call from which it was woken. And what it sent arrives before it ends. (Deviation: no
// manual says so. On two processors of a virtual machine none of 173,967 signals came later.)
func (a *arrivals) holds(th *thread, d *trace.Thread) bool {
	if len(th.sent) > 0 && a.atEnd(th) {
		d.Loose = true // it depends on the arrivals
		return len(th.posted) > 0
	}
	if !a.met || !th.woken {
		return false
	}
	id, ok := a.at(th.ID)
	return ok && int(id) < len(a.in.threads) && a.in.threads[id].Exists
}

// next is the first thread of signals on their way, with which a search begins; NoThread if
// there is none.
func (a *arrivals) next() trace.TID {
	for i := range a.in.threads {
		if x := &a.in.threads[i]; x.Exists && x.isArrival() {
			return x.ID
		}
	}
	return trace.NoThread
}

// describe describes a thread of signals on their way.
func (a *arrivals) describe(th *thread, d *trace.Thread) {
	to := a.of(th.ID)
	sig := a.in.courier.Coming(to)
	d.Pending = trace.Op{Kind: trace.OpCancel, Obj: uint64(to), Arg: sig | trace.Arrives}
	d.Loose, d.Next, d.Arrives = true, true, true
}

// step has a signal arrive.
func (a *arrivals) step(th edit, tr *trace.Transition) error {
	to := a.of(th.ID)
	var d trace.Thread
	if a.describes(&a.in.threads[to], &d); d.Late && !a.learning.known.Early {
		a.learning.known.Early, a.learning.finer = true, true // it may end before, without a handler
	}
	out, err := a.traps.brings(th, tr, func() kernel.Outcome { return a.in.courier.Arrive(to, th.ID) })
	if err != nil {
		return err
	}
	t := a.in.edit(to)
	// With another signal on its way it can't leave the call: that it does so before this one
	// is a race that no later step shows.
	tr.Disables = tr.Disables || out.Held && !t.woken && a.in.courier.Coming(to) != 0
	t.woken = out.Held
	if out.Signal != 0 {
		tr.End = trace.EndBug
		th.Failure = &Failure{Kind: trace.Assertion, Thread: to, Message: fmt.Sprintf("killed by signal %d", out.Signal)}
	}
	return nil
}

// text says what a thread of signals on their way stands for.
func (a *arrivals) text(id trace.TID) string {
	to := a.of(id)
	sig := a.in.courier.Coming(to)
	if sig == 0 {
		return "no signal is on its way to " + a.names.Name(to)
	}
	return fmt.Sprintf("%s is on its way to %s", trace.SignalName(sig), a.names.Name(to))
}
