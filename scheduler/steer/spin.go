package steer

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A thread that waits in a loop, with interrupts on, for what another does
// (while (!flag);): an exact spin, as in spin.go. It will do the same until a byte
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
func (s *Kernel) spins(th *thread) (bool, error) {
	if err := s.flush(); err != nil || s.gap.Get() != gapNone || s.user.Get() {
		return false, err
	}
	r := emu.Run{From: emu.Ctx(s.cpu.Get()), Thread: th.ID, Flags: emu.Quiet | emu.TracePCs | emu.IgnoreBreaks, Budget: 3 * scheduler.MaxPeriod}
	k, mem := s.machine.Mark(), s.machine.Journal()
	defer s.machine.Rewind(k)
	stop := s.machine.Run(&r)
	p := scheduler.Period(stop.PCs)
	if stop.Why != emu.StopBudget || p == 0 {
		return false, nil
	}
	s.machine.Rewind(k)
	// Nothing is learned of sharing: what it reads it has read before.
	r.Flags, r.Budget = emu.RecordAll|emu.IgnoreBreaks, uint64(p)
	stop = s.machine.Run(&r)
	same := stop.Why == emu.StopBudget && s.machine.SameCPU(emu.Ctx(s.cpu.Get()), stop.Ctx) == 0 &&
		s.machine.Unchanged([]emu.Stretch{{From: mem, To: s.machine.Journal()}}, s.dead(th))
	return same && s.spinsOn(th, slices.Clone(stop.Accesses)), nil
}

// spinsOn has a thread wait for a change of what its loop reads, unless that is
// what ticks change.
func (s *Kernel) spinsOn(th *thread, as []trace.Access) bool {
	for i := range as {
		ticks := false
		granules(&as[i], func(g uint64, bytes uint8) { ticks = ticks || s.known.Ticked[g].Writes&bytes != 0 })
		if ticks || as[i].IsWrite() && as[i].Flags&trace.Silent == 0 {
			return false
		}
	}
	s.SpinOn(th.ID, as)
	return true
}

// findSpin looks for an earlier step of a thread that began as the one under way has
// ended.
func (s *Kernel) findSpin(th *thread, tr *trace.Transition) {
	at := emu.Ctx(s.cpu.Get())
	if !s.on.Get() || tr.End != trace.EndPoint || uint64(th.ID) != s.running.Get() || th.own.Interrupted || th.own.State != ownReady ||
		th.Stand != scheduler.StandRun && th.Stand != scheduler.StandAccess || th.own.Halted || s.aloneOwn() || s.gap.Get() != gapNone || s.user.Get() {
		return
	}
	for i, n := th.LastStep, 0; i != 0 && n < maxSpinBack; n++ {
		st := &s.steps[i-1]
		if st.ticks != s.ticks.Get() || st.ports != s.ports.Get() || st.clock != s.machine.ClockReads() || !calmOwn(st.tr) {
			return
		}
		if st.at == th.ID && st.insns != th.Insns && st.pc == th.Regs.RIP && s.machine.SameCPU(st.ctx, at) == 0 {
			reads, disturbed, own := s.ReadsSince(th.ID, i-1)
			if !disturbed && s.machine.Unchanged(own, s.dead(th)) {
				s.spinsOn(th, reads)
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
func (s *path) someSpins() bool {
	for i := range s.threads {
		if s.threads[i].Exists && s.threads[i].Stand == scheduler.StandSpin {
			return true
		}
	}
	return false
}
