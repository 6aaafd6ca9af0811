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

// Options of prctl.
const (
	prSetName = 15
	prGetName = 16
	prSetVMA  = 0x53564d41

	// Of these only the answers matter.
	prSetPdeathsig  = 1
	prGetDumpable   = 3
	prSetDumpable   = 4
	prSetTimerslack = 29
	prGetTimerslack = 30
	prSetNoNewPrivs = 38
	prGetNoNewPrivs = 39

	nameSize = 16
)

func planPrctl(c *call, p *kernel.Plan) {
	switch c.a[0] {
	case prSetName, prGetName, prSetVMA, prSetPdeathsig, prGetDumpable, prSetDumpable, prSetTimerslack, prGetTimerslack, prSetNoNewPrivs, prGetNoNewPrivs:
	default:
		invalid(p, hexReason("prctl(%d) is not modelled", c.a[0]))
	}
}

func doPrctl(c *call, o *kernel.Outcome) uint64 {
	t := c.t
	switch c.a[0] {
	case prSetName:
		var b [nameSize]byte
		for i := range uint64(nameSize - 1) { // up to the end of the string, if that comes first
			if !c.k.user.canRead(c.a[1]+i, 1) {
				return efault
			}
			if b[i] = c.k.log.Read8(c.a[1] + i); b[i] == 0 {
				break
			}
		}
		c.setName(t, b[:])
		return 0
	case prGetName:
		return c.k.user.copyOut(c.a[1], pair(c.get(&t.name[0]), c.get(&t.name[1])))
	case prSetPdeathsig, prSetDumpable, prSetTimerslack, prSetNoNewPrivs, prGetNoNewPrivs:
		return 0
	case prGetDumpable:
		return 1
	case prGetTimerslack:
		return 50_000
	}
	return einval // PR_SET_VMA: an option of the kernel's build
}

// Resource limits.
const (
	rlimitStack  = 3
	rlimitCore   = 4
	rlimitNofile = 7
	rlimitCount  = 16
	unlimited    = ^uint64(0)
)

func (k *Kernel) rlimit(resource uint64) []byte {
	switch resource {
	case rlimitStack:
		return pair(k.cfg.StackLimit, unlimited)
	case rlimitCore:
		return pair(0, 0)
	case rlimitNofile:
		return pair(maxDescriptors, maxDescriptors)
	}
	return pair(unlimited, unlimited)
}

func planPrlimit(c *call, p *kernel.Plan) {
	if c.a[2] != 0 {
		invalid(p, "changing a resource limit is not modelled")
	}
}

func doPrlimit(c *call, o *kernel.Outcome) uint64 {
	if pid := c.int32(0); pid != 0 && pid != firstNumber {
		return esrch
	}
	if c.a[1] >= rlimitCount {
		return einval
	}
	if c.a[3] == 0 {
		return 0
	}
	return c.k.user.copyOut(c.a[3], c.k.rlimit(c.a[1]))
}

func doGetrlimit(c *call, o *kernel.Outcome) uint64 {
	if c.a[0] >= rlimitCount {
		return einval
	}
	return c.k.user.copyOut(c.a[1], c.k.rlimit(c.a[0]))
}

// doGetrandom gives each thread a fixed sequence of its own.
func doGetrandom(c *call, o *kernel.Outcome) uint64 {
	size := min(c.a[1], 1<<16)
	p := make([]byte, 0, size+8)
	n := c.get(&c.t.randoms)
	for uint64(len(p)) < size {
		n++
		p = binary.LittleEndian.AppendUint64(p, mix(c.t.number<<32^n))
	}
	if c.k.user.copyOut(c.a[0], p[:size]) != 0 {
		return efault
	}
	c.set(&c.t.randoms, n)
	return size
}

// There are two processors, whatever the host has.
const processors = 0b11

func doGetaffinity(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] < 8 || c.a[1]&7 != 0 {
		return einval
	}
	if c.k.user.copyOut(c.a[2], pair(processors, 0)[:8]) != 0 {
		return efault
	}
	return 8
}

// doSetaffinity: the processors of threads make no difference to them.
func doSetaffinity(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] == 0 || !c.k.user.canRead(c.a[2], min(c.a[1], 8)) {
		return efault
	}
	var mask [8]byte
	c.k.log.Read(c.a[2], mask[:min(c.a[1], 8)])
	if binary.LittleEndian.Uint64(mask[:])&processors == 0 {
		return einval
	}
	return 0
}

func doGetcpu(c *call, o *kernel.Outcome) uint64 {
	for _, at := range c.a[:2] {
		if at != 0 && c.k.user.copyOut(at, make([]byte, 4)) != 0 {
			return efault
		}
	}
	return 0
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
