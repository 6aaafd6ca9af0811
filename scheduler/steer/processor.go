package steer

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
)

// One run of the processor. Its registers are in registers.go.

// StopIf implements what System's does.
func (k *Kernel) StopIf(f func() bool) { k.stopIf = f }

// toStop asks, after this many more instructions. A trial is never stopped: else the threads that
// can run would be wrong.
func (ex *execution) toStop(n uint64) bool {
	if ex.polled += n + stopCost; ex.polled < maxRun || ex.in.stopIf == nil || ex.step.probing {
		return false
	}
	ex.polled = 0
	return ex.in.stopIf()
}

// stopCost is how many instructions a stop of the processor takes as long as.
const stopCost = 100

// maxRun is how many instructions run before that is asked again.
const maxRun = 1_000_000

// cpuRun runs the processor to its next stop and takes in what it did.
func (ex *execution) cpuRun(u *turn) *emu.Stop {
	r := &ex.proc.run
	*r = emu.Run{From: emu.Ctx(ex.in.cpu.Get()), Thread: u.th.ID, Allow: u.allow, SkipBreak: ex.in.atBreak.Get(), User: ex.in.user.Get(), Blind: u.blind, Links: u.links, LinkSize: 2 * uint32(ex.in.wordSize), Reuse: !ex.in.kept(),
		Budget: min(ex.core.Config().StepBudget, maxRun), Set: ex.proc.changed(), Regs: ex.proc.regs}
	ex.proc.set = 0
	r.Flags = ex.flagsOwn(u)
	if ex.in.profile != nil && ex.in.profile.Stack != 0 && ex.in.profile.Stack < abi.PageSize {
		r.Flags |= emu.StackLoads
	}
	if u.ticking {
		r.Thread = handlerThread
	}
	switch {
	case !ex.in.booted.Get():
		r.Budget = bootTick
	case u.unhurried() && ex.in.on.Get():
		r.Budget = stretch
	case !ex.in.on.Get():
		r.Budget = min(ex.core.Config().StepBudget, offRun)
	}
	if u.shadow || ex.in.stepsGap() {
		r.StopAt = 2
	} else if ex.core.LimitOf() != 0 && u.trial == 0 && !u.ticking && u.th.ID == u.tr.Thread && ex.core.LimitOf() >= u.th.Insns {
		r.StopAt = ex.core.LimitOf() - u.th.Insns + 1
	}
	return ex.execute(u)
}

// noWhere is no context.
const noWhere emu.Ctx = -1

// execute makes the run that was prepared.
func (ex *execution) execute(u *turn) *emu.Stop {
	r := &ex.proc.run
	if e := ex.in.stackEnd(u.th); e.low != 0 {
		r.StackLow, r.Beneath = e.low, e.beneath
	}
	ex.in.machine.PutFlag(&ex.in.atBreak, false)
	ex.proc.hadIn = noWhere
	v := ex.core.Viewer()
	if n, freezes := ex.core.Freezes(u.th.ID, u.th.Insns); freezes && !u.ticking && u.trial == 0 && !ex.tries() && (r.StopAt == 0 || n < r.StopAt) {
		r.StopAt = n + 1
	}
	if v != nil && !ex.tries() && u.trial == 0 {
		r.Flags |= emu.Narrate
	}
	from, journal := u.th.Insns, ex.in.machine.Journal()
	stop := ex.in.machine.Run(r)
	switch stop.Why {
	case emu.StopBreak, emu.StopTrap, emu.StopPrivileged:
		ex.proc.had, ex.proc.hadIn = stop.Regs, stop.Ctx
	}
	ex.in.machine.Put(&ex.in.cpu, uint64(stop.Ctx))
	ex.core.Seen().Instructions += stop.Insns
	if !u.ticking {
		ex.core.edit(u.th.ID).Insns += stop.Insns
	}
	if r.Flags&emu.Narrate != 0 {
		if u.ticking {
			v.Ran(trace.NoThread, 0, journal, stop.PC)
		} else {
			v.Ran(u.th.ID, from, journal, stop.PC)
		}
	}
	if len(stop.Accesses) > 0 {
		u.allow = 0
		if u.trial > 0 {
			u.looked += uint64(len(stop.Accesses)) // it comes again, if it is done for good
		} else if u.ticking {
			ex.tails.tickDid(stop.Accesses)
		} else {
			ex.tails.threadDid(u, stop.Accesses)
		}
	}
	if stop.Learned && r.Flags&(emu.Quiet|emu.Solo) == 0 {
		ex.core.Refine()
	}
	return stop
}

// flagsOwn are the machine's flags for a stretch.
func (ex *execution) flagsOwn(u *turn) (f emu.RunFlags) {
	switch {
	case !ex.in.booted.Get():
		return emu.Solo | emu.Fills
	case ex.in.gap.Get() != gapNone:
		return emu.Quiet | emu.Check
	case u.ticking:
	case ex.in.aloneOwn():
		f = emu.Solo
	case !u.points || !ex.in.on.Get():
	case ex.core.Config().Points&trace.PointMem != 0:
		f = emu.StopShared
	default:
		if ex.core.Config().Points&(trace.PointAtomic|trace.PointSync) != 0 {
			f = emu.StopAtomic
		}
		if ex.core.Races() {
			f |= emu.StopPoints
		}
	}
	if ex.core.Config().KeepAll && !u.ticking || u.trial > 0 {
		f |= emu.RecordAll
	}
	if ex.calls.insideAllocator(u.th, 0) {
		f |= emu.Unchecked
	}
	return f
}

// tries: what is run is only tried, and taken back.
func (ex *execution) tries() bool { return ex.step.probing || ex.step.trying }
