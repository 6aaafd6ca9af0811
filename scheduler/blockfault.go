package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Blocks says which accesses are wrong for the block that they are to, and which errors an
// execution goes past.
type Blocks struct {
	in      *named
	attempt *attempt
}

// blockFault is the bug of an access to the allocator's memory that isn't wholly in a live block.
func (k *Blocks) blockFault(out *Failure, f emu.Fault) {
	does := bytesText(f.Kind == emu.FaultBlockWrite, uint64(f.Size))
	if k.in.Stacks.BuriedAt(out.Thread, f.Addr) != trace.NoThread || !k.InHeap(f.Addr) && !k.in.heap.Near(f.Addr, uint64(f.Size)) {
		k.in.Stacks.graveFault(out, f, does)
		return
	}
	k.wrong(out, f.Addr, does)
}

// bytesText is an access in words.
func bytesText(write bool, n uint64) string {
	verb, noun := "reads", "bytes"
	if write {
		verb = "writes"
	}
	if n == 1 {
		noun = "byte"
	}
	return fmt.Sprintf("%s %d %s", verb, n, noun)
}

func (k *Blocks) wrong(out *Failure, addr uint64, does string) {
	w := k.in.heap.Access(addr, does)
	out.Kind, out.Message, out.Block = w.Kind, w.Message, w.Block
}

// nearHeap reports whether an address that isn't mapped is about a block: the
// allocator's memory may end right before or behind it, or have been given back. Low
// addresses are numbers that a program may have for other reasons.
func (k *Blocks) nearHeap(addr uint64) bool {
	return k.in.heap.Near(addr, abi.PageSize) || !k.in.cfg.OwnAllocator && !k.in.cfg.Pools && k.InHeap(addr) && (addr >= kernel.HeapLo || k.in.heap.Near(addr, 1<<20))
}

// closedBlock describes a fault within a live block: the program took back what its
// pages allow. ok if it is one.
func (k *Blocks) closedBlock(out *Failure, f emu.Fault) (ok bool) {
	b := k.in.heap.Around(f.Addr)
	if b == nil || f.Addr+uint64(f.Size) > b.Addr+b.Size || !k.nearHeap(f.Addr) {
		return false
	}
	does := bytesText(f.Kind == emu.FaultWrite, uint64(f.Size))
	out.Block, out.Message = *b, fmt.Sprintf("%s at offset %d of a block of %s, in pages that don't allow it", does, f.Addr-b.Addr, heap.Bytes(b.Size))
	return true
}

// DeadAccess is the bug of something that landgo does for a thread with bytes that aren't
// all in a live block, or nil. The guest's own code would have the same bug. reads: it
// only reads them.
func (k *Blocks) DeadAccess(t trace.TID, pc, addr, size uint64, does string, reads bool) *Failure {
	if size == 0 || !k.in.machine.Dead(addr, size) {
		return nil
	}
	out := &Failure{Thread: t, PC: pc}
	for !k.in.machine.Dead(addr, 1) { // the first byte that is wrong tells more
		addr++
	}
	k.wrong(out, addr, does)
	if k.letThrough(out, reads) {
		return nil
	}
	return out
}

// Whose says what is at an address outside of the heap, "" if nothing is.
func (k *Blocks) Whose(addr uint64) string {
	if name, ok := k.in.image.Variable(addr); ok {
		return "the variable " + name
	}
	if k.in.machine.Prot(addr) == 0 {
		return ""
	}
	for i := range k.in.image.Segments {
		if g := &k.in.image.Segments[i]; addr >= g.Addr && addr < g.Addr+g.MemSize {
			return "static memory"
		}
	}
	for i := range k.in.threads {
		if !k.in.threads[i].Exists || !k.in.threads[i].Live() {
			continue
		}
		regs := k.in.threads[i].Regs
		if k.in.threads[i].Set == 0 && k.in.threads[i].ID != k.attempt.current {
			regs = k.in.machine.Regs(k.in.threads[i].Ctx)
		}
		if k.oneMapping(regs.RSP, addr) {
			return fmt.Sprintf("the stack of thread %s", k.in.Name(k.in.threads[i].ID))
		}
	}
	return "memory that was mapped"
}

// maxStack is how far above its stack pointer a thread's stack is looked for.
const maxStack = 8 << 20

// oneMapping reports whether an address is at or above a stack pointer, with
// accessible pages all the way.
func (k *Blocks) oneMapping(sp, addr uint64) bool {
	if addr < sp || addr-sp > maxStack {
		return false
	}
	for a := sp; a < addr; a += abi.PageSize {
		if k.in.machine.Prot(a)&emu.ProtWrite == 0 {
			return false
		}
	}
	return true
}

// InHeap reports whether an address is in an allocator's memory.
func (k *Blocks) InHeap(addr uint64) bool {
	if !k.in.cfg.OwnAllocator && (addr-kernel.HeapLo < kernel.HeapHi-kernel.HeapLo || k.in.lowHeap && addr-kernel.LowHeapLo < kernel.LowHeapHi-kernel.LowHeapLo) {
		return true
	}
	for _, p := range k.in.heap.Owned() {
		if addr-p.Addr < p.Size {
			return true
		}
	}
	return false
}

// FaultFailure is the bug of a processor fault.
func (k *Blocks) FaultFailure(t trace.TID, f emu.Fault) *Failure {
	th := &k.in.threads[t]
	out := &Failure{Kind: trace.Segfault, Thread: th.ID, PC: th.Regs.RIP}
	switch f.Kind {
	case emu.FaultDivide:
		out.Kind, out.Message = trace.DivideError, "division by zero, or its result is too large"
	case emu.FaultIllegal:
		out.Kind, out.Message = trace.IllegalInstruction, "illegal instruction"
	case emu.FaultBreakpoint:
		out.Kind, out.Message = trace.IllegalInstruction, "a breakpoint instruction"
	case emu.FaultProtection:
		out.Message = "general protection fault: a bad address, misaligned vector access, or privileged instruction"
	case emu.FaultFetch:
		out.Message = fmt.Sprintf("jump to %s, where no code is", k.in.VariableName(f.Addr))
	case emu.FaultBlockRead, emu.FaultBlockWrite:
		k.blockFault(out, f)
	default:
		verb := map[bool]string{true: "write to", false: "read from"}[f.Kind == emu.FaultWrite]
		sp := th.Regs.RSP
		nearStack := f.Addr+(1<<16) > sp && f.Addr < sp+abi.PageSize
		switch {
		case k.in.Mappings.fault(out, f, nearStack):
		case k.closedBlock(out, f):
			if nearStack {
				out.Kind, out.Message = trace.StackOverflow, "the thread's stack is used up"
			}
		case k.nearHeap(f.Addr):
			k.wrong(out, f.Addr, bytesText(f.Kind == emu.FaultWrite, uint64(f.Size)))
		case !abi.Canonical(f.Addr):
			out.Message = fmt.Sprintf("%s %#x, which is no address: its upper bits hold something else; without them it is %s",
				verb, f.Addr, k.in.VariableName(f.Addr&(1<<(abi.AddressBits-1)-1)))
		case f.Addr < abi.PageSize:
			out.Message = fmt.Sprintf("%s address %#x: a null pointer", verb, f.Addr)
		case k.in.removed(f.Addr):
			out.Message = fmt.Sprintf("%s address %#x, in pages that were given back", verb, f.Addr)
		case nearStack:
			out.Kind, out.Message = trace.StackOverflow, "the thread's stack is used up"
		default:
			out.Message = fmt.Sprintf("%s address %#x, which isn't mapped so", verb, f.Addr)
		}
	}
	return out
}
