package linux

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A thread's exit: its robust futexes are marked and handed on, the word that
// clone got (CLONE_CHILD_CLEARTID) is cleared, and a waiter of each is woken.
// Which one is a choice, a digit for each queue in that order.

// departure is one futex word that an exit changes.
type departure struct {
	addr   uint64
	pi     bool // with priority inheritance
	handed bool // such a one that others wait for, not of the robust list
	clear  bool // the cleared thread id, not a robust futex
}

// departures lists the changes by the exit of t. Valid until the next call.
func (qs *queues) departures(t *thread) []departure {
	qs.leaving = qs.abandoned(t, qs.robustFutexes(t, qs.leaving[:0]))
	if at := qs.log.Get(&t.clearTID); at != 0 && qs.user.canWrite(at, 4) {
		qs.leaving = append(qs.leaving, departure{addr: at, clear: true})
	}
	return qs.leaving
}

// touchDepartures records the words that an exit changes.
func (c *call) touchDepartures(list []departure) {
	for _, d := range list {
		flags := trace.Write | trace.RMW | trace.Atomic
		if d.clear {
			flags = trace.Write | trace.Atomic // a thread that reads it there comes after this one
		}
		c.k.log.Touch(d.addr, 4, flags)
	}
}

func planExit(c *call, p *kernel.Plan) {
	if c.k.roster.live.Peek() == 1 {
		c.event(p, trace.Op{Kind: trace.OpEnd})
		return
	}
	outcomes := uint64(1)
	for _, d := range c.k.queues.departures(c.t) {
		if m := c.k.queues.count(d.addr, waitFutex, notPrivate|matchAny); m > 1 && !d.pi && !d.handed {
			outcomes = product(outcomes, m)
		}
	}
	if outcomes > maxOutcomes {
		beyond(p, kernel.GapThreads, "exit: too many threads wait for the thread's end to try which are woken")
		return
	}
	c.event(p, trace.Op{Kind: trace.OpExit, Obj: uint64(c.t.id)})
	p.Outcomes = uint32(outcomes)
}

// doExit ends the thread; the last one takes the process with it. Linux reports
// the first thread's status then, but both libcs call exit_group before it
// reaches that. (That it is the last is no word that it reads: the end of the
// process is in order with all that any thread does.)
func doExit(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	if k.roster.live.Peek() == 1 {
		return doExitGroup(c, o)
	}
	list := k.queues.departures(t)
	c.touchDepartures(list)
	for _, d := range list {
		word := k.log.Read32(d.addr)
		switch {
		case d.clear:
			k.log.Write32(d.addr, 0)
			k.queues.wakeSome(d.addr, notPrivate|matchAny, 1)
		case d.handed:
			k.queues.bequeath(t, d.addr)
		default:
			k.log.Write32(d.addr, word&futexWaiters|futexOwnerDied)
			if word&futexWaiters != 0 && !d.pi {
				k.queues.wakeSome(d.addr, notPrivate|matchAny, 1)
			}
		}
	}
	k.bury(t)
	o.ExitThread = true
	o.Status = int(uint8(c.a[0]))
	return 0
}

// bury has a thread end: another one takes the signals to the process that it was notified of.
func (k *Kernel) bury(t *thread) {
	if k.signals.looks(t) {
		k.signals.retarget(t, ^k.log.Get(&t.blocked))
	}
	k.roster.bury(t)
}

// bury forgets a thread that is gone.
func (r *roster) bury(t *thread) {
	r.log.Set(&r.list, 0)
	r.log.Init(&r.live, r.live.Peek()-1)
	r.log.Set(&t.alive, 0)
	r.log.Set(&t.clearTID, 0)
	r.log.Set(&t.robustList, 0)
	r.log.Set(&t.sent, 0)
	r.log.Put(&t.told, false)
	r.log.Set(&t.frame, 0)
}

// Leave tells the kernel of the end of a thread that the host carried out
// itself, without an exit call. The call's words are cleared (glibc's thread
// id; musl's lock only if the thread held it), but no thread that joins is woken. The host
// carries out the wait for the thread. Those that sleep for a futex of the thread's with
// priority inheritance are woken: Leave returns them, and the operations that it was.
func (k *Kernel) Leave(id trace.TID) ([]trace.TID, []trace.Op) {
	t := k.roster.threads[id]
	k.log.Begin(id, k.host.Regs(id).RIP)
	k.ops, k.wakes = k.ops[:0], k.wakes[:0]
	k.call = call{k: k, t: t, pc: k.host.Regs(id).RIP}
	for _, d := range k.queues.abandoned(t, nil) {
		k.log.Touch(d.addr, 4, trace.Write|trace.RMW|trace.Atomic)
		k.queues.bequeath(t, d.addr)
	}
	if at := k.EndWord(id); at != 0 {
		k.host.Machine.Write32(at, 0)
	}
	k.bury(t)
	return k.wakes, k.ops
}

// EndWord is where Leave writes for a thread, 0 for nowhere: the host has it on record.
func (k *Kernel) EndWord(id trace.TID) uint64 {
	t, m := k.roster.threads[id], k.host.Machine
	if at := t.clearTID.Peek(); at != 0 && m.Prot(at)&m.Prot(at+3)&emu.ProtWrite != 0 && uint64(m.Read32(at)) == t.number {
		return at
	}
	return 0
}

func planExitGroup(c *call, p *kernel.Plan) { c.event(p, trace.Op{Kind: trace.OpEnd}) }

// doExitGroup ends all threads.
func doExitGroup(c *call, o *kernel.Outcome) uint64 {
	o.ExitProcess = true
	o.Status = int(uint8(c.a[0]))
	return 0
}
