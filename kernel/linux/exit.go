package linux

import (
	"landgo/kernel"
	"landgo/trace"
)

// A thread's exit: its robust futexes are marked and handed on, the word that
// clone was told of (CLONE_CHILD_CLEARTID) is cleared, and a waiter of each is
// woken. Which one is a choice, a digit for each queue in that order.

// departure is one futex word that an exit changes.
type departure struct {
	addr  uint64
	pi    bool // with priority inheritance
	clear bool // the cleared thread id, not a robust futex
}

// departures lists what the exit of t changes.
func (k *Kernel) departures(t *thread) []departure {
	d := k.robustFutexes(t)
	if t.clearTID != 0 && k.canWrite(t.clearTID, 4) {
		d = append(d, departure{addr: t.clearTID, clear: true})
	}
	return d
}

func memExit(c *call) {
	for _, d := range c.k.departures(c.t) {
		flags := trace.Write | trace.RMW | trace.Atomic
		if d.clear {
			flags = trace.Write | trace.Atomic // who reads it there comes after the thread
		}
		c.touch(d.addr, 4, flags)
	}
}

func planExit(c *call, p *kernel.Plan) {
	if c.k.live == 1 {
		c.event(p, trace.Op{Kind: trace.OpEnd})
		return
	}
	outcomes := uint64(1)
	for _, d := range c.k.departures(c.t) {
		if m := c.k.count(d.addr, waitFutex, matchAny); m > 1 && !d.pi {
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
// comes to that.
func doExit(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	if k.live == 1 {
		return doExitGroup(c, o)
	}
	for _, d := range k.departures(t) {
		switch {
		case d.clear:
			k.m.Write32(d.addr, 0)
			k.wakeSome(d.addr, matchAny, 1)
		case d.pi:
			k.release(d.addr, futexOwnerDied)
		default:
			word := k.m.Read32(d.addr)
			k.m.Write32(d.addr, word&futexWaiters|futexOwnerDied)
			if word&futexWaiters != 0 {
				k.wakeSome(d.addr, matchAny, 1)
			}
		}
	}
	k.bury(t)
	o.ExitThread = true
	o.Status = int(uint8(c.a[0]))
	return 0
}

// bury forgets a thread that is gone.
func (k *Kernel) bury(t *thread) {
	k.set(&k.live, k.live-1)
	k.set(&t.alive, 0)
	k.set(&t.clearTID, 0)
	k.set(&t.robustList, 0)
	k.set(&t.sent, 0)
	k.set(&t.frame, 0)
}

// Leave tells the kernel of the end of a thread that the host carried out
// itself, without an exit call. What the call would have cleared is cleared
// (glibc's thread id; musl's lock only if the thread held it), but nobody is
// woken: waiting for the thread is the host's part then.
func (k *Kernel) Leave(id trace.TID) {
	t := k.threads[id]
	if t.clearTID != 0 && k.canWrite(t.clearTID, 4) && uint64(k.m.Read32(t.clearTID)) == t.number {
		k.m.Write32(t.clearTID, 0)
	}
	k.bury(t)
}

func planExitGroup(c *call, p *kernel.Plan) { c.event(p, trace.Op{Kind: trace.OpEnd}) }

// doExitGroup ends everybody.
func doExitGroup(c *call, o *kernel.Outcome) uint64 {
	o.ExitProcess = true
	o.Status = int(uint8(c.a[0]))
	return 0
}
