package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// What the turns of a counted spin leave in their thread's memory (spins/left.go) is watched: by that it could be told
// how often the thread has looked. Tries that fail leave such bytes too, and so do additions on one side of a number.

// leftovers watch the bytes and the registers that counted spins leave, and by which it could be told how often a
// thread has looked.
type leftovers struct {
	in       *present
	learning *learning
	stacks   *Stacks
	dead     *deadCode
	told     bool // bytes with the look unread were read
}

// unread is no look: what is tried reads such bytes.
const unread = ^uint64(0)

// lookOf is the name of an addition that was tried with so many reads behind it, for what it leaves.
func lookOf(pc uint64, reads int) uint64 { return pc | uint64(reads)<<60 }

// leavesBytes takes in what a counted spin leaves in its thread's memory, when it is over.
func (w *leftovers) leavesBytes(th edit, left spins.Leftovers) {
	if len(left) == 0 {
		return
	}
	if !th.Live() {
		w.outlives(th.thread, left)
		return
	}
	for _, l := range left {
		if shared, _ := w.in.machine.Touch(th.ID, l.Lo, l.Hi-l.Lo, true); shared && l.Look != unread {
			w.tells(l.Look)
		}
	}
	th.leftover = slices.Concat(th.leftover, left)
}

// outlives is called where a thread ends that leaves a count in its stack. The first thread's stays: another
// one may look at it that is the only one left, which isn't recorded.
func (w *leftovers) outlives(th *thread, left spins.Leftovers) {
	if th.Parent != trace.NoThread {
		return
	}
	for _, l := range left {
		w.tells(l.Look)
	}
}

// tells is called where an execution tells how often a thread has looked.
func (w *leftovers) tells(look uint64) {
	if look == unread {
		w.told = true
		return
	}
	w.learning.known.Uncounted[look] = true
	w.learning.finer = true
}

// mostWatched is the number of instructions of a run that tells of all accesses.
const mostWatched = 1 << 14

// watches reports whether the accesses of a thread's run are watched. Runs that are tried are, too:
// their result decides whether the thread waits.
func (w *leftovers) watches(th *thread) bool { return len(th.leftover)+len(th.leftRegs) > 0 }

// beforeRun has a run tell of all accesses.
func (w *leftovers) beforeRun(r *emu.Run) {
	r.Flags |= emu.RecordAll | emu.Overhear
	r.Budget = min(r.Budget, mostWatched)
}

// watch takes in accesses of a thread, and returns those that aren't to its own memory alone.
func (w *leftovers) watch(th edit, made []trace.Access) (shared []trace.Access) {
	for i := range made {
		a := &made[i]
		if a.Flags&emu.Private == 0 {
			shared = append(shared, *a)
		}
		if w.unwinds(th, a); !w.pops(th, a) {
			w.touches(th, a)
			w.pushes(th, a)
		}
	}
	w.settleRegs(th)
	return shared
}

// touches takes in an access.
func (w *leftovers) touches(th edit, a *trace.Access) {
	rest, told := th.leftover.After(a)
	th.leftover = rest
	for _, look := range told {
		w.tells(look)
	}
}

// called takes in what the kernel, or landgo itself, has accessed in a thread's call.
func (w *leftovers) called(t trace.TID, made []trace.Access) {
	if !w.watches(&w.in.threads[t]) {
		return
	}
	th := w.in.edit(t)
	for i := range made {
		w.touches(th, &made[i])
	}
}

// owns reports whether a byte is a thread's alone.
func (w *leftovers) owns(t trace.TID, addr uint64) bool {
	owner, _ := w.in.machine.Sharing(addr)
	return owner == t && len(w.in.promises) == 0
}

// ownsThere reports whether a byte is in a thread's own stack, with registers r, and no other thread has
// touched it. Below the stack pointer trusted code may have: once the spin leaves such bytes they count as
// the thread's own. Elsewhere another thread may look at what it finds when it is the only one left,
// which isn't recorded.
func (w *leftovers) ownsThere(th *thread, r *emu.Regs, addr uint64) bool {
	var s emu.Range
	switch {
	case th.Parent == trace.NoThread:
		s = emu.Range{Lo: w.stacks.mappingStart(w.in.bottom - 1), Hi: w.in.bottom}
	case th.OwnStack:
		s = w.stacks.stackOf(th)
	}
	if addr < s.Lo || addr >= s.Hi {
		return false
	}
	owner, shared := w.in.machine.Sharing(addr)
	below := addr < r.RSP && r.RSP-addr < mostBeneath
	return w.owns(th.ID, addr) || owner == trace.NoThread && !shared && below && len(w.in.promises) == 0
}

// mostBeneath is how far below a stack pointer functions are taken to work.
const mostBeneath = 1 << 16

// ownChanges reports whether a thread has changed only memory since a moment that no other thread has
// touched. A condition may read any.
func (w *leftovers) ownChanges(th *thread, since uint64) bool {
	return w.in.machine.Unchanged([]emu.Stretch{{From: since, To: w.in.machine.Journal()}}, func(a uint64) bool { return w.owns(th.ID, a) })
}
