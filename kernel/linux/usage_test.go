package linux

import (
	"testing"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// TestUsage: a sleep takes no processor time; looks at the clock, which move it
// after a while, do, of the thread that looks.
func TestUsage(t *testing.T) {
	c := newCaller(t, Config{})
	at := uint64(dataPage)
	const nrGetrusage, nrTimes, nrSysinfo = 98, 100, 99
	c.k.AdvanceTo(epoch + 3*second + 250_000_000)
	c.want("getrusage", c.do(0, nrGetrusage, usageSelf, at), 0)
	c.want("its seconds", c.m.Read64(at), 0)
	c.want("its microseconds", c.m.Read64(at+8), 0)
	c.want("getrusage of children", c.do(0, nrGetrusage, usageChildren, at), 0)
	c.want("their seconds", c.m.Read64(at), 0)
	c.want("getrusage of no process", c.do(0, nrGetrusage, 7, at), einval)
	c.want("times", c.do(0, nrTimes, at), 100*1003+25)
	c.want("its user time", c.m.Read64(at), 0)
	c.want("times of nothing", c.do(0, nrTimes, 0), 100*1003+25)
	c.want("times out of reach", c.do(0, nrTimes, 16), efault)
	c.want("sysinfo before looks", c.do(0, nrSysinfo, at), 0)
	c.want("uptime", c.m.Read64(at), 1003)
	c.want("memory", c.m.Read64(at+32), 2<<30)
	c.want("unit", uint64(c.m.Read32(at+104)), 1)
	before := c.k.clock.now.Peek()
	for range 40 {
		c.do(0, nrTimes, 0)
	}
	worked := c.k.clock.now.Peek() - before
	child := c.spawn(0, dataPage+8)
	for _, tt := range []struct {
		what      string
		t         trace.TID
		clock, ns uint64
	}{{"the thread", 0, abi.ClockThreadCPUTimeID, worked}, {"another thread", child, abi.ClockThreadCPUTimeID, 0}, {"the process", child, abi.ClockProcessCPUTimeID, worked}} {
		const nrClockGettime = 228
		c.want("clock_gettime", c.do(tt.t, nrClockGettime, tt.clock, at), 0)
		if got := c.m.Read64(at)*second + c.m.Read64(at+8); got < tt.ns || tt.ns == 0 && got != 0 {
			t.Errorf("%s has worked for %d ns, want %d and what this look took", tt.what, got, tt.ns)
		}
	}
	if worked == 0 {
		t.Error("no look moved the clock")
	}
}

// TestProcessorClocks: processor time by the number of a thread or of the process is that by the
// caller's own clocks.
func TestProcessorClocks(t *testing.T) {
	c := newCaller(t, Config{})
	const at, nrClockGetres = dataPage, 229
	c.do(0, nrClockGettime, abi.ClockMonotonic, at) // some time has passed
	number := func(pid, bits int32) uint64 { return uint64(uint32(^pid<<3 | bits)) }
	for _, row := range []struct {
		name      string
		id, alike uint64
		errno     uint64
	}{
		{"the caller's", number(0, 4|2), abi.ClockThreadCPUTimeID, 0},
		{"its own by number", number(firstNumber, 4|2), abi.ClockThreadCPUTimeID, 0},
		{"the process's", number(0, 2), abi.ClockProcessCPUTimeID, 0},
		{"the process's by number", number(firstNumber, 2), abi.ClockProcessCPUTimeID, 0},
		{"TAI", abi.ClockTAI, abi.ClockRealtime, 0},
		{"another thread's that isn't there", number(77, 4|2), 0, einval},
		{"another process's", number(77, 2), 0, einval},
		{"a file's", number(3, 3), 0, einval},
		{"none", abi.ClockBoottime + 1, 0, einval},
	} {
		c.want(row.name, c.do(0, nrClockGettime, row.id, at), row.errno)
		c.want(row.name+", resolution", c.do(0, nrClockGetres, row.id, at+16), row.errno)
		if row.errno != 0 {
			continue
		}
		shown := c.m.Read64(at)*second + c.m.Read64(at+8)
		c.do(0, nrClockGettime, row.alike, at)
		if now := c.m.Read64(at)*second + c.m.Read64(at+8); shown > now || now-shown > second {
			t.Errorf("%s: %d, and then %d by clock %d", row.name, shown, now, row.alike)
		}
	}
}
