package spins

import (
	"slices"

	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// A loop may count its turns without an end: a back-off that yields from the seventh turn on, and
// goes on counting. Its state never recurs. But from some turn on nothing depends on how large the
// count is. That is proven for a turn. It is run instruction by instruction, with the count for
// what it is or anything greater (x86.Grown). If each instruction does the same with a greater
// one, the turn ends in the same state but for the count. So do all later turns, and the state
// counts as one that recurs.
//
// A count stays below 2^30 for the next 2^25 turns, as a turn changes it by at most mostGrowth. What a
// loop does after more turns isn't looked at: a count of 32 bits may wrap around after 2^32.
//
// Judged by TestGrown in explore and in emu.

const (
	// grownFrom is the turn with which that is tried first, then after twice as many.
	grownFrom = 8
	// mostGrowth is by how much a turn may change a count.
	mostGrowth = 16
)

// TriesGrown reports whether a turn is one with which that is tried.
func TriesGrown(turn uint32) bool {
	return turn >= grownFrom && turn&(turn-1) == 0
}

// Refine adds what may be anything after a turn, if it isn't so in g, and reports whether there is any.
func Refine(g, end *x86.Grown) (more bool) {
	regs := end.Loose&^g.Loose | end.Regs&^(g.Regs|g.Loose)
	more = regs != 0
	g.Regs, g.Loose = g.Regs&^regs, g.Loose|regs
	for _, w := range end.Words {
		covers := func(e x86.GrownWord) bool {
			return w.Addr >= e.Addr && w.Addr+w.Size <= e.Addr+e.Size && (e.Loose || !w.Loose)
		}
		if slices.ContainsFunc(g.Words, covers) {
			continue
		}
		w.Loose, more = true, true
		g.Words = append(slices.DeleteFunc(g.Words, func(e x86.GrownWord) bool { return e.Addr < w.Addr+w.Size && w.Addr < e.Addr+e.Size }), w)
	}
	return more
}

// GrownRegs are the registers that a turn changes; false if it changes anything else but memory.
func GrownRegs(here, next *Poise) (g x86.Grown, ok bool) {
	a, b := *here, *next
	for i := range trace.NumGeneral {
		switch bit := trace.RegSet(1) << i; {
		case a.Regs[i] == b.Regs[i]:
		case Growth(a.Regs[i], b.Regs[i]):
			g.Regs |= bit
		default:
			g.Loose |= bit
		}
	}
	b.Regs, b.Memory = a.Regs, a.Memory
	return g, a == b && (g.Regs|g.Loose)&trace.RSP == 0
}

// Growth reports whether a turn takes a count from a to b.
func Growth(a, b uint64) bool { return a < b && b-a <= mostGrowth && b <= x86.Grows/2 }
