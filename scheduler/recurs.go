package scheduler

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Does a state recur? A turn of a loop has to leave registers, flags and bytes as they were, but for what is dead.

// redZone is memory whose contents may be dead, because it is below a thread's stack pointer.
// Whether it is, a further turn says (trialturn.go).
func (t *trials) redZone(th *thread) emu.Range {
	sp := t.in.machine.Regs(th.Ctx).RSP
	return emu.Range{Lo: sp - min(sp, 1<<16), Hi: sp - min(sp, abi.RedZone)}
}

// unchanged reports whether memory outside zone is as it was when the journal
// had the length from.
func (t *trials) unchanged(from uint64, zone emu.Range) bool {
	return t.in.machine.Unchanged([]emu.Stretch{{From: from, To: t.in.machine.Journal()}}, func(a uint64) bool { return a >= zone.Lo && a < zone.Hi })
}

// sameLive reports whether a thread's CPU state is that of context c, but for
// registers and flags that are dead where it stands. That is asked of code only
// where the thread is about to run an instruction as a whole, or comes back from
// a lock that landgo carries out.
func (t *trials) sameLive(th *thread, c emu.Ctx) bool {
	d := t.in.machine.Differ(c, th.Ctx)
	if d == (emu.Difference{}) {
		return true
	}
	regs := d.Regs
	if d.Regs = 0; th.Half != 0 || d != (emu.Difference{}) || regs&^(trace.GeneralRegs|trace.RFLAGS) != 0 {
		return false
	}
	dead, flags, known := t.dead.where(th)
	if !known || regs&trace.GeneralRegs&^dead != 0 {
		return false
	}
	if regs&trace.RFLAGS == 0 {
		return true
	}
	return flags && (t.in.machine.Regs(c).RFLAGS^t.in.machine.Regs(th.Ctx).RFLAGS)&^abi.Arithmetic == 0
}

// sameAccess reports whether two accesses are of the same bytes by the same instruction.
// Whether an exchange would fail isn't settled where a thread stands before it.
func sameAccess(a, b *trace.Access) bool { return a.Addr == b.Addr && a.Size == b.Size && a.PC == b.PC }
