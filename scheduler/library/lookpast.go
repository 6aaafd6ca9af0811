package library

import "landgo/internal/trace"

// A string function that reads whole vectors takes in bytes of its neighbours and
// looks past them: what another thread does to those is no race with it. They count
// for dependence all the same. The bytes that the function reads by its meaning are
// known at its entry (strings.go). Where a string ended, each read looks again:
// another thread may have made it longer.

// stringCall is a call of a string function. The zero value is none that is known.
type stringCall struct {
	lo, hi uint64 // its code; nothing once something isn't known
	args   [2]extent
}

// extent is the bytes from a string's first to its last; none if both are 0.
type extent struct {
	first, last uint64
	byNull      bool // the last is a 0
}

func (l *textCalls) stringCall(th *thread, is *stringReading) (c stringCall) {
	if is.name != "strstr" && is.name != "memrchr" { // their readings don't say all
		f, _ := l.image.SymbolAt(th.Regs.RIP)
		c.lo, c.hi = f.Addr, f.Addr+f.Size
	}
	return c
}

// reads adds an argument: it is read from p to end, or if that is 0, n bytes.
func (c *stringCall) reads(r reading, p, end, n uint64, null bool) {
	e := extent{p, end, null && r != find && r != findN && r != wholeIfN}
	switch {
	case r == first: // written, not read
		return
	case end == 0 && (n == ^uint64(0) || n == 0):
		c.lo = c.hi
	case end == 0:
		e.last, e.byNull = p+n-1, false
	}
	if c.args[0] == (extent{}) {
		c.args[0] = e
	} else {
		c.args[1] = e
	}
}

// lookPast notes of a string function's read the bytes that it looks past.
func (l *textCalls) lookPast(th *thread, a *trace.Access) {
	if a.PC < th.string.lo || a.PC >= th.string.hi || a.IsWrite() || a.Size < 4 || a.Size > 16 {
		return
	}
	end := a.Addr + uint64(a.Size)
	from, to := end, a.Addr // of what counts
	for _, e := range th.string.args {
		if e.byNull && l.machine.Read8(e.last) != 0 {
			return
		}
		if e.first < end && a.Addr <= e.last {
			from, to = min(from, max(e.first, a.Addr)), max(to, min(e.last+1, end))
		}
	}
	if from >= to {
		from, to = end, a.Addr // all of it
	}
	a.Ahead = trace.MakeAhead(from-a.Addr, end-to)
}
