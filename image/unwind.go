package image

import (
	"sort"
	"sync"
)

// Regs is a register file. Its fields are those of the machine's, so that one
// converts to the other.
type Regs struct {
	RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP uint64
	R8, R9, R10, R11, R12, R13, R14, R15   uint64
	RIP, RFLAGS                            uint64
	FSBase, GSBase                         uint64
}

// unwindTable is the file's call-frame information, parsed when first used.
type unwindTable struct {
	once         sync.Once
	descriptions []description
	section      cfiSection // .eh_frame; for pointers inside programs
}

func (u *unwindTable) load(im *Image) {
	u.once.Do(func() {
		addrSize := 8
		if im.Machine == I386 {
			addrSize = 4
		}
		for _, name := range []string{".eh_frame", ".debug_frame"} {
			if s, b := im.section(name); s != nil {
				c := cfiSection{data: b, addr: s.Addr + im.Base, eh: name == ".eh_frame", addrSize: addrSize, base: im.Base}
				u.descriptions = append(u.descriptions, c.parse()...)
				u.section = c
			}
		}
		ds := u.descriptions
		sort.SliceStable(ds, func(i, j int) bool { return ds[i].lo < ds[j].lo })
	})
}

// find returns the description that covers pc; of two, .eh_frame's.
func (u *unwindTable) find(pc uint64) *description {
	ds := u.descriptions
	i := sort.Search(len(ds), func(i int) bool { return ds[i].lo > pc }) - 1
	for ; i >= 0; i-- {
		if pc < ds[i].hi {
			for i > 0 && ds[i-1].lo == ds[i].lo && ds[i-1].hi == ds[i].hi {
				i--
			}
			return &ds[i]
		}
		if i > 0 && ds[i-1].lo != ds[i].lo {
			return nil // ranges don't nest
		}
	}
	return nil
}

// MaxFrames bounds a stack: deeper ones are cut.
const MaxFrames = 256

// Unwind returns the return addresses on a thread's stack, innermost first,
// without the current pc, up to the program's own main or thread function: the
// C library's start code isn't part of it. read reads a word of memory.
//
// The byte before an address is in the instruction that the frame is at, so
// that is what to ask Frames and SymbolAt for. Where a signal handler was
// called, the next address is the interrupted instruction's plus one, to keep
// this true.
//
// It works at any instruction where the file has call-frame information, as
// all C code built for x86-64 has. In code without it (assembler in musl) the
// return address is taken from the top of the stack, if a call put it there,
// or from the chain of frame pointers.
func (im *Image) Unwind(regs *Regs, read func(addr uint64) (uint64, bool)) []uint64 {
	if im.Machine != X86_64 {
		return nil
	}
	im.unwind.load(im)
	w := walker{im: im, read: read, pc: regs.RIP, innermost: true}
	w.regs = [numRules]uint64{regs.RAX, regs.RDX, regs.RCX, regs.RBX, regs.RSI, regs.RDI, regs.RBP, regs.RSP,
		regs.R8, regs.R9, regs.R10, regs.R11, regs.R12, regs.R13, regs.R14, regs.R15, regs.RIP}
	var pcs []uint64
	for ; len(pcs) < MaxFrames; w.innermost = false {
		below := w.regs[regRSP]
		interrupted := im.sigreturnOffset(w.pc) >= 0
		if !w.step() || w.regs[regRSP] <= below || !im.IsCode(w.pc) || im.startsThread(w.pc-1) {
			break
		}
		switch {
		case !interrupted:
			pcs = append(pcs, w.pc)
		case w.innermost:
			pcs = append(pcs, w.pc+1)
		default: // in place of the stub, which is nobody's function
			pcs[len(pcs)-1] = w.pc + 1
		}
	}
	for n := len(pcs); n > 0; n-- {
		if s, ok := im.SymbolAt(pcs[n-1] - 1); !ok || !callsMain[s.Name] {
			break
		}
		pcs = pcs[:n-1]
	}
	return pcs
}

// startsThread: the code at pc is where a thread's stack ends.
func (im *Image) startsThread(pc uint64) bool {
	s, ok := im.SymbolAt(pc)
	return ok && threadStarts[s.Name]
}

// The outermost functions of stacks, under the names that rank first.
var threadStarts = map[string]bool{
	"_start": true, "_start_c": true, "_dlstart": true,
	"clone": true, "__clone": true, "clone3": true, "__clone3": true,
}

// callsMain are the functions between those and the program's own. musl's
// start is a plain name, so it counts at the end of a stack only, where the
// user's functions can't be.
var callsMain = map[string]bool{
	"__libc_start_main": true, "__libc_start_main_impl": true, "__libc_start_call_main": true,
	"libc_start_main_stage2": true,
	"start_thread":           true, "start": true, "start_c11": true,
}

// walker is a position on a stack.
type walker struct {
	im   *Image
	read func(uint64) (uint64, bool)
	regs [numRules]uint64
	pc   uint64
	// interrupted: pc is not a return address, but where a signal came.
	interrupted bool
	innermost   bool // no step has been made
}

// lookupPC is the address whose frame information counts: of a return address,
// that of the call, which may be the function's last instruction.
func (w *walker) lookupPC() uint64 {
	if w.innermost || w.interrupted {
		return w.pc
	}
	return w.pc - 1
}

// step goes to the caller's frame.
func (w *walker) step() bool {
	if w.im.sigreturnOffset(w.pc) >= 0 {
		return w.sigreturn()
	}
	pc := w.lookupPC()
	if d := w.im.unwind.find(pc); d != nil {
		row, err := d.row(pc, &w.im.unwind.section)
		if err == nil {
			if row.rules[regRIP].kind == ruleUndefined {
				return false
			}
			if w.apply(&row, d.common) {
				return true
			}
		}
	}
	return w.prologue() || w.epilogue() || w.framePointer() || (w.innermost && w.topOfStack())
}

// apply computes the caller's registers by the row's rules.
func (w *walker) apply(row *cfiRow, c *common) bool {
	if c.retReg != regRIP {
		return false
	}
	cfa, ok := uint64(0), true
	if row.cfaExpr != nil {
		cfa, ok = evaluate(row.cfaExpr, 0, &w.regs, w.read)
	} else if row.cfaReg < numRules {
		cfa = w.regs[row.cfaReg] + uint64(row.cfaOffset)
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
	if row.rules[regRIP].kind == ruleSame || next[regRIP] == 0 {
		return false
	}
	w.regs, w.pc, w.interrupted = next, next[regRIP], false
	return true
}

// recover gives one register of the caller.
func (w *walker) recover(dst *uint64, r *rule, cfa uint64) bool {
	ok := true
	switch r.kind {
	case ruleOffset:
		*dst, ok = w.read(cfa + uint64(r.offset))
	case ruleValOffset:
		*dst = cfa + uint64(r.offset)
	case ruleRegister:
		if ok = uint64(r.offset) < numRules; ok {
			*dst = w.regs[r.offset]
		}
	case ruleExpression:
		var at uint64
		if at, ok = evaluate(r.expr, cfa, &w.regs, w.read); ok {
			*dst, ok = w.read(at)
		}
	case ruleValExpression:
		*dst, ok = evaluate(r.expr, cfa, &w.regs, w.read)
	}
	return ok
}

// topOfStack takes the word at rsp for the return address: the last resort in
// a function that never returns and has no frame, like _exit.
func (w *walker) topOfStack() bool {
	sp := w.regs[regRSP]
	ret, ok := w.read(sp)
	if !ok || !w.im.returnsTo(ret) {
		return false
	}
	w.regs[regRSP], w.regs[regRIP] = sp+8, ret
	w.pc, w.interrupted = ret, false
	return true
}

// framePointer follows rbp.
func (w *walker) framePointer() bool {
	bp := w.regs[regRBP]
	if bp < w.regs[regRSP] || bp%8 != 0 {
		return false
	}
	saved, ok1 := w.read(bp)
	ret, ok2 := w.read(bp + 8)
	if !ok1 || !ok2 || !w.im.returnsTo(ret) {
		return false
	}
	w.regs[regRBP], w.regs[regRSP] = saved, bp+16
	w.pc, w.regs[regRIP], w.interrupted = ret, ret, false
	return true
}

// returnsTo reports whether code may return to addr: it comes after a call, or
// is where signal handlers return to.
func (im *Image) returnsTo(addr uint64) bool {
	return im.afterCall(addr) || im.sigreturnOffset(addr) == 0
}

// afterCall reports whether a call instruction may end right before addr.
func (im *Image) afterCall(addr uint64) bool {
	if !im.IsCode(addr) {
		return false
	}
	const nearCall, indirect = 0xe8, 0xff
	if b := im.Bytes(addr-5, 5); len(b) == 5 && b[0] == nearCall {
		return true
	}
	for n := uint64(2); n <= 7; n++ { // ff /2 with 0 to 5 bytes of address
		if b := im.Bytes(addr-n, 2); len(b) == 2 && b[0] == indirect && b[1]>>3&7 == 2 {
			return true
		}
	}
	return false
}
