package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/x86"
)

// foreverReach is how many instructions Forever follows.
const foreverReach = 4096

// Forever reports whether a program goes round in a loop that nothing ends: there is no
// condition on the way. It begins at the innermost of its own instructions on a stack
// of program counters (return addresses, but for the first). Functions of its own that
// it calls are followed; those without line information, a library's, are taken to
// return.
func Forever(info *debuginfo.Info, stack []uint64) bool {
	for len(stack) > 0 && !hasLine(info, stack[0]) {
		stack = stack[1:]
	}
	if len(stack) == 0 {
		return false
	}
	type place struct {
		pc    uint64
		depth int
	}
	back := make([]uint64, 0, len(stack)) // where functions return to, outermost first
	for i := len(stack) - 1; i > 0; i-- {
		back = append(back, stack[i])
	}
	pc, seen := stack[0], map[place]bool{}
	for len(seen) < foreverReach {
		at := place{pc, len(back)}
		if seen[at] {
			return true
		}
		seen[at] = true
		inst, _, err := x86.Decode(fixedCode(info.File, pc), info.Machine)
		if err != nil {
			return false
		}
		next := pc + uint64(inst.Len)
		kind, to := branch(&inst, next)
		target, direct := inst.Args[0].(x86asm.Rel)
		switch {
		case kind == forks:
			return false
		case inst.Op == x86asm.CALL && !direct:
			return false
		case inst.Op == x86asm.CALL:
			if pc = next + uint64(int64(target)); hasLine(info, pc) {
				back = append(back, next)
				continue
			}
			if f, ok := info.SymbolAt(next - 1); ok && f.Size != 0 && next-f.Addr >= f.Size {
				return false // nothing is behind the call: it doesn't return
			}
			pc = next
			continue
		case kind == jumps && hasLine(info, to):
			pc = to
			continue
		case kind == jumps || inst.Op == x86asm.RET: // a library's function returns for its caller
			if len(back) == 0 || !hasLine(info, back[len(back)-1]) {
				return false
			}
			pc, back = back[len(back)-1], back[:len(back)-1]
			continue
		case kind == away:
			return false
		}
		pc = next
	}
	return false
}
