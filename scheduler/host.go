package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// What a kernel asks of its threads (kernel.Host).

// Host is the System as its guest's kernel has it.
func (s *System) Host() kernel.Host {
	return kernel.Host{Machine: s.machine, Threads: s, Interrupter: s}
}

// Intern implements kernel.Threads.
func (s *System) Intern(parent trace.TID, n uint64) (trace.TID, error) {
	known := s.names.Len()
	t, err := s.names.Intern(parent, n)
	if s.sealed && s.names.Len() > known {
		s.finer = true
	}
	return t, err
}

// Regs implements kernel.Threads.
func (s *System) Regs(t trace.TID) *emu.Regs {
	th := edit{&s.threads[t]} // what is kept of it here follows from the processor
	s.buffers.endStores(th.thread)
	if t != s.current && th.Set == 0 && (th.Stand == StandAccess || th.Stand == StandSpin || th.Stand == StandRun) {
		th.Regs = s.machine.Regs(th.Ctx) // regs is a cache then
	}
	return &th.Regs
}

// SetRegs implements kernel.Threads.
func (s *present) SetRegs(t trace.TID, regs *emu.Regs) {
	th := s.edit(t)
	th.Regs, th.Set, th.Half = *regs, trace.AllRegs, 0
	th.Effects++
	if th.Stand != StandSleep {
		th.Stand = StandRun
	}
}

// CPU implements kernel.Interrupter.
func (s *System) CPU(t trace.TID) emu.Ctx {
	s.pinned, s.spins.cpuKept = s.threads[t].Ctx, true
	return s.pinned
}

// KeepCPU implements kernel.Interrupter.
func (s *scratch) KeepCPU(c emu.Ctx) { s.pinned = c }

// SetResult implements kernel.Threads.
func (s *present) SetResult(t trace.TID, v uint64) {
	th := s.edit(t)
	th.Regs.RAX = v
	th.Set |= trace.RAX
}
