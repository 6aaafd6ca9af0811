package static

import (
	"slices"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"

	"golang.org/x/arch/x86/x86asm"
)

// CallAt is the call instruction that begins at pc, or ends with it.
func CallAt(info *debuginfo.Info, pc uint64) (elffile.Range, bool) {
	f, ok := info.SymbolAt(pc)
	for at := f.Addr; ok && at <= pc; {
		inst, _, err := x86.Decode(info.Bytes(at, x86.MaxInst), info.Machine)
		if err != nil {
			break
		}
		next := at + uint64(inst.Len)
		if (at == pc || next-1 == pc) && inst.Op == x86asm.CALL {
			return elffile.Range{Lo: at, Hi: next}, true
		}
		at = next
	}
	return elffile.Range{}, false
}

// Callers lists the functions with source lines that call, or jump to, the function
// that begins at addr by its address, each once, in alphabetical order. A function
// isn't its own caller.
func Callers(info *debuginfo.Info, addr uint64) (list []string) {
	for _, f := range info.Functions {
		if fs := info.Frames(f.Addr); f.Addr == addr || len(fs) == 0 || fs[0].File == "" {
			continue
		}
		for pc := f.Addr; pc < f.Addr+f.Size; {
			inst, _, err := x86.Decode(info.Bytes(pc, x86.MaxInst), info.Machine)
			if err != nil {
				break
			}
			pc += uint64(inst.Len)
			if rel, ok := inst.Args[0].(x86asm.Rel); ok && pc+uint64(int64(rel)) == addr {
				list = append(list, f.Name)
				break
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
