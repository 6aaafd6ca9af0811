package static

import (
	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// decidesReach is how many instructions Decides looks at.
const decidesReach = 16

// Decides reports whether the code at read looks at memory to decide where it goes on.
// Then the next branch has a condition and comes before the instruction at use, in the
// same function. So what is used there is used only if the value allows it.
func Decides(f *elffile.File, read, use uint64) bool {
	from, ok := f.SymbolAt(read)
	to, same := f.SymbolAt(use)
	if !ok || !same || from.Addr != to.Addr {
		return false
	}
	for pc, n := read, 0; n < decidesReach && (pc != use || n == 0); n++ {
		inst, _, err := x86.Decode(fixedCode(f, pc), f.Machine)
		if err != nil {
			return false
		}
		next := pc + uint64(inst.Len)
		switch kind, _ := branch(&inst, next); kind {
		case forks:
			return true
		case falls:
			pc = next
		default:
			return false
		}
	}
	return false
}
