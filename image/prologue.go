package image

import "golang.org/x/arch/x86/x86asm"

// Unwinding code without call-frame information, backwards: what a function
// did to the stack until it got to where it stands. It needs the function's
// begin, so symbols; other than the way forwards (file epilogue.go) it works in
// functions that never return, like abort.

// prologue finds the caller's frame by running the function from its begin,
// with a made-up stack, to where it stands: on whatever path, the stack is as
// deep there as in the real run.
func (w *walker) prologue() bool {
	f, ok := w.im.SymbolAt(w.lookupPC())
	if !ok {
		return false
	}
	const top = 1 << 60 // the made-up stack pointer at the begin
	s := stackState{pc: f.Addr}
	s.regs[regRSP] = top
	found := false
	w.explore(s, func(at *stackState, inst *x86asm.Inst) bool {
		// Behind a call is where it stands only once the call returns; of one
		// that doesn't, nothing leads there.
		called := inst.Op == x86asm.CALL && at.pc+uint64(inst.Len) == w.pc && w.lookupPC() != w.pc
		if found = called || at.pc == w.pc; found {
			s = *at
		}
		return found
	})
	depth := top - s.regs[regRSP]
	if !found || depth > maxMemSize {
		return false
	}
	// From here on, real addresses: made-up ones less shift.
	slot := w.regs[regRSP] + depth
	shift := top - slot
	ret, ok := w.read(slot)
	if !ok || !w.im.returnsTo(ret) {
		return false
	}
	next := w.regs
	for addr, p := range s.pushed {
		// The first word pushed of a register is its caller's; what lies below
		// rsp is popped.
		if p.first && addr >= s.regs[regRSP] {
			if v, ok := w.read(addr - shift); ok {
				next[p.reg] = v
			}
		}
	}
	next[regRSP], next[regRIP] = slot+8, ret
	w.regs, w.pc, w.interrupted = next, ret, false
	return true
}
