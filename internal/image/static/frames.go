package static

import (
	"landgo/internal/image/debuginfo"
	"landgo/internal/image/x86"

	"golang.org/x/arch/x86/x86asm"
)

// Frame is a function by its first instruction, and how far below the stack pointer there
// it uses the stack, itself.
type Frame struct{ Addr, Size uint64 }

// maxFrame is how much of a frame counts: the part that is used first.
const maxFrame = 1 << 16

// Frames are those of the functions with source lines. One may be told too large: below
// the stack pointer at a function's first instruction is nothing that the code needs.
func Frames(info *debuginfo.Info) (list []Frame) {
	for _, f := range info.Functions {
		if fs := info.Frames(f.Addr); len(fs) == 0 || fs[0].File == "" {
			continue
		}
		if n := frameSize(info, f.Addr, f.Addr+f.Size); n > 0 && (len(list) == 0 || list[len(list)-1].Addr != f.Addr) {
			list = append(list, Frame{f.Addr, uint64(min(n, maxFrame))})
		}
	}
	return list
}

// frameSize goes through a function's code once, from its first instruction to its last.
func frameSize(info *debuginfo.Info, lo, hi uint64) (deepest int64) {
	word := int64(info.Machine.Word())
	var now, body int64 // below the first stack pointer: the present one, and that before an epilogue
	base := int64(-1)   // and the frame pointer, -1 for none
	for pc := lo; pc < hi; {
		inst, _, err := x86.Decode(info.Bytes(pc, x86.MaxInst), info.Machine)
		if err != nil {
			break
		}
		pc += uint64(inst.Len)
		stack := isStackPointer(inst.Args[0])
		imm, constant := inst.Args[1].(x86asm.Imm)
		switch {
		case inst.Op == x86asm.PUSH:
			now += word
		case inst.Op == x86asm.SUB && stack && constant:
			now += int64(imm)
		case inst.Op == x86asm.ADD && stack && constant:
			now -= int64(imm)
		case inst.Op == x86asm.AND && stack && constant:
			now -= int64(imm) // to a multiple of as much
		case inst.Op == x86asm.LEA && stack:
			if m, ok := inst.Args[1].(x86asm.Mem); ok && isStackPointer(m.Base) && m.Index == 0 {
				now -= m.Disp
			}
		case inst.Op == x86asm.MOV && isFramePointer(inst.Args[0]) && isStackPointer(inst.Args[1]):
			base = now
		case inst.Op == x86asm.POP:
			now -= word
		case inst.Op == x86asm.LEAVE:
			now = 0
		case inst.Op == x86asm.RET:
			now = body // the code behind it has come another way
		}
		if inst.Op != x86asm.POP && inst.Op != x86asm.LEAVE && !(inst.Op == x86asm.ADD && stack) {
			body = now
		}
		deepest = max(deepest, now)
		for _, a := range inst.Args {
			m, ok := a.(x86asm.Mem)
			switch {
			case !ok || m.Disp >= 0:
			case isStackPointer(m.Base):
				deepest = max(deepest, now-m.Disp)
			case isFramePointer(m.Base) && base >= 0:
				deepest = max(deepest, base-m.Disp)
			}
		}
	}
	return deepest
}

func isStackPointer(a x86asm.Arg) bool { return a == x86asm.RSP || a == x86asm.ESP }

func isFramePointer(a x86asm.Arg) bool { return a == x86asm.RBP || a == x86asm.EBP }
