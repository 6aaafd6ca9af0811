package unwind

import (
	"iter"
	"slices"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
)

// MaxFrames bounds a stack: deeper ones are cut.
const MaxFrames = 256

// Unwind returns the return addresses on a thread's stack, innermost first,
// without the current pc. It ends at the program's own main or thread function,
// without the C library's start code. read reads a word of memory, of the
// machine's size.
//
// The byte before an address is in the instruction that the frame is at, so ask
// Frames and SymbolAt for that byte. Where a signal handler was called, the
// next address is the interrupted instruction's plus one, to keep this true. So it is where a
// return begins a function, as that of setcontext does.
//
// It works at any instruction where the file has call-frame information, as gcc
// writes it for C unless told otherwise. In code without it (Debian's musl) the
// function's own instructions tell (files prologue.go, epilogue.go), or else
// the chain of frame pointers.
func (t *Table) Unwind(regs *trace.Regs, read func(addr uint64) (uint64, bool)) []uint64 {
	w := t.walk(regs, read)
	var pcs []uint64
	for ; len(pcs) < MaxFrames; w.innermost = false {
		below := w.regs[regRSP]
		interrupted := w.inSigreturn()
		if !w.step() || w.regs[regRSP] <= below || !t.file.IsCode(w.pc) || t.startsThread(w.pc-1) {
			break
		}
		switch {
		case !interrupted && w.interrupted:
			pcs = append(pcs, w.pc+1)
		case !interrupted:
			pcs = append(pcs, w.pc)
		case w.innermost:
			pcs = append(pcs, w.pc+1)
		default: // in place of the stub, which is part of no function
			pcs[len(pcs)-1] = w.pc + 1
		}
	}
	for n := len(pcs); n > 0; n-- {
		if !t.callsProgram(pcs[n-1] - 1) {
			break
		}
		pcs = pcs[:n-1]
	}
	return pcs
}

// Handles reports whether a function on a thread's stack has code to run when its
// frame is unwound: destructors, catch clauses, clean-up attributes. A stack that is
// too deep to see has.
func (t *Table) Handles(regs *trace.Regs, read func(addr uint64) (uint64, bool)) bool {
	pcs := t.Unwind(regs, read)
	if len(pcs) == MaxFrames {
		return true
	}
	for _, ret := range pcs {
		if d := t.find(ret - 1); d != nil && d.handles {
			return true
		}
	}
	return false
}

// Frame is the frame of a stack that holds addr. It isn't ok if no frame holds addr,
// or the frame is that of the C library's start code.
func (t *Table) Frame(regs *trace.Regs, read func(addr uint64) (uint64, bool), addr uint64) (f Frame, ok bool) {
	if addr < regs.RSP-abi.RedZone {
		return Frame{}, false
	}
	for f := range t.frames(regs, read) {
		if addr < f.Base {
			return f, true
		}
	}
	return Frame{}, false
}

// Returns is the stack pointer's value after the return of the function whose frame has addr.
// It isn't ok if no frame has it, if that is the outermost function of the program's, or if the stack isn't
// Rooted.
func (t *Table) Returns(regs *trace.Regs, read func(addr uint64) (uint64, bool), addr uint64) (base uint64, ok bool) {
	called := false // by another function of the program's
	for f := range t.frames(regs, read) {
		switch {
		case t.callsProgram(f.PC):
			return base, called
		case base != 0:
			called = true
		case addr < f.Base:
			base = f.Base
		}
	}
	return 0, false
}

// Rooted reports whether a stack leads to the C library's start code: it is a thread's own, and not one that the
// program has made within it.
func (t *Table) Rooted(regs *trace.Regs, read func(addr uint64) (uint64, bool)) bool {
	for f := range t.frames(regs, read) {
		if t.callsProgram(f.PC) {
			return true
		}
	}
	return false
}

// Frame is one of a stack's: PC is in its function, and Base the stack pointer's value after
// its return. SP and BP are that pointer and the frame pointer at PC.
type Frame struct{ PC, Base, SP, BP uint64 }

// FramesOn are those of a stack, innermost first. regs and read are as in Unwind.
func (t *Table) FramesOn(regs *trace.Regs, read func(addr uint64) (uint64, bool)) []Frame {
	return slices.Collect(t.frames(regs, read))
}

// frames goes over the frames of a stack but for those of the C library's start code.
func (t *Table) frames(regs *trace.Regs, read func(addr uint64) (uint64, bool)) iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		w := t.walk(regs, read)
		for range MaxFrames {
			pc, below, bp := w.pc, w.regs[regRSP], w.regs[regRBP]
			if !w.innermost && !w.interrupted {
				pc-- // in the call
			}
			if !w.step() || w.regs[regRSP] <= below || !yield(Frame{pc, w.regs[regRSP], below, bp}) || !t.file.IsCode(w.pc) || t.startsThread(w.pc-1) {
				return
			}
			w.innermost = false
		}
	}
}

// startsThread: the code at pc is where a thread's stack ends.
func (t *Table) startsThread(pc uint64) bool {
	s, ok := t.file.SymbolAt(pc)
	return ok && threadStarts[s.Name]
}

// The outermost functions of stacks, under the names that rank first.
var threadStarts = map[string]bool{
	"_start": true, "_start_c": true, "_dlstart": true,
	"clone": true, "__clone": true, "clone3": true, "__clone3": true,
}

// callsProgram: the code at pc is the C library's, between a thread's start and
// the program's own function.
func (t *Table) callsProgram(pc uint64) bool {
	s, ok := t.file.SymbolAt(pc)
	if !ok && t.file.OfLibc(pc) { // the library gives it no name to others
		return true
	}
	return ok && callsProgram[t.file.Libc()][s.Name]
}

// The names are common words in part, so they count only in the library's own
// company and at the end of a stack.
var callsProgram = map[elffile.Libc]map[string]bool{
	elffile.Glibc: {"__libc_start_main": true, "__libc_start_call_main": true, "start_thread": true},
	elffile.Musl:  {"__libc_start_main": true, "libc_start_main_stage2": true, "start": true, "start_c11": true},
}
