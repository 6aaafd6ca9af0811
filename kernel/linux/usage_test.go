package linux

import "testing"

// TestUsage: what a program has used is the virtual clock's time, and moves
// with it.
func TestUsage(t *testing.T) {
	c := newCaller(t, Config{})
	at := uint64(dataPage)
	const nrGetrusage, nrTimes, nrSysinfo = 98, 100, 99
	c.k.AdvanceTo(epoch + 3*second + 250_000_000)
	c.want("getrusage", c.do(0, nrGetrusage, usageSelf, at), 0)
	c.want("its seconds", c.m.Read64(at), 3)
	c.want("its microseconds", c.m.Read64(at+8), 250_000)
	c.want("getrusage of children", c.do(0, nrGetrusage, usageChildren, at), 0)
	c.want("their seconds", c.m.Read64(at), 0)
	c.want("getrusage of nobody", c.do(0, nrGetrusage, 7, at), einval)
	c.want("times", c.do(0, nrTimes, at), 100*1003+25)
	c.want("its user time", c.m.Read64(at), 325)
	c.want("times of nothing", c.do(0, nrTimes, 0), 100*1003+25)
	c.want("times out of reach", c.do(0, nrTimes, 16), efault)
	c.want("sysinfo", c.do(0, nrSysinfo, at), 0)
	c.want("uptime", c.m.Read64(at), 1003)
	c.want("memory", c.m.Read64(at+32), 2<<30)
	c.want("unit", uint64(c.m.Read32(at+104)), 1)
}
