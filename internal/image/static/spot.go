package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// A return goes to where its function was called from, unless code has put another address
// there. Retpolines do that, and return thunks (gcc's -mindirect-branch and -mfunction-return):
// behind their calls there is a loop without an end, in which no register is read. So what a path
// does to the stack pointer is followed, and what it writes through it or a frame pointer. Code that
// takes the address's own address may write there, too.

// spot is how a function's frame stands at an instruction.
type spot struct {
	depth, base    int32 // of the stack and the frame pointer, below the return address; or since the path began
	lost, based    bool  // depth isn't known; base is
	entered, other bool  // the path has entered the function; what RSP points to was written
}

// onwardReturn is where a function returns to, and the frame there.
type onwardReturn struct {
	pc   uint64
	spot spot
}

// returnsBack reports whether a return at this spot goes to behind the function's call.
func (s *spot) returnsBack() bool {
	if s.entered {
		return !s.lost && s.depth == 0
	}
	return !s.other && (s.lost || s.depth <= 0)
}

// passes takes in an instruction. It reports whether the return address is still there.
func (s *spot) passes(inst *x86asm.Inst) bool {
	if m, ok := inst.Args[0].(x86asm.Mem); ok && !s.keeps(inst, &m) {
		return false
	}
	word := int32(inst.Mode / 8)
	if inst.DataSize == 16 && (inst.Op == x86asm.PUSH || inst.Op == x86asm.POP) {
		word = 2
	}
	was := s.depth
	switch to := general(inst.Args[0]); inst.Op {
	case x86asm.CMP, x86asm.TEST:
	case x86asm.PUSH, x86asm.PUSHF, x86asm.PUSHFD, x86asm.PUSHFQ:
		s.depth += word
	case x86asm.PUSHAD:
		s.depth += 8 * word
	case x86asm.POPAD:
		s.depth, s.based = s.depth-8*word, false
	case x86asm.POP:
		s.depth -= word
		s.changes(to)
	case x86asm.LEAVE:
		s.depth, s.lost, s.based, s.other = s.base-word, !s.based, false, false
	case x86asm.ADD, x86asm.SUB:
		imm, ok := inst.Args[1].(x86asm.Imm)
		switch {
		case !ok || to != trace.RSP:
			s.changes(to)
		case inst.Op == x86asm.ADD:
			s.depth -= int32(imm)
		default:
			s.depth += int32(imm)
		}
	case x86asm.MOV, x86asm.LEA:
		if s.moves(inst, to); s.entered && s.pointsBack(inst) {
			return false
		}
	default:
		s.changes(to | general(inst.Args[1]))
	}
	s.other = s.other && s.depth == was
	return true
}

// moves takes in that a register gets a value.
func (s *spot) moves(inst *x86asm.Inst, to trace.RegSet) {
	from, disp := general(inst.Args[1]), int32(0)
	if m, ok := inst.Args[1].(x86asm.Mem); ok && inst.Op == x86asm.LEA && m.Index == 0 {
		from, disp = x86.General(m.Base), int32(m.Disp)
	}
	switch {
	case to == trace.RSP && from == trace.RSP:
		s.depth -= disp
	case to == trace.RSP && from == trace.RBP && s.based:
		s.depth, s.lost, s.other = s.base-disp, false, false
	case to == trace.RBP && from == trace.RSP:
		s.base, s.based = s.depth-disp, !s.lost
	default:
		s.changes(to)
	}
}

// pointsBack reports whether an instruction puts the return address's own address into a register.
func (s *spot) pointsBack(inst *x86asm.Inst) bool {
	from, disp := general(inst.Args[1]), int32(0)
	if m, ok := inst.Args[1].(x86asm.Mem); ok && inst.Op == x86asm.LEA && m.Index == 0 {
		from, disp = x86.General(m.Base), int32(m.Disp)
	}
	switch to := general(inst.Args[0]); {
	case to == trace.RSP:
		return false
	case from == trace.RSP:
		return !s.lost && s.depth == disp
	}
	return from == trace.RBP && s.based && s.base == disp
}

// changes takes in that registers may hold anything.
func (s *spot) changes(set trace.RegSet) {
	s.based = s.based && set&trace.RBP == 0
	if set&trace.RSP != 0 {
		s.lost, s.other = true, false
	}
}

// keeps reports whether an instruction whose first operand is in memory leaves the return address
// there.
func (s *spot) keeps(inst *x86asm.Inst, m *x86asm.Mem) bool {
	switch inst.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.PUSH, x86asm.CALL, x86asm.JMP, x86asm.BT, x86asm.NOP:
		return true
	}
	word, size := int64(inst.Mode/8), int64(max(inst.MemBytes, 1))
	over := func(at int64) bool { return m.Index == 0 && m.Disp < at+word && at < m.Disp+size }
	switch x86.General(m.Base) {
	case trace.RSP:
		s.other = s.other || over(0)
		return !s.entered || s.lost || !over(int64(s.depth))
	case trace.RBP:
		return !s.entered || !s.based || !over(int64(s.base))
	}
	return true
}

// general is the register that an operand is, or is a part of.
func general(a x86asm.Arg) trace.RegSet {
	if r, ok := a.(x86asm.Reg); ok {
		return x86.General(r)
	}
	return 0
}
