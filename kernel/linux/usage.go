package linux

import (
	"encoding/binary"

	"landgo/kernel"
)

// A guest's usage: its processor time is that of the clock since the beginning
// (as CLOCK_PROCESS_CPUTIME_ID has it), all of it the program's own. The rest
// is none.

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
	switch uint64(int64(int32(c.a[0]))) {
	case usageSelf, usageThread:
		ns := onClock(clockProcessCPU, c.look())
		binary.LittleEndian.PutUint64(out, ns/second)
		binary.LittleEndian.PutUint64(out[8:], ns%second/1000)
	case usageChildren:
	default:
		return einval
	}
	return c.k.copyOut(c.a[1], out)
}

// doTimes returns the time since an arbitrary point: the boot.
func doTimes(c *call, o *kernel.Outcome) uint64 {
	now := c.look()
	if c.a[0] != 0 {
		out := make([]byte, 32)
		binary.LittleEndian.PutUint64(out, onClock(clockProcessCPU, now)/(second/ticksPerSecond))
		if errno := c.k.copyOut(c.a[0], out); errno != 0 {
			return errno
		}
	}
	return onClock(clockMonotonic, now) / (second / ticksPerSecond)
}

// doSysinfo tells of an idle machine with 2 GiB, one of them free.
func doSysinfo(c *call, o *kernel.Outcome) uint64 {
	out := make([]byte, sysinfoSize)
	le := binary.LittleEndian
	le.PutUint64(out, onClock(clockMonotonic, c.look())/second)
	le.PutUint64(out[32:], 2<<30) // totalram
	le.PutUint64(out[40:], 1<<30) // freeram
	le.PutUint16(out[80:], 1)     // procs
	le.PutUint32(out[104:], 1)    // mem_unit
	return c.k.copyOut(c.a[0], out)
}
