package steer

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler"
	"landgo/scheduler/spins"
)

// A thread that waits in a loop, with interrupts on, for what another does
// (while (!flag);): an exact spin, as in scheduler/spin.go. It will do the same until a byte
// changes that it reads, however many ticks come; so it isn't run again before.
// Where it reads what ticks change, it waits for time, and is none.
//
// It is found out in two ways:
//
//   - The loop has no points: after a stretch of instructions, the period of its
//     program counters is looked for, and one more turn is tried.
//   - It has: the thread's earlier steps are walked back to one that began in this
//     state, with the processor its own all the time, and no tick in between.
//
// Where no other thread can run any more, ticks are tried first (checkIdle): whether one
// changes what a loop reads isn't known if none has come. Loops of user programs are
// run as they are.

// maxSpinBack is how many steps are walked back.
const maxSpinBack = 16

// spins reports whether a thread that has run for long is in such a loop, and has it
// wait then.
func (o *rounds) spins(th *thread) (bool, error) {
	if err := o.proc.flush(); err != nil || o.in.gap.Get() != gapNone || o.in.user.Get() {
		return false, err
	}
	r := emu.Run{From: emu.Ctx(o.in.cpu.Get()), Thread: th.ID, Flags: emu.Quiet | emu.TracePCs | emu.IgnoreBreaks, Budget: 3 * spins.MaxPeriod}
	k, mem := o.in.machine.Mark(), o.in.machine.Journal()
	defer o.in.machine.Rewind(k)
	stop := o.in.machine.Run(&r)
	p := spins.Period(stop.PCs)
	if stop.Why != emu.StopBudget || p == 0 {
		return false, nil
	}
	o.in.machine.Rewind(k)
	// Nothing is learned of sharing: what it reads it has read before.
	r.Flags, r.Budget = emu.RecordAll|emu.IgnoreBreaks, uint64(p)
	stop = o.in.machine.Run(&r)
	same := stop.Why == emu.StopBudget && o.in.machine.SameCPU(emu.Ctx(o.in.cpu.Get()), stop.Ctx) &&
		o.in.machine.Unchanged([]emu.Stretch{{From: mem, To: o.in.machine.Journal()}}, o.in.dead(th))
	return same && o.spinsOn(th, slices.Clone(stop.Accesses)), nil
}

// spinsOn has a thread wait for a change of what its loop reads, unless ticks
// change that.
func (o *rounds) spinsOn(th *thread, as []trace.Access) bool {
	for i := range as {
		ticks := false
		granules(&as[i], func(g uint64, bytes uint8) { ticks = ticks || o.known.Ticked[g].Writes&bytes != 0 })
		if ticks || as[i].IsWrite() && as[i].Flags&trace.Silent == 0 {
			return false
		}
	}
	o.core.SpinOn(th.ID, as)
	return true
}

// findSpin looks for an earlier step of a thread that began as the one under way has
// ended.
func (o *rounds) findSpin(th *thread, tr *trace.Transition) {
	at := emu.Ctx(o.in.cpu.Get())
	if !o.in.on.Get() || tr.End != trace.EndPoint || uint64(th.ID) != o.in.running.Get() || th.own.Interrupted || th.own.State != ownReady ||
		th.Stand != scheduler.StandRun && th.Stand != scheduler.StandAccess || th.own.Halted || o.in.aloneOwn() || o.in.gap.Get() != gapNone || o.in.user.Get() {
		return
	}
	for i, n := th.LastStep, 0; i != 0 && n < maxSpinBack; n++ {
		st := &o.in.steps[i-1]
		if st.ticks != o.in.ticks.Get() || st.ports != o.in.ports.Get() || st.clock != o.in.machine.ClockReads() || !calmOwn(st.tr) {
			return
		}
		if st.at == th.ID && st.insns != th.Insns && st.pc == th.Regs.RIP && o.in.machine.SameCPU(st.ctx, at) {
			reads, disturbed, own := o.core.ReadsSince(th.ID, i-1)
			if !disturbed && o.in.machine.Unchanged(own, o.in.dead(th)) {
				o.spinsOn(th, reads)
			}
			return
		}
		i = st.prev
	}
}

// calmOwn reports whether a step had no effect on another thread.
func calmOwn(tr *trace.Transition) bool {
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.IsWrite() && a.Flags&trace.Silent == 0 {
			return false
		}
	}
	for i := range tr.Ops {
		switch tr.Ops[i].Kind {
		case trace.OpInterruptsOff, trace.OpInterruptsOn:
		case trace.OpSyscall:
			if tr.Ops[i].Arg != 0 {
				return false
			}
		default:
			return false
		}
	}
	return len(tr.Wakes) == 0
}

// someSpins: a thread spins.
func (k *path) someSpins() bool {
	for i := range k.threads {
		if k.threads[i].Exists && k.threads[i].Stand == scheduler.StandSpin {
			return true
		}
	}
	return false
}
