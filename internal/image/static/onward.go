package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// DeadOnward is Dead for a thread whose returns are known, the innermost first. A
// path goes on behind a return, and into the functions that are called by their addresses, and
// behind their returns. Behind the last return all counts as read. Nothing but pushes
// reads the registers in saved: functions push them, and give them back when they return. They are dead
// behind these returns too, but for more such pushes.
func DeadOnward(g *Onward, pc uint64, returns []uint64) (regs, saved trace.RegSet, flags bool) {
	w := onwardWalk{Onward: g, across: &acrossWalk{file: g.File}, seen: map[onwardPlace]trace.RegSet{}}
	var back []onwardReturn
	for _, r := range returns {
		back = append(back, onwardReturn{pc: r})
	}
	w.walk(pc, trace.GeneralRegs|trace.RFLAGS, spot{}, back, false)
	if w.astray { // pushed registers may be given back to any code
		w.live |= w.saved
	}
	dead := (trace.GeneralRegs | trace.RFLAGS) &^ w.live
	return dead &^ (trace.RFLAGS | w.saved), dead & w.saved, dead&trace.RFLAGS != 0
}

// Onward is what is known of a program's functions.
type Onward struct {
	File *elffile.File
	// Ends: a return to there ends the thread, with its result in RAX.
	Ends uint64
	// Slot is the address in a word of memory.
	Slot func(addr uint64) (uint64, bool)
	// Stops: landgo may carry the function there out itself. It reads the registers of arguments
	// (Arguments), writes its result, and leaves the others as they are. Carried: it always does, but in
	// such functions.
	Stops, Carried func(pc uint64) bool
	Arguments      func(pc uint64) trace.RegSet
}

// AllArguments are the registers that a function's arguments are in, and the number of its vectors.
const AllArguments = trace.RDI | trace.RSI | trace.RDX | trace.RCX | trace.R8 | trace.R9 | trace.RAX

// onwardReach bounds the instructions that are looked at, and onwardDepth how deep the functions
// are called.
const (
	onwardReach = 1024
	onwardDepth = 12
)

// onwardPlace is an instruction, and where its function returns to: the next return, and how
// many there are.
type onwardPlace struct {
	pc   uint64
	spot spot
	back [onwardDepth]onwardReturn
	left int
	in   bool // such a function, or one that it calls
}

type onwardWalk struct {
	*Onward
	across      *acrossWalk
	seen        map[onwardPlace]trace.RegSet
	live, saved trace.RegSet
	astray      bool // a path goes on elsewhere than behind a call
}

// nowhere is where a function returns to that never does.
const nowhere = ^uint64(0)

// kernelEffects are those of a call of the kernel.
var kernelEffects = x86.Effects{
	Reads:      trace.RAX | trace.RDI | trace.RSI | trace.RDX | trace.R10 | trace.R8 | trace.R9,
	Writes:     trace.RAX | trace.RCX | trace.R11,
	ReadsFlags: true, // r11 has them
}

// walk follows the paths from pc for the registers in open, as deadWalk's does.
func (w *onwardWalk) walk(pc uint64, open trace.RegSet, at spot, returns []onwardReturn, in bool) {
	for {
		here := onwardPlace{pc: pc, spot: at, left: len(returns), in: in}
		copy(here.back[:], returns)
		open &^= w.live | w.seen[here]
		if open == 0 {
			return
		}
		code := fixedCode(w.File, pc)
		e, known := x86.EffectsOf(code, w.File.Machine)
		inst, _, err := x86.Decode(code, w.File.Machine)
		flow := err == nil && (inst.Op == x86asm.CALL || inst.Op == x86asm.RET)
		if err == nil && inst.Op == x86asm.UD2 {
			return // it faults, as any load may
		}
		if err == nil && inst.Op == x86asm.SYSCALL {
			e, known = kernelEffects, true
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
				to, ok = through(&inst, next, w.Slot)
			}
			switch {
			case inst.Op == x86asm.RET && len(returns) == 0:
				w.live |= open
				return
			case inst.Op == x86asm.RET && !at.returnsBack():
				w.strays(open)
				return
			case inst.Op == x86asm.RET && returns[0].pc == nowhere:
				return
			case inst.Op == x86asm.RET && returns[0].pc == w.Ends:
				w.live |= open & trace.RAX
				return
			case inst.Op == x86asm.RET && inst.Args[0] == nil:
				pc, at, returns = returns[0].pc, returns[0].spot, returns[1:]
			case !ok:
				w.live |= open
				return
			default:
				if w.across.stays(to, 0) {
					next = nowhere
				}
				if w.Stops(to) {
					w.live |= open & (w.Arguments(to) | trace.RSP)
					if next == nowhere && w.Carried(to) {
						return
					}
					if !in && w.Carried(to) {
						pc = next
						continue
					}
					if next != nowhere {
						w.walk(next, open, at, returns, in)
					}
					in = true
				}
				pc, at, returns = to, spot{entered: true}, append([]onwardReturn{{next, at}}, returns...)
			}
			continue
		}
		if !at.passes(&inst) {
			w.strays(open)
			return
		}
		e.Reads &^= w.saves(&inst, open, returns, in)
		read, left := past(&e, open)
		w.live |= read
		open = left
		switch kind, to := branch(&inst, next); kind {
		case away:
			var ok bool
			if next, ok = through(&inst, next, w.Slot); !ok {
				w.live |= open
				return
			}
		case jumps:
			next = to
		case forks:
			w.walk(to, open, at, returns, in)
		}
		if pc = next; w.Stops(pc) { // a jump to a function
			carried := !in && w.Carried(pc)
			switch w.live |= open & (w.Arguments(pc) | trace.RSP); {
			case len(returns) == 0:
				w.live |= open
				return
			case !at.returnsBack():
				w.strays(open)
				return
			case returns[0].pc == w.Ends:
				w.live |= open & trace.RAX
			case carried && returns[0].pc != nowhere:
				pc, at, returns = returns[0].pc, returns[0].spot, returns[1:]
				continue
			case returns[0].pc != nowhere:
				w.walk(returns[0].pc, open, returns[0].spot, returns[1:], in)
			}
			if carried {
				return
			}
			in = true
		}
	}
}

// saves is the register that an instruction pushes, if its function gives that back. Behind the
// function's return the register is what it was.
func (w *onwardWalk) saves(inst *x86asm.Inst, open trace.RegSet, returns []onwardReturn, in bool) trace.RegSet {
	r, ok := inst.Args[0].(x86asm.Reg)
	if inst.Op != x86asm.PUSH || !ok || r < x86asm.RAX || r > x86asm.R15 || r == x86asm.RSP || len(returns) == 0 {
		return 0
	}
	set := open & x86.General(r)
	if set == 0 {
		return 0
	}
	switch w.saved |= set; returns[0].pc {
	case nowhere:
	case w.Ends:
		w.live |= set & trace.RAX
	default:
		w.walk(returns[0].pc, set, returns[0].spot, returns[1:], in)
	}
	return set
}

// strays takes in that a path goes on where it can't be followed.
func (w *onwardWalk) strays(open trace.RegSet) { w.live, w.astray = w.live|open, true }
