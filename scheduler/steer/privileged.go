package steer

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// What only a kernel may do. Interrupts, ports and halting are carried out here;
// what changes control registers, descriptor tables and the stack pointer is the
// engine's to execute.

const (
	flagInterrupt = 1 << 9
	flagTrap      = 1 << 8
	flagNested    = 1 << 14
	flagResume    = 1 << 16
	// writableFlags are those that popf and iret take from memory.
	writableFlags = 0x240fd5 | flagInterrupt | flagNested
)

// privileged carries out the privileged instruction at which the processor
// stopped, of so many bytes.
func (s *Kernel) privileged(u *turn, name string, n uint64) (happening, error) {
	if s.user.Get() {
		return atNothing, s.core.invalid(kernel.GapInstruction, u.th, s.proc.regs.RIP, "a privileged instruction of a user program (%s) isn't modelled", name)
	}
	switch name {
	case "cli":
		if s.isPoint(u, trace.PointCLI) {
			return s.point(u)
		}
		u.shadow = false
		s.proc.regs.RFLAGS &^= flagInterrupt
		s.interrupts(u, false)
		return s.next(u, n)
	case "sti":
		s.proc.regs.RFLAGS |= flagInterrupt
		if !s.on.Get() {
			u.shadow = true
		}
		return s.next(u, n)
	case "popf":
		v, ok := s.word(s.proc.regs.RSP)
		if !ok {
			break // the engine finds the fault
		}
		if v&flagInterrupt == 0 && s.isPoint(u, trace.PointCLI) {
			return s.point(u)
		}
		s.proc.regs.RSP += s.wordSize
		s.proc.regs.RIP += n
		return s.setFlags(u, v)
	case "iret":
		return s.interruptReturn(u)
	case "hlt":
		return s.halt(u, n)
	case "port input or output":
		return s.port(u)
	case "load of the stack pointer":
		return s.stackLoad(u)
	case "rep stos":
		return s.fill(u, n)
	case "sysret", "sysexit", "rsm", "lmsw", "rdpmc", "invept, invvpid or invpcid":
		return atNothing, s.core.invalid(kernel.GapInstruction, u.th, s.proc.regs.RIP, "the instruction %s isn't modelled", name)
	}
	if name == "move to or from a control register" || name == "popf" || name == "wrmsr" {
		s.paged = false
	}
	s.volatile = s.volatile || s.booted.Get()
	stop := s.permit(u)
	switch stop.Why {
	case emu.StopInsn:
	default:
		return s.stopped(u, stop)
	}
	if u.shadow {
		u.shadow = false
		return s.turnedOn(u)
	}
	return atNothing, s.checkPaging(u)
}

// permit has the engine execute one instruction.
func (s *Kernel) permit(u *turn) *emu.Stop {
	s.proc.set = 0
	s.proc.run = emu.Run{From: emu.Ctx(s.cpu.Get()), Thread: u.th.ID, User: s.user.Get(), Flags: s.flagsOwn(u) &^ (emu.StopShared | emu.StopAtomic | emu.StopPoints),
		StopAt: 2, Permit: true, Port: s.portValue, SkipBreak: true, Reuse: !s.kept(), Blind: u.blind}
	if u.ticking {
		s.proc.run.Thread = handlerThread
	}
	u.begun = true
	return s.execute(u)
}

// next goes on behind an instruction that landgo has carried out.
func (s *Kernel) next(u *turn, n uint64) (happening, error) {
	s.proc.regs.RIP += n
	s.proc.set = emu.SetAll
	s.did(u)
	return atNothing, nil
}

// isPoint reports whether there is a preemption point of a kind before the next
// instruction.
func (s *Kernel) isPoint(u *turn, kind trace.Points) bool {
	if !s.on.Get() || !u.points || !u.begun || s.Config().Points&kind == 0 || s.aloneOwn() {
		return false
	}
	u.th.Regs = s.proc.regs
	return s.meets(u.th, s.proc.regs.RIP, kind)
}

// meets reports whether a thread stops at a point of a kind at pc, and
// notes that it does.
func (s *Kernel) meets(th *thread, pc uint64, kind trace.Points) bool {
	switch {
	case kind&(trace.PointLock|trace.PointUnlock) != 0:
		if !s.Points.AllowedForLock(th.ID) {
			return false
		}
	case !s.Points.Allowed(th.ID, pc):
		return false
	}
	s.Meet(scheduler.Met{Points: kind})
	return true
}

func (s *Kernel) point(u *turn) (happening, error) {
	s.proc.set = 0 // nothing was changed
	return atPoint, nil
}

// setFlags loads the flags: interrupts may come on, at once, or go off.
func (s *Kernel) setFlags(u *turn, v uint64) (happening, error) {
	s.proc.regs.RFLAGS = v&writableFlags | 2
	s.proc.set = emu.SetAll
	s.did(u)
	was := s.on.Get()
	u.shadow = false
	switch {
	case v&flagTrap != 0:
		return atNothing, s.core.invalid(kernel.GapInstruction, u.th, s.proc.regs.RIP, "single stepping (the trap flag) isn't modelled")
	case v&flagInterrupt == 0:
		s.interrupts(u, false)
	case !was:
		return s.turnedOn(u)
	}
	return atNothing, nil
}

// interruptReturn is iret, within the kernel.
func (s *Kernel) interruptReturn(u *turn) (happening, error) {
	var frame [5]uint64 // rip, cs, flags, and on x86-64 always rsp, ss
	words := 3
	if s.wordSize == 8 {
		words = 5
	}
	for i := range words {
		v, ok := s.word(s.proc.regs.RSP + uint64(i)*s.wordSize)
		if !ok {
			return atNothing, s.failHere(u, trace.Segfault, "iret takes its frame from %#x, where nothing is mapped", s.proc.regs.RSP)
		}
		frame[i] = v
	}
	b := s.boardRegs()
	switch {
	case frame[1]&3 != 0:
		return s.toUser(u, frame)
	case frame[1] != b.CS:
		return s.ended(u, s.failHere(u, trace.Segfault, "iret goes to code segment %#x, which isn't the kernel's %#x: it takes its frame from elsewhere than where the interrupt put it", frame[1], b.CS))
	case !s.image.IsCode(frame[0]):
		return s.ended(u, s.failHere(u, trace.Segfault, "iret goes to %#x, where no code is: it takes its frame from elsewhere than where the interrupt put it", frame[0]))
	}
	from, at := s.proc.regs.RSP, s.proc.regs.RIP
	s.proc.regs.RIP = frame[0]
	s.proc.regs.RSP += 3 * s.wordSize
	if words == 5 {
		s.proc.regs.RSP = frame[3]
	}
	if why := s.wrongReturn(u, frame[2]); why != "" {
		s.proc.regs.RIP, s.proc.regs.RSP = at, from
		return s.ended(u, s.failHere(u, trace.Assertion, "%s", why))
	}
	if _, err := s.stackJump(u, from, s.proc.regs.RSP); err != nil {
		return atNothing, err
	}
	back := s.goesBack(u.th, from)
	h, err := s.setFlags(u, frame[2])
	if back && len(u.th.own.Exceptions) < u.trial {
		h = atReturn
	}
	return h, err
}

// halt waits for an interrupt.
func (s *Kernel) halt(u *turn, n uint64) (happening, error) {
	if u.shadow { // sti; hlt
		u.shadow = false
		s.interrupts(u, true)
	}
	if s.gap.Get() != gapNone && s.booted.Get() {
		return atNothing, s.openGap(u)
	}
	if !s.on.Get() {
		if !s.booted.Get() {
			return atNothing, s.core.invalid(kernel.GapSchedule, u.th, s.proc.regs.RIP, "the kernel stops for good (hlt with interrupts off) before %s is called", s.upName())
		}
		return s.ended(u, s.failHere(u, trace.Deadlock, "the processor stops for good: hlt with interrupts off"))
	}
	s.next(u, n)
	return atHalt, nil
}

// ended is what happened when a guest has failed.
func (s *Kernel) ended(_ *turn, err error) (happening, error) { return atEnd, err }

// switchedOff ends the guest as the kernel wanted.
func (s *Kernel) switchedOff(u *turn, status uint64) error {
	if !s.booted.Get() {
		return s.core.invalid(kernel.GapSchedule, u.th, s.proc.regs.RIP, "the kernel has switched the machine off before %s was called: nothing was looked at", s.upName())
	}
	s.did(u)
	u.th.Regs = s.proc.regs
	if status != 0 || s.untreated(u.th) != nil {
		return s.failHere(u, trace.Assertion, "the kernel ends with status %d", status)
	}
	s.end(u.tr, endProcess)
	return nil
}
