package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// mostEither bounds the instructions by which code tells two results of a function apart, and forgets that again.
const mostEither = 16

// EitherResult reports whether it makes no difference at pc, where a function returns to, which of two numbers
// its result is. The code is followed with each, as long as it only compares numbers that are settled by the result.
// Both ways have to meet, with all registers and flags dead that differ there (ResultDead). As in Blends, an image
// whose flags cross returns has to be left out.
func EitherResult(f *elffile.File, pc uint64, one, other uint32) bool {
	ways := either(f, pc, other)
	for _, a := range either(f, pc, one) {
		for _, b := range ways {
			if a.pc == b.pc && a.meets(f, &b) {
				return true
			}
		}
	}
	return false
}

// way is where a thread stands by a result. regs are the 32-bit registers that it has settled.
type way struct {
	pc    uint64
	regs  map[x86asm.Reg]uint32
	flags x86Flags
	known bool // the flags are
}

// x86Flags are those that conditions read.
type x86Flags struct{ zero, carry, sign, overflow bool }

// either is where a thread stands with a result, before each of its next instructions.
func either(f *elffile.File, pc uint64, result uint32) []way {
	w := way{pc: pc, regs: map[x86asm.Reg]uint32{x86asm.EAX: result}}
	ways := []way{w}
	for len(ways) < mostEither && w.step(f) {
		ways = append(ways, w)
	}
	return ways
}

// meets reports whether two ways behave alike from where both stand.
func (w *way) meets(f *elffile.File, o *way) bool {
	apart := trace.RegSet(0)
	for _, pair := range [...][2]*way{{w, o}, {o, w}} {
		for r, v := range pair[0].regs {
			if u, ok := pair[1].regs[r]; !ok || u != v {
				apart |= x86.General(r)
			}
		}
	}
	d := deadWalk{file: f, seen: map[uint64]trace.RegSet{}, enters: true}
	d.walk(w.pc, apart)
	return d.live == 0 && (w.known == o.known && w.flags == o.flags || flagsDead(f, w.pc))
}

// step takes an instruction, if it does no more than to compute with what is settled.
func (w *way) step(f *elffile.File) bool {
	inst, _, err := x86.Decode(fixedCode(f, w.pc), f.Machine)
	if err != nil {
		return false
	}
	next := w.pc + uint64(inst.Len)
	switch kind, to := branch(&inst, next); kind {
	case away:
		return false
	case jumps:
		w.pc = to
		return true
	case forks:
		taken, ok := w.flags.hold(inst.Op)
		if w.pc = next; taken {
			w.pc = to
		}
		return ok && w.known
	}
	w.pc = next
	if inst.Op == x86asm.NOP {
		return true
	}
	r, isReg := inst.Args[0].(x86asm.Reg)
	if !isReg || r < x86asm.EAX || r > x86asm.R15L {
		return false
	}
	a, settled := w.regs[r]
	b, ok := w.value(&inst)
	switch inst.Op {
	case x86asm.MOV, x86asm.LEA:
		if ok {
			w.put(r, b)
		}
		return ok
	case x86asm.CMP, x86asm.SUB:
		w.flags = x86Flags{zero: a == b, carry: a < b, sign: (a-b)>>31 != 0, overflow: (a^b)&(a^(a-b))>>31 != 0}
		if inst.Op == x86asm.SUB {
			w.put(r, a-b)
		}
	case x86asm.ADD:
		sum := a + b
		w.flags = x86Flags{zero: sum == 0, carry: sum < a, sign: sum>>31 != 0, overflow: (a^sum)&(b^sum)>>31 != 0}
		w.put(r, sum)
	case x86asm.TEST:
		w.flags = x86Flags{zero: a&b == 0, sign: (a&b)>>31 != 0}
	default:
		return false
	}
	w.known = true
	return settled && ok
}

// put gives a register a value. Others keep theirs: ways that were noted have the same map no longer.
func (w *way) put(r x86asm.Reg, v uint32) {
	regs := map[x86asm.Reg]uint32{r: v}
	for s, u := range w.regs {
		if s != r {
			regs[s] = u
		}
	}
	w.regs = regs
}

// value is that of an instruction's second operand, if it is settled.
func (w *way) value(inst *x86asm.Inst) (v uint32, ok bool) {
	switch a := inst.Args[1].(type) {
	case x86asm.Imm:
		return uint32(a), inst.DataSize == 32
	case x86asm.Reg:
		v, ok = w.regs[a]
		return v, ok
	case x86asm.Mem:
		if inst.Op != x86asm.LEA || a.Index != 0 || a.Base < x86asm.RAX || a.Base > x86asm.R15 {
			return 0, false
		}
		v, ok = w.regs[a.Base-x86asm.RAX+x86asm.EAX]
		return v + uint32(a.Disp), ok
	}
	return 0, false
}

// hold reports whether a jump's condition holds.
func (x *x86Flags) hold(op x86asm.Op) (holds, ok bool) {
	switch op {
	case x86asm.JE:
		return x.zero, true
	case x86asm.JNE:
		return !x.zero, true
	case x86asm.JA:
		return !x.carry && !x.zero, true
	case x86asm.JBE:
		return x.carry || x.zero, true
	case x86asm.JAE:
		return !x.carry, true
	case x86asm.JB:
		return x.carry, true
	case x86asm.JS:
		return x.sign, true
	case x86asm.JNS:
		return !x.sign, true
	case x86asm.JG:
		return !x.zero && x.sign == x.overflow, true
	case x86asm.JLE:
		return x.zero || x.sign != x.overflow, true
	case x86asm.JGE:
		return x.sign == x.overflow, true
	case x86asm.JL:
		return x.sign != x.overflow, true
	}
	return false, false
}
