package steer

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// The kernel's memory by its own addresses.

const endProcess = trace.EndProcess

// Page tables.
const (
	frameMask = 0x000ffffffffff000
	cr4PAE    = 1 << 5
)

// remaps reports whether what is mapped may be another in the next state.
func (k *reading) remaps() bool { return k.volatile || k.mending.Get() }

// boardRegs are the processor's control registers. They are read again only where
// the kernel changes them while threads run.
func (k *reading) boardRegs() emu.BoardRegs {
	if k.booted.Get() && !k.volatile && k.control != nil {
		return *k.control
	}
	b := k.machine.BoardRegs(emu.Ctx(k.cpu.Get()))
	k.control = &b
	return b
}

// translate finds the physical address of a virtual one in the page tables that
// the processor uses; false if nothing is mapped there.
func (k *reading) translate(va uint64) (uint64, bool) {
	b := k.boardRegs()
	if !b.Paging() || !k.machine.HasPaging() {
		return va, va < k.machine.Space()
	}
	if k.wordSize == 4 && b.CR4&cr4PAE == 0 {
		return k.walk32(b.CR3, va)
	}
	table := b.CR3 & frameMask
	level := 4
	if k.wordSize == 4 {
		table, level = b.CR3&^31, 3
	}
	for ; level > 0; level-- {
		shift := 12 + 9*uint(level-1)
		e := k.machine.Read64(table + va>>shift&511*8)
		if e&abi.EntryPresent == 0 {
			return 0, false
		}
		if table = e & frameMask; level == 1 || level <= 3 && e&abi.EntryLarge != 0 {
			low := uint64(1)<<shift - 1
			pa := table&^low | va&low
			return pa, pa < k.machine.Space()
		}
	}
	return 0, false
}

func (k *fixed) walk32(cr3, va uint64) (uint64, bool) {
	e := uint64(k.machine.Read32(abi.PageDown(cr3) + va>>22&1023*4))
	if e&abi.EntryPresent == 0 {
		return 0, false
	}
	pa := e&0xffc00000 | va&0x3fffff
	if e&abi.EntryLarge == 0 {
		if e = uint64(k.machine.Read32(abi.PageDown(e) + va>>abi.PageShift&1023*4)); e&abi.EntryPresent == 0 {
			return 0, false
		}
		pa = abi.PageDown(e) | va%abi.PageSize
	}
	return pa, pa < k.machine.Space()
}

// word reads a word, and store writes one; false where nothing is mapped.
func (k *reading) word(va uint64) (uint64, bool) {
	pa, ok := k.translate(va)
	if !ok {
		return 0, false
	}
	if k.wordSize == 4 {
		return uint64(k.machine.Read32(pa)), true
	}
	return k.machine.Read64(pa), true
}

func (k *reading) store(va, v uint64) bool {
	pa, ok := k.translate(va)
	if !ok {
		return false
	}
	if k.wordSize == 4 {
		return k.machine.Write32(pa, uint32(v))
	}
	return k.machine.Write64(pa, v)
}

// Word is word, for the core.
func (k *Kernel) Word(va uint64) (uint64, bool) { return k.word(va) }

// Registers are a thread's, for the core.
func (k *Kernel) Registers(t trace.TID) emu.Regs {
	if th := &k.threads[t]; k.running.Get() != uint64(t) || th.own.Interrupted {
		return th.Regs
	}
	return k.proc.regsNow()
}

func (k *reading) byteAt(va uint64) (byte, bool) {
	pa, ok := k.translate(va)
	return k.machine.Read8(pa), ok
}

// code is the instruction at an address.
func (k *reading) code(pc uint64) []byte {
	const longest = 15
	at := k.image.Physical(pc)
	if k.machine.HasPrograms() && pc < k.image.Bias {
		at, _ = k.translate(pc)
	}
	if p := k.machine.Bytes(at, longest); p != nil {
		return p
	}
	return make([]byte, longest)
}

// pageTables are the pages of the page tables in use.
func (k *reading) pageTables() map[uint64]bool {
	pages := map[uint64]bool{}
	b := k.boardRegs()
	if !b.Paging() {
		return pages
	}
	levels, size := 4, uint64(8)
	if k.wordSize == 4 {
		levels, size = 2, 4
		if b.CR4&cr4PAE != 0 {
			levels, size = 3, 8
		}
	}
	var visit func(table uint64, level int)
	visit = func(table uint64, level int) {
		if pages[table>>abi.PageShift] || !k.inMemory(table) {
			return
		}
		pages[table>>abi.PageShift] = true
		for at := table; level > 1 && at < table+abi.PageSize; at += size {
			e := k.machine.Read64(at)
			if size == 4 {
				e = uint64(k.machine.Read32(at))
			}
			if e&abi.EntryPresent != 0 && e&abi.EntryLarge == 0 {
				visit(e&frameMask, level-1)
			}
		}
	}
	visit(b.CR3&frameMask, levels)
	return pages
}

func (k *fixed) inMemory(at uint64) bool { return at < k.machine.Space() }

// checkPaging refuses page tables that the engine doesn't follow.
func (ex *execution) checkPaging(u *turn) error {
	if ex.in.paged || ex.in.machine.HasPaging() {
		return nil
	}
	b := ex.in.boardRegs()
	if !b.Paging() {
		return nil
	}
	ex.in.paged = true
	for i := range ex.in.image.Segments {
		seg := &ex.in.image.Segments[i]
		for at := seg.Addr; at < seg.Addr+seg.MemSize; at += abi.PageSize {
			if pa, ok := ex.in.walkTables(&b, at); !ok || pa != at {
				return ex.core.invalid(kernel.GapPaging, u.th, ex.proc.pcNow(),
					"the kernel's page tables put %#x elsewhere, and %s takes each address for its own: landgo needs libunicorn 2.1 or newer for this kernel", at, ex.in.machine.Version())
			}
		}
	}
	return nil
}

// walkTables is translate where the engine wouldn't.
func (k *fixed) walkTables(b *emu.BoardRegs, va uint64) (uint64, bool) {
	if k.wordSize == 4 && b.CR4&cr4PAE == 0 {
		return k.walk32(b.CR3, va)
	}
	table := b.CR3 & frameMask
	for level := 4; level > 0; level-- {
		shift := 12 + 9*uint(level-1)
		e := k.machine.Read64(table + va>>shift&511*8)
		if e&abi.EntryPresent == 0 {
			return 0, false
		}
		if table = e & frameMask; level == 1 || level <= 3 && e&abi.EntryLarge != 0 {
			low := uint64(1)<<shift - 1
			return table&^low | va&low, true
		}
	}
	return 0, false
}

// failHere ends the guest with a bug at the processor's place.
func (ex *execution) failHere(u *turn, kind trace.BugKind, format string, args ...any) error {
	f := &scheduler.Failure{Kind: kind, Thread: u.th.ID, PC: ex.proc.regs.RIP, Message: fmt.Sprintf(format, args...)}
	if u.th.own.Idle {
		f.Thread = u.tr.Thread
	}
	if !u.ticking {
		ex.core.edit(u.th.ID).Regs = ex.proc.regs
	}
	ex.failOwn(u.th, u.tr, f)
	return nil
}

// faultOf is the bug of a processor fault. Through a kernel's own page tables the
// engine doesn't say whether it was a read.
func (ex *execution) faultOf(th *thread, f emu.Fault) *scheduler.Failure {
	out := ex.core.Blocks.FaultFailure(th.ID, f)
	out.PC = ex.proc.regs.RIP
	if f.Kind == emu.FaultRead && out.Kind == trace.Segfault {
		out.Message = fmt.Sprintf("page fault at address %#x", f.Addr)
		if f.Addr < abi.PageSize {
			out.Message += ": a null pointer"
		}
	}
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
