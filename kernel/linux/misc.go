package linux

import (
	"encoding/binary"
	"fmt"

	"landgo/internal/trace"
	"landgo/kernel"
)

// hexReason formats a reason with one number.
func hexReason(format string, v uint64) string { return fmt.Sprintf(format, v) }

// Codes of arch_prctl.
const (
	archSetGS = 0x1001
	archSetFS = 0x1002
	archGetFS = 0x1003
	archGetGS = 0x1004
	// glibc asks whether shadow stacks are on.
	archCetStatus = 0x3001
)

func planArchPrctl(c *call, p *kernel.Plan) {
	switch c.a[0] {
	case archSetGS, archSetFS, archGetFS, archGetGS, archCetStatus:
	default:
		invalid(p, hexReason("arch_prctl(%#x) is not modelled", c.a[0]))
	}
}

func doArchPrctl(c *call, o *kernel.Outcome) uint64 {
	switch c.a[0] {
	case archSetFS, archSetGS:
		if c.a[1] >= 1<<47 {
			return eperm
		}
		if c.a[0] == archSetFS {
			c.regs.FSBase = c.a[1]
		} else {
			c.regs.GSBase = c.a[1]
		}
		return 0
	case archGetFS:
		return c.k.user.copyOut(c.a[1], pair(c.regs.FSBase, 0)[:8])
	case archGetGS:
		return c.k.user.copyOut(c.a[1], pair(c.regs.GSBase, 0)[:8])
	}
	return einval
}

func doGetrandom(c *call, o *kernel.Outcome) uint64 {
	size := min(c.a[1], 1<<16)
	n := c.get(&c.t.randoms)
	if c.k.user.copyOut(c.a[0], c.random(size)) != 0 {
		c.set(&c.t.randoms, n)
		return efault
	}
	return size
}

// random gives each thread a fixed sequence of its own.
func (c *call) random(size uint64) []byte {
	p := make([]byte, 0, size+8)
	n := c.get(&c.t.randoms)
	for uint64(len(p)) < size {
		n++
		p = binary.LittleEndian.AppendUint64(p, mix(c.t.number<<32^n))
	}
	c.set(&c.t.randoms, n)
	return p[:size]
}

// Scheduling policies: all threads are ordinary ones, and an unprivileged
// program may not make them anything else.

func doGetscheduler(c *call, o *kernel.Outcome) uint64 { return 0 }

func doGetparam(c *call, o *kernel.Outcome) uint64 {
	return c.k.user.copyOut(c.a[1], make([]byte, 4))
}

func doSetscheduler(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] != 0 {
		return eperm
	}
	return c.setParam(c.a[2])
}

func doSetparam(c *call, o *kernel.Outcome) uint64 { return c.setParam(c.a[1]) }

func (c *call) setParam(at uint64) uint64 {
	if !c.k.user.canRead(at, 4) {
		return efault
	}
	if c.k.log.Read32(at) != 0 {
		return einval
	}
	return 0
}

func doPriorityMax(c *call, o *kernel.Outcome) uint64 { return realtimePriority(c.a[0], 99) }
func doPriorityMin(c *call, o *kernel.Outcome) uint64 { return realtimePriority(c.a[0], 1) }

func realtimePriority(policy, p uint64) uint64 {
	switch policy {
	case 1, 2: // FIFO, RR
		return p
	case 0, 3, 5: // OTHER, BATCH, IDLE
		return 0
	}
	return einval
}

func doUname(c *call, o *kernel.Outcome) uint64 {
	const field = 65
	b := make([]byte, 6*field)
	for i, s := range [...]string{"Linux", "landgo", "6.1.0", "#1", "x86_64", "(none)"} {
		copy(b[i*field:], s)
	}
	return c.k.user.copyOut(c.a[0], b)
}

func doUserID(c *call, o *kernel.Outcome) uint64 { return userID }

// doGetppid: the process that started landgo is none of the guest's.
func doGetppid(c *call, o *kernel.Outcome) uint64 { return 1 }

// doRseq: both libcs do without restartable sequences.
func doRseq(c *call, o *kernel.Outcome) uint64 { return enosys }

func planYield(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpYield})
	p.Yield = true
}

func doYield(c *call, o *kernel.Outcome) uint64 {
	c.op(trace.Op{Kind: trace.OpYield})
	o.Idle = true
	return 0
}
