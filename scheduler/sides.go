package scheduler

import (
	"maps"

	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// What becomes of an addition's result (tested.go), where the code doesn't say it by itself. Code without
// optimisation returns it, C++ from several functions, and others compare it with a variable. So
// the step is tried with the number that is there, and with those that other additions
// would leave, and is taken back. Two numbers are on one side if the thread has done the same with
// both, and stands in the same state then. Registers may differ that are dead on all paths from there
// (spins.Poise). The first number that leads elsewhere is the pivot. Bytes of the thread's own stack may
// differ, as long as it doesn't read them: they are watched as those that a counted spin leaves (spins.Leftover).
//
// Where each number leads elsewhere, as a ticket does, the addition is one like any other. That is
// learned of its place, and all begins again.

const (
	// mostBeyond is how many numbers are tried in one direction.
	mostBeyond = 28
	// mostTried bounds the instructions of a step that is tried.
	mostTried = firstChunk / 2
)

// side is the blend of the addition that a thread is about to make, as far as trying has found it.
type side struct {
	pc    uint64
	blend trace.Blend
	more  uint8
	// By these the numbers of a side could be told apart: bytes of the thread's stack, and registers.
	left []trace.Range
	regs trace.RegSet
}

// tries reports whether a thread is about to make an addition of which only trying tells what becomes of
// its result.
func (bl *blends) tries(th *thread) bool {
	a := &th.Access
	if !bl.testing || th.Stand != StandAccess || th.Half != 0 || th.Set != 0 || a.Flags&trace.Atomic == 0 || !canAwait(a) ||
		bl.learning.known.Apart[a.PC] || bl.learning.known.Uncounted[a.PC] || bl.learning.known.Signalled.Has(uint64(th.ID)) || bl.pivotAt(a.PC).is || bl.in.image.FlagsCross() {
		return false
	}
	return bl.adding(a.PC) && bl.byCode(a.PC) == trace.NoBlend && bl.at(th.ID, a) == trace.NoBlend && bl.unordered(a)
}

// adding is static.Adds, remembered.
func (bl *blends) adding(pc uint64) bool {
	is, known := bl.added[pc]
	if !known {
		is = static.Adds(bl.in.image.File, pc)
		bl.added[pc] = is
	}
	return is
}

// trySides finds the side of the addition that a thread is about to make.
func (s *System) trySides(th edit) {
	bl := s.Blends
	if th.turns == 0 {
		th.leaving, th.leavingRegs = nil, 0
	}
	if bl.side = (side{}); s.probing || !bl.tries(th.thread) {
		return
	}
	current := s.current
	s.spins.trials.probe(th.thread, func(th edit) {
		s.buffers.enter(th)
		bl.side = s.counts.sideOf(th)
	})
	s.current = current
	th.leaving, th.leavingRegs = spins.LeftBy(bl.side.pc, bl.side.left), bl.side.regs
}

// sideOf tries it.
func (c *counts) sideOf(th edit) side {
	at, since := th.Access, c.in.machine.Journal()
	before := c.in.valueFor(th.thread, &at)
	here, after := c.outcome(th, &at, before, since)
	mask := spins.Mask(at.Size)
	step := (after - before) & mask
	if here == nil || step != 1 && step != mask {
		return side{}
	}
	way := func(k uint64) *spins.Poise {
		p, _ := c.outcome(th, &at, (before+k*step)&mask, since)
		return p
	}
	r := c.in.machine.Regs(th.Ctx)
	owns := func(at uint64) bool { return c.ownsThere(th.thread, &r, at) }
	bytes, regs := spins.Apart{}, trace.RegSet(0)
	same := func(p *spins.Poise, k uint64) bool {
		q, differ := way(k), spins.Apart{}
		if p == nil || q == nil || !differ.Same(p, q, owns) {
			return false
		}
		maps.Copy(bytes, differ)
		regs |= p.OtherPushed(q)
		return true
	}
	beyond := uint64(1)
	for beyond <= mostBeyond && same(here, beyond) {
		beyond++
	}
	pivot := beyond
	if beyond > mostBeyond { // or it is beyond the pivot
		for pivot = 1; pivot <= mostBeyond && same(here, -pivot); pivot++ {
		}
		if pivot = -pivot; -pivot > mostBeyond { // or there is none
			pivot = (mask - before) * step
		}
	} else if beyond == 1 && !same(here, ^uint64(0)) {
		if pivot = 0; !same(way(1), 2) && !same(way(^uint64(0)), ^uint64(1)) {
			c.learning.known.Apart[at.PC] = true
			c.learning.finer = true
			return side{}
		}
	}
	shift := 64 - 8*at.Size
	signed := func(v uint64) int64 { return int64(v<<shift) >> shift }
	blend, more := trace.TestedAddition(at.Size, signed(step), signed((before+pivot*step)&mask), signed(before))
	return side{at.PC, blend, min(more, uint8(beyond-1)), bytes.Ranges(), regs}
}

// outcome is how a thread stands after its step, if its bytes held v, and what they hold then. nil: that
// can't be compared.
func (c *counts) outcome(th edit, at *trace.Access, v, since uint64) (p *spins.Poise, after uint64) {
	k := c.in.aside()
	c.in.Save(th.ID)
	defer func() { c.in.takeBack(k) }()
	c.putValue(at, v)
	logged := c.in.machine.Logged()
	th.Stand, th.Waits, th.awaits = StandAccess, nil, false
	tr := c.in.arena.Transition(th.ID, 0)
	tr.Begin = th.Insns + mostTried - c.in.cfg.StepBudget // a longer step has an error
	if err := c.spins.runs.step(th, tr, 0); err != nil || len(tr.Accesses) != 1 || !tr.Accesses[0].SameBytes(at) {
		return nil, 0
	}
	c.in.arena.Seal(tr)
	now := c.poiseOf(th.thread, true)
	now.Did = spins.Doings(tr)
	c.bornIn(tr, &now)
	now.Memory, _ = c.differences(since, at)
	var err error
	if now.Words, err = c.in.machine.WordsSince(logged); err != nil {
		return nil, 0
	}
	return &now, c.valueAt(at)
}
