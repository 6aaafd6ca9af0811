package linux

import (
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Calls that a search has fail (scheduler/faults.go), as Linux could have them fail:
//
//	malloc    mmap, mremap, and brk that asks for more: ENOMEM, and the break as it is
//	spurious  a wait on a futex with the expected value: returns 0
//	eintr     the same, a sleep, poll and select of no descriptor, read of standard input, and a call
//	          that would wait for a pipe, a socket or their kin: EINTR
//	create    clone of a thread: EAGAIN
//
// A wait on a futex reads the word all the same: with another value it doesn't wait.

// CanFail implements scheduler.Failer.
func (k *Kernel) CanFail(t trace.TID, kind trace.FaultKind) bool {
	k.begin(t, k.host.Regs(t))
	c := &k.call
	switch kind {
	case trace.FaultMalloc:
		return c.nr == sysMmap || c.nr == sysMremap || c.nr == sysBrk && c.a[0] > k.space.brk.Peek()
	case trace.FaultSpurious:
		return c.waitsOnFutex()
	case trace.FaultEINTR:
		return c.waitsOnFutex() || c.nr == sysRead && c.a[0] == 0 || c.nr == sysNanosleep || c.nr == sysClockNanosleep ||
			(c.nr == sysPoll || c.nr == sysPpoll) && c.a[1] == 0 || (c.nr == sysSelect || c.nr == sysPselect6) && c.a[0] == 0 ||
			c.waitsForObjects()
	case trace.FaultCreate:
		return c.nr == sysClone || c.nr == sysClone3
	}
	return false
}

// Numbers of calls that fail.
const (
	sysRead   = 0
	sysWrite  = 1
	sysMmap   = 9
	sysBrk    = 12
	sysReadv  = 19
	sysWritev = 20
	sysMremap = 25
	sysFutex  = 202
)

// waitsOnFutex reports whether the call is a wait on a futex that has the expected value.
func (c *call) waitsOnFutex() bool {
	if c.nr != sysFutex {
		return false
	}
	f := c.futex()
	return (f.cmd == futexWait || f.cmd == futexWaitBitset) && f.addr&3 == 0 && c.k.user.canRead(f.addr, 4) && c.k.log.Read32(f.addr) == uint32(f.val)
}

// waitsForObjects reports whether the call is one on objects that would sleep now.
func (c *call) waitsForObjects() (waits bool) {
	switch c.nr {
	case sysRead, sysReadv, sysPreadv2, sysWrite, sysWritev, sysPwritev2, sysSendto, sysRecvfrom, sysSendmsg, sysRecvmsg, sysPoll, sysPpoll, sysSelect, sysPselect6,
		sysEpollWait, sysEpollPwait, sysEpollPwait2:
		if !c.retried() {
			c.k.try(func(o *kernel.Outcome) { waits = o.Sleep && c.t.wait.kind.Peek() == waitObjects })
		}
	}
	return waits
}

// Fail implements scheduler.Failer.
func (k *Kernel) Fail(t trace.TID, kind trace.FaultKind) kernel.Outcome {
	regs := k.host.Regs(t)
	k.begin(t, regs)
	c := &k.call
	regs.RIP += abi.SyscallSize
	regs.RCX, regs.R11 = regs.RIP, regs.RFLAGS
	o := &k.outcome
	*o = kernel.Outcome{}
	regs.RAX = c.fail(kind)
	o.Accesses, o.Others, o.Pages = k.log.Made(), k.log.Others(), k.log.Pages()
	o.Ops, o.Wakes = k.ops, k.wakes
	return *o
}

// fail is the call's result with a fault of this kind.
func (c *call) fail(kind trace.FaultKind) uint64 {
	switch {
	case c.nr == sysFutex:
		f := c.futex()
		c.touchWords(f)
		c.op(futexOp(trace.OpFutexWait, f.addr))
		if kind == trace.FaultSpurious {
			return 0
		}
	case c.nr == sysNanosleep:
		return c.leaves(0, c.a[0], c.a[1])
	case c.nr == sysClockNanosleep:
		return c.leaves(c.a[1], c.a[2], c.a[3])
	case kind == trace.FaultEINTR && c.waitsForObjects(): // what that looks at is on record
		var p kernel.Plan
		if c.row().plan(c, &p); p.Effect == kernel.Event {
			c.op(p.Op)
		}
		c.tellNone()
	case kind == trace.FaultMalloc && c.nr == sysBrk:
		return c.get(&c.k.space.brk)
	case kind == trace.FaultMalloc:
		return enomem
	case kind == trace.FaultCreate:
		return eagain
	}
	return eintr
}

// leaves is a sleep that is interrupted at its very beginning, with all of its time left.
func (c *call) leaves(flags, time, left uint64) uint64 {
	c.op(trace.Op{Kind: trace.OpSleep})
	text := c.copyTime(time)
	if text == nil {
		return efault
	}
	if left != 0 && flags&timerAbstime == 0 {
		if errno := c.k.user.copyOut(left, text); errno != 0 {
			return errno
		}
	}
	return eintr
}

// copyTime reads a timespec.
func (c *call) copyTime(at uint64) []byte { return c.k.user.copyIn(at, 16) }
