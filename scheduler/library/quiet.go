package library

import (
	"landgo/emu"
	"landgo/internal/image/libc"
	"landgo/internal/image/profile"
	"landgo/scheduler"
)

// enterQuiet lets the guest's own code carry out a trusted function without
// interruption. The function extends from its entry to the return to its
// caller's address at the caller's stack pointer.
func (s *Library) enterQuiet(th *thread, watch bool) (scheduler.Verdict, error) {
	sp := th.Regs.RSP
	ret := s.core.Word(sp)
	// The program's own allocator, called from within the library, works on
	// memory that its other callers work on.
	watch = watch || s.ownAllocator
	s.fills(th)
	th.quiet = quiet{on: true, watch: watch, role: th.role, ret: ret, sp: sp, insn: th.Insns, gives: libc.Gives(s.roles[th.Regs.RIP].Name)}
	if th.role == profile.Create {
		th.entryOfChild, th.childStack = th.arg(2), !s.callersStack(th)
		th.childDetached = s.createsDetached(th)
		th.childArgument, th.childPlain = th.arg(3), th.arg(1) == 0
		s.breakAt(th.entryOfChild, breakStart)
	}
	s.breakAt(ret, breakReturn)
	return scheduler.Step, nil
}

// fills learns whose memory a function of stdio is about to fill. That trusted code
// touched it says nothing (it has memory of its own too), and what the program does
// with it when the other threads are gone isn't looked at. Of two such calls that
// overlap, the first byte of one is within the other.
func (s *Library) fills(th *thread) {
	f, ok := libc.Fills(s.roles[th.Regs.RIP].Name)
	if !ok || s.core.Alone(th.ID) {
		return
	}
	fill := func(p uint64) {
		if s.machine.Prot(p)&emu.ProtRead != 0 {
			s.core.Sharing.Shared(th.ID, p, 1)
		}
	}
	for _, n := range f.Args {
		fill(s.vararg(th, n))
	}
	format, ok := f.Scanf()
	if !ok {
		return
	}
	next := func(k int) uint64 { return s.vararg(th, format+1+k) }
	if f.List {
		next = s.vaList(s.vararg(th, format+1))
	}
	for k := range libc.ScanfPointers(s.str(s.vararg(th, format))) {
		fill(next(k))
	}
}

// vaList reads the pointers in the va_list at an address (System V, x86-64).
func (s *Library) vaList(at uint64) func(k int) uint64 {
	const registers = 6 * 8
	used, rest, saved := uint64(s.machine.Read32(at)), s.machine.Read64(at+8), s.machine.Read64(at+16)
	return func(k int) uint64 {
		o := used + 8*uint64(k)
		if used <= registers && o < registers {
			return s.machine.Read64(saved + o)
		}
		return s.machine.Read64(rest + o - max(used, registers))
	}
}
