package x86

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Grown follows numbers through instructions that are run: they are what the processor has, or
// any greater ones below Grows. Each register or word of memory that holds one may be greater by
// something else. Where such a number is used for more than to be moved, added to, or compared with
// one that is less, the result may be anything. That may be moved and computed with too. An
// instruction is followed if it goes on at the same place, and reads and writes at the same places,
// whatever these numbers are.
type Grown struct {
	Regs  trace.RegSet // hold such numbers
	Loose trace.RegSet // hold anything
	Words []GrownWord
	open  Flags // may be others
}

// GrownWord is such a number in memory, of 4 or 8 bytes; Loose: anything, of any size.
type GrownWord struct {
	Addr  uint64
	Size  uint64
	Loose bool
}

// Grows is what such numbers are below, as 64 bits and as 32. What the processor has is at most a
// half of it.
const Grows = 1 << 31

// held is what a register or a word may be.
type held uint8

const (
	itself held = iota // what the processor has
	number
	loose
)

// Step takes in an instruction that is about to be run, with its effects if they are known, the
// registers before it and a reader of memory. It reports whether the instruction does the same
// with greater numbers.
func (g *Grown) Step(inst *x86asm.Inst, e *Effects, r *trace.Regs, read func(addr, size uint64) uint64) bool {
	s := grownStep{Grown: g, inst: inst, effects: e, regs: r, read: read}
	return s.take()
}

// FlagsDiffer reports whether a flag may be another one.
func (g *Grown) FlagsDiffer() bool { return g.open != 0 }

// Any reports whether anything holds such a number.
func (g *Grown) Any() bool { return g.Regs|g.Loose != 0 || len(g.Words) > 0 }

// grownStep is one instruction.
type grownStep struct {
	*Grown
	inst    *x86asm.Inst
	effects *Effects
	regs    *trace.Regs
	read    func(addr, size uint64) uint64
	from    place // what it reads of memory
	to      place // what it writes there
}

// place is some memory; of size 0 none.
type place struct{ addr, size uint64 }

func (p place) overlaps(w GrownWord) bool {
	return p.size > 0 && p.addr < w.Addr+w.Size && w.Addr < p.addr+p.size
}

func (s *grownStep) take() bool {
	op, others := s.inst.Op, s.Regs|s.Loose
	if s.effects == nil || s.inst.Mode != 64 || !s.places() || !s.flagsKnown() {
		return s.free()
	}
	if isString[op] {
		return len(s.Words) == 0 && s.effects.Reads&others == 0 && s.overwrite(itself)
	}
	if s.addresses()&others != 0 && op != x86asm.LEA {
		return false // another place
	}
	has, whole := s.word(s.from)
	if has == itself && s.effects.Reads&others == 0 {
		return s.overwrite(itself)
	}
	if s.effects.Reads&s.Loose == 0 && has != loose && whole && (op == x86asm.LEA || !s.narrow()) && s.counts() {
		return true
	}
	return s.spreads()
}

// counts takes in what an instruction does with numbers, if they stay numbers.
func (s *grownStep) counts() bool {
	switch op := s.inst.Op; op {
	case x86asm.MOV, x86asm.MOVSXD, x86asm.CDQE, x86asm.PUSH, x86asm.POP:
		return s.overwrite(number)
	case x86asm.LEA:
		m := s.inst.Args[1].(x86asm.Mem)
		if maskOf(m.Index)&s.Regs != 0 && (m.Scale != 1 || maskOf(m.Base)&s.Regs != 0) || !s.bounded(s.address(m)) {
			return false
		}
		return s.overwrite(number)
	case x86asm.ADD, x86asm.SUB, x86asm.INC, x86asm.DEC:
		return s.adds()
	case x86asm.CMP, x86asm.TEST:
		return s.compares()
	default:
		if !slices.Contains(conditionalMoves, op) {
			return false
		}
		_, is, _, ok := s.operands()
		if !ok || !holds(op, s.regs.RFLAGS) {
			return ok
		}
		if is[1] {
			return s.overwrite(number)
		}
		return s.overwrite(itself)
	}
}

// spreading are instructions that compute something from all that they read, and can't fault.
var spreading = map[x86asm.Op]bool{
	x86asm.MOV: true, x86asm.MOVZX: true, x86asm.MOVSX: true, x86asm.MOVSXD: true, x86asm.CDQE: true, x86asm.CWDE: true, x86asm.CDQ: true, x86asm.CQO: true,
	x86asm.LEA: true, x86asm.ADD: true, x86asm.SUB: true, x86asm.ADC: true, x86asm.SBB: true, x86asm.AND: true, x86asm.OR: true, x86asm.XOR: true,
	x86asm.NEG: true, x86asm.NOT: true, x86asm.INC: true, x86asm.DEC: true, x86asm.IMUL: true, x86asm.SHL: true, x86asm.SHR: true, x86asm.SAR: true,
	x86asm.CMP: true, x86asm.TEST: true, x86asm.PUSH: true, x86asm.POP: true,
}

// spreads takes in that the results of an instruction may be anything.
func (s *grownStep) spreads() bool {
	op := s.inst.Op
	if !spreading[op] && !slices.Contains(conditionalMoves, op) && !slices.Contains(conditionalSets, op) || op == x86asm.IMUL && s.inst.Args[1] == nil {
		return false
	}
	if !s.overwrite(loose) {
		return false
	}
	shape := shapes[op]
	for i, a := range s.inst.Args { // a part of it is written, or it is written sometimes
		if r, ok := a.(x86asm.Reg); ok && i < len(shape.operands) && (operand(shape.operands[i]) == write || operand(shape.operands[i]) == modify) {
			s.Regs, s.Loose = s.Regs&^maskOf(r), s.Loose|maskOf(r)
		}
	}
	if shape.flags == setsFlags || shape.flags == mixesFlags || shape.flags == readsSetsFlags {
		s.open = abi.Arithmetic
	}
	return true
}

// free: an instruction that isn't looked into may do nothing with such numbers.
func (s *grownStep) free() bool { return !s.Any() && s.open == 0 }

// places finds the memory that an instruction reads and writes. It is false where that isn't known.
func (s *grownStep) places() bool {
	sp := s.regs.RSP
	switch s.inst.Op {
	case x86asm.CALL:
		s.to = place{sp - 8, 8}
	case x86asm.PUSH, x86asm.PUSHFQ:
		s.to = place{sp - 8, 8}
	case x86asm.POP, x86asm.RET:
		s.from = place{sp, 8}
	case x86asm.LEAVE:
		s.from = place{s.regs.RBP, 8}
	case x86asm.LEA, x86asm.NOP:
		return true
	}
	shape := shapes[s.inst.Op]
	for i, a := range s.inst.Args {
		m, ok := a.(x86asm.Mem)
		if !ok {
			continue
		}
		p := place{s.address(m), uint64(s.inst.MemBytes)}
		use := modify
		if i < len(shape.operands) {
			use = operand(shape.operands[i])
		}
		switch {
		case p.size == 0:
			return use == unused
		case use == unused:
		case use == read && s.from.size == 0:
			s.from = p
		case use == write && s.to.size == 0:
			s.to = p
		case use == modify && s.from.size+s.to.size == 0:
			s.from, s.to = p, p
		default:
			return false
		}
	}
	return true
}

// address is what an operand in memory is at.
func (s *grownStep) address(m x86asm.Mem) uint64 {
	at := uint64(m.Disp) + s.value(m.Base) + s.value(m.Index)*uint64(m.Scale)
	switch m.Segment {
	case x86asm.FS:
		at += s.regs.FSBase
	case x86asm.GS:
		at += s.regs.GSBase
	}
	return at
}

// addresses are the registers of operands in memory.
func (s *grownStep) addresses() (set trace.RegSet) {
	for _, a := range s.inst.Args {
		if m, ok := a.(x86asm.Mem); ok {
			set |= maskOf(m.Base) | maskOf(m.Index)
		}
	}
	switch s.inst.Op {
	case x86asm.CALL, x86asm.PUSH, x86asm.PUSHFQ, x86asm.POP, x86asm.RET:
		set |= trace.RSP
	case x86asm.LEAVE:
		set |= trace.RBP
	}
	return set
}

// value is that of a register; behind an instruction for rip, 0 for none.
func (s *grownStep) value(r x86asm.Reg) uint64 {
	if r == x86asm.RIP || r == x86asm.EIP {
		return s.regs.RIP + uint64(s.inst.Len)
	}
	all, mask := s.regs.General(), maskOf(r)
	for i := range all {
		if mask == 1<<i {
			if size := sizeOf(r); size < 8 {
				return all[i] & (1<<(8*size) - 1)
			}
			return all[i]
		}
	}
	return 0
}

// sizeOf is that of a general register, in bytes; 1 for the narrow ones.
func sizeOf(r x86asm.Reg) uint64 {
	switch {
	case r >= x86asm.RAX && r <= x86asm.R15:
		return 8
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return 4
	}
	return 1
}

// word says what some memory holds; whole: no part of a number.
func (s *grownStep) word(p place) (has held, whole bool) {
	for _, w := range s.Words {
		switch {
		case !p.overlaps(w):
		case w.Loose:
			return loose, true
		default:
			has, whole = number, p.addr == w.Addr && p.size <= w.Size && p.size >= 4
		}
	}
	return has, whole || has == itself
}

// narrow: one of its registers or words that hold such a number is used in part.
func (s *grownStep) narrow() bool {
	for _, a := range s.inst.Args {
		if r, ok := a.(x86asm.Reg); ok && maskOf(r)&s.Regs != 0 && sizeOf(r) < 4 {
			return true
		}
	}
	return false
}

// overwrite takes in what an instruction overwrites, and what that holds then.
func (s *grownStep) overwrite(with held) bool {
	kept := s.Words[:0:0]
	for _, w := range s.Words {
		switch {
		case !s.to.overlaps(w):
			kept = append(kept, w)
		case s.to.addr > w.Addr || s.to.addr+s.to.size < w.Addr+w.Size: // a part of it
			w.Loose = true
			kept = append(kept, w)
		}
	}
	if s.Words = kept; with != itself && s.to.size > 0 {
		s.Words = append(s.Words, GrownWord{s.to.addr, s.to.size, with == loose})
	}
	written := s.effects.Writes
	if s.inst.Op == x86asm.PUSH || s.inst.Op == x86asm.POP {
		written &^= trace.RSP
	}
	s.Regs, s.Loose = s.Regs&^written, s.Loose&^written
	switch with {
	case number:
		s.Regs |= written
	case loose:
		s.Loose |= written
	}
	if s.effects.WritesFlags {
		s.open = 0
	}
	return true
}

// bounded: a number is still one that may be greater.
func (s *grownStep) bounded(v uint64) bool { return v <= Grows/2 }

// operands are the values of the first two operands, and which are such numbers.
func (s *grownStep) operands() (v [2]uint64, is [2]bool, size uint64, ok bool) {
	size = uint64(operandBits(s.inst) / 8)
	for i := range v {
		switch a := s.inst.Args[i].(type) {
		case x86asm.Reg:
			v[i], is[i] = s.value(a), maskOf(a)&s.Regs != 0
			if maskOf(a) == 0 {
				return v, is, size, false
			}
		case x86asm.Mem:
			p := place{s.address(a), uint64(s.inst.MemBytes)}
			v[i] = s.read(p.addr, p.size)
			has, whole := s.word(p)
			is[i] = has != itself
			if p.size != size || !whole {
				return v, is, size, false
			}
		case x86asm.Imm:
			v[i] = uint64(a)
		case nil:
			v[i] = 1 // inc, dec
		}
		if size == 4 {
			v[i] &= 1<<32 - 1
		}
	}
	return v, is, size, size == 4 || size == 8
}

// adds: to such a number, or one to something else. Both stay below the bound.
func (s *grownStep) adds() bool {
	v, is, size, ok := s.operands()
	if !ok || is[0] == is[1] {
		return false
	}
	sum := v[0] + v[1]
	if s.inst.Op == x86asm.SUB || s.inst.Op == x86asm.DEC {
		if is[1] {
			return false
		}
		sum = v[0] - v[1]
	}
	if size == 4 {
		sum &= 1<<32 - 1
	}
	if sum == 0 || !s.bounded(sum) {
		return false
	}
	if !s.overwrite(number) {
		return false
	}
	s.open |= abi.AF | abi.PF
	return true
}

// compares: with a number that is less, or beyond the bound. Then it is less for all, or
// greater.
func (s *grownStep) compares() bool {
	v, is, _, ok := s.operands()
	if !ok {
		return false
	}
	if s.inst.Op == x86asm.TEST {
		if s.inst.Args[0] != s.inst.Args[1] || v[0] == 0 || !s.bounded(v[0]) {
			return false
		}
	} else {
		if is[0] == is[1] {
			return false
		}
		c, with := v[0], v[1]
		if is[1] {
			c, with = with, c
		}
		if !s.bounded(c) || with >= c && with < Grows {
			return false
		}
	}
	s.open = abi.AF | abi.PF | abi.SF | abi.OF
	return true
}

// flagsKnown reports whether the flags on which an instruction depends are the same for all
// numbers. A comparison settles which number is less, and no sign.
func (s *grownStep) flagsKnown() bool {
	if ReadsFlags(s.inst.Op) && s.open&(abi.CF|abi.ZF) != 0 {
		return false
	}
	switch s.inst.Op {
	case x86asm.JS, x86asm.JNS, x86asm.SETS, x86asm.SETNS, x86asm.CMOVS, x86asm.CMOVNS:
		return s.open&abi.SF == 0
	case x86asm.JO, x86asm.JNO, x86asm.SETO, x86asm.SETNO, x86asm.CMOVO, x86asm.CMOVNO:
		return s.open&abi.OF == 0
	case x86asm.JP, x86asm.JNP, x86asm.SETP, x86asm.SETNP, x86asm.CMOVP, x86asm.CMOVNP:
		return s.open&abi.PF == 0
	case x86asm.PUSHF, x86asm.PUSHFD, x86asm.PUSHFQ, x86asm.LAHF:
		return s.open == 0
	}
	return true
}

// holds reports whether the condition of a conditional move is fulfilled.
func holds(op x86asm.Op, flags uint64) bool {
	has := func(f uint64) bool { return flags&f != 0 }
	less := has(abi.SF) != has(abi.OF)
	switch op {
	case x86asm.CMOVA:
		return !has(abi.CF) && !has(abi.ZF)
	case x86asm.CMOVAE:
		return !has(abi.CF)
	case x86asm.CMOVB:
		return has(abi.CF)
	case x86asm.CMOVBE:
		return has(abi.CF) || has(abi.ZF)
	case x86asm.CMOVE:
		return has(abi.ZF)
	case x86asm.CMOVNE:
		return !has(abi.ZF)
	case x86asm.CMOVG:
		return !less && !has(abi.ZF)
	case x86asm.CMOVGE:
		return !less
	case x86asm.CMOVL:
		return less
	case x86asm.CMOVLE:
		return less || has(abi.ZF)
	case x86asm.CMOVS:
		return has(abi.SF)
	case x86asm.CMOVNS:
		return !has(abi.SF)
	case x86asm.CMOVO:
		return has(abi.OF)
	case x86asm.CMOVNO:
		return !has(abi.OF)
	case x86asm.CMOVP:
		return has(abi.PF)
	}
	return !has(abi.PF)
}
