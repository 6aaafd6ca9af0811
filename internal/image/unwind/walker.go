package unwind

import (
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
)

// walker is a position on a stack.
type walker struct {
	*Table
	read func(uint64) (uint64, bool)
	regs [numRules]uint64
	pc   uint64
	// interrupted: pc is not a return address, but where a signal came, or the first instruction of
	// a function that no call returns to: setcontext goes there by its return.
	interrupted bool
	innermost   bool // no step has been made
}

// walk begins at the innermost frame. regs and read are as in Unwind.
func (t *Table) walk(regs *trace.Regs, read func(addr uint64) (uint64, bool)) walker {
	t.load()
	w := walker{Table: t, read: read, pc: regs.RIP, innermost: true}
	w.regs = [numRules]uint64{regs.RAX, regs.RDX, regs.RCX, regs.RBX, regs.RSI, regs.RDI, regs.RBP, regs.RSP,
		regs.R8, regs.R9, regs.R10, regs.R11, regs.R12, regs.R13, regs.R14, regs.R15, regs.RIP}
	return w
}

// step goes to the caller's frame.
func (w *walker) step() bool {
	if w.inSigreturn() {
		return w.sigreturn()
	}
	r := w.recipe(place{w.pc, !w.innermost && !w.interrupted})
	if r.row != nil {
		if r.row.rules[regRIP].kind == ruleUndefined {
			return false // the outermost frame says so
		}
		if w.apply(&r) {
			return true
		}
	}
	return w.epilogue() || w.framePointer() || (w.innermost && w.topOfStack())
}

// apply computes the caller's registers by the row's rules.
func (w *walker) apply(r *recipe) bool {
	row := r.row
	if r.retReg != regRIP {
		return false
	}
	cfa, ok := uint64(0), true
	if row.cfaExpr != nil {
		cfa, ok = evaluate(row.cfaExpr, 0, w.file.Machine, &w.regs, w.read)
	} else if row.cfaReg < numRules {
		cfa = (w.regs[row.cfaReg] + uint64(row.cfaOffset)) & w.file.Machine.WordMask()
	} else {
		ok = false
	}
	if !ok {
		return false
	}
	next := w.regs
	next[regRSP] = cfa
	for i := range row.rules {
		if !w.recover(&next[i], &row.rules[i], cfa) {
			return false
		}
	}
	ret := next[regRIP]
	if row.rules[regRIP].kind == ruleSame || ret == 0 || (r.guessed && !returnsTo(w.file, ret)) {
		return false
	}
	w.regs, w.pc, w.interrupted = next, ret, w.enters(ret)
	return true
}

// enters reports whether a return to addr begins a function.
func (w *walker) enters(addr uint64) bool {
	f, ok := w.file.SymbolAt(addr)
	return ok && f.Addr == addr && !returnsTo(w.file, addr)
}

// recover gives one register of the caller.
func (w *walker) recover(dst *uint64, r *rule, cfa uint64) bool {
	ok := true
	switch r.kind {
	case ruleOffset:
		*dst, ok = w.read((cfa + uint64(r.offset)) & w.file.Machine.WordMask())
	case ruleValOffset:
		*dst = (cfa + uint64(r.offset)) & w.file.Machine.WordMask()
	case ruleRegister:
		if ok = uint64(r.offset) < numRules; ok {
			*dst = w.regs[r.offset]
		}
	case ruleExpression:
		var at uint64
		if at, ok = evaluate(r.expr, cfa, w.file.Machine, &w.regs, w.read); ok {
			*dst, ok = w.read(at)
		}
	case ruleValExpression:
		*dst, ok = evaluate(r.expr, cfa, w.file.Machine, &w.regs, w.read)
	}
	return ok
}

// topOfStack takes the word at rsp for the return address: the last resort in
// a function that never returns and has no frame, like _exit.
func (w *walker) topOfStack() bool {
	sp := w.regs[regRSP]
	ret, ok := w.read(sp)
	if !ok || !returnsTo(w.file, ret) {
		return false
	}
	w.regs[regRSP], w.regs[regRIP] = sp+w.file.Machine.Word(), ret
	w.pc, w.interrupted = ret, false
	return true
}

// framePointer follows rbp.
func (w *walker) framePointer() bool {
	bp := w.regs[regRBP]
	word := w.file.Machine.Word()
	if bp < w.regs[regRSP] || bp%word != 0 {
		return false
	}
	saved, ok1 := w.read(bp)
	ret, ok2 := w.read(bp + word)
	if !ok1 || !ok2 || !returnsTo(w.file, ret) {
		return false
	}
	w.regs[regRBP], w.regs[regRSP] = saved, bp+2*word
	w.pc, w.regs[regRIP], w.interrupted = ret, ret, false
	return true
}

// returnsTo reports whether code may return to addr: it comes after a call, or
// is where signal handlers return to.
func returnsTo(f *elffile.File, addr uint64) bool {
	return f.AfterCall(addr) || f.Machine == elffile.X86_64 && sigreturnOffset(f, addr) == 0
}
