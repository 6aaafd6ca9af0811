package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
)

// endless looks whether a thread that has run for long within one step is in a loop
// with no effect. It finds the period of the thread's program counters and tries one
// more turn. A loop of more than maxPeriod instructions isn't found and runs into the
// step budget. period is that of a loop that has an effect, 0 if there is none.
func (s *System) endless(th edit) (spins bool, period int) {
	// It may run on into a trusted function, so nothing is learned of sharing.
	r := emu.Run{From: th.Ctx, Thread: th.ID, Flags: emu.Quiet | emu.TracePCs | emu.IgnoreBreaks, Budget: 3 * MaxPeriod}
	k, mem := s.machine.Aside(), s.machine.Journal()
	defer s.machine.Return(k)
	stop := s.machine.Run(&r)
	if stop.Why != emu.StopBudget {
		return false, 0
	}
	p := Period(stop.PCs)
	if p == 0 {
		return false, 0
	}
	s.machine.Rewind(k)
	r.Flags = s.flags(th.thread, s.lib.Running(th.ID))&^(emu.StopShared|emu.StopAtomic|emu.StopPoints|emu.Hash) | emu.IgnoreBreaks | emu.RecordAll
	r.Budget = uint64(p)
	stop = s.machine.Run(&r)
	if stop.Why != emu.StopBudget || !s.machine.SameCPU(th.Ctx, stop.Ctx) || !s.spins.unchanged(mem, s.spins.redZone(th.thread)) {
		return false, p
	}
	if !s.spins.unchanged(mem, emu.Range{}) { // once more: see spinagain.go
		accesses := append([]trace.Access(nil), stop.Accesses...)
		once := stop.Ctx
		r.From, mem = once, s.machine.Journal()
		stop = s.machine.Run(&r)
		if stop.Why != emu.StopBudget || !s.machine.SameCPU(once, stop.Ctx) || !s.spins.unchanged(mem, emu.Range{}) || !slices.Equal(accesses, stop.Accesses) {
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

// MaxPeriod is the longest loop, in instructions, that endless finds.
const MaxPeriod = 1024

// Period is the shortest period of the last 2*maxPeriod program counters, or 0.
func Period(pcs []uint64) int {
	n := len(pcs)
	if n < 2*MaxPeriod {
		return 0
	}
	tail := pcs[n-2*MaxPeriod:]
next:
	for p := 1; p <= MaxPeriod; p++ {
		for i := p; i < len(tail); i++ {
			if tail[i] != tail[i-p] {
				continue next
			}
		}
		return p
	}
	return 0
}
