package scheduler

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Which registers, flags and bytes a turn of a loop has to leave as they were.

// redZone is memory whose contents may be dead, because it is below a thread's stack pointer.
// Whether it is, spinagain.go finds out.
func (s *finder) redZone(th *thread) emu.Range {
	sp := s.in.machine.Regs(th.Ctx).RSP
	return emu.Range{Lo: sp - min(sp, 1<<16), Hi: sp - min(sp, abi.RedZone)}
}

// unchanged reports whether memory outside zone is as it was when the journal
// had the length from.
func (s *finder) unchanged(from uint64, zone emu.Range) bool {
	return s.in.machine.Unchanged([]emu.Stretch{{From: from, To: s.in.machine.Journal()}}, func(a uint64) bool { return a >= zone.Lo && a < zone.Hi })
}

// sameLive reports whether a thread's CPU state is that of context c, but for
// registers and flags that are dead where it stands. That is asked of code only
// where the thread is about to run an instruction as a whole, or comes back from
// a lock that landgo carries out.
func (s *finder) sameLive(th *thread, c emu.Ctx) bool {
	d := s.in.machine.Differ(c, th.Ctx)
	if d == (emu.Difference{}) {
		return true
	}
	regs := d.Regs
	if d.Regs = 0; th.Half != 0 || d != (emu.Difference{}) || regs&^(trace.GeneralRegs|trace.RFLAGS) != 0 {
		return false
	}
	dead, flags, known := s.deadWhere(th)
	if !known || regs&trace.GeneralRegs&^dead != 0 {
		return false
	}
	if regs&trace.RFLAGS == 0 {
		return true
	}
	return flags && (s.in.machine.Regs(c).RFLAGS^s.in.machine.Regs(th.Ctx).RFLAGS)&^abi.Arithmetic == 0
}

// deadWhere says which registers, and whether flags, are dead where a thread stands, if that
// is known.
func (s *finder) deadWhere(th *thread) (dead trace.RegSet, flags, known bool) {
	switch {
	case th.Half != 0:
	case th.Stand == StandAccess:
		dead, flags = s.deadAt(th.Access.PC)
		return dead, flags, true
	case th.Stand == StandOp:
		op, ret := s.in.lib.Call(th.ID)
		if spins.PlainLock(op) {
			// The operation reads its arguments and writes its result, no more.
			dead, flags = s.deadAt(ret)
			return dead&^arguments | trace.RAX, flags || !s.in.image.FlagsCross(), true
		}
	}
	return 0, false, false
}

// arguments are the registers that hold a function's.
const arguments = trace.RDI | trace.RSI | trace.RDX | trace.RCX | trace.R8 | trace.R9

// deadAt is image.Dead, remembered.
func (s *finder) deadAt(pc uint64) (trace.RegSet, bool) {
	d, ok := s.dead[pc]
	if !ok {
		d.regs, d.flags = static.Dead(s.in.image.File, pc)
		s.dead[pc] = d
	}
	return d.regs, d.flags
}

type dead struct {
	regs  trace.RegSet
	saved trace.RegSet // nothing but pushes reads them (leftreg.go)
	flags bool
}
