package image

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// CallAt is the call instruction that begins at pc, or ends with it.
func (im *Info) CallAt(pc uint64) (Range, bool) {
	f, ok := im.SymbolAt(pc)
	for at := f.Addr; ok && at <= pc; {
		inst, _, err := decode(im.Bytes(at, MaxInst), im.Machine)
		if err != nil {
			break
		}
		next := at + uint64(inst.Len)
		if (at == pc || next-1 == pc) && inst.Op == x86asm.CALL {
			return Range{at, next}, true
		}
		at = next
	}
	return Range{}, false
}

// Callers lists the functions with source lines that call, or jump to, the function
// that begins at addr by its address, each once, in alphabetical order. A function
// isn't its own caller.
func (im *Info) Callers(addr uint64) (list []string) {
	for _, f := range im.Functions {
		if fs := im.Frames(f.Addr); f.Addr == addr || len(fs) == 0 || fs[0].File == "" {
			continue
		}
		for pc := f.Addr; pc < f.Addr+f.Size; {
			inst, _, err := decode(im.Bytes(pc, MaxInst), im.Machine)
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
