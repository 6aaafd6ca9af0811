package static

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// againReach bounds the instructions that Again looks at.
const againReach = 512

// Again says whether a function can come back to a call that has returned to pc. It can on
// a way without any other call, as in a loop around a wait; or only with such, as in a loop
// around much more. Calls are taken to return.
func Again(f *elffile.File, pc uint64) (plain, calling bool) {
	type place struct {
		pc     uint64
		called bool
	}
	seen := map[place]bool{}
	own, _ := f.SymbolAt(pc)
	leaves := func(to uint64) bool { // for another function, which returns for this one
		s, ok := f.SymbolAt(to)
		return ok && s.Addr == to && to != own.Addr && !strings.HasSuffix(s.Name, ".cold")
	}
	for todo := []place{{pc: pc}}; len(todo) > 0 && len(seen) < againReach && !plain; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		inst, _, err := x86.Decode(fixedCode(f, at.pc), f.Machine)
		if err != nil {
			continue
		}
		next := at.pc + uint64(inst.Len)
		kind, to := branch(&inst, next)
		switch {
		case inst.Op == x86asm.CALL && next == pc:
			plain, calling = plain || !at.called, calling || at.called
		case inst.Op == x86asm.CALL:
			todo = append(todo, place{next, true})
		case kind == jumps && leaves(to):
		case kind == jumps:
			todo = append(todo, place{to, at.called})
		case kind == forks:
			todo = append(todo, place{to, at.called}, place{next, at.called})
		case kind == falls:
			todo = append(todo, place{next, at.called})
		}
	}
	return plain, calling && !plain
}
