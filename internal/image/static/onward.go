package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// DeadOnward is Dead for a thread of which it is known where it returns to, the innermost first. A
// path goes on behind a return, and into the functions that are called by their addresses, and
// behind their returns. The address may be in a word of memory (slot). Where stops holds landgo may
// carry a function out itself: it reads the registers of arguments, writes its result, and leaves
// the others as they are. Where carried holds it always does, but in such functions. A return to
// ends ends the thread, with its result in RAX. Behind the last return all counts as read.
func DeadOnward(f *elffile.File, pc uint64, returns []uint64, ends uint64, slot func(addr uint64) (uint64, bool), stops, carried func(pc uint64) bool) (regs trace.RegSet, flags bool) {
	w := onwardWalk{file: f, ends: ends, slot: slot, stops: stops, carried: carried, seen: map[onwardPlace]trace.RegSet{}}
	w.walk(pc, trace.GeneralRegs|trace.RFLAGS, returns, false)
	dead := (trace.GeneralRegs | trace.RFLAGS) &^ w.live
	return dead &^ trace.RFLAGS, dead&trace.RFLAGS != 0
}

// onwardReach bounds the instructions that are looked at, and onwardDepth how deep the functions
// are called.
const (
	onwardReach = 1024
	onwardDepth = 12
)

// argumentRegs are those that a function's arguments are in, and the number of its vectors.
const argumentRegs = trace.RDI | trace.RSI | trace.RDX | trace.RCX | trace.R8 | trace.R9 | trace.RAX | trace.RSP

// onwardPlace is an instruction, and where its function returns to: the next return, and how
// many there are.
type onwardPlace struct {
	pc   uint64
	back [onwardDepth]uint64
	left int
	in   bool // such a function, or one that it calls
}

type onwardWalk struct {
	file    *elffile.File
	ends    uint64
	slot    func(uint64) (uint64, bool)
	stops   func(uint64) bool
	carried func(uint64) bool
	seen    map[onwardPlace]trace.RegSet
	live    trace.RegSet
}

// walk follows the paths from pc for the registers in open, as deadWalk's does.
func (w *onwardWalk) walk(pc uint64, open trace.RegSet, returns []uint64, in bool) {
	for {
		here := onwardPlace{pc: pc, left: len(returns), in: in}
		copy(here.back[:], returns)
		open &^= w.live | w.seen[here]
		if open == 0 {
			return
		}
		code := fixedCode(w.file, pc)
		e, known := x86.EffectsOf(code, w.file.Machine)
		inst, _, err := x86.Decode(code, w.file.Machine)
		flow := err == nil && (inst.Op == x86asm.CALL || inst.Op == x86asm.RET)
		if err == nil && inst.Op == x86asm.UD2 {
			return // it faults, as any load may
		}
		if !known && !flow || err != nil || len(w.seen) >= onwardReach || len(returns) > onwardDepth {
			w.live |= open
			return
		}
		w.seen[here] |= open
		next := pc + uint64(inst.Len)
		if flow {
			w.live |= open & trace.RSP
			to, ok := callee(&inst, next)
			if !ok {
				to, ok = through(&inst, next, w.slot)
			}
			switch {
			case inst.Op == x86asm.RET && len(returns) > 0 && returns[0] == w.ends:
				w.live |= open & trace.RAX
				return
			case inst.Op == x86asm.RET && len(returns) > 0 && inst.Args[0] == nil:
				pc, returns = returns[0], returns[1:]
			case !ok:
				w.live |= open
				return
			default:
				if w.stops(to) {
					w.live |= open & argumentRegs
					if !in && w.carried(to) {
						pc = next
						continue
					}
					w.walk(next, open, returns, in)
					in = true
				}
				pc, returns = to, append([]uint64{next}, returns...)
			}
			continue
		}
		read, left := past(&e, open)
		w.live |= read
		open = left
		switch kind, to := branch(&inst, next); kind {
		case away:
			var ok bool
			if next, ok = through(&inst, next, w.slot); !ok {
				w.live |= open
				return
			}
		case jumps:
			next = to
		case forks:
			w.walk(to, open, returns, in)
		}
		if pc = next; w.stops(pc) { // a jump to a function
			if w.live |= open & argumentRegs; in || !w.carried(pc) || len(returns) == 0 || returns[0] == w.ends {
				w.live |= open
				return
			}
			pc, returns = returns[0], returns[1:]
		}
	}
}
