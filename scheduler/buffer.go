package scheduler

import (
	"encoding/binary"
	"slices"

	"landgo/emu"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler/stores"
)

// Store buffers, for guests on several x86 processors (x86-TSO: Sewell, Sarkar, Owens,
// Zappa Nardelli and Myreen, CACM 2010). A thread's plain store to memory that threads
// share goes into the thread's buffer, and to memory by a step of the buffer. The
// buffer is to a search a thread of its own (por/relation/buffer.go). Loads find the
// thread's own buffered stores first.
//
// Between steps memory is the common view of all threads. In a step of a thread its buffered
// stores are in memory too, so that its loads find them. They are put there before the
// step (apply) and taken back after it (takeBack), through the machine's journal. The
// stores of one step are one entry, as the step is one event.
//
// Some steps wait until the buffer is empty: a locked instruction, a fence, an instruction that
// serialises. So do an operation that the library makes by such ones (Memory.Drains), and a
// system call that is a step of its own. Whether a thread has something to wait for is asked of
// its own past alone (Stored), not of the stores still in the buffer. Equal executions have equal
// steps, however early updates come.
//
// A load may find its bytes in several stores, or some in memory. Processors differ: many have it wait
// until the stores are in memory, an AMD EPYC takes each byte where it is (docs/memory.md). The buffer
// here does the latter, which is x86-TSO byte by byte. It allows what those that wait do, as stores may
// reach memory just before. For dependence such a load is several (package stores). An operation
// on an object's or a block's bytes waits.

// storing is a thread's part of it: the buffer itself (package stores), and how the thread waits.
type storing struct {
	draining
	buffer stores.Buffer
	fence  uint64 // after the store there it waits, though the guest has no fence; 0: it doesn't (fenced.go)
}

// buffers are the store buffers of all threads. Its contents are a thread's (storing), and
// go back with it.
type buffers struct {
	in       *present
	learning *learning
	attempt  *attempt
	intern   func(parent trace.TID, n uint64) (trace.TID, error) // names a thread
	seen     *seen
	run      *emu.Run // the System's
	// fenced says after which stores threads wait as at a fence (fenced.go); nil: after none.
	fenced func(*trace.Access) bool

	// Of the step under way.
	under [][]byte // the bytes below the parts of the buffer, in their order
	weak  uint64   // an instruction whose stores aren't in order, 0 for none
	room  []byte   // for such bytes
	// nonTemporal has the instructions that were looked at, by address.
	nonTemporal map[uint64]bool
}

// Undrained reports whether a thread has stored since it last waited for its stores.
func (s *present) Undrained(t trace.TID) bool { return s.cfg.Buffers && s.threads[t].buffer.Stored() }

// apply puts the buffered stores of a thread into memory, where its step finds them.
func (b *buffers) apply(th edit) {
	b.under = b.under[:0]
	queue := th.buffer.Queue()
	for i := range queue {
		for k := range queue[i].Parts {
			p := &queue[i].Parts[k]
			b.under = append(b.under, b.copy(p.Addr, p.Size))
			b.in.machine.Write(p.Addr, p.Bytes)
		}
	}
	th.buffer = th.buffer.Rest()
}

// moves has f move buffered stores to memory or back, which a viewer isn't to take for stores.
func (b *buffers) moves(f func()) {
	if b.in.viewer == nil {
		f()
		return
	}
	from := b.in.machine.Journal()
	f()
	if !b.attempt.probing && !b.attempt.trying {
		b.in.viewer.Moved(from, b.in.machine.Journal())
	}
}

// takeBack takes them out again.
func (b *buffers) takeBack(th edit) {
	n, queue := len(b.under), th.buffer.Queue()
	for i := len(queue) - 1; i >= 0; i-- {
		parts := queue[i].Parts
		for k := len(parts) - 1; k >= 0; k-- {
			n--
			b.in.machine.Write(parts[k].Addr, b.under[n])
		}
	}
	th.buffer = th.buffer.Rest()
}

// enter has a thread, outside of a step, find memory as its next step does. It is for a trial,
// which is taken back.
func (b *buffers) enter(th edit) {
	if b.in.cfg.Buffers {
		b.apply(th)
		b.beginsAt(th, &trace.Transition{})
	}
}

// valueFor is the value that an access of a thread would find.
func (s *present) valueFor(th *thread, a *trace.Access) uint64 {
	var b [8]byte
	if th.buffer.Empty() {
		copy(b[:], s.machine.Bytes(a.Addr, uint64(a.Size)))
	} else {
		copy(b[:], s.SeenBy(th.ID, a.Addr, uint64(a.Size)))
	}
	return binary.LittleEndian.Uint64(b[:])
}

// describe describes the buffer of a thread. It is there only while it has something.
func (b *buffers) describe(th *thread, dst []trace.Thread) []trace.Thread {
	if th.buffer.Empty() {
		return dst
	}
	parts := th.buffer.Queue()[0].Parts
	return append(dst, trace.Thread{ID: bufferOf(th.ID), Outcomes: 1, Next: true, Updates: true, Of: th.ID,
		Pending: trace.Op{Kind: trace.OpAccess, PC: parts[0].PC}, PendingAccess: parts[0].Access, Loose: len(parts) > 1,
		Beside: b.beside(th, trace.OpStored)})
}

// beginsAt notes, before a thread's step, what it comes after.
func (b *buffers) beginsAt(th edit, tr *trace.Transition) {
	n, all := b.flushed(th.thread)
	if tr.Flushed = n; all || b.in.Alone(th.ID) {
		th.buffer, th.fence = th.buffer.Waited(), 0
	}
}

// takeStores takes the plain stores of a run into the thread's buffer. The run's accesses are those of
// the step from number n on. since is the machine's journal before the run.
func (b *buffers) takeStores(th edit, tr *trace.Transition, n int, since, insns uint64) {
	for i := n; i < len(tr.Accesses); i++ {
		a := &tr.Accesses[i]
		switch {
		case a.Flags&(trace.Atomic|trace.Library|emu.Private) != 0:
		case !a.IsWrite():
			if th.buffer.Answered(a.Addr, uint64(a.Size)) {
				a.Flags |= trace.Buffered
			} else if p := th.buffer.Pieces(a); p != nil {
				tr.Cut(i, p)
				i += len(p) - 1
			}
		default:
			if b.outOfOrder(a.PC) && b.streams(th.thread, a) {
				b.weak = a.PC
			}
			if b.push(th, a, since, insns+uint64(a.Insn)) {
				b.stores(th.thread, tr)
			}
		}
	}
}

// push puts a store into a thread's buffer. insn is the number of its instruction. It reports
// whether it is the step's first.
func (b *buffers) push(th edit, a *trace.Access, since, insn uint64) (first bool) {
	a.Flags |= trace.Buffered
	if b.fenced != nil && b.fenced(a) {
		th.fence = a.PC
	}
	old := b.bytes(a.Size)
	b.in.machine.Before(old, since, a.Addr)
	b.under = append(b.under, old)
	th.buffer, first = th.buffer.Push(*a, b.copy(a.Addr, a.Size), insn)
	return first
}

// bytes is room for n bytes that stay. Most stores have few, so many have one piece of memory.
func (b *buffers) bytes(n uint32) []byte {
	if len(b.room) < int(n) {
		b.room = make([]byte, max(n, roomOfBytes))
	}
	p := b.room[:n:n]
	b.room = b.room[n:]
	return p
}

const roomOfBytes = 4096

// copy is a copy of n bytes of memory.
func (b *buffers) copy(addr uint64, n uint32) []byte {
	p := b.bytes(n)
	copy(p, b.in.machine.Bytes(addr, uint64(n)))
	return p
}

// endBuffered is endInstruction with store buffers. The rest of what the instruction stores goes to
// memory together with its thread's newest entry, behind all that the thread stored before: at
// once, if that has gone already. Executions in which the two go apart are those in which the
// thread has ended the instruction before the signal, as other threads don't see a store in a buffer. So that
// the step of the sender is in order with the update of that entry, it counts as a write of
// the entry's bytes.
func (b *buffers) endBuffered(th edit) {
	under := b.under
	b.under = nil
	b.apply(th)
	since, tr := b.in.machine.Journal(), b.in.thisStep()
	newest := th.buffer.Newest()
	made := slices.Clone(b.endInstruction(th))
	th.buffer = th.buffer.Rejoin()
	for i := range made {
		a := &made[i]
		if !a.IsWrite() || a.Flags&(trace.Atomic|trace.Library|emu.Private) != 0 {
			continue
		}
		for k := range newest {
			newest[k].PC = a.PC
		}
		tr.Accesses = append(tr.Accesses, newest...)
		newest = nil
		if th.buffer.InStep() {
			b.push(th, a, since, th.Insns)
		}
	}
	b.takeBack(th)
	b.under = under
}

// lose has stores that threads but one still hold go to the pages that were at their addresses when
// they were made, which no thread sees any more. (Of a store that lies in such pages in part, all is
// written.)
func (b *buffers) lose(but trace.TID, gone kernel.Pages) {
	b.redirect(but, gone, func(p *stores.Part) { p.Bytes = nil })
}

// move has them go to the same pages at another address.
func (b *buffers) move(but trace.TID, from kernel.Pages, to uint64) {
	b.redirect(but, from, func(p *stores.Part) { p.Addr += to - from.Addr })
}

// redirect changes the stores to some pages that threads but one still hold. The threads' loads of
// these pages don't find them any more.
func (b *buffers) redirect(but trace.TID, pages kernel.Pages, change func(*stores.Part)) {
	inside := func(addr, size uint64) bool { return pages.Addr <= addr && addr+size <= pages.Addr+pages.Size }
	for i := range b.in.threads {
		if b.in.threads[i].buffer.Empty() || trace.TID(i) == but {
			continue
		}
		th := b.in.edit(trace.TID(i))
		th.buffer = th.buffer.Redirect(inside, change)
	}
}

// drainAll writes all buffers to memory, at the end of the process.
func (b *buffers) drainAll(but *thread) {
	for i := range b.in.threads {
		th := &b.in.threads[i]
		if !b.in.cfg.Buffers || th.buffer.Empty() || th == but {
			continue
		}
		for _, e := range th.buffer.Queue() {
			for k := range e.Parts {
				b.in.machine.Write(e.Parts[k].Addr, e.Parts[k].Bytes)
			}
		}
		b.in.edit(th.ID).buffer = th.buffer.Drop()
	}
}

// atFence makes a thread stand before an instruction that waits for its buffer, if it has
// stored. A locked one on memory that others use is an event, at which the thread stands
// in any case: it is tried which it is, and taken back.
func (b *buffers) atFence(th edit) (stands bool) {
	if !th.buffer.Stored() {
		return false
	}
	r := *b.run
	r.From, r.Allow, r.SkipBreak, r.SkipFence, r.Reuse, r.Set = th.Ctx, 0, true, true, false, 0
	r.StopAt, r.Budget = 2, 2
	k := b.in.machine.Aside()
	stop := b.in.machine.Run(&r)
	why := stop.Why
	b.learning.finer = b.learning.finer || stop.Learned
	b.in.machine.Return(k)
	if why != emu.StopInsn {
		return false
	}
	th.Stand = StandFence
	return true
}

// AwaitEmpty has a thread stand where it is until its buffer is empty, if it has stored.
func (s *present) AwaitEmpty(t trace.TID) bool {
	if !s.Undrained(t) {
		return false
	}
	th := s.edit(t)
	th.Stand, th.atNone = StandFence, true
	return true
}

// outOfOrder reports whether the instruction at pc stores past the caches.
func (b *buffers) outOfOrder(pc uint64) bool {
	weak, ok := b.nonTemporal[pc]
	if !ok {
		weak = x86.NonTemporal(b.in.machine.Bytes(pc, x86.MaxInst), b.in.image.Machine)
		if b.nonTemporal == nil {
			b.nonTemporal = map[uint64]bool{}
		}
		b.nonTemporal[pc] = weak
	}
	return weak
}

// Holds reports whether a thread's buffer has a store to an address by the instruction at pc.
func (s *present) Holds(t trace.TID, pc, addr uint64) bool {
	return int(t) < len(s.threads) && s.threads[t].buffer.Holds(pc, addr)
}

// SeenBy is n bytes of memory as a thread sees them.
func (s *present) SeenBy(t trace.TID, addr, n uint64) []byte {
	b := slices.Clone(s.machine.Bytes(addr, n))
	if s.cfg.Buffers && int(t) < len(s.threads) {
		s.threads[t].buffer.Overlay(b, addr)
	}
	return b
}

// unordered is the error for a store that isn't in order with others.
func (b *buffers) unordered(th *thread) error {
	pc := b.weak
	b.weak = 0
	return b.in.Invalid(kernel.GapOrder, th.ID, pc, "a store past the caches (movnt, maskmov) to bytes that another thread touches isn't modelled with --model tso: it is in no order with others")
}

// endStores lets a thread end the instruction that it has stored a part of: a signal
// comes between two instructions, not between the parts of one.
func (b *buffers) endStores(th *thread) {
	if b.attempt.trying || th.ID == b.attempt.current || th.Half == 0 || b.in.thisStep().Updates || !b.in.machine.Stored(th.Ctx) {
		return
	}
	e := b.in.edit(th.ID)
	if b.in.cfg.Buffers {
		b.moves(func() { b.endBuffered(e) })
		return
	}
	b.endInstruction(e)
}

// endInstruction runs a thread to the end of the instruction that it is within. The step under
// way has its accesses.
func (b *buffers) endInstruction(th edit) []trace.Access {
	stop := b.in.machine.Run(&emu.Run{From: th.Ctx, Thread: th.ID, Flags: emu.IgnoreBreaks, StopAt: 2})
	th.Ctx, th.Half = stop.Ctx, stop.Parts
	th.Insns += stop.Insns
	b.seen.record.Instructions += stop.Insns
	b.learning.finer = b.learning.finer || stop.Learned
	tr := b.in.thisStep()
	tr.Accesses = append(tr.Accesses, stop.Accesses...)
	return stop.Accesses
}
