package scheduler

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"landgo/emu"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Code without optimisation counts a spin's turns on its stack, and leaves more there: copies of
// the count, and of what it found. So the state after the spin tells how often the thread has
// looked, unless it overwrites these bytes before it reads them. Whether it does is watched in each
// execution. For take an execution with all turns, and the one in which the spin is a single step.
// In both the thread runs the same code from there on. So if it reads none of these bytes in
// one, it reads none in the other, and both end alike. If it does read one, that is
// learned. All begins again then, with the turns one by one. What the C library's own functions
// access without a stop is watched too, and what landgo copies for them.
//
// A count may be in a register: leftreg.go.

// leftover is memory of a thread that tells how often it has looked, and where it did.
type leftover struct {
	emu.Range
	look  uint64
	saved *leftReg // what was pushed there; nil: another value
}

// unread is no look: what is tried reads such bytes.
const unread = ^uint64(0)

// mostWatched is the number of instructions of a run that tells of all accesses.
const mostWatched = 1 << 14

// leftovers are those of a look.
func leftovers(left []emu.Range, look uint64) (all []leftover) {
	for _, r := range left {
		all = append(all, leftover{Range: r, look: look})
	}
	return all
}

// leaves takes in what a counted spin leaves in its thread's memory, when it is over.
func (c *counts) leaves(th edit, left []leftover) {
	if len(left) == 0 {
		return
	}
	if !th.Live() {
		c.outlives(th.thread, left)
		return
	}
	for _, l := range left {
		if shared, _ := c.in.machine.Touch(th.ID, l.Lo, l.Hi-l.Lo, true); shared && l.look != unread {
			c.tells(l.look)
		}
	}
	th.leftover = slices.Concat(th.leftover, left)
}

// outlives is called where a thread ends that leaves a count in its stack. The first thread's stays: another
// one may look at it that is the only one left, which isn't recorded.
func (c *counts) outlives(th *thread, left []leftover) {
	if th.Parent != trace.NoThread {
		return
	}
	for _, l := range left {
		c.tells(l.look)
	}
}

// ownChanges reports whether a thread has changed only memory since a moment that no other thread has
// touched. A condition may read any.
func (c *counts) ownChanges(th *thread, since uint64) bool {
	return c.in.machine.Unchanged([]emu.Stretch{{From: since, To: c.in.machine.Journal()}}, func(a uint64) bool { return c.owns(th.ID, a) })
}

func (c *counts) owns(t trace.TID, addr uint64) bool {
	owner, _ := c.in.machine.Sharing(addr)
	return owner == t && len(c.in.promises) == 0
}

// ownsThere reports whether a byte is in a thread's own stack, with registers r, and no other thread has
// touched it. Below the stack pointer trusted code may have: once the spin leaves such bytes they count as
// the thread's own. Elsewhere another thread may look at what it finds when it is the only one left,
// which isn't recorded.
func (c *counts) ownsThere(th *thread, r *emu.Regs, addr uint64) bool {
	var s emu.Range
	switch {
	case th.Parent == trace.NoThread:
		s = emu.Range{Lo: c.stacks.mappingStart(c.in.bottom - 1), Hi: c.in.bottom}
	case th.OwnStack:
		s = c.stacks.stackOf(th)
	}
	if addr < s.Lo || addr >= s.Hi {
		return false
	}
	owner, shared := c.in.machine.Sharing(addr)
	below := addr < r.RSP && r.RSP-addr < mostBeneath
	return c.owns(th.ID, addr) || owner == trace.NoThread && !shared && below && len(c.in.promises) == 0
}

// mostBeneath is how far below a stack pointer functions are taken to work.
const mostBeneath = 1 << 16

// apart are the bytes by which states can be told apart that are equal otherwise.
type apart map[uint64]bool

func (a apart) add(words []x86.GrownWord) {
	for _, w := range words {
		for k := range w.Size {
			a[w.Addr+k] = true
		}
	}
}

// without has a list of differences, but for these bytes.
func (a apart) without(memory string) string {
	if len(a) == 0 {
		return memory
	}
	var rest []byte
	for i := 0; i < len(memory); i += difference {
		if e := []byte(memory[i : i+difference]); !a[binary.LittleEndian.Uint64(e)] {
			rest = append(rest, e...)
		}
	}
	return string(rest)
}

// ranges are these bytes.
func (a apart) ranges() (list []emu.Range) {
	for _, at := range slices.Sorted(maps.Keys(a)) {
		if n := len(list); n > 0 && list[n-1].Hi == at {
			list[n-1].Hi++
		} else {
			list = append(list, emu.Range{Lo: at, Hi: at + 1})
		}
	}
	return list
}

// sameLeft reports whether a thread has left a spin in the same way twice, but for bytes of its own
// memory. It adds these.
func (c *counts) sameLeft(a, b *poise, bytes apart, th *thread) bool {
	x, y := *a, *b
	x.memory, y.memory = "", ""
	x.pushed = y.pushed
	r := c.in.machine.Regs(th.Ctx)
	return x == y && unequal(a.memory, b.memory, func(at uint64) bool {
		bytes[at] = true
		return c.ownsThere(th, &r, at)
	})
}

// otherPushed are the registers that nothing but pushes reads in which two states differ.
func (p *poise) otherPushed(q *poise) (regs trace.RegSet) {
	for i := range p.pushed {
		if p.pushed[i] != q.pushed[i] {
			regs |= 1 << i
		}
	}
	return regs
}

// difference is the length of an entry of differences: an address, and the byte there.
const difference = 9

// unequal calls f for each byte in which two lists of differences differ, as long as it returns true.
func unequal(a, b string, f func(at uint64) bool) bool {
	x, y := []byte(a), []byte(b)
	for len(x)+len(y) > 0 {
		order := 0 // of their next addresses
		switch {
		case len(x) == 0:
			order = 1
		case len(y) == 0:
			order = -1
		default:
			order = cmp.Compare(binary.LittleEndian.Uint64(x), binary.LittleEndian.Uint64(y))
		}
		var at uint64
		same := order == 0 && x[8] == y[8]
		if order <= 0 {
			at, x = binary.LittleEndian.Uint64(x), x[difference:]
		}
		if order >= 0 {
			at, y = binary.LittleEndian.Uint64(y), y[difference:]
		}
		if !same && !f(at) {
			return false
		}
	}
	return true
}

// watches reports whether the accesses of a thread's run are watched. Runs that are tried are, too:
// their result decides whether the thread waits.
func (c *counts) watches(th *thread) bool { return len(th.leftover)+len(th.leftRegs) > 0 }

// watch takes in accesses of a thread, and returns those that aren't to its own memory alone.
func (c *counts) watch(th edit, made []trace.Access) (shared []trace.Access) {
	for i := range made {
		a := &made[i]
		if a.Flags&emu.Private == 0 {
			shared = append(shared, *a)
		}
		if c.unwinds(th, a); !c.pops(th, a) {
			c.meets(th, a)
			c.pushes(th, a)
		}
	}
	c.settleRegs(th)
	return shared
}

// meets takes in an access.
func (c *counts) meets(th edit, a *trace.Access) {
	end := a.Addr + uint64(a.Size)
	if !slices.ContainsFunc(th.leftover, func(l leftover) bool { return a.Addr < l.Hi && l.Lo < end }) {
		return
	}
	var rest []leftover
	for _, l := range th.leftover {
		switch {
		case a.Addr >= l.Hi || l.Lo >= end:
			rest = append(rest, l)
		case !a.IsWrite() || a.Flags&trace.RMW != 0:
			c.tells(l.look)
		default:
			if l.Lo < a.Addr {
				rest = append(rest, leftover{Range: emu.Range{Lo: l.Lo, Hi: a.Addr}, look: l.look})
			}
			if end < l.Hi {
				rest = append(rest, leftover{Range: emu.Range{Lo: end, Hi: l.Hi}, look: l.look})
			}
		}
	}
	th.leftover = rest
}

// beforeRun has a run tell of all accesses.
func (c *counts) beforeRun(r *emu.Run) {
	r.Flags |= emu.RecordAll | emu.Overhear
	r.Budget = min(r.Budget, mostWatched)
}

// called takes in what the kernel, or landgo itself, has accessed in a thread's call.
func (c *counts) called(t trace.TID, made []trace.Access) {
	if !c.watches(&c.in.threads[t]) {
		return
	}
	th := c.in.edit(t)
	for i := range made {
		c.meets(th, &made[i])
	}
}

// tells is called where an execution tells how often a thread has looked.
func (c *counts) tells(look uint64) {
	if look == unread {
		c.told = true
		return
	}
	c.learning.known.Uncounted[look] = true
	c.learning.finer = true
}
