package static

import (
	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// Returns are the addresses of the instructions by which the function that begins at an
// address returns; nil if its code can't be taken apart.
func Returns(file *elffile.File, entry uint64) (all []uint64) {
	f, ok := file.SymbolAt(entry)
	if !ok || f.Addr != entry {
		return nil
	}
	for at := f.Addr; at < f.Addr+f.Size; {
		inst, _, err := x86.Decode(file.Bytes(at, x86.MaxInst), file.Machine)
		if err != nil {
			return nil
		}
		if inst.Op.String() == "RET" {
			all = append(all, at)
		}
		at += uint64(inst.Len)
	}
	return all
}
