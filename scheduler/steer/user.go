package steer

import (
	"landgo/emu"
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
func (s *Kernel) toUser(u *turn, frame [5]uint64) (happening, error) {
	if s.wordSize != 4 || !s.machine.HasPrograms() {
		return atNothing, s.core.invalid(kernel.GapInstruction, u.th, s.proc.regs.RIP, "a return to user mode (iret to code segment %#x) isn't modelled here: only in i386 kernels with a task register and addresses of their own", frame[1])
	}
	for i := range uint64(2) {
		v, ok := s.word(s.proc.regs.RSP + (3+i)*s.wordSize)
		if !ok {
			return atNothing, s.failHere(u, trace.Segfault, "iret takes its frame from %#x, where nothing is mapped", s.proc.regs.RSP)
		}
		frame[3+i] = v
	}
	switch {
	case frame[2]&flagTrap != 0:
		return atNothing, s.core.invalid(kernel.GapInstruction, u.th, s.proc.regs.RIP, "single stepping (the trap flag) isn't modelled")
	case frame[2]&flagInterrupt == 0:
		return atNothing, s.core.invalid(kernel.GapInstruction, u.th, s.proc.regs.RIP, "a user program with interrupts off isn't modelled")
	}
	from, at := s.proc.regs.RSP, s.proc.regs.RIP
	s.proc.regs.RIP, s.proc.regs.RSP = frame[0], frame[3]
	why := s.wrongReturn(u, frame[2])
	s.proc.regs.RIP, s.proc.regs.RSP = at, from
	if why != "" {
		return s.ended(u, s.failHere(u, trace.Assertion, "%s", why))
	}
	s.machine.KeepKernel(emu.Ctx(s.cpu.Get()))
	stop := s.permit(u)
	if stop.Why != emu.StopInsn {
		return s.stopped(u, stop)
	}
	if cs := s.machine.BoardRegs(emu.Ctx(s.cpu.Get())).CS; cs != frame[1] {
		return atNothing, s.core.invalid(kernel.GapEngine, u.th, at, "iret to code segment %#x left %#x", frame[1], cs)
	}
	s.volatile = s.volatile || s.booted.Get()
	s.machine.PutFlag(&s.user, true)
	if s.on.Get() {
		return atNothing, nil
	}
	return s.turnedOn(u)
}

// fromUser enters the kernel from user mode: the processor stands there then, with the
// stack pointer and the stack's segment that the task's segment names.
func (s *Kernel) fromUser(th *thread, regs *emu.Regs, code uint64) (sp uint64, pushed []uint64, err error) {
	if err := s.proc.flush(); err != nil {
		return 0, nil, err
	}
	b := s.machine.BoardRegs(emu.Ctx(s.cpu.Get()))
	sp, ok := s.word(b.Task + taskStack)
	segment, ok2 := s.word(b.Task + taskSegment)
	if !ok || !ok2 || b.TaskLimit < taskSegment+1 {
		return 0, nil, s.core.invalid(kernel.GapInstruction, th, regs.RIP, "an interrupt of a user program finds no stack: the task register names %#x", b.Task)
	}
	to, ok := s.machine.EnterKernel(emu.Ctx(s.cpu.Get()), !s.kept())
	if !ok {
		return 0, nil, s.core.invalid(kernel.GapInstruction, th, regs.RIP, "a user program that changes segments or uses floating point isn't modelled")
	}
	if k := s.machine.BoardRegs(to); k.CS != code || k.SS != segment&0xffff {
		return 0, nil, s.core.invalid(kernel.GapInstruction, th, regs.RIP, "an interrupt of a user program enters segments %#x:%#x, but the kernel returned to it from %#x:%#x (not modelled)", code, segment&0xffff, k.CS, k.SS)
	}
	s.machine.Put(&s.cpu, uint64(to))
	s.machine.PutFlag(&s.user, false)
	s.proc.hadIn = noWhere
	return sp, []uint64{b.SS, regs.RSP}, nil
}
