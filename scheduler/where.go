package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// PC is the instruction at which a thread stands.
func (s *present) PC(t trace.TID) uint64 {
	if s.isBuffer(t) {
		if q := s.threads[t-1].buffer.Queue(); len(q) > 0 {
			return q[0].Parts[0].PC
		}
		return 0
	}
	if s.threads[t].isArrival() {
		t = s.threads[t].Parent
	}
	return s.standPC(&s.threads[t])
}

// Stack is a thread's call stack: program counters, innermost first, return
// addresses after the first.
func (s *present) Stack(t trace.TID) []uint64 {
	if s.isBuffer(t) || s.threads[t].isTimer() || s.threads[t].isArrival() {
		return []uint64{s.PC(t)}
	}
	regs := s.stackRegs(&s.threads[t])
	return append([]uint64{regs.RIP}, s.image.Unwind(&regs, s.ReadStack)...)
}

// stackRegs are the registers from which a thread's stack is unwound.
func (s *fixed) stackRegs(th *thread) emu.Regs {
	if k := th.copying(); len(k.left) > 0 && th.Regs.RIP == k.pc+uint64(th.trap.Len) { // and not a handler's first instruction
		regs := th.Regs
		regs.RIP = th.copying().pc
		return regs
	}
	if s.steered() || th.Set != 0 || th.Stand == StandOp || th.Stand == StandTrap {
		return th.Regs
	}
	return s.machine.Regs(th.Ctx)
}

// ReadStack reads a word of a stack; false: nothing is there.
func (s *fixed) ReadStack(addr uint64) (uint64, bool) {
	if s.steered() {
		return s.companion.Word(addr)
	}
	if s.machine.Prot(addr)&emu.ProtRead == 0 {
		return 0, false
	}
	return s.Word(addr), true
}

// Word reads a word of the guest's memory, zero-extended.
func (s *fixed) Word(addr uint64) uint64 {
	if s.wordSize == 4 {
		return uint64(s.machine.Read32(addr))
	}
	return s.machine.Read64(addr)
}
