package unwind

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
)

// Unwinding code without call-frame information, backwards: a function's effect
// on the stack up to its present place. It needs the function's begin, so
// symbols; other than the way forwards (file epilogue.go) it works in functions
// that never return, like abort.

// prologue makes the row that call-frame information would have for pc. It runs the
// function from its beginning, with a made-up stack. On each path the stack is as
// deep there as in the real run. called: pc is behind a call.
func (t *Table) prologue(pc uint64, called bool) (*cfiRow, bool) {
	at := pc
	if called {
		at--
	}
	f, ok := t.file.SymbolAt(at)
	if !ok {
		return nil, false
	}
	top := uint64(1 << 60) // the made-up stack pointer at the begin
	if t.file.Machine == elffile.I386 {
		top = 1 << 31
	}
	s := stackState{pc: f.Addr}
	s.regs[regRSP] = top
	found := false
	w := walker{Table: t, read: func(uint64) (uint64, bool) { return 0, false }}
	w.explore(s, func(at *stackState, inst *x86asm.Inst) bool {
		// Behind a call is where it stands only once the call returns; of one
		// that doesn't, nothing leads there.
		call := called && inst.Op == x86asm.CALL && at.pc+uint64(inst.Len) == pc
		if found = call || at.pc == pc; found {
			s = *at
		}
		return found
	})
	depth := top - s.regs[regRSP]
	if !found || depth > elffile.MaxMemSize {
		return nil, false
	}
	slot := int64(t.file.Machine.Word()) // of the return address
	row := &cfiRow{cfaReg: regRSP, cfaOffset: int64(depth) + slot}
	row.rules[regRIP] = rule{kind: ruleOffset, offset: -slot}
	for addr, p := range s.pushed {
		// The first word pushed of a register is its caller's; words below rsp
		// are popped.
		if p.first && addr >= s.regs[regRSP] {
			row.rules[p.reg] = rule{kind: ruleOffset, offset: -int64(top-addr) - slot}
		}
	}
	return row, true
}
