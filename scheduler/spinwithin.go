package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// endless looks whether a thread that has run for long within one step is in a loop
// with no effect. It finds the period of the thread's program counters and tries one
// more turn. A loop of more than spins.MaxPeriod instructions isn't found and runs into the
// step budget. period is that of a loop that has an effect, 0 if there is none.
func (s *System) endless(th edit) (waits bool, period int) {
	// It may run on into a trusted function, so nothing is learned of sharing.
	r := emu.Run{From: th.Ctx, Thread: th.ID, Flags: emu.Quiet | emu.TracePCs | emu.IgnoreBreaks, Budget: 3 * spins.MaxPeriod}
	k, mem := s.machine.Aside(), s.machine.Journal()
	defer s.machine.Return(k)
	stop := s.machine.Run(&r)
	if stop.Why != emu.StopBudget {
		return false, 0
	}
	p := spins.Period(stop.PCs)
	if p == 0 {
		return false, 0
	}
	s.machine.Rewind(k)
	r.Flags = s.flags(th.thread, s.lib.Running(th.ID))&^(emu.StopShared|emu.StopAtomic|emu.StopPoints|emu.Hash) | emu.IgnoreBreaks | emu.RecordAll
	r.Budget = uint64(p)
	stop = s.machine.Run(&r)
	if stop.Why != emu.StopBudget || !s.machine.SameCPU(th.Ctx, stop.Ctx) || !s.trials.unchanged(mem, s.trials.redZone(th.thread)) {
		return false, p
	}
	if !s.trials.unchanged(mem, emu.Range{}) { // once more: see spinagain.go
		accesses := append([]trace.Access(nil), stop.Accesses...)
		once := stop.Ctx
		r.From, mem = once, s.machine.Journal()
		stop = s.machine.Run(&r)
		if stop.Why != emu.StopBudget || !s.machine.SameCPU(once, stop.Ctx) || !s.trials.unchanged(mem, emu.Range{}) || !slices.Equal(accesses, stop.Accesses) {
			return false, p
		}
	}
	for i := range stop.Accesses { // others don't see what is private: two calls leave their return addresses in one place
		if a := &stop.Accesses[i]; a.IsWrite() && a.Flags&(trace.Silent|emu.Private) == 0 {
			return false, p
		}
	}
	th.Stand = StandRun
	s.spinOn(th, stop.Accesses)
	return true, p
}
