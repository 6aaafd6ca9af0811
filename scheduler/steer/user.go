package steer

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// User programs of a kernel: what a thread does in user mode is its own code as what it
// does in the kernel is. Memory is known by its physical address, so a page that a
// program has is the same for the kernel, at whatever address. From user mode into the
// kernel go interrupts and traps (int), by the stack that the task's segment names;
// back goes iret. A program's exceptions aren't modelled.

const (
	userRing    = 3
	gateLevel   = 45 // of a gate's word: which rings may trap by it
	taskStack   = 4  // offsets in the task's segment of i386
	taskSegment = 8
	userFrame   = 5 // words that an interrupt pushes
)

// toUser is iret to a user program.
func (ex *execution) toUser(u *turn, frame [5]uint64) (happening, error) {
	if ex.in.wordSize != 4 || !ex.in.machine.HasPrograms() {
		return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, ex.proc.regs.RIP, "a return to user mode (iret to code segment %#x) isn't modelled here: only in i386 kernels with a task register and addresses of their own", frame[1])
	}
	for i := range uint64(2) {
		v, ok := ex.in.word(ex.proc.regs.RSP + (3+i)*ex.in.wordSize)
		if !ok {
			return atNothing, ex.failHere(u, trace.Segfault, "iret takes its frame from %#x, where nothing is mapped", ex.proc.regs.RSP)
		}
		frame[3+i] = v
	}
	switch {
	case frame[2]&abi.TF != 0:
		return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, ex.proc.regs.RIP, "single stepping (the trap flag) isn't modelled")
	case frame[2]&abi.IF == 0:
		return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, ex.proc.regs.RIP, "a user program with interrupts off isn't modelled")
	}
	from, at := ex.proc.regs.RSP, ex.proc.regs.RIP
	ex.proc.regs.RIP, ex.proc.regs.RSP = frame[0], frame[3]
	why := ex.wrongReturn(u, frame[2])
	ex.proc.regs.RIP, ex.proc.regs.RSP = at, from
	if why != "" {
		return ex.ended(u, ex.failHere(u, trace.Assertion, "%s", why))
	}
	ex.in.machine.KeepKernel(emu.Ctx(ex.in.cpu.Get()))
	stop := ex.permit(u)
	if stop.Why != emu.StopInsn {
		return ex.stopped(u, stop)
	}
	if cs := ex.in.machine.BoardRegs(emu.Ctx(ex.in.cpu.Get())).CS; cs != frame[1] {
		return atNothing, ex.core.invalid(kernel.GapEngine, u.th, at, "iret to code segment %#x left %#x", frame[1], cs)
	}
	ex.in.volatile = ex.in.volatile || ex.in.booted.Get()
	ex.in.machine.PutFlag(&ex.in.user, true)
	if ex.in.on.Get() {
		return atNothing, nil
	}
	return ex.turnedOn(u)
}

// fromUser enters the kernel from user mode: the processor stands there then, with the
// stack pointer and the stack's segment that the task's segment names.
func (ex *execution) fromUser(th *thread, regs *emu.Regs, code uint64) (sp uint64, pushed []uint64, err error) {
	if err := ex.proc.flush(); err != nil {
		return 0, nil, err
	}
	b := ex.in.machine.BoardRegs(emu.Ctx(ex.in.cpu.Get()))
	sp, ok := ex.in.word(b.Task + taskStack)
	segment, ok2 := ex.in.word(b.Task + taskSegment)
	if !ok || !ok2 || b.TaskLimit < taskSegment+1 {
		return 0, nil, ex.core.invalid(kernel.GapInstruction, th, regs.RIP, "an interrupt of a user program finds no stack: the task register names %#x", b.Task)
	}
	to, ok := ex.in.machine.EnterKernel(emu.Ctx(ex.in.cpu.Get()), !ex.in.kept())
	if !ok {
		return 0, nil, ex.core.invalid(kernel.GapInstruction, th, regs.RIP, "a user program that changes segments or uses floating point isn't modelled")
	}
	if k := ex.in.machine.BoardRegs(to); k.CS != code || k.SS != segment&0xffff {
		return 0, nil, ex.core.invalid(kernel.GapInstruction, th, regs.RIP, "an interrupt of a user program enters segments %#x:%#x, but the kernel returned to it from %#x:%#x (not modelled)", code, segment&0xffff, k.CS, k.SS)
	}
	ex.in.machine.Put(&ex.in.cpu, uint64(to))
	ex.in.machine.PutFlag(&ex.in.user, false)
	ex.proc.hadIn = noWhere
	return sp, []uint64{b.SS, regs.RSP}, nil
}
