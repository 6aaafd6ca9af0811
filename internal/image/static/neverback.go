package static

import "golang.org/x/arch/x86/x86asm"

// Calls that don't come back: of a panic, or of what ends the process. The code behind such a
// call belongs to another place, to which jumps lead: it may well read flags.

// neverBack reports whether the call at pc is of a function that never returns, for certain.
func (w *acrossWalk) neverBack(pc uint64) bool {
	_, inst, n := w.decode(pc)
	if inst == nil {
		return false
	}
	next := pc + uint64(n)
	if to, ok := callee(inst, next); ok {
		return w.stays(to, 0)
	}
	if w.slots == nil {
		w.slots = w.file.Filled()
	}
	to, ok := through(inst, next, func(addr uint64) (uint64, bool) { to, ok := w.slots[addr]; return to, ok })
	return ok && w.stays(to, 0)
}

// through is where the instruction before next calls or jumps to by a word of memory that the
// dynamic linker has filled in.
func through(inst *x86asm.Inst, next uint64, slot func(addr uint64) (uint64, bool)) (uint64, bool) {
	m, ok := inst.Args[0].(x86asm.Mem)
	if !ok || m.Base != x86asm.RIP || m.Index != 0 || m.Segment != 0 || inst.Op != x86asm.CALL && inst.Op != x86asm.JMP {
		return 0, false
	}
	return slot(next + uint64(m.Disp))
}

// maxTails bounds the jumps into other functions that stays follows.
const maxTails = 3

// stays reports whether the function that begins at entry has no way out: no return, and no jump
// to a function that returns. It ends with a call, or an instruction that faults. Functions that
// it calls may return.
func (w *acrossWalk) stays(entry uint64, tails int) bool {
	f, ok := w.file.SymbolAt(entry)
	if !ok || f.Addr != entry || f.Size == 0 || tails > maxTails {
		return false
	}
	end, ends := entry+f.Size, false
	for pc := entry; pc < end; {
		_, inst, n := w.decode(pc)
		next := pc + uint64(n)
		if inst == nil {
			if n == 1 { // no instruction: what follows isn't known
				return false
			}
			pc, ends = next, false
			continue
		}
		ends = inst.Op == x86asm.CALL || inst.Op == x86asm.UD2
		switch kind, to := branch(inst, next); {
		case kind == away && inst.Op != x86asm.CALL, inst.Op == x86asm.IRETQ, inst.Op == x86asm.SYSRET:
			return false
		case kind == jumps || kind == forks:
			if (to < entry || to >= end) && !w.stays(to, tails+1) {
				return false
			}
			ends = kind == jumps
		}
		pc = next
	}
	return ends
}

// shifts reports whether an instruction shifts by a number other than 0, which sets the flags.
func shifts(inst *x86asm.Inst) bool {
	switch inst.Op {
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		n, ok := inst.Args[1].(x86asm.Imm)
		if inst.DataSize == 64 {
			return ok && n&63 != 0
		}
		return ok && n&31 != 0
	}
	return false
}
