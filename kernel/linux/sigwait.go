package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// pause and its kin sleep until a signal arrives.

func planSignalSleep(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpCancel, Obj: uint64(c.t.id)})
}

func planSigtimedwait(c *call, p *kernel.Plan) {
	planSignalSleep(c, p)
	if c.a[3] == 8 && c.k.user.canRead(c.a[0], 8) {
		set := c.k.log.Read64(c.a[0]) &^ unblockable
		if ns, errno := c.waitsFor(); c.k.cfg.TimeoutsAny && errno == 0 && ns != 0 && ns != noDeadline && !c.t.wait.roused.On() && (c.t.sent.Peek()|c.k.signals.pending.Peek())&set == 0 {
			p.Outcomes = 2 * max(p.Outcomes, 1) // it may be over at once
		}
	}
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
	c.unmasks = true
	if k.signals.takes(t) {
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
	roused := t.wait.roused.On()
	k.log.Turn(&t.wait.roused, false)
	if ready := (c.get(&t.sent) | c.get(&k.signals.pending)) & set; ready != 0 {
		sig := k.signals.nextSignal(t, ready)
		i := k.signals.take(t, sig)
		k.signals.recalculate(t)
		return k.signals.caught(c.a[1], sig, i)
	}
	k.signals.recalculate(t)
	ns, errno := c.waitsFor()
	if errno != 0 {
		return errno
	}
	if roused || k.log.Is(&t.told) {
		return eintr // another thread may take what is pending before
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
