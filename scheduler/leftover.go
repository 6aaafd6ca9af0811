package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// What the turns of a counted spin leave in their thread's memory (spins/left.go) is watched.

// unread is no look: what is tried reads such bytes.
const unread = ^uint64(0)

// mostWatched is the number of instructions of a run that tells of all accesses.
const mostWatched = 1 << 14

// leaves takes in what a counted spin leaves in its thread's memory, when it is over.
func (c *counts) leaves(th edit, left spins.Leftovers) {
	if len(left) == 0 {
		return
	}
	if !th.Live() {
		c.outlives(th.thread, left)
		return
	}
	for _, l := range left {
		if shared, _ := c.in.machine.Touch(th.ID, l.Lo, l.Hi-l.Lo, true); shared && l.Look != unread {
			c.tells(l.Look)
		}
	}
	th.leftover = slices.Concat(th.leftover, left)
}

// outlives is called where a thread ends that leaves a count in its stack. The first thread's stays: another
// one may look at it that is the only one left, which isn't recorded.
func (c *counts) outlives(th *thread, left spins.Leftovers) {
	if th.Parent != trace.NoThread {
		return
	}
	for _, l := range left {
		c.tells(l.Look)
	}
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
	rest, told := th.leftover.After(a)
	th.leftover = rest
	for _, look := range told {
		c.tells(look)
	}
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
