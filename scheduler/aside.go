package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Functions of the guest that are run on the side: conditions, and specifications of objects.

// asideStack is how much of the stack below a call's such a function has, and
// asideBudget how many instructions.
const (
	asideStack  = 128 << 10
	asideBudget = 10 << 20
)

// asideReturn is where such a function returns to: no code is there.
const asideReturn = 0x10

// Aside runs a function of the guest on the side, as if it were called where a thread has
// the registers regs, and takes all that it stores back. The bytes of buf, if there are
// any, lie in its stack, and their address is its first argument. Their bytes after the
// call are returned too. reads gets its accesses outside of its own stack. Registers are
// those of thread t's processor, which isn't changed.
func (j *Promises) Aside(t trace.TID, regs *emu.Regs, function uint64, buf []byte, args []uint64, reads func(*trace.Access)) (result uint64, after []byte, err error) {
	th := &j.in.threads[t]
	name := fmt.Sprintf("the function at %#x", function)
	if f, ok := j.in.image.SymbolAt(function); ok {
		name = f.Name
	}
	k := j.in.machine.Aside()
	defer j.in.machine.Return(k)
	sp := regs.RSP - 256 // below what the caller may keep there
	sp = (sp - uint64(len(buf))) &^ 63
	at := sp
	stack := emu.Range{Lo: sp - asideStack, Hi: regs.RSP - abi.RedZone}
	if len(buf) > 0 {
		j.in.machine.Write(at, buf)
		args = append([]uint64{at}, args...)
	}
	r := emu.Run{From: th.Ctx, Thread: AllThreads, Flags: emu.IgnoreBreaks | emu.RecordAll, Budget: asideBudget, Set: trace.AllRegs, Regs: *regs, Blind: stack}
	if j.in.wordSize == 8 {
		for i, to := range []*uint64{&r.Regs.RDI, &r.Regs.RSI, &r.Regs.RDX, &r.Regs.RCX}[:len(args)] {
			*to = args[i]
		}
	} else {
		sp -= 64
		for i, v := range args {
			j.in.machine.Write32(sp+4*uint64(i), uint32(v))
		}
	}
	sp -= j.in.wordSize // the stack is aligned before the call
	if ok := j.in.machine.Write(sp, []byte{asideReturn, 0, 0, 0, 0, 0, 0, 0}[:j.in.wordSize]); !ok {
		return 0, nil, j.in.Invalid(kernel.GapCall, t, function, "%s can't be run on the side: its caller has no stack any more", name)
	}
	r.Regs.RSP, r.Regs.RIP = sp, function
	stop := j.in.machine.Run(&r)
	if stop.Learned {
		j.learning.finer = true
	}
	for i := range stop.Accesses {
		if a := &stop.Accesses[i]; reads != nil && (a.Addr >= stack.Hi || a.Addr+uint64(a.Size) <= stack.Lo) {
			reads(a)
		}
	}
	switch {
	case stop.Why == emu.StopFault && stop.PC == asideReturn:
		if len(buf) > 0 {
			after = append(after, j.in.machine.Bytes(at, uint64(len(buf)))...)
		}
		return stop.Regs.RAX, after, nil
	case stop.Why == emu.StopBudget:
		return 0, nil, j.in.Invalid(kernel.GapCall, t, stop.PC, "%s, which landgo runs on the side, doesn't return within %d instructions; a condition may not wait for other threads", name, asideBudget)
	case stop.Why == emu.StopTrap:
		return 0, nil, j.in.Invalid(kernel.GapCall, t, stop.PC, "%s, which landgo runs on the side, makes a system call; it may only look at memory", name)
	case stop.Why == emu.StopFault:
		return 0, nil, j.in.Invalid(kernel.GapCall, t, stop.PC, "%s, which landgo runs on the side, faults at address %#x in some state; it has to be defined in each", name, stop.Fault.Addr)
	}
	return 0, nil, j.in.Invalid(kernel.GapCall, t, stop.PC, "%s, which landgo runs on the side, can't be run to its end: %s", name, stop.Detail)
}
