package steer

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// The processor runs a thread's own code, or the code that a tick runs, on the stack of
// the thread that it interrupted.

// turn is a stretch of running.
type turn struct {
	th *thread
	tr *trace.Transition
	// ticking: a tick's handler and the switch that it leads to, which are no
	// thread's doing.
	ticking bool
	// points: the stretch ends at preemption points.
	points bool
	// begun: an instruction has completed, so that a point before the next one is
	// another.
	begun bool
	allow uint32
	// blind and links, where ticking: memory in which the handler and the thread have
	// nothing in common with others.
	blind emu.Range
	links []uint64
	// ran is how many instructions it has run since one was in vain.
	ran uint64
	// shadow: interrupts come on after one more instruction (sti).
	shadow bool
	// until, where ticking: the stretch ends where the thread was interrupted.
	until *emu.Regs
	// trial, if not 0: an exception's handler is tried out, of a thread that then has as
	// many under way. looked has how much memory it has looked at, and where it stood.
	trial  int
	looked uint64
	at     emu.Regs
}

// unhurried: a tick may come where nothing else happens for long.
func (u *turn) unhurried() bool { return u.points || u.trial > 0 || u.th.own.Idle && u.until == nil }

// happening is why a stretch ended.
type happening uint8

const (
	atNothing  happening = iota
	atOn                 // interrupts have come on
	atSwitch             // another thread has the processor
	atPoint              // a preemption point
	atHalt               // hlt, with interrupts on; gone past
	atEnd                // the guest has ended, or stands before its failure
	atLimit              // a replay's segment ends
	atReturn             // where the thread was interrupted
	atCountOut           // a stretch of instructions without anything
)

// stretch is how many instructions a thread runs without anything before landgo
// looks whether it waits for others in a loop.
const stretch = 20_000

// sections is the same for a thread whose sections without interrupts begin and
// end in it.
const sections = 2 * stretch

// execution runs the processor for a turn, and does what its stops ask for: privileged
// instructions, ports, faults, the way to user mode and back.
type execution struct {
	in          *situation
	core        core
	step        *stepping
	proc        *processor
	tails       *tails
	beliefs     *beliefs
	switches    *switches
	calls       *calls
	annotations *annotations
	ticker      *ticker
	failOwn     func(*thread, *trace.Transition, *scheduler.Failure)
	end         func(*trace.Transition, trace.End)
	tryOut      func(func())
	// portValue is the value that the next permitted instruction reads from a port.
	portValue uint32
	polled    uint64 // instructions since stopIf was asked
}

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

// did counts an instruction that landgo has carried out.
func (ex *execution) did(u *turn) {
	u.begun = true
	if !u.ticking {
		ex.core.edit(u.th.ID).Insns++
	}
}

// saw takes the registers of the thread that runs, for its stack.
func (ex *execution) saw(u *turn) {
	if u.ticking {
		return
	}
	ex.core.edit(u.th.ID).Regs = ex.proc.regsNow()
}

// turnedOn: interrupts have come on.
func (ex *execution) turnedOn(u *turn) (happening, error) {
	ex.in.interrupts(u, true)
	if ex.in.stepsGap() {
		return atOn, ex.switches.openGap(u)
	}
	if ex.in.profile != nil && ex.in.booted.Get() && !u.ticking {
		return atOn, ex.beliefs.turnedOnOwn(u)
	}
	return atOn, nil
}

// interrupts turns interrupts on or off. For a thread's own code this begins or
// ends a section.
func (k *reading) interrupts(u *turn, on bool) {
	if k.on.Get() != on && !u.ticking && k.booted.Get() {
		k.section(u.tr, !on)
	}
	if on && !k.on.Get() {
		k.machine.Put(&k.ons, k.ons.Get()+1)
	}
	k.machine.PutFlag(&k.on, on)
}

// section notes that a section without interrupts begins or ends. Where the
// processor changes hands within one, it ends for the thread that leaves, and begins for
// the one that comes.
func (k *fixed) section(tr *trace.Transition, begins bool) {
	op := trace.OpInterruptsOn
	if begins {
		op = trace.OpInterruptsOff
	}
	tr.Did(trace.Op{Kind: op, Obj: sectionLock})
}

// advanceOwn runs a thread from where it stands to its next preemption point.
func (k *Kernel) advanceOwn(th *thread, tr *trace.Transition) error {
	u := turn{th: th, tr: tr, points: true}
	if th.Stand == scheduler.StandAccess {
		u.allow = 1
	}
	k.core.edit(th.ID).Stand = scheduler.StandRun
	if !k.on.Get() {
		k.section(tr, true)
	}
	from := th.Insns
	for {
		if done, err := k.come(th, tr); done || err != nil {
			return err
		}
		h, err := k.exec.runFor(&u)
		if err != nil {
			return err
		}
		if h == atOn && th.Insns-from > sections {
			h = atCountOut
		}
		if h == atCountOut {
			from = th.Insns
		}
		switch h {
		case atOn:
			k.core.edit(th.ID).own.Tail = false
			k.rounds.sectionEnds(th)
			if k.due {
				k.due = false
				if done, err := k.ticker.tick(th, tr); done || err != nil {
					return err
				}
				if done, err := k.reach(th, tr); done || err != nil {
					return err
				}
			}
			if done, err := k.ticker.devices(&u); done || err != nil {
				return err
			}
			if k.Config().Points&trace.PointSTI != 0 && !k.aloneOwn() {
				k.exec.saw(&u)
				if k.exec.meets(th, th.Regs.RIP, trace.PointSTI) {
					return nil
				}
			}
		case atPoint, atLimit, atEnd:
			if h != atEnd {
				k.exec.saw(&u)
			}
			return nil
		case atHalt:
			k.exec.saw(&u)
			e := k.core.edit(th.ID)
			e.own.Halted, e.Yielding = true, true
			return nil
		case atSwitch:
			k.core.edit(th.ID).Yielding = th.Live()
			if th.Yielding {
				k.gaveWay(k.core.edit(th.ID))
			}
			return nil
		case atCountOut:
			// A loop: time passes, and the kernel may choose another.
			k.core.edit(th.ID).own.Tail = false
			k.rounds.sectionEnds(th)
			k.exec.saw(&u)
			if spins, err := k.rounds.spins(th); spins || err != nil {
				return err
			}
			if done, err := k.ticker.tick(th, tr); done || err != nil {
				return err
			}
			if !k.aloneOwn() {
				k.core.edit(th.ID).Yielding = true
				return nil
			}
			if done, err := k.reach(th, tr); done || err != nil {
				return err
			}
		}
	}
}
