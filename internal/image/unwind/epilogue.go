package unwind

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// Unwinding code without call-frame information, forwards: the effect of a
// function's rest on the stack. Debian's musl has no such information at all,
// and no frame pointers either.
//
// Whatever a function does to its stack, it undoes before it returns. So run
// the rest of the function from the thread's place, and follow only the stack
// pointer (push, pop, add, sub, lea, leave). Calls are stepped over, and
// branches are tried both ways. The first return has the caller's address on
// top of the stack. The pops on the way give the caller's registers. It needs
// no symbols.
//
// A jump to an unknown address is a function's end like a return (a stub, a
// last call through a pointer) if the stack looks like it. Otherwise it is a
// switch: the path goes on with the next instruction, which is another case and
// has the same stack.
//
// Assumptions: calls leave the stack pointer as it was; a function that uses a
// callee-saved register pops it (as gcc does) before it returns. If the path
// ran through a call that never returns, the stack is not as the return
// expects. Then the word there hardly ever follows a call, or isn't where the
// ABI has return addresses (16n+8 on x86-64), and another path is tried. Where
// a function's begin is known, file prologue.go is asked first: it has no such
// doubts.

const (
	maxEpilogue = 4000 // instructions looked at for one frame
	maxBranches = 256  // branches left to try
)

// stackState is the machine as far as the walk follows it.
type stackState struct {
	pc   uint64
	regs [numRules]uint64
	// pushed are the words that the walk itself put on the stack.
	pushed map[uint64]pushed
	saved  [numRules]bool // registers pushed so far
}

// pushed is a word on the stack, and the register that it came from.
type pushed struct {
	value uint64
	reg   int
	first bool // of that register: so the caller's value of it
}

// epilogue finds the caller's frame by the code that follows.
func (w *walker) epilogue() bool {
	found := false
	w.explore(stackState{pc: w.pc, regs: w.regs}, func(s *stackState, inst *x86asm.Inst) bool {
		found = leaves(inst) && w.returns(s)
		return found
	})
	return found
}

// explore runs the code from s on, every branch both ways, each instruction
// once, until visit, called before each, returns true.
func (w *walker) explore(s stackState, visit func(s *stackState, inst *x86asm.Inst) bool) {
	todo, seen := []stackState{s}, map[uint64]bool{}
	for budget := maxEpilogue; len(todo) > 0; {
		s, todo = todo[0], todo[1:]
		for !seen[s.pc] && budget > 0 {
			seen[s.pc] = true
			budget--
			inst, _, err := x86.Decode(w.file.Bytes(s.pc, x86.MaxInst), w.file.Machine)
			if err != nil {
				break
			}
			if visit(&s, &inst) {
				return
			}
			branch, ok := w.follow(&s, &inst)
			if branch != 0 && len(todo) < maxBranches {
				other := s
				other.pc, other.pushed = branch, clone(s.pushed)
				todo = append(todo, other)
			}
			if !ok {
				break
			}
		}
	}
}

func clone(m map[uint64]pushed) map[uint64]pushed {
	c := make(map[uint64]pushed, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// leaves: the instruction may end the function.
func leaves(inst *x86asm.Inst) bool {
	_, direct := inst.Args[0].(x86asm.Rel)
	return inst.Op == x86asm.RET || (inst.Op == x86asm.JMP && !direct)
}

// returns takes the caller's frame from a state that stands at a ret.
func (w *walker) returns(s *stackState) bool {
	word := w.file.Machine.Word()
	sp := s.regs[regRSP]
	ret, ok := w.word(s, sp)
	if !ok || !w.returnSlot(sp) || !returnsTo(w.file, ret) {
		return false
	}
	w.regs = s.regs
	w.regs[regRSP], w.regs[regRIP] = sp+word, ret
	w.pc, w.interrupted = ret, false
	return true
}

// returnSlot: the ABI may have a return address there. The one of i386 asks for
// words only; gcc's alignment isn't kept by assembler code.
func (w *walker) returnSlot(sp uint64) bool {
	if w.file.Machine == elffile.I386 {
		return sp%4 == 0
	}
	return sp%16 == 8
}

func (w *walker) word(s *stackState, addr uint64) (uint64, bool) {
	if p, ok := s.pushed[addr]; ok {
		return p.value, true
	}
	return w.read(addr)
}

// follow executes one instruction as far as the stack goes, and sets s.pc to
// the next. It returns the other way of a branch (0: none), and whether s goes
// on.
func (w *walker) follow(s *stackState, inst *x86asm.Inst) (branch uint64, ok bool) {
	next := s.pc + uint64(inst.Len)
	if rel, isRel := inst.Args[0].(x86asm.Rel); isRel && inst.Op != x86asm.CALL {
		target := next + uint64(int64(rel))
		if inst.Op == x86asm.JMP {
			s.pc = target
			return 0, true
		}
		s.pc = next
		return target, true
	}
	if inst.Op == x86asm.CALL && w.neverReturns(next, inst) {
		return 0, false
	}
	if inst.Op == x86asm.RET || inst.Op == x86asm.HLT || inst.Op == x86asm.UD2 || w.endsFunction(next) {
		return 0, false
	}
	s.pc = next
	return 0, w.moveStack(s, inst)
}

// endsFunction: next is behind a function's last instruction, so the code
// before it doesn't go on.
func (w *walker) endsFunction(next uint64) bool {
	f, ok := w.file.SymbolAt(next - 1)
	return ok && f.Size != 0 && next-f.Addr >= f.Size
}

// neverReturns knows the usual ends of a path by name. next is the address
// after the call.
func (w *walker) neverReturns(next uint64, inst *x86asm.Inst) bool {
	rel, ok := inst.Args[0].(x86asm.Rel)
	if !ok {
		return false
	}
	f, ok := w.file.SymbolAt(next + uint64(int64(rel)))
	if !ok {
		return false
	}
	switch f.Name {
	case "abort", "exit", "_exit", "_Exit", "__assert_fail", "__stack_chk_fail", "pthread_exit", "longjmp", "__chk_fail":
		return true
	}
	return false
}

// moveStack executes the effects on rsp and the frame register; false if rsp
// becomes unknown.
func (w *walker) moveStack(s *stackState, inst *x86asm.Inst) bool {
	sp, word := &s.regs[regRSP], w.file.Machine.Word()
	dst, isReg := dwarfReg(inst.Args[0], w.file.Machine)
	switch inst.Op {
	case x86asm.PUSH:
		if isReg {
			s.push(dst, word)
		} else {
			s.push(-1, word)
		}
		return true
	case x86asm.POP:
		v, ok := w.word(s, *sp)
		*sp += word
		if isReg {
			s.regs[dst] = v
		}
		return ok
	case x86asm.PUSHFQ, x86asm.PUSHFD:
		*sp -= word
		return true
	case x86asm.POPFQ, x86asm.POPFD:
		*sp += word
		return true
	case x86asm.PUSHAD:
		for _, r := range pushad {
			s.push(r, word)
		}
		return true
	case x86asm.POPAD:
		for i := range pushad {
			v, ok := w.word(s, *sp)
			*sp += word
			if r := pushad[len(pushad)-1-i]; !ok {
				return false
			} else if r >= 0 {
				s.regs[r] = v
			}
		}
		return true
	case x86asm.LEAVE:
		v, ok := w.word(s, s.regs[regRBP])
		*sp, s.regs[regRBP] = s.regs[regRBP]+word, v
		return ok
	}
	if !isReg {
		return true
	}
	value, known := stackValue(s, inst, w.file.Machine)
	value &= w.file.Machine.WordMask()
	switch {
	case dst == regRSP:
		*sp = value
		return known
	case dst == regRBP && inst.Op == x86asm.MOV && known:
		s.regs[dst] = value
	}
	return true
}

// pushad are the registers in the order in which i386's pusha pushes them; the
// stack pointer's own word, which popa passes over, is -1.
var pushad = [...]int{0, 2, 1, 3, -1, regRBP, 4, 5}

// push puts a register on the stack, or, for -1, something else.
func (s *stackState) push(reg int, word uint64) {
	s.regs[regRSP] -= word
	if s.pushed == nil {
		s.pushed = map[uint64]pushed{}
	}
	p := pushed{}
	if reg >= 0 {
		p = pushed{s.regs[reg], reg, !s.saved[reg]}
		s.saved[reg] = true
	}
	s.pushed[s.regs[regRSP]] = p
}

// stackValue computes the instructions that set up and take down frames; false
// for any other. CMP and TEST name rsp first without writing it.
func stackValue(s *stackState, inst *x86asm.Inst, machine elffile.Machine) (uint64, bool) {
	dst, _ := dwarfReg(inst.Args[0], machine)
	old := s.regs[dst]
	switch inst.Op {
	case x86asm.CMP, x86asm.TEST:
		return old, true
	case x86asm.ADD, x86asm.SUB, x86asm.AND:
		imm, ok := inst.Args[1].(x86asm.Imm)
		switch {
		case !ok:
			return 0, false
		case inst.Op == x86asm.ADD:
			return old + uint64(imm), true
		case inst.Op == x86asm.SUB:
			return old - uint64(imm), true
		}
		return old & uint64(imm), true
	case x86asm.MOV:
		src, ok := dwarfReg(inst.Args[1], machine)
		return s.regs[src], ok
	case x86asm.LEA:
		m, ok := inst.Args[1].(x86asm.Mem)
		if !ok || m.Index != 0 {
			return 0, false
		}
		base, ok := dwarfReg(m.Base, machine)
		return s.regs[base] + uint64(m.Disp), ok
	}
	return 0, false
}

// dwarfReg is the DWARF number (x86-64's) of a register of a whole word.
func dwarfReg(a x86asm.Arg, machine elffile.Machine) (int, bool) {
	r, ok := a.(x86asm.Reg)
	if !ok {
		return 0, false
	}
	first, last := x86asm.RAX, x86asm.R15
	if machine == elffile.I386 {
		first, last = x86asm.EAX, x86asm.EDI
	}
	if r < first || r > last {
		return 0, false
	}
	// In the order of the instruction encoding: ax cx dx bx sp bp si di r8...
	encoded := [8]int{0, 2, 1, 3, regRSP, regRBP, 4, 5}
	n := int(r - first)
	if n < len(encoded) {
		return encoded[n], true
	}
	return n, true
}
