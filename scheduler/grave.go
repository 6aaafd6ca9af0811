package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/scheduler/names"
)

// The stack of a thread that has ended is no thread's, although its pages may stay
// mapped for the next thread: an access to it is a bug. It is the memory from the
// start of its mapping up to the thread control block, with the thread-local
// variables. The memory from there on is the threads' library's own.
//
// A stack that the program gave for the thread itself is the program's memory, and so is
// that of a thread which no trusted function has made.

// Stacks are those of threads: where they are, and which are no thread's any more. A System
// finds out for itself where they begin.
type Stacks struct {
	in     *present
	names  *names.Names
	learns *learning
	timers *timers
	hull   emu.Range        // has all stacks in it that were ever buried
	starts [64]mappingStart // found lately
	met    map[frameMet]bool
	span   emu.Range   // has all stacks in it that there ever were
	lent   []emu.Range // frames of functions that have created threads
}

// bury ends the lifetime of a stack with its thread.
func (g *Stacks) bury(th *thread, tr *trace.Transition) {
	if !th.OwnStack {
		return
	}
	g.claim(th, g.stackOf(th))
	if op := g.StackEnd(th.ID); op.Kind != trace.OpNone {
		tr.Did(op)
		g.in.lib.StackEnds(th.ID, tr, op.Obj, uint64(op.Size))
		g.learns.MemoryEnds(op.Obj, uint64(op.Size))
	}
	g.dig(th.ID, g.stackOf(th))
}

// dig makes a part of a thread's stack a grave to the others.
func (g *Stacks) dig(t trace.TID, r emu.Range) {
	if g.in.machine.Bury(int(t), r); g.hull.Hi == 0 {
		g.hull = r
	}
	g.hull = emu.Range{Lo: min(g.hull.Lo, r.Lo), Hi: max(g.hull.Hi, r.Hi)}
}

// claim: what is on a thread's stack is the thread's, though it has touched none of it. (A
// buffer that another thread is to fill, for one.) Where others were there, they share it, and
// the end of the stack is an event for them.
func (g *Stacks) claim(th *thread, r emu.Range) {
	if g.in.Alone(th.ID) {
		return
	}
	if g.in.machine.Claim(th.ID, r.Lo, r.Hi, func(other trace.TID, addr uint64) bool {
		if int(other) >= len(g.in.threads) || !g.in.threads[other].Exists {
			return true // of another execution, which has learned of it
		}
		o := &g.in.threads[other]
		if !o.OwnStack {
			return false
		}
		was := g.stackOf(o) // the stack may have been its own before
		return addr >= was.Lo && addr < was.Hi
	}) {
		g.learns.Refine()
	}
}

// StackEnd is the end of a stack that others use, as an operation, or the zero
// Op. Each of their accesses depends on it. (Thread exit otherwise creates
// ordering but no race.)
func (g *Stacks) StackEnd(t trace.TID) trace.Op {
	th := &g.in.threads[t]
	if !th.OwnStack || g.in.Alone(th.ID) {
		return trace.Op{}
	}
	r := g.stackOf(th)
	hull := g.in.machine.SharedHull(r.Lo, r.Hi)
	if hull.Hi == 0 {
		return trace.Op{}
	}
	return trace.Op{Kind: trace.OpFree, Obj: hull.Lo, Size: uint32(hull.Hi - hull.Lo), PC: th.Regs.RIP}
}

// maxThreadLocal is more than thread-local variables take.
const maxThreadLocal = 1 << 20

// stackOf is a created thread's stack: from its mapping's start to the first stack
// pointer, with its thread-local variables. Both libraries have these between there
// and the control block.
func (g *Stacks) stackOf(th *thread) emu.Range {
	r := emu.Range{Lo: g.mappingStart(th.Stack - 1), Hi: th.Stack}
	if th.Self > r.Hi && th.Self-r.Hi <= maxThreadLocal {
		r.Hi = th.Self
	}
	return r
}

// mappingStart is where the mapping of an address was found to begin.
type mappingStart struct{ addr, start uint64 }

// mappingStart is the lowest address from which on all pages up to addr are
// writable. The last answer is looked up first: stacks are large.
func (g *Stacks) mappingStart(addr uint64) uint64 {
	writable := func(a uint64) bool { return g.in.machine.Prot(a)&emu.ProtWrite != 0 }
	last := &g.starts[addr>>abi.PageShift%uint64(len(g.starts))]
	if lo := last.start; last.addr == addr && writable(lo) && (lo < abi.PageSize || !writable(lo-abi.PageSize)) {
		return lo
	}
	lo := abi.PageDown(addr)
	for lo >= abi.PageSize && writable(lo-abi.PageSize) {
		lo -= abi.PageSize
	}
	*last = mappingStart{addr, lo}
	return lo
}

// mappingEnd is the lowest address above addr whose page isn't writable.
func (g *Stacks) mappingEnd(addr uint64) uint64 {
	hi := abi.PageDown(addr) + abi.PageSize
	for g.in.machine.Prot(hi)&emu.ProtWrite != 0 {
		hi += abi.PageSize
	}
	return hi
}

// digUp: a new thread has a stack that an ended one had.
func (g *Stacks) digUp(sp uint64) {
	for i := range g.in.threads {
		if !g.in.threads[i].Exists || g.in.threads[i].Live() {
			continue
		}
		if r := g.in.machine.Buried(i); sp > r.Lo && sp <= r.Hi+abi.PageSize {
			g.in.machine.Bury(i, emu.Range{})
		}
	}
}

// BuriedAt is the thread in whose grave an address is, but for t's own, or NoThread.
func (g *Stacks) BuriedAt(t trace.TID, addr uint64) trace.TID {
	if addr < g.hull.Lo || addr >= g.hull.Hi {
		return trace.NoThread
	}
	for i := range g.in.threads {
		if r := g.in.machine.Buried(i); g.in.threads[i].Exists && trace.TID(i) != t && addr >= r.Lo && addr < r.Hi {
			return trace.TID(i)
		}
	}
	return trace.NoThread
}

// grave says what was at an address on the stack of a thread that has ended.
func (g *Stacks) grave(t trace.TID, addr uint64) string {
	th := &g.in.threads[t]
	switch name, _, ok := g.in.image.ThreadLocal(th.Self, addr); {
	case ok:
		return fmt.Sprintf("in the thread-local variable %s of thread %s, which has ended", name, g.names.Name(t))
	case addr >= th.Stack:
		return fmt.Sprintf("in thread-local memory of thread %s, which has ended", g.names.Name(t))
	}
	return fmt.Sprintf("on the stack of thread %s, which has ended", g.names.Name(t))
}
