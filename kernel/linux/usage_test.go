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
