package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/trace"
)

// The stack of a thread that has ended is no thread's, although its pages may stay
// mapped for the next thread: an access to it is a bug. It is the memory from
// the start of its mapping up to the thread control block, with the thread-local
// variables; what a C library keeps from there on is its own.
//
// A stack that the program gave pthread_create itself is the program's memory,
// and so is that of a thread made without pthread_create.

// bury ends the lifetime of a stack with its thread.
func (s *named) bury(th *thread, tr *trace.Transition) {
	if !th.OwnStack {
		return
	}
	if op := s.StackEnd(th.ID); op.Kind != trace.OpNone {
		tr.Did(op)
	}
	r := s.stackOf(th)
	if s.machine.Bury(int(th.ID), r); s.graves.Hi == 0 {
		s.graves = r
	}
	s.graves = emu.Range{Lo: min(s.graves.Lo, r.Lo), Hi: max(s.graves.Hi, r.Hi)}
}

// StackEnd is the end of a stack that others use, as an operation, or the zero
// Op. Each of their accesses depends on it. (Thread exit otherwise creates
// ordering but no race.)
func (s *named) StackEnd(t trace.TID) trace.Op {
	th := &s.threads[t]
	if !th.OwnStack || s.Alone(th.ID) {
		return trace.Op{}
	}
	r := s.stackOf(th)
	hull := s.machine.SharedHull(r.Lo, r.Hi)
	if hull.Hi == 0 {
		return trace.Op{}
	}
	return trace.Op{Kind: trace.OpFree, Obj: hull.Lo, Size: uint32(hull.Hi - hull.Lo), PC: th.Regs.RIP}
}

// maxThreadLocal is more than thread-local variables take.
const maxThreadLocal = 1 << 20

// stackOf is a created thread's stack: from its mapping's start to where its
// stack pointer was at its start, and its thread-local variables, which both
// libraries have between there and the control block.
func (s *named) stackOf(th *thread) emu.Range {
	r := emu.Range{Lo: s.mappingStart(th.Stack - 1), Hi: th.Stack}
	if th.Self > r.Hi && th.Self-r.Hi <= maxThreadLocal {
		r.Hi = th.Self
	}
	return r
}

// mappingStart is the lowest address from which on all pages up to addr are
// writable. What it was is looked up first: stacks are large.
func (s *named) mappingStart(addr uint64) uint64 {
	writable := func(a uint64) bool { return s.machine.Prot(a)&emu.ProtWrite != 0 }
	if lo, ok := s.mappings[addr]; ok && writable(lo) && (lo < 4096 || !writable(lo-4096)) {
		return lo
	}
	lo := addr &^ 4095
	for lo >= 4096 && writable(lo-4096) {
		lo -= 4096
	}
	s.mappings[addr] = lo
	return lo
}

// mappingEnd is the lowest address above addr whose page isn't writable.
func (s *fixed) mappingEnd(addr uint64) uint64 {
	hi := addr&^4095 + 4096
	for s.machine.Prot(hi)&emu.ProtWrite != 0 {
		hi += 4096
	}
	return hi
}

// digUp: a new thread has a stack that an ended one had.
func (s *present) digUp(sp uint64) {
	for i := range s.threads {
		if !s.threads[i].Exists || s.threads[i].Live() {
			continue
		}
		if r := s.machine.Buried(i); sp > r.Lo && sp <= r.Hi+4096 {
			s.machine.Bury(i, emu.Range{})
		}
	}
}

// BuriedAt is the ended thread on whose stack an address is, or NoThread.
func (s *named) BuriedAt(addr uint64) trace.TID {
	if addr < s.graves.Lo || addr >= s.graves.Hi {
		return trace.NoThread
	}
	for i := range s.threads {
		if r := s.machine.Buried(i); s.threads[i].Exists && addr >= r.Lo && addr < r.Hi {
			return trace.TID(i)
		}
	}
	return trace.NoThread
}

// graveFault is the bug of an access to an ended thread's stack.
func (s *named) graveFault(out *Failure, f emu.Fault, does string) {
	out.Kind = trace.DeadStack
	out.Message = fmt.Sprintf("%s on the stack of a thread that has ended", does)
	for a := f.Addr; a < f.Addr+uint64(f.Size); a++ {
		if t := s.BuriedAt(a); t != trace.NoThread {
			out.Message = fmt.Sprintf("%s on the stack of thread %s, which has ended", does, s.Name(t))
			return
		}
	}
}
