package scheduler

import (
	"fmt"
	"slices"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Memory that the program itself maps by a system call consists of blocks too. Each has the call
// that mapped it and the one that took it back. Its pages keep accesses out: only accesses that
// fault have to be checked, and a right program can't get a false alarm. Memory mapped within a
// trusted function (stacks, large blocks of an allocator), or before the program's first thread
// runs, is no block of these.
//
// A mapping has whole pages: what lies between the bytes asked for and the end of
// the last page may be used on every machine. Behind a mapping whose place the kernel
// chooses, a page stays free. Where the program chooses the place, an access beyond one
// mapping into the next isn't told from any other.
//
// To unmap what is unmapped already is called a bug, where the kernel chooses places and
// the call succeeds. On a real machine another thread may have been given the addresses
// by then. Here none is given twice, so that what it would destroy isn't seen
// otherwise. Where the program chooses the addresses, all that a second call may do is run;
// and its result tells of a failure.

// mappingFamily tells mappings from blocks of allocators.
const (
	mappingFamily = MappingFamilies + 1
	// partFamily is the parts of mappings that have been unmapped by themselves.
	partFamily = MappingFamilies

	// MappingFamilies and those above it are of mappings.
	MappingFamilies heap.Family = 254
)

// covers says which mapping each address belongs to.
// Mappings are the program's own. Their blocks go back with a mark (state.mapped, covers).
type Mappings struct{ in *present }

type covers struct {
	latest heap.Cover // that of the latest mapping, or part that was unmapped, with it
	living heap.Cover // of mappings that live: the part of each that is still mapped
}

// fileEnds is a kernel that maps files.
type fileEnds interface {
	// PastEnd reports whether an address is in a mapped file, in a page behind the file's end.
	PastEnd(addr uint64) bool
}

// Take takes in what a call has mapped and unmapped. It returns the bug that an
// unmapping is, or nil.
func (m *Mappings) Take(t trace.TID, call uint64, out *kernel.Outcome) *Failure {
	th := &m.in.threads[t]
	m.in.lib.Drop(out.Unmapped)
	m.in.lib.Drop(kernel.Pages{Addr: out.Mapped.Addr + out.Kept, Size: out.Mapped.Size - out.Kept})
	own := !th.Starting && m.in.lib.Running(th.ID)&(RunsFollowed|RunsQuiet|RunsTested) == 0 && m.in.Entered()
	e := m.in.HeapEvent(th.ID, call)
	if out.Unmapped.Size != 0 {
		if f := m.unmap(th, out.Unmapped, e, own); f != nil {
			return f
		}
	}
	if p := out.Mapped; p.Size != 0 && own {
		if at, _, ok := m.in.covers.living.From(p.Addr); !ok || at.Addr > p.Addr || at.Addr+at.Size < p.Addr+p.Size { // else what was mapped is made use of
			m.replace(th, p, e)
			b := m.give(heap.Block{Addr: p.Addr, Size: p.Size, Family: mappingFamily, Given: e})
			m.in.covers.living = m.in.covers.living.Set(p.Addr, p.Addr+p.Size, m.number())
			m.tell(th, b, true)
		}
	}
	return nil
}

// replace ends the mappings that lie wholly under a new one.
func (m *Mappings) replace(th *thread, p kernel.Pages, e heap.Event) {
	under := m.livingIn(p.Addr, p.Addr+p.Size)
	m.in.covers.living = m.in.covers.living.Clear(p.Addr, p.Addr+p.Size)
	for _, n := range under {
		m.endIfGone(th, n, e)
	}
}

// give begins a block of mapped memory, the latest there.
func (m *Mappings) give(b heap.Block) heap.Block {
	out := *m.in.mapped.Give(b)
	m.in.covers.latest = m.in.covers.latest.Set(b.Addr, b.Addr+b.Size, m.number())
	return out
}

// number is that of the latest block of mapped memory.
func (m *Mappings) number() int32 { return int32(len(m.in.mapped.Blocks()) - 1) }

func (m *Mappings) tell(th *thread, b heap.Block, given bool) {
	if m.in.observer != nil {
		m.in.observer.Block(th.ID, b, given)
	}
}

// unmap ends mappings. If a part of one ends, the part is noted; when all of it
// is gone it has ended too.
func (m *Mappings) unmap(th *thread, p kernel.Pages, e heap.Event, own bool) *Failure {
	end := p.Addr + p.Size
	before := m.endedAt(p.Addr)
	live := m.livingIn(p.Addr, end)
	m.in.covers.living = m.in.covers.living.Clear(p.Addr, end)
	for _, n := range live {
		b := m.in.mapped.Blocks()[n]
		if lo, hi := max(p.Addr, b.Addr), min(end, b.Addr+b.Size); lo > b.Addr || hi < b.Addr+b.Size {
			m.give(heap.Block{Addr: lo, Size: hi - lo, Family: partFamily, Given: b.Given})
			m.in.mapped.Take(partFamily, lo, e)
			m.tell(th, *m.in.mapped.At(partFamily, lo), false)
		}
		m.endIfGone(th, n, e)
	}
	if len(live) > 0 || !own || before == nil || !before.Contains(end-1) || m.in.cfg.Tested { // see above
		return nil
	}
	return &Failure{Kind: trace.DoubleFree, Thread: th.ID, PC: e.PC, Block: *before,
		Message: fmt.Sprintf("unmaps %s at offset %d of a mapping of %s that has been unmapped already", heap.Bytes(p.Size), p.Addr-before.Addr, heap.Bytes(before.Size))}
}

// livingIn lists the mappings that live and are mapped somewhere in [lo, hi), oldest
// first.
func (m *Mappings) livingIn(lo, hi uint64) (list []int32) {
	for lo < hi {
		p, n, ok := m.in.covers.living.From(lo)
		if !ok || p.Addr >= hi {
			break
		}
		list = append(list, n)
		lo = p.Addr + p.Size
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// endIfGone ends a mapping that has no mapped page any more.
func (m *Mappings) endIfGone(th *thread, n int32, e heap.Event) {
	b := m.in.mapped.Blocks()[n]
	for lo := b.Addr; lo < b.Addr+b.Size; {
		p, owner, ok := m.in.covers.living.From(lo)
		if !ok || p.Addr >= b.Addr+b.Size {
			break
		}
		if owner == n {
			return
		}
		lo = p.Addr + p.Size
	}
	m.tell(th, b, false)
	m.in.mapped.End(n, e)
}

// livingAt is the mapping that an address belongs to, or nil.
func (m *Mappings) livingAt(addr uint64) *heap.Block {
	n, ok := m.in.covers.living.At(addr)
	if !ok {
		return nil
	}
	return &m.in.mapped.Blocks()[n]
}

// endedAt is the latest mapping, or part of one, with an address in it, if
// that has been unmapped; else nil.
func (m *Mappings) endedAt(addr uint64) *heap.Block {
	n, ok := m.in.covers.latest.At(addr)
	if !ok || !m.in.mapped.Blocks()[n].Freed {
		return nil
	}
	return &m.in.mapped.Blocks()[n]
}

// fault describes a fault at memory that was mapped by the program, or
// right behind or before such; ok if it is one. An access next to a thread's stack
// pointer is about that stack: nearStack.
func (m *Mappings) fault(out *Failure, f emu.Fault, nearStack bool) (ok bool) {
	does := bytesText(f.Kind == emu.FaultWrite, uint64(f.Size))
	if b := m.endedAt(f.Addr); b != nil && m.in.machine.Prot(f.Addr) == 0 {
		out.Kind, out.Block = trace.UseAfterFree, *b
		out.Message = fmt.Sprintf("%s at offset %d of a mapping of %s that has been unmapped", does, f.Addr-b.Addr, heap.Bytes(b.Size))
		return true
	}
	if nearStack {
		return false
	}
	if b := m.livingAt(f.Addr); b != nil {
		out.Block = *b
		if f.Addr+uint64(f.Size) > b.Addr+b.Size {
			out.Kind, out.Message = trace.HeapOverflow, fmt.Sprintf("%s at offset %d of a mapping of %s: beyond its end", does, f.Addr-b.Addr, heap.Bytes(b.Size))
			return true
		}
		why := "in pages that don't allow it"
		if k, ok := m.in.kernel.(fileEnds); ok && k.PastEnd(f.Addr) {
			why = "behind the end of its file (SIGBUS)"
		}
		out.Message = fmt.Sprintf("%s at offset %d of a mapping of %s, %s", does, f.Addr-b.Addr, heap.Bytes(b.Size), why)
		return true
	}
	if m.in.machine.Prot(f.Addr) != 0 {
		return false
	}
	for _, b := range m.in.mapped.LiveOf(mappingFamily) {
		switch behind, ahead := f.Addr-b.Addr-b.Size, b.Addr-f.Addr; {
		case behind < abi.PageSize:
			out.Message = fmt.Sprintf("%s, %s after the end of a mapping of %s", does, heap.Bytes(behind), heap.Bytes(b.Size))
		case ahead <= abi.PageSize:
			out.Message = fmt.Sprintf("%s, %s before the start of a mapping of %s", does, heap.Bytes(ahead), heap.Bytes(b.Size))
		default:
			continue
		}
		out.Kind, out.Block = trace.HeapOverflow, b
		return true
	}
	return false
}

// Has reports whether an address is in memory that the program maps or has mapped.
func (m *Mappings) Has(addr uint64) bool { return m.in.mapped.Around(addr) != nil }
