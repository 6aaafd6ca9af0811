package linux

import (
	"encoding/binary"

	"landgo/internal/abi"
	"landgo/kernel"
)

// A guest's usage: its processor time is that of CLOCK_PROCESS_CPUTIME_ID, or
// of the thread's clock, all of it the program's own. The rest is none.

const (
	usageSize      = 144
	sysinfoSize    = 112
	ticksPerSecond = 100 // sysconf(_SC_CLK_TCK)

	// Of getrusage.
	usageSelf     = 0
	usageThread   = 1
	usageChildren = ^uint64(0)
)

func doGetrusage(c *call, o *kernel.Outcome) uint64 {
	out := make([]byte, usageSize)
	switch who := uint64(int64(int32(c.a[0]))); who {
	case usageSelf, usageThread:
		ns := c.shows(o, abi.ClockProcessCPUTimeID+who, c.t)
		binary.LittleEndian.PutUint64(out, ns/second)
		binary.LittleEndian.PutUint64(out[8:], ns%second/1000)
	case usageChildren:
	default:
		return einval
	}
	return c.k.user.copyOut(c.a[1], out)
}

// doTimes returns the time since an arbitrary point: the boot.
func doTimes(c *call, o *kernel.Outcome) uint64 {
	now := c.look(o)
	if c.a[0] != 0 {
		out := make([]byte, 32)
		binary.LittleEndian.PutUint64(out, c.get(&c.k.clock.busy)/(second/ticksPerSecond))
		if errno := c.k.user.copyOut(c.a[0], out); errno != 0 {
			return errno
		}
	}
	return onClock(abi.ClockMonotonic, now) / (second / ticksPerSecond)
}

// doSysinfo tells of an idle machine with 2 GiB, one of them free.
func doSysinfo(c *call, o *kernel.Outcome) uint64 {
	out := make([]byte, sysinfoSize)
	le := binary.LittleEndian
	le.PutUint64(out, onClock(abi.ClockMonotonic, c.look(o))/second)
	le.PutUint64(out[32:], 2<<30) // totalram
	le.PutUint64(out[40:], 1<<30) // freeram
	le.PutUint16(out[80:], 1)     // procs
	le.PutUint32(out[104:], 1)    // mem_unit
	return c.k.user.copyOut(c.a[0], out)
}
