package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/trace"
)

// The stack of a thread that has ended is no thread's, although its pages may stay
// mapped for the next thread: an access to it is a bug. It is the memory from
// the start of its mapping up to the thread control block, with the thread-local
// variables; what a C library keeps from there on is its own.
//
// A stack that the program gave pthread_create itself is the program's memory,
// and so is that of a thread made without pthread_create.

// unlist takes a thread that was joined out of its C library's list of threads, as
// the library's own exit or join would: its control block is on a stack of the
// program's, which may give that memory back now, and the next pthread_create
// writes to the list's neighbours. Where the words aren't a list's nothing is
// changed.
func (s *System) unlist(self uint64) {
	var at, next, prev uint64 // of a node: what its pointers point to, and where in it these are
	switch s.libc {
	case image.Musl:
		at, next, prev = self, 24, 16
	case image.Glibc:
		at, next, prev = self+glibcThreadList, 0, 8
	default:
		return
	}
	word := func(a uint64) uint64 {
		if s.machine.Prot(a)&emu.ProtWrite == 0 || s.machine.Prot(a+7)&emu.ProtWrite == 0 {
			return 0
		}
		return s.machine.Read64(a)
	}
	after, before := word(at+next), word(at+prev)
	if after == 0 || before == 0 || word(after+prev) != at || word(before+next) != at {
		return
	}
	s.machine.Write64(before+next, after)
	s.machine.Write64(after+prev, before)
	// What is left in it mustn't depend on who was in the list.
	s.machine.Write64(at+next, at)
	s.machine.Write64(at+prev, at)
}

// glibcThreadList is where struct pthread of glibc has its place in a list.
const glibcThreadList = 0x2c0

// bury ends the lifetime of a stack with its thread.
func (s *System) bury(th *thread, tr *trace.Transition) {
	if !th.ownStack {
		return
	}
	if op := s.stackEnd(th); op.Kind != trace.OpNone {
		tr.Did(op)
	}
	s.machine.Bury(int(th.ID), s.stackOf(th))
}

// stackEnd is the end of a stack that others use, as an operation, or the zero
// Op. Each of their accesses depends on it. (Thread exit otherwise creates
// ordering but no race.)
func (s *System) stackEnd(th *thread) trace.Op {
	if !th.ownStack || s.alone(th) {
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
func (s *System) stackOf(th *thread) emu.Range {
	r := emu.Range{Lo: s.mappingStart(th.stack - 1), Hi: th.stack}
	if th.self > r.Hi && th.self-r.Hi <= maxThreadLocal {
		r.Hi = th.self
	}
	return r
}

// mappingStart is the lowest address from which on all pages up to addr are
// writable. What it was is looked up first: stacks are large.
func (s *System) mappingStart(addr uint64) uint64 {
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
func (s *System) mappingEnd(addr uint64) uint64 {
	hi := addr&^4095 + 4096
	for s.machine.Prot(hi)&emu.ProtWrite != 0 {
		hi += 4096
	}
	return hi
}

// digUp: a new thread has a stack that an ended one had.
func (s *System) digUp(sp uint64) {
	for i := range s.threads {
		if !s.threads[i].Exists || s.threads[i].Live() {
			continue
		}
		if r := s.machine.Buried(i); sp > r.Lo && sp <= r.Hi+4096 {
			s.machine.Bury(i, emu.Range{})
		}
	}
}

// buriedAt is the ended thread on whose stack an address is, or NoThread.
func (s *System) buriedAt(addr uint64) trace.TID {
	for i := range s.threads {
		if r := s.machine.Buried(i); s.threads[i].Exists && addr >= r.Lo && addr < r.Hi {
			return trace.TID(i)
		}
	}
	return trace.NoThread
}

// graveFault is the bug of an access to an ended thread's stack.
func (s *System) graveFault(out *Failure, f emu.Fault, does string) {
	out.Kind = trace.DeadStack
	out.Message = fmt.Sprintf("%s on the stack of a thread that has ended", does)
	for a := f.Addr; a < f.Addr+uint64(f.Size); a++ {
		if t := s.buriedAt(a); t != trace.NoThread {
			out.Message = fmt.Sprintf("%s on the stack of thread %s, which has ended", does, s.Name(t))
			return
		}
	}
}
