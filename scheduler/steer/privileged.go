package steer

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Instructions that only a kernel may execute. Interrupts, ports and halting are
// carried out here. The engine executes those that change control registers,
// descriptor tables and the stack pointer.

// writableFlags are those that popf and iret take from memory.
const writableFlags = abi.Arithmetic | abi.TF | abi.IF | abi.DF | abi.NT | abi.AC | abi.ID

// privileged carries out the privileged instruction at which the processor stopped, of this many
// bytes.
func (ex *execution) privileged(u *turn, name string, n uint64) (happening, error) {
	if ex.in.user.Get() {
		return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, ex.proc.regs.RIP, "a privileged instruction of a user program (%s) isn't modelled", name)
	}
	switch name {
	case "cli":
		if ex.isPoint(u, trace.PointCLI) {
			return ex.point(u)
		}
		u.shadow = false
		ex.proc.regs.RFLAGS &^= abi.IF
		ex.in.interrupts(u, false)
		return ex.next(u, n)
	case "sti":
		ex.proc.regs.RFLAGS |= abi.IF
		if !ex.in.on.Get() {
			u.shadow = true
		}
		return ex.next(u, n)
	case "popf":
		v, ok := ex.in.word(ex.proc.regs.RSP)
		if !ok {
			break // the engine finds the fault
		}
		if v&abi.IF == 0 && ex.isPoint(u, trace.PointCLI) {
			return ex.point(u)
		}
		ex.proc.regs.RSP += ex.in.wordSize
		ex.proc.regs.RIP += n
		return ex.setFlags(u, v)
	case "iret":
		return ex.interruptReturn(u)
	case "hlt":
		return ex.halt(u, n)
	case "port input or output":
		return ex.port(u)
	case "load of the stack pointer":
		return ex.stackLoad(u)
	case "rep stos":
		return ex.fill(u, n)
	case "sysret", "sysexit", "rsm", "lmsw", "rdpmc", "invept, invvpid or invpcid":
		return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, ex.proc.regs.RIP, "the instruction %s isn't modelled", name)
	}
	if name == "move to or from a control register" || name == "popf" || name == "wrmsr" {
		ex.in.paged = false
	}
	ex.in.volatile = ex.in.volatile || ex.in.booted.Get()
	stop := ex.permit(u)
	switch stop.Why {
	case emu.StopInsn:
	default:
		return ex.stopped(u, stop)
	}
	if u.shadow {
		u.shadow = false
		return ex.turnedOn(u)
	}
	if name == "lgdt" && !ex.in.booted.Get() {
		ex.in.lay()
	}
	return atNothing, ex.checkPaging(u)
}

// permit has the engine execute one instruction.
func (ex *execution) permit(u *turn) *emu.Stop {
	ex.proc.set = 0
	ex.proc.run = emu.Run{From: emu.Ctx(ex.in.cpu.Get()), Thread: u.th.ID, User: ex.in.user.Get(), Flags: ex.flagsOwn(u) &^ (emu.StopShared | emu.StopAtomic | emu.StopPoints),
		StopAt: 2, Permit: true, Port: ex.portValue, SkipBreak: true, Reuse: !ex.in.kept(), Blind: u.blind, Links: u.links, LinkSize: 2 * uint32(ex.in.wordSize)}
	if u.ticking {
		ex.proc.run.Thread = handlerThread
	}
	u.begun = true
	return ex.execute(u)
}

// next goes on behind an instruction that landgo has carried out.
func (ex *execution) next(u *turn, n uint64) (happening, error) {
	ex.proc.regs.RIP += n
	ex.proc.set = trace.AllRegs
	ex.did(u)
	return atNothing, nil
}

// isPoint reports whether there is a preemption point of a kind before the next
// instruction.
func (ex *execution) isPoint(u *turn, kind trace.Points) bool {
	if !ex.in.on.Get() || !u.points || !u.begun || ex.core.Config().Points&kind == 0 || ex.in.aloneOwn() {
		return false
	}
	ex.core.edit(u.th.ID).Regs = ex.proc.regs
	return ex.meets(u.th, ex.proc.regs.RIP, kind)
}

// meets reports whether a thread stops at a point of a kind at pc, and
// notes that it does.
func (ex *execution) meets(th *thread, pc uint64, kind trace.Points) bool {
	switch {
	case kind&(trace.PointLock|trace.PointUnlock) != 0:
		if !ex.core.Points.AllowedForLock(th.ID) {
			return false
		}
	case !ex.core.Points.Allowed(th.ID, pc):
		return false
	}
	ex.core.Seen().Met.Points |= kind
	return true
}

func (ex *execution) point(u *turn) (happening, error) {
	ex.proc.set = 0 // nothing was changed
	return atPoint, nil
}

// setFlags loads the flags: interrupts may come on, at once, or go off.
func (ex *execution) setFlags(u *turn, v uint64) (happening, error) {
	ex.proc.regs.RFLAGS = v&writableFlags | 2
	ex.proc.set = trace.AllRegs
	ex.did(u)
	was := ex.in.on.Get()
	u.shadow = false
	switch {
	case v&abi.TF != 0:
		return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, ex.proc.regs.RIP, "single stepping (the trap flag) isn't modelled")
	case v&abi.IF == 0:
		ex.in.interrupts(u, false)
	case !was:
		return ex.turnedOn(u)
	}
	return atNothing, nil
}

// interruptReturn is iret, within the kernel.
func (ex *execution) interruptReturn(u *turn) (happening, error) {
	var frame [5]uint64 // rip, cs, flags, and on x86-64 always rsp, ss
	words := 3
	if ex.in.wordSize == 8 {
		words = 5
	}
	for i := range words {
		v, ok := ex.in.word(ex.proc.regs.RSP + uint64(i)*ex.in.wordSize)
		if !ok {
			return atNothing, ex.failHere(u, trace.Segfault, "iret takes its frame from %#x, where nothing is mapped", ex.proc.regs.RSP)
		}
		frame[i] = v
	}
	b := ex.in.boardRegs()
	switch {
	case frame[1]&3 != 0:
		return ex.toUser(u, frame)
	case frame[1] != b.CS:
		return ex.ended(u, ex.failHere(u, trace.Segfault, "iret goes to code segment %#x, which isn't the kernel's %#x: it takes its frame from elsewhere than where the interrupt put it", frame[1], b.CS))
	case !ex.in.image.IsCode(frame[0]):
		return ex.ended(u, ex.failHere(u, trace.Segfault, "iret goes to %#x, where no code is: it takes its frame from elsewhere than where the interrupt put it", frame[0]))
	}
	from, at := ex.proc.regs.RSP, ex.proc.regs.RIP
	ex.proc.regs.RIP = frame[0]
	ex.proc.regs.RSP += 3 * ex.in.wordSize
	if words == 5 {
		ex.proc.regs.RSP = frame[3]
	}
	if why := ex.wrongReturn(u, frame[2]); why != "" {
		ex.proc.regs.RIP, ex.proc.regs.RSP = at, from
		return ex.ended(u, ex.failHere(u, trace.Assertion, "%s", why))
	}
	if _, err := ex.switches.stackJump(u, from, ex.proc.regs.RSP); err != nil {
		return atNothing, err
	}
	back := ex.goesBack(u.th, from)
	h, err := ex.setFlags(u, frame[2])
	if back && len(u.th.own.Exceptions) < u.trial {
		h = atReturn
	}
	return h, err
}

// halt waits for an interrupt.
func (ex *execution) halt(u *turn, n uint64) (happening, error) {
	if u.shadow { // sti; hlt
		u.shadow = false
		ex.in.interrupts(u, true)
	}
	if ex.in.gap.Get() != gapNone && ex.in.booted.Get() {
		return atNothing, ex.switches.openGap(u)
	}
	if !ex.in.on.Get() {
		if !ex.in.booted.Get() {
			return atNothing, ex.core.invalid(kernel.GapBoot, u.th, ex.proc.regs.RIP, "the kernel stops for good (hlt with interrupts off) before %s is called", ex.in.upName())
		}
		return ex.ended(u, ex.failHere(u, trace.Deadlock, "the processor stops for good: hlt with interrupts off"))
	}
	ex.next(u, n)
	return atHalt, nil
}

// switchedOff ends the guest as the kernel wanted.
func (ex *execution) switchedOff(u *turn, status uint64) error {
	if !ex.in.booted.Get() {
		return ex.core.invalid(kernel.GapBoot, u.th, ex.proc.regs.RIP, "the kernel has switched the machine off before %s was called: nothing was looked at", ex.in.upName())
	}
	ex.did(u)
	ex.core.edit(u.th.ID).Regs = ex.proc.regs
	if status != 0 || ex.untreated(u.th) != nil {
		return ex.failHere(u, trace.Assertion, "the kernel ends with status %d", status)
	}
	ex.end(u.tr, endProcess)
	return nil
}
