package scheduler

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Optimised code counts a spin's turns in a register that functions save, if the loop calls any.
// When the spin is over nothing uses it. But functions that are called next push it, use it
// themselves, and pop it before they return. static.DeadOnward proves that nothing but such pushes
// reads it on any path, up to where it is overwritten. As long as the register has its value it may
// be pushed. The bytes that a push writes are watched as other bytes are (spins/left.go). A pop of
// them into the same register isn't a read, if nothing but pushes reads it up to the function's
// return. Behind the return the proof goes on.
//
// Judged by TestCountsBehindCalls in explore.

// leavesRegs takes in which registers a counted spin leaves so, when it is over.
func (w *leftovers) leavesRegs(th edit, regs trace.RegSet, look uint64) {
	if regs == 0 || !th.Live() {
		return
	}
	r := w.in.machine.Regs(th.Ctx)
	all := r.General()
	th.leftRegs = slices.Clone(th.leftRegs)
	for i := range trace.NumGeneral {
		if regs&(1<<i) != 0 {
			th.leftRegs = append(th.leftRegs, spins.LeftReg{Number: i, Value: all[i], Look: look})
		}
	}
}

// pushes takes in a write by a push of such a register.
func (w *leftovers) pushes(th edit, a *trace.Access) {
	if len(th.leftRegs) == 0 || !a.IsWrite() || a.Size != 8 {
		return
	}
	set, _ := w.dead.stackOp(a.PC, x86asm.PUSH)
	for _, l := range th.leftRegs {
		if set == 1<<l.Number {
			th.leftover = th.leftover.Pushed(l, a.Addr)
		}
	}
}

// pops reports whether an access only gives such a register back to its function.
func (w *leftovers) pops(th edit, a *trace.Access) bool {
	if a.IsWrite() || a.Size != 8 || !th.leftover.HasSaved(a.Addr) {
		return false
	}
	set, next := w.dead.stackOp(a.PC, x86asm.POP, x86asm.LEAVE)
	if set == 0 || !w.dead.unreadUntilReturn(next, set) {
		return false
	}
	regs, ok := th.leftover.Popped(a.Addr, set, th.leftRegs)
	if ok {
		th.leftRegs = regs
	}
	return ok
}

// unwinds takes in an access to the stack, above which a thread has come: what was pushed below belongs
// to no function any more.
func (w *leftovers) unwinds(th edit, a *trace.Access) {
	if a.Size != 8 || !th.leftover.SavedBelow(a.Addr) {
		return
	}
	if inst, ok := w.dead.decode(a.PC); ok && slices.Contains(stackOps, inst.Op) {
		th.leftover = th.leftover.Unwound(a.Addr)
	}
}

// stackOps are the instructions that write below the stack pointer, or read what it points to.
var stackOps = []x86asm.Op{x86asm.PUSH, x86asm.PUSHFQ, x86asm.CALL, x86asm.POP, x86asm.POPFQ, x86asm.RET, x86asm.LEAVE}

// settleRegs forgets registers that hold something else after a run, and pushes of something else.
func (w *leftovers) settleRegs(th edit) {
	if len(th.leftRegs) == 0 {
		return
	}
	r := w.in.machine.Regs(th.Ctx)
	all := r.General()
	th.leftRegs = slices.DeleteFunc(slices.Clone(th.leftRegs), func(l spins.LeftReg) bool { return all[l.Number] != l.Value })
	th.leftover = th.leftover.Settled(func(addr uint64) uint64 { return w.in.word(addr, 8) })
}

// shows is called where a handler comes into a thread. It can look at all registers, those that are dead by
// the code too, and so tell how often the thread has looked. (Threads that others send signals to have no
// turns of several looks.)
func (w *leftovers) shows(t trace.TID) {
	known := &w.learning.known
	if len(known.Counted) == 0 || known.Signalled.Has(uint64(t)) {
		return
	}
	for i := w.in.threads[t].LastStep; i != 0; i = w.in.steps[i-1].prev {
		if look := w.in.steps[i-1].pc; known.Counted[look] && !known.Uncounted[look] {
			w.tells(look)
		}
	}
}
