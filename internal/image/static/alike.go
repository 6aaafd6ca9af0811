package static

import (
	"fmt"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Two threads that run one function with one argument are alike if nothing that the code
// does depends on the address of the thread's own memory. That is its stack and its
// thread control block. Alike proves that of the code, on all paths from the function's
// entry to its return. It follows three kinds of values:
//
//   - same: what is equal in two threads that have read equal values from memory;
//   - a place on the stack, as an offset from the stack pointer at entry;
//   - own: what the thread may have to itself: registers and stack as the runtime left them.
//
// A place may be copied, moved by a constant, kept on the stack, and used as an address. Own
// addresses may be copied and kept there. Anything else done with either is refused: to
// compute with them, to compare them, to store them elsewhere, to hand them to a function. So
// all that leaves the thread is same, and so is the way that it takes.
//
// It is a proof about instructions that address the stack by such a place. That others don't
// happen to reach it, by an address that is a number like any other, has to be watched in
// each execution: see Code.Stack.

// Code is what Alike has found out about a function.
type Code struct {
	// Why it isn't known that threads which run it are alike, "" if they are.
	Why string
	// Stack has the instructions that address the stack by its pointer, calls and returns
	// included.
	Stack map[uint64]bool
}

// Trust says what landgo makes of a function.
type Trust struct {
	// Carried: landgo carries it out; else its own code runs.
	Carried bool
	// Alike: no result of it tells threads apart that call it with the same arguments, of
	// which it has Args. Ends: it doesn't return, and ends the process with a bug.
	Alike, Ends bool
	Args        int
}

// alikeReach bounds the instructions that Alike looks at, visits counted.
const alikeReach = 20_000

// Alike says whether threads that begin at entry are alike. trust says what landgo makes of
// a function, and word reads memory that can't be written any more.
func Alike(f *elffile.File, entry uint64, trust func(addr uint64) Trust, word func(addr uint64) (uint64, bool)) *Code {
	w := alikeWalk{file: f, trust: trust, word: word, code: &Code{Stack: map[uint64]bool{}}, seen: map[visit]*frame{}, contexts: map[context]int{}, elsewhere: map[uint64]bool{}}
	if f.Machine != elffile.X86_64 {
		w.refuse(entry, "only 64-bit code is followed")
		return w.code
	}
	start := &frame{bytes: map[int64]cell{}, flags: ownValue}
	for i := range start.regs {
		start.regs[i] = value{kind: ownValue}
	}
	start.regs[regIndex(trace.RDI)] = value{}
	start.regs[regIndex(trace.RSP)] = value{kind: placeValue}
	start.store(0, 8, value{kind: returnValue})
	w.visit(entry, start)
	for len(w.work) > 0 && w.code.Why == "" {
		v := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		w.step(v.pc, w.seen[v].clone())
	}
	return w.code
}

type visit struct {
	pc    uint64
	calls int
}

// context is a call within another one.
type context struct {
	outer int
	ret   uint64
}

type alikeWalk struct {
	file     *elffile.File
	trust    func(uint64) Trust
	word     func(uint64) (uint64, bool)
	code     *Code
	seen     map[visit]*frame
	work     []visit
	steps    int
	contexts map[context]int
	// elsewhere has the instructions that address other memory than the stack.
	elsewhere map[uint64]bool
	outer     []context // by number - 1
}

func (w *alikeWalk) refuse(pc uint64, format string, args ...any) {
	if w.code.Why == "" {
		w.code.Why = fmt.Sprintf(format, args...) + fmt.Sprintf(" (at %#x)", pc)
	}
}

// visit has pc followed with what is known there.
func (w *alikeWalk) visit(pc uint64, s *frame) {
	v := visit{pc, s.calls}
	if old := w.seen[v]; old == nil {
		w.seen[v] = s.clone()
	} else if !old.merge(s) {
		return
	}
	w.work = append(w.work, v)
}

// step follows the instruction at pc.
func (w *alikeWalk) step(pc uint64, s *frame) {
	if w.steps++; w.steps > alikeReach {
		w.refuse(pc, "its code is too long to be followed")
		return
	}
	switch t := w.trust(pc); {
	case !t.Carried:
	case t.Ends:
		return
	case t.Alike:
		w.carried(pc, t.Args, s)
		return
	default:
		w.refuse(pc, "it calls a function that may tell threads apart")
		return
	}
	code := fixedCode(w.file, pc)
	inst, _, err := x86.Decode(code, w.file.Machine)
	if err != nil {
		w.refuse(pc, "an instruction isn't known")
		return
	}
	next := pc + uint64(inst.Len)
	switch inst.Op {
	case x86asm.CALL:
		to, direct := callee(&inst, next)
		if !direct {
			w.refuse(pc, "it calls through a pointer")
			return
		}
		w.code.Stack[pc] = true
		if w.push(pc, s, value{kind: returnValue, at: int64(next)}) {
			s.calls = w.within(s.calls, next)
			w.visit(to, s)
		}
		return
	case x86asm.RET:
		w.code.Stack[pc] = true
		if inst.Args[0] != nil {
			w.refuse(pc, "an instruction isn't known")
			return
		}
		w.ret(pc, s)
		return
	case x86asm.JMP:
		if to, ok := inst.Args[0].(x86asm.Rel); ok {
			w.visit(next+uint64(int64(to)), s)
			return
		}
		// To another file's function, by a table that the dynamic linker has filled.
		if m, ok := inst.Args[0].(x86asm.Mem); ok && m.Base == x86asm.RIP && m.Index == 0 && m.Segment == 0 {
			if to, ok := w.word(next + uint64(m.Disp)); ok {
				w.visit(to, s)
				return
			}
		}
		w.refuse(pc, "it jumps through a pointer")
		return
	}
	if !w.does(pc, &inst, code, s) {
		w.refuse(pc, "it uses where its own memory is, or what isn't followed: %v", inst)
		return
	}
	if kind, to := branch(&inst, next); kind == forks {
		w.visit(to, s)
	}
	w.visit(next, s)
}

// within is the number of a call in another one.
func (w *alikeWalk) within(outer int, ret uint64) int {
	c := context{outer, ret}
	if w.contexts[c] == 0 {
		w.outer = append(w.outer, c)
		w.contexts[c] = len(w.outer)
	}
	return w.contexts[c]
}

// carried is a trusted function: landgo leaves the registers but for the result, and the
// caller may rely on no more than the convention says.
func (w *alikeWalk) carried(pc uint64, args int, s *frame) {
	for _, r := range []trace.RegSet{trace.RDI, trace.RSI}[:args] {
		if s.regs[regIndex(r)].kind != sameValue {
			w.refuse(pc, "it hands an address of its own memory to a function")
			return
		}
	}
	for _, r := range []trace.RegSet{trace.RCX, trace.RDX, trace.RSI, trace.RDI, trace.R8, trace.R9, trace.R10, trace.R11} {
		s.regs[regIndex(r)] = value{kind: ownValue}
	}
	s.regs[regIndex(trace.RAX)] = value{}
	s.flags = ownValue
	w.ret(pc, s)
}

// ret goes back to the caller.
func (w *alikeWalk) ret(pc uint64, s *frame) {
	back, ok := w.pop(s, 8)
	switch {
	case !ok || back.kind != returnValue:
		w.refuse(pc, "it returns to somewhere else")
	case back.at != 0 && (s.calls == 0 || w.outer[s.calls-1].ret != uint64(back.at)):
		w.refuse(pc, "it returns to somewhere else")
	case back.at != 0:
		s.calls = w.outer[s.calls-1].outer
		w.visit(uint64(back.at), s)
	}
}

func (w *alikeWalk) push(pc uint64, s *frame, v value) bool {
	sp := &s.regs[regIndex(trace.RSP)]
	if sp.kind != placeValue {
		w.refuse(pc, "its stack pointer isn't known")
		return false
	}
	sp.at -= 8
	s.store(sp.at, 8, v)
	return true
}

func (w *alikeWalk) pop(s *frame, size int) (value, bool) {
	sp := &s.regs[regIndex(trace.RSP)]
	if sp.kind != placeValue {
		return value{}, false
	}
	v := s.load(sp.at, size)
	sp.at += int64(size)
	return v, true
}

// does follows an instruction that stays in its function. It reports whether that is all right.
func (w *alikeWalk) does(pc uint64, inst *x86asm.Inst, code []byte, s *frame) bool {
	dst, isReg := inst.Args[0].(x86asm.Reg)
	whole := isReg && dst >= x86asm.RAX && dst <= x86asm.R15
	switch inst.Op {
	case x86asm.PUSH:
		w.code.Stack[pc] = true
		v, ok := w.operand(pc, inst, inst.Args[0], 8, s)
		return ok && !narrow(inst) && w.push(pc, s, v)
	case x86asm.POP:
		w.code.Stack[pc] = true
		v, ok := w.pop(s, 8)
		ok = ok && !narrow(inst)
		if whole && ok {
			s.regs[regIndex(x86.General(dst))] = v
		}
		return ok && whole
	case x86asm.LEAVE:
		w.code.Stack[pc] = true
		s.regs[regIndex(trace.RSP)] = s.regs[regIndex(trace.RBP)]
		v, ok := w.pop(s, 8)
		s.regs[regIndex(trace.RBP)] = v
		return ok && !narrow(inst)
	case x86asm.LEA:
		m := inst.Args[1].(x86asm.Mem)
		at, onStack, ok := s.address(m)
		if ok && whole {
			v := value{}
			if onStack {
				v = value{placeValue, at}
			}
			s.regs[regIndex(x86.General(dst))] = v
			return true
		}
		return ok && !onStack && w.plain(pc, inst, code, s)
	case x86asm.ADD, x86asm.SUB:
		imm, ok := inst.Args[1].(x86asm.Imm)
		if whole && ok && s.regs[regIndex(x86.General(dst))].kind == placeValue {
			if inst.Op == x86asm.SUB {
				imm = -imm
			}
			s.regs[regIndex(x86.General(dst))].at += int64(imm)
			s.flags = ownValue
			return true
		}
	case x86asm.MOV:
		if whole {
			v, ok := w.operand(pc, inst, inst.Args[1], 8, s)
			if ok {
				s.regs[regIndex(x86.General(dst))] = v
			}
			return ok
		}
		if m, ok := inst.Args[0].(x86asm.Mem); ok {
			v, ok := w.operand(pc, inst, inst.Args[1], inst.MemBytes, s)
			return ok && w.storeTo(pc, m, inst.MemBytes, v, s)
		}
	}
	return w.plain(pc, inst, code, s)
}

// plain is an instruction that may only work on what is same.
func (w *alikeWalk) plain(pc uint64, inst *x86asm.Inst, code []byte, s *frame) bool {
	e, ok := x86.EffectsOf(code, w.file.Machine)
	if !ok || e.Vector {
		return false
	}
	var addresses trace.RegSet
	for i, a := range inst.Args {
		m, ok := a.(x86asm.Mem)
		if !ok || inst.Op == x86asm.NOP {
			continue
		}
		at, onStack, ok := s.address(m)
		if !ok || m.Segment != 0 {
			return false
		}
		w.addressed(pc, onStack)
		if !onStack || inst.Op == x86asm.LEA {
			continue
		}
		addresses |= x86.General(m.Base)
		overwritten := i == 0 && (inst.Op == x86asm.MOV || isSet[inst.Op])
		if !overwritten && s.load(at, inst.MemBytes).kind != sameValue {
			return false
		}
		if i == 0 {
			s.store(at, inst.MemBytes, value{})
		}
	}
	for i := range s.regs {
		r := trace.RegSet(1) << i
		if e.Reads&r&^addresses != 0 && s.regs[i].kind != sameValue {
			return false
		}
		if r&addresses != 0 && namesReg(inst, r) { // as a value too
			return false
		}
	}
	if e.ReadsFlags && s.flags != sameValue {
		return false
	}
	for i := range s.regs {
		if e.Writes>>i&1 != 0 {
			s.regs[i] = value{}
		}
	}
	if e.WritesFlags {
		s.flags = sameValue
	}
	return true
}

// narrow: it has the prefix of 16-bit operands.
func narrow(inst *x86asm.Inst) bool {
	return slices.ContainsFunc(inst.Prefix[:], func(p x86asm.Prefix) bool { return p&0xff == x86asm.PrefixDataSize })
}

// namesReg reports whether a register, or a part of it, is itself an operand.
func namesReg(inst *x86asm.Inst, r trace.RegSet) bool {
	for _, a := range inst.Args {
		if reg, ok := a.(x86asm.Reg); ok && x86.General(reg) == r {
			return true
		}
	}
	return false
}

// isSet has the instructions that store a condition's byte.
var isSet = map[x86asm.Op]bool{
	x86asm.SETA: true, x86asm.SETAE: true, x86asm.SETB: true, x86asm.SETBE: true, x86asm.SETE: true, x86asm.SETG: true,
	x86asm.SETGE: true, x86asm.SETL: true, x86asm.SETLE: true, x86asm.SETNE: true, x86asm.SETNO: true, x86asm.SETNP: true,
	x86asm.SETNS: true, x86asm.SETO: true, x86asm.SETP: true, x86asm.SETS: true,
}

// operand is the value of one that is read.
func (w *alikeWalk) operand(pc uint64, inst *x86asm.Inst, a x86asm.Arg, size int, s *frame) (value, bool) {
	switch a := a.(type) {
	case x86asm.Imm, x86asm.Rel:
		return value{}, true
	case x86asm.Reg:
		r := x86.General(a)
		if r == 0 || a < x86asm.AL || a > x86asm.R15 {
			return value{}, false
		}
		v := s.regs[regIndex(r)]
		if a < x86asm.RAX && v.kind != sameValue {
			v = value{kind: ownValue}
		}
		return v, true
	case x86asm.Mem:
		at, onStack, ok := s.address(a)
		if !ok || a.Segment != 0 {
			return value{}, false
		}
		w.addressed(pc, onStack)
		if onStack {
			return s.load(at, size), true
		}
		return value{}, true
	}
	return value{}, false
}

func (w *alikeWalk) storeTo(pc uint64, m x86asm.Mem, size int, v value, s *frame) bool {
	at, onStack, ok := s.address(m)
	if !ok || m.Segment != 0 {
		return false
	}
	w.addressed(pc, onStack)
	if onStack {
		s.store(at, size, v)
		return true
	}
	return v.kind == sameValue
}

// addressed notes an instruction that uses the thread's own memory.
func (w *alikeWalk) addressed(pc uint64, onStack bool) {
	if onStack {
		w.code.Stack[pc] = true
	} else {
		w.elsewhere[pc] = true
	}
	if w.code.Stack[pc] && w.elsewhere[pc] {
		w.refuse(pc, "it uses its own memory and other memory in one place")
	}
}
