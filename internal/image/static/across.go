package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// FlagsCross reports whether the arithmetic flags may matter across a return. Then code somewhere
// in the image reads them behind a call, or where a function begins, before it has set them. No
// compiler makes such code (the psABI, 3.2.1: they aren't preserved across calls), but a program's
// own assembly may. Where no code has it, the flags are dead at every return and call. So it is
// asked of the whole image: some milliseconds. Libraries of the system that are files of their own
// are compilers' work. It says true where it can't tell, and of images of more than mostCode bytes.
func FlagsCross(f *elffile.File) bool {
	size := uint64(0)
	for _, r := range f.Code {
		size += r.Hi - r.Lo
	}
	if size > mostCode {
		return true
	}
	w := acrossWalk{file: f}
	for _, r := range f.Code {
		if f.OfRuntime(r.Lo) {
			continue
		}
		code := f.Bytes(r.Lo, int(r.Hi-r.Lo))
		for i, b := range code {
			n := 0
			switch {
			case b == 0xe8:
				n = 5
			case b == 0xff && i+1 < len(code) && code[i+1]>>3&7 == 2:
				inst, _, err := x86.Decode(code[i:min(i+x86.MaxInst, len(code))], f.Machine)
				if n = inst.Len; err != nil || inst.Op != x86asm.CALL {
					continue
				}
			default:
				continue
			}
			if i+n+2 >= len(code) || harmless(code[i+n:]) {
				continue
			}
			if pc := r.Lo + uint64(i); w.reads(pc+uint64(n), 0, allFlags) && w.begins(pc) && !w.neverBack(pc) {
				return true
			}
		}
	}
	for _, s := range f.Functions {
		if code := f.Bytes(s.Addr, 4); len(code) == 4 && !f.OfRuntime(s.Addr) && !harmless(code) && w.reads(s.Addr, 0, allFlags) {
			return true
		}
	}
	return false
}

// harmless reports whether code begins with one of the commonest instructions that set all
// flags, or end a path: it saves most of the time.
func harmless(code []byte) bool {
	if code[0] == 0x48 {
		code = code[1:]
	}
	switch code[0] {
	case 0x31, 0x39, 0x3b, 0x3d, 0x83, 0x84, 0x85, 0xc3, 0xe8, 0xf4: // xor, cmp, test, add, ret, call, hlt
		return code[0] != 0x83 || code[1]>>3&7 != 2 && code[1]>>3&7 != 3 // adc, sbb
	}
	return false
}

// begins reports whether an instruction begins at pc, and isn't a part of another: for all that
// is known. It is asked in the order of addresses, and goes on in a function where it was.
func (w *acrossWalk) begins(pc uint64) bool {
	s, ok := w.file.SymbolAt(pc)
	if !ok {
		return true
	}
	if w.within != s.Addr || w.reached < s.Addr {
		w.within, w.reached = s.Addr, s.Addr
	}
	for w.reached < pc {
		n, _ := quick(w.file.Bytes(w.reached, x86.MaxInst), w.file.Machine)
		if n == 0 {
			_, _, n = w.decode(w.reached)
		}
		w.reached += uint64(n)
	}
	return w.reached == pc
}

const mostCode = 8 << 20

// acrossWalk follows the code behind calls.
type acrossWalk struct {
	file *elffile.File
	// strict: behind a jump through a register anything may be read.
	strict bool
	// tests: conditions that are the same for all numbers above zero read nothing.
	tests bool
	// within is the function that begins was last asked about, and reached the first of its
	// instructions that isn't before the place.
	within, reached uint64
	// inst is the instruction that was decoded last.
	inst x86asm.Inst
	// slots has what the dynamic linker puts into words of memory, once it was asked for.
	slots map[uint64]uint64
}

// acrossReach bounds the instructions that are looked at behind a call, on each path.
const acrossReach = 256

// openFlags are those that nothing has set yet.
type openFlags uint8

const (
	carryFlag openFlags = 1 << iota
	otherFlags
	allFlags = carryFlag | otherFlags
)

// reads reports whether a path from pc reads one of the open arithmetic flags before it sets
// them, this side of the next call and return. The path has had far instructions.
func (w *acrossWalk) reads(pc uint64, far int, open openFlags) bool {
	for ; far < acrossReach; far++ {
		if n, plain := quick(w.file.Bytes(pc, x86.MaxInst), w.file.Machine); plain {
			pc += uint64(n)
			continue
		}
		op, inst, n := w.decode(pc)
		next := pc + uint64(n)
		if inst == nil { // a vector's, or none: it reads no flags
			pc = next
			continue
		}
		if x86.ReadsFlags(op) && !(w.tests && condition(op)) {
			carry, others := x86.ReadsCarry(op)
			if carry && open&carryFlag != 0 || others && open&otherFlags != 0 {
				return true
			}
		}
		switch op {
		case x86asm.INC, x86asm.DEC:
			open &^= otherFlags
		case x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC:
			open &^= carryFlag
		case x86asm.HLT:
			return false
		}
		if open == 0 || x86.SetsFlags(inst) || shifts(inst) {
			return false
		}
		switch kind, to := branch(inst, next); kind {
		case away:
			return w.strict && inst.Op == x86asm.JMP
		case jumps:
			if to == pc || to < pc && far > acrossReach/2 { // a loop that the process ends in
				return false
			}
			if w.nowhere(to) {
				return false
			}
			next = to
		case forks: // one that reads no flags, or those that were set
			if w.reads(to, far+1, open) {
				return true
			}
		}
		pc = next
	}
	return true
}

// nowhere reports whether nothing can be at an address, so that a jump there faults. That is so
// for a weak function without a definition. libstdc++ has some, for transactions.
func (w *acrossWalk) nowhere(addr uint64) bool {
	return addr < abi.PageSize && !w.file.IsCode(addr)
}

// decode is the instruction at pc and its length; nil for vector instructions that the decoder
// doesn't know, and a byte of what is none. It is w's own, and lasts until the next.
func (w *acrossWalk) decode(pc uint64) (x86asm.Op, *x86asm.Inst, int) {
	code := w.file.Bytes(pc, x86.MaxInst)
	if n := vectorLen(code, w.file.Machine); n > 0 {
		return 0, nil, n
	}
	var err error
	if w.inst, _, err = x86.Decode(code, w.file.Machine); err != nil {
		return 0, nil, 1
	}
	return w.inst.Op, &w.inst, w.inst.Len
}

// vectorLen is the length of an instruction that begins with a VEX or EVEX prefix, 0 for others
// (Intel SDM, 2.3 and 2.7). In 32 bits these bytes are other instructions, too.
func vectorLen(code []byte, m elffile.Machine) int {
	if m != elffile.X86_64 || len(code) < 8 {
		return 0
	}
	var at int // of the opcode
	space := byte(1)
	switch code[0] {
	case 0xc5:
		at = 2
	case 0xc4:
		at, space = 3, code[1]&31
	case 0x62:
		at, space = 4, code[1]&7
	default:
		return 0
	}
	op, n := code[at], at+1
	if space == 1 && op == 0x77 { // vzeroupper
		return n
	}
	n = modrm(code, n)
	if space == 3 || space == 1 && (op >= 0x70 && op <= 0x73 || op == 0xc2 || op >= 0xc4 && op <= 0xc6) {
		n++
	}
	return n
}
