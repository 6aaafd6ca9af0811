package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Dead says which general registers, and whether the arithmetic flags, are dead
// at pc. On every path from there they are overwritten as a whole before
// anything reads them. So two states that differ in nothing else behave the
// same. It is a lower bound. A path ends at a call, a return, a jump through a
// register or to another function's entry, an instruction that EffectsOf
// doesn't know, or after deadReach instructions. All that it hasn't overwritten
// by then counts as read. Only the image's own bytes are looked at, and only
// where nothing can be written, so the answer never changes.
func Dead(f *elffile.File, pc uint64) (regs trace.RegSet, flags bool) {
	d := deadWalk{file: f, seen: map[uint64]trace.RegSet{}}
	d.walk(pc, trace.GeneralRegs|trace.RFLAGS)
	dead := trace.GeneralRegs | trace.RFLAGS
	dead &^= d.live
	return dead &^ trace.RFLAGS, dead&trace.RFLAGS != 0
}

// ResultDead reports whether a function's result, in RAX, is dead at pc, where the function
// returns to. As Dead, but paths go on into the functions that are called, up to their returns:
// another call follows soon, and its function overwrites RAX before it reads it. (One that landgo
// carries out itself reads its arguments, and leaves its own result there.)
func ResultDead(f *elffile.File, pc uint64) bool {
	d := deadWalk{file: f, seen: map[uint64]trace.RegSet{}, enters: true}
	d.walk(pc, trace.RAX)
	return d.live == 0
}

// deadReach bounds the instructions that are looked at.
const deadReach = 256

// deadWalk follows all paths from a place.
type deadWalk struct {
	file *elffile.File
	// seen has the registers that were undecided at the visits of a place: a
	// visit with no others learns nothing new.
	seen map[uint64]trace.RegSet
	live trace.RegSet // read on some path
	// enters: into functions that are called.
	enters bool
	// tests is a register that may be compared and tested (Tested), if it isn't 0; least is what it
	// has to hold for that.
	tests x86asm.Reg
	least int64
}

// past says which of some registers, and flags, an instruction reads, and which are neither read
// nor overwritten by it.
func past(e *x86.Effects, open trace.RegSet) (read, left trace.RegSet) {
	reads, writes := e.Reads, e.Writes
	if e.ReadsFlags {
		reads |= trace.RFLAGS
	}
	if e.WritesFlags {
		writes |= trace.RFLAGS
	}
	return open & reads, open &^ (reads | writes)
}

// walk follows the paths from pc for the registers in open: those that nothing
// on the way there has read or overwritten.
func (d *deadWalk) walk(pc uint64, open trace.RegSet) {
	for {
		open &^= d.live | d.seen[pc]
		if open == 0 {
			return
		}
		code := fixedCode(d.file, pc)
		e, known := x86.EffectsOf(code, d.file.Machine)
		inst, _, err := x86.Decode(code, d.file.Machine)
		if !known || err != nil || len(d.seen) >= deadReach {
			d.live |= open
			return
		}
		if f, ok := d.file.SymbolAt(pc); ok && f.Addr == pc && len(d.seen) > 0 && !d.enters {
			d.live |= open // landgo may carry that function out itself
			return
		}
		d.seen[pc] |= open
		read, left := past(&e, open)
		if least, ok := test(&inst, d.tests); ok && d.tests != 0 && flagsTested(d.file, pc+uint64(inst.Len)) {
			read, d.least = 0, max(d.least, least)
			left = open
		}
		d.live |= read
		open = left
		next := pc + uint64(inst.Len)
		switch kind, to := branch(&inst, next); kind {
		case away:
			if to, ok := callee(&inst, next); ok && d.enters {
				next = to
				break
			}
			d.live |= open
			return
		case jumps:
			next = to
		case forks:
			d.walk(to, open)
		}
		pc = next
	}
}

// flow is where an instruction goes on.
type flow uint8

const (
	falls flow = iota // to the next instruction
	jumps
	forks // to the next one or elsewhere
	away
)

// branch says where the instruction before next goes on.
func branch(inst *x86asm.Inst, next uint64) (flow, uint64) {
	switch inst.Op {
	case x86asm.CALL, x86asm.RET:
		return away, 0
	case x86asm.JMP:
		if r, ok := inst.Args[0].(x86asm.Rel); ok {
			return jumps, next + uint64(int64(r))
		}
		return away, 0
	}
	if r, ok := inst.Args[0].(x86asm.Rel); ok {
		return forks, next + uint64(int64(r))
	}
	return falls, 0
}

// callee is where the function begins that the instruction before next calls by its address.
func callee(inst *x86asm.Inst, next uint64) (uint64, bool) {
	r, ok := inst.Args[0].(x86asm.Rel)
	return next + uint64(int64(r)), ok && inst.Op == x86asm.CALL
}

// fixedCode is the code at pc; nil where the guest may write.
func fixedCode(f *elffile.File, pc uint64) []byte {
	for i := range f.Segments {
		if s := &f.Segments[i]; pc >= s.Addr && pc-s.Addr < s.MemSize && s.Write {
			return nil
		}
	}
	return f.Bytes(pc, x86.MaxInst)
}
