package library

import (
	"landgo/emu"
	"landgo/internal/image/libc"
	"landgo/internal/image/profile"
	"landgo/scheduler"
)

// quiets are the functions that the guest's own code carries out without interruption.
type quiets struct {
	guest *guest
	texts *textCalls
	lives *threadCalls
}

// enter lets the guest's own code carry out a trusted function without
// interruption. The function extends from its entry to the return to its
// caller's address at the caller's stack pointer.
func (u *quiets) enter(th edit, watch bool) (scheduler.Verdict, error) {
	sp := th.Regs.RSP
	ret := u.guest.core.Word(sp)
	// The program's own allocator, called from within the library, works on
	// memory that its other callers work on.
	watch = watch || u.guest.ownAllocator
	u.fills(th.thread)
	th.quiet = quiet{on: true, watch: watch, role: th.role, ret: ret, sp: sp, insn: th.Insns, gives: libc.Gives(u.guest.roles[th.Regs.RIP].Name)}
	if th.role == profile.Stdio || th.role == profile.StdioInput {
		th.quiet.stream = u.texts.worksOn(th.thread)
	}
	if th.role == profile.Create {
		th.entryOfChild, th.childStack = th.arg(2), !u.lives.callersStack(th.thread)
		th.childDetached = u.lives.createsDetached(th.thread)
		th.childArgument, th.childPlain = th.arg(3), th.arg(1) == 0
		u.guest.breakAt(th.entryOfChild, breakStart)
	}
	u.guest.breakAt(ret, breakReturn)
	return scheduler.Step, nil
}

// unwinds ends a call of stdio that its thread is about to leave without a return, at the entry of a
// function with a role. The thread is cancelled where the call waits. What it does then is the
// program's.
func (u *quiets) unwinds(th edit, r profile.Role) {
	switch {
	case r != profile.UnwindFind && r != profile.UnwindLink && r != profile.ThreadExit:
	case th.quiet.on && (th.quiet.role == profile.Stdio || th.quiet.role == profile.StdioInput):
		th.quiet = quiet{}
	}
}

// fills learns whose memory a function of stdio is about to fill. That trusted code
// touched it says nothing (it has memory of its own too), and what the program does
// with it when the other threads are gone isn't looked at. If two such calls
// overlap, the first byte of one is within the other.
func (u *quiets) fills(th *thread) {
	f, ok := libc.Fills(u.guest.roles[th.Regs.RIP].Name)
	if !ok || u.guest.core.Alone(th.ID) {
		return
	}
	fill := func(p uint64) {
		if u.guest.machine.Prot(p)&emu.ProtRead != 0 {
			u.guest.core.Sharing.Shared(th.ID, p, 1)
		}
	}
	for _, n := range f.Args {
		fill(u.guest.vararg(th, n))
	}
	format, ok := f.Scanf()
	if !ok {
		return
	}
	next := func(k int) uint64 { return u.guest.vararg(th, format+1+k) }
	if f.List {
		next = u.vaList(u.guest.vararg(th, format+1))
	}
	for k := range libc.ScanfPointers(u.guest.str(u.guest.vararg(th, format))) {
		fill(next(k))
	}
}

// vaList reads the pointers in the va_list at an address (System V, x86-64).
func (u *quiets) vaList(at uint64) func(k int) uint64 {
	const registers = 6 * 8
	used, rest, saved := uint64(u.guest.machine.Read32(at)), u.guest.machine.Read64(at+8), u.guest.machine.Read64(at+16)
	return func(k int) uint64 {
		o := used + 8*uint64(k)
		if used <= registers && o < registers {
			return u.guest.machine.Read64(saved + o)
		}
		return u.guest.machine.Read64(rest + o - max(used, registers))
	}
}
