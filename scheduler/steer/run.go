package steer

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// The processor runs a thread's own code, or the code that a tick runs, on the stack of
// the thread that it interrupted.

// stretch is how many instructions a thread runs without anything before landgo
// looks whether it waits for others in a loop.
const stretch = 20_000

// sections is the same for a thread whose sections without interrupts begin and
// end in it.
const sections = 2 * stretch

// run runs the processor until something happens.
func (ex *execution) runFor(u *turn) (happening, error) {
	ran := uint64(0)
	var loop offLoop
	for {
		if again, err := ex.endless(&loop, ran); err != nil || again {
			if again {
				ex.proc.regs = ex.proc.regsNow()
				return ex.ended(u, ex.failHere(u, trace.Livelock, offText))
			}
			return atNothing, err
		}
		if u.th.Insns-u.tr.Begin >= ex.core.Config().StepBudget && u.th.ID == u.tr.Thread || ran > ex.core.Config().StepBudget {
			return atNothing, &scheduler.BudgetError{Insns: max(ran, u.th.Insns-u.tr.Begin), PC: ex.proc.pcNow(), Thread: u.th.ID}
		}
		stop := ex.cpuRun(u)
		ran += stop.Insns
		if ex.toStop(stop.Insns) {
			return atNothing, scheduler.ErrStopped
		}
		if stop.Insns > 0 {
			u.begun = true
		}
		before := u.th
		h, err := ex.stopped(u, stop)
		if err == nil && u.th != before && before.own.Ended && len(before.own.Exceptions) > 0 {
			ex.failOwn(before, u.tr, ex.untreated(before))
			return atEnd, nil
		}
		if err != nil || h != atNothing {
			return h, err
		}
		if u.until != nil && ex.in.on.Get() && ex.proc.set&trace.RIP != 0 && ex.proc.regs.RIP == u.until.RIP && ex.proc.regs.RSP == u.until.RSP {
			return atReturn, nil
		}
		if switched, err := ex.switches.pollGap(u); switched || err != nil {
			return atSwitch, err
		}
		if err := ex.switches.checkGap(u); err != nil {
			return h, err
		}
		u.ran += stop.Insns
		clean := stop.Why == emu.StopBudget || stop.Why == emu.StopPrivileged
		if clean && u.ran >= stretch && u.unhurried() && ex.in.on.Get() || stop.Why == emu.StopBudget && !ex.in.booted.Get() {
			u.ran = 0
			return atCountOut, nil
		}
	}
}

// stopped deals with a stop of the processor.
func (ex *execution) stopped(u *turn, stop *emu.Stop) (happening, error) {
	switch stop.Why {
	case emu.StopInsn:
		if !u.ticking && u.trial == 0 && !ex.tries() && ex.core.Frozen(u.th.ID, u.th.Insns) {
			ex.saw(u)
			return atNothing, scheduler.ErrStopped
		}
		if u.shadow {
			u.shadow = false
			return ex.turnedOn(u)
		}
		if ex.in.stepsGap() {
			return atNothing, nil
		}
		return atLimit, nil
	case emu.StopBudget:
		return atNothing, nil
	case emu.StopAccess:
		ex.saw(u)
		if !ex.meets(u.th, stop.PC, trace.PointMem) {
			u.allow = 1
			return atNothing, nil
		}
		e := ex.core.edit(u.th.ID)
		e.Stand, e.Access = scheduler.StandAccess, stop.Access
		return atPoint, nil
	case emu.StopBreak:
		ex.proc.regs = stop.Regs
		return ex.annotations.tell(u)
	case emu.StopPrivileged:
		ex.proc.regs = stop.Regs
		h, err := ex.privileged(u, stop.Detail, uint64(stop.Trap.Len))
		if ex.proc.regs.RIP != stop.Regs.RIP {
			ex.in.machine.Did(stop.Regs.RIP, uint64(stop.Trap.Len))
		}
		return h, err
	case emu.StopTrap:
		ex.proc.regs = stop.Regs
		if stop.Trap.Syscall || stop.Trap.Sysenter {
			return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, stop.PC, "system calls of user programs (syscall, sysenter) aren't modelled in kernels")
		}
		if g, ok := ex.in.gate(stop.Trap.Vector); ex.in.user.Get() && (!ok || g[0]>>gateLevel&3 < userRing) {
			return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, stop.PC, "a trap of a user program that its kernel doesn't allow (int %#x) isn't modelled", stop.Trap.Vector)
		}
		ex.proc.regs.RIP += uint64(stop.Trap.Len)
		ex.proc.set = trace.AllRegs
		ex.did(u)
		return ex.ticker.undelivered(u, ex.trap(u, stop.Trap.Vector))
	case emu.StopFault:
		return ex.faulted(u, stop)
	case emu.StopDevice:
		ex.proc.regs = stop.Regs
		return ex.device(u, stop)
	case emu.StopUnmodelled:
		return atNothing, ex.core.Unmodelled(u.th.ID, stop)
	}
	return atNothing, ex.core.invalid(kernel.GapEngine, u.th, stop.PC, "the engine stopped for reason %d", stop.Why)
}
