package static

import (
	"slices"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/x86"

	"golang.org/x/arch/x86/x86asm"
)

// Number is a constant of this many bytes, by its bits.
type Number struct {
	Value uint64
	Size  int // 1, 2, 4 or 8
}

// Compared lists the constants that functions with source lines compare something
// with (cmp), each once, by address. A library that is linked in has no lines for
// the most part.
func Compared(info *debuginfo.Info) (list []Number) {
	for _, f := range info.Functions {
		if fs := info.Frames(f.Addr); len(fs) == 0 || fs[0].File == "" {
			continue
		}
		for pc := f.Addr; pc < f.Addr+f.Size; {
			inst, _, err := x86.Decode(info.Bytes(pc, x86.MaxInst), info.Machine)
			if err != nil {
				break
			}
			if n, ok := comparedIn(&inst); ok && !slices.Contains(list, n) {
				list = append(list, n)
			}
			pc += uint64(inst.Len)
		}
	}
	return list
}

func comparedIn(inst *x86asm.Inst) (Number, bool) {
	imm, ok := inst.Args[1].(x86asm.Imm)
	if inst.Op != x86asm.CMP || !ok {
		return Number{}, false
	}
	size := inst.MemBytes
	if r, ok := inst.Args[0].(x86asm.Reg); ok {
		switch {
		case r >= x86asm.AL && r <= x86asm.R15B:
			size = 1
		case r >= x86asm.AX && r <= x86asm.R15W:
			size = 2
		case r >= x86asm.EAX && r <= x86asm.R15L:
			size = 4
		default:
			size = 8
		}
	}
	if size == 0 {
		return Number{}, false
	}
	return Number{uint64(imm) & (^uint64(0) >> (64 - 8*size)), size}, true
}
