package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// pause and its kin sleep until a signal arrives.

func planSignalSleep(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpCancel, Obj: uint64(c.t.id)})
}

func planSigsuspend(c *call, p *kernel.Plan) {
	planSignalSleep(c, p)
	if c.a[1] == 8 && c.k.user.canRead(c.a[0], 8) {
		c.planLook(p, c.looks(^c.k.log.Read64(c.a[0])))
	}
}

func planSigtimedwait(c *call, p *kernel.Plan) {
	planSignalSleep(c, p)
	if c.a[3] == 8 && c.k.user.canRead(c.a[0], 8) {
		set := c.k.log.Read64(c.a[0]) &^ unblockable
		c.planLook(p, c.looks(set|^c.get(&c.t.blocked)))
		if c.disturbed(set) {
			p.Outcomes = 2 * max(p.Outcomes, 1)
		}
		if ns, errno := c.waitsFor(); c.k.cfg.TimeoutsAny && errno == 0 && ns != 0 && ns != noDeadline && (c.t.sent.Peek()|c.k.signals.pending.Peek())&set == 0 {
			p.Outcomes = 2 * max(p.Outcomes, 1) // it may be over at once
		}
	}
}

// disturbed reports whether a signal is on its way to another thread that the caller doesn't
// block, nor waits for. The wait may end with EINTR then, whichever of the two gets it: Linux
// looks whether anything is pending after it has changed the mask (recalc_sigpending).
func (c *call) disturbed(set uint64) bool {
	for _, t := range c.k.roster.threads {
		if t == nil || t == c.t {
			continue
		}
		if sig := c.k.signals.meant(t); sig != 0 && (set|c.get(&c.t.blocked))&bit(sig) == 0 {
			return true
		}
	}
	return false
}

// waitsFor is how long sigtimedwait waits at most, noDeadline for ever.
func (c *call) waitsFor() (ns, errno uint64) {
	if c.a[2] == 0 {
		return noDeadline, 0
	}
	return c.k.user.timespec(c.a[2])
}

func doPause(c *call, o *kernel.Outcome) uint64 {
	c.sleep(o, waitSignals, 0, 0, noDeadline, trace.Op{Kind: trace.OpCancel, Obj: uint64(c.t.id)})
	return 0
}

func doSigsuspend(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	if c.a[1] != 8 {
		return einval
	}
	if !k.user.canRead(c.a[0], 8) {
		return efault
	}
	mask := k.log.Read64(c.a[0]) &^ unblockable
	c.set(&t.savedMask, c.get(&t.blocked))
	c.set(&t.savedMaskIsWanted, 1)
	c.remask(mask)
	c.takeOver(c.looks(^mask))
	if (c.get(&t.sent)|c.get(&k.signals.pending))&^mask != 0 {
		return eintr // Do delivers it
	}
	return doPause(c, o)
}

func doSigtimedwait(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	if c.a[3] != 8 {
		return einval
	}
	if !k.user.canRead(c.a[0], 8) {
		return efault
	}
	set := k.log.Read64(c.a[0]) &^ unblockable
	disturbed := c.disturbed(set)
	c.takeOver(c.looks(set | ^c.get(&t.blocked)))
	if disturbed {
		disturbed = c.choice&1 == 1
		c.choice >>= 1
	}
	if ready := (c.get(&t.sent) | c.get(&k.signals.pending)) & set; ready != 0 {
		sig := k.signals.nextSignal(t, ready)
		return k.signals.caught(c.a[1], sig, k.signals.take(t, sig))
	}
	ns, errno := c.waitsFor()
	if errno != 0 {
		return errno
	}
	if disturbed || (c.get(&t.sent)|c.get(&k.signals.pending))&^c.get(&t.blocked) != 0 {
		return eintr // Do delivers what is pending
	}
	op, deadline := trace.Op{Kind: trace.OpCancel, Obj: uint64(t.id)}, ns
	switch {
	case ns == 0:
		return eagain
	case ns != noDeadline:
		if deadline = saturatingAdd(c.get(&k.clock.now), ns); c.choice == 1 {
			c.op(op)
			k.clock.passes(deadline)
			return eagain
		}
	}
	c.sleep(o, waitSignals, c.a[1], set, deadline, op)
	return 0
}

// caught is the result of a sigwait that got sig, with its information at addr
// if that isn't 0.
func (s *signals) caught(addr, sig uint64, i info) uint64 {
	if addr == 0 {
		return sig
	}
	var b [siginfoSize]byte
	putInfo(b[:], sig, i)
	if s.user.copyOut(addr, b[:]) != 0 {
		return efault
	}
	return sig
}
