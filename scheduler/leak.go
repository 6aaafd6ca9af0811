package scheduler

import (
	"encoding/binary"
	"fmt"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Leaks says which blocks that are left at the process's end are bugs.
type Leaks uint8

const (
	// LeaksOff: none.
	LeaksOff Leaks = iota
	// LeaksLost: those to which nothing points.
	LeaksLost
	// LeaksAll: all that the program asked for itself.
	LeaksAll
)

// mapper is a kernel that knows what memory a guest may write, as far as it gave
// it out. Package explore refuses to look for leaks with another.
// leaks looks for blocks that are left at the end, from what threads have in their registers
// and in memory.
type leaks struct {
	in      *present
	stacks  *Stacks
	blocks  *Blocks
	attempt *attempt
}

type mapper interface{ Writable() []emu.Range }

// leak is the bug of a guest that ends and leaves blocks behind, or nil.
func (l *leaks) leak(th *thread) *Failure {
	var list []heap.Block
	why := "never freed"
	switch l.in.cfg.Leaks {
	case LeaksOff:
		return nil
	case LeaksAll:
		list = append(l.in.heap.Unfreed(), l.in.mapped.Unfreed()...)
	default:
		if len(l.in.heap.Unfreed()) > 0 {
			list = l.in.heap.Lost(l.registers(), l.roots(), l.words)
		}
		// A tested library chooses where its pages are, and its code can know it.
		if len(l.in.mapped.Unfreed()) > 0 && !l.in.cfg.Tested {
			list = append(list, l.lostMappings()...)
		}
		why = "lost: nothing points to"
	}
	if len(list) == 0 {
		return nil
	}
	total := uint64(0)
	for i := range list {
		total += list[i].Size
	}
	f := &Failure{Kind: trace.Leak, Thread: th.ID, PC: list[0].Given.PC, Block: list[0]}
	switch {
	case len(list) == 1 && l.in.cfg.Leaks == LeaksAll:
		f.Message = fmt.Sprintf("a block of %s is %s", heap.Bytes(total), why)
	case len(list) == 1:
		f.Message = fmt.Sprintf("a block of %s is %s it", heap.Bytes(total), why)
	case l.in.cfg.Leaks == LeaksAll:
		f.Message = fmt.Sprintf("%d blocks of %s in all are %s", len(list), heap.Bytes(total), why)
	default:
		f.Message = fmt.Sprintf("%d blocks of %s in all are %s them", len(list), heap.Bytes(total), why)
	}
	return f
}

// words reads the words of a piece of memory.
func (l *leaks) words(p heap.Piece, found func(uint64)) {
	n := l.in.wordSize
	lo, hi := (p.Addr+n-1)&^(n-1), (p.Addr+p.Size)&^(n-1)
	if lo >= hi {
		return
	}
	b := l.in.machine.Bytes(lo, hi-lo)
	for ; len(b) > 0; b = b[n:] {
		w := uint64(binary.LittleEndian.Uint32(b))
		if n == 8 {
			w = binary.LittleEndian.Uint64(b)
		}
		if l.in.cfg.OwnAllocator || l.in.cfg.Pools || len(l.in.mapped.Blocks()) > 0 || l.blocks.InHeap(w) {
			found(w)
		}
	}
}

// registers are those of live threads: at a call, those that outlive it.
func (l *leaks) registers() (list []uint64) {
	for i := range l.in.threads {
		th := &l.in.threads[i]
		if !l.in.threads[i].Exists || !th.Live() {
			continue
		}
		r := l.regsOf(th)
		list = append(list, r.RBX, r.RBP, r.R12, r.R13, r.R14, r.R15)
		if l.in.wordSize == 4 {
			list = append(list, r.RSI, r.RDI)
		}
		if th.Stand != StandOp && th.ID != l.attempt.current {
			list = append(list, r.RAX, r.RCX, r.RDX, r.RSI, r.RDI, r.R8, r.R9, r.R10, r.R11)
		}
	}
	return list
}

// regsOf is the register file with which a thread goes on.
func (l *leaks) regsOf(th *thread) emu.Regs {
	if th.Set != 0 || th.Stand == StandOp || th.Stand == StandTrap || th.ID == l.attempt.current {
		return th.Regs
	}
	return l.in.machine.Regs(th.Ctx)
}

// roots are where pointers count at the end, beside registers. That is all writable
// memory but the heap, the stacks of threads that have ended, and the memory below
// a live thread's stack pointer.
func (l *leaks) roots() []heap.Piece {
	var skip []emu.Range
	for _, p := range l.in.heap.Owned() {
		skip = append(skip, emu.Range{Lo: p.Addr, Hi: p.Addr + p.Size})
	}
	for i := range l.in.threads {
		th := &l.in.threads[i]
		switch {
		case !l.in.threads[i].Exists:
		case !th.Live() && th.OwnStack:
			skip = append(skip, emu.Range{Lo: l.stacks.mappingStart(th.Stack - 1), Hi: l.stacks.mappingEnd(th.Stack - 1)})
		case th.Live():
			sp := l.regsOf(th).RSP
			skip = append(skip, emu.Range{Lo: l.stacks.mappingStart(sp), Hi: sp - abi.RedZone})
		}
	}
	var pieces []heap.Piece
	for _, r := range l.in.kernel.(mapper).Writable() {
		pieces = cut(pieces, r, skip)
	}
	return pieces
}

// cut appends the parts of r that aren't in skip.
func cut(pieces []heap.Piece, r emu.Range, skip []emu.Range) []heap.Piece {
	for _, k := range skip {
		if k.Lo < r.Hi && r.Lo < k.Hi {
			if r.Lo < k.Lo {
				pieces = cut(pieces, emu.Range{Lo: r.Lo, Hi: k.Lo}, skip)
			}
			if k.Hi < r.Hi {
				pieces = cut(pieces, emu.Range{Lo: k.Hi, Hi: r.Hi}, skip)
			}
			return pieces
		}
	}
	return append(pieces, heap.Piece{Addr: r.Lo, Size: r.Hi - r.Lo})
}

// lostMappings are the mappings to which nothing points.
func (l *leaks) lostMappings() []heap.Block {
	var roots []heap.Piece
	for _, p := range l.roots() {
		var skip []emu.Range
		for _, b := range l.in.mapped.LiveOf(mappingFamily) {
			skip = append(skip, emu.Range{Lo: b.Addr, Hi: b.Addr + b.Size})
		}
		roots = cut(roots, emu.Range{Lo: p.Addr, Hi: p.Addr + p.Size}, skip)
	}
	for _, b := range l.in.heap.Blocks() {
		if !b.Freed {
			roots = append(roots, heap.Piece{Addr: b.Addr, Size: b.Size})
		}
	}
	registers := l.registers()
	for i := range l.in.threads {
		if th := &l.in.threads[i]; l.in.threads[i].Exists && th.Live() { // a stack may be a mapping of the program's
			registers = append(registers, l.regsOf(th).RSP)
		}
	}
	return l.in.mapped.Lost(registers, roots, l.words)
}

// OnStack reports whether an address is on the stack on which a thread runs.
func (l *leaks) OnStack(t trace.TID, addr uint64) bool {
	sp := l.regsOf(&l.in.threads[t]).RSP
	if l.in.machine.Prot(sp)&emu.ProtWrite == 0 {
		return false
	}
	return addr >= l.stacks.mappingStart(sp) && addr < l.stacks.mappingEnd(sp)
}
