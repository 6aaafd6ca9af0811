package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// Errors of the heap that don't stop the machine: an access to a block that was freed, a
// read out of bounds, a free by the wrong function. Where the user wants to know what
// comes behind them, they are let through: the step goes on as it would on a machine,
// and the error is remembered. Each place is remembered once in an execution.
//
// The access finds the bytes in memory there, by this execution's order of events, and is
// an event like any other. So the thread's steps stay a function of the schedule, and the
// search sees all that they depend on.

// letThrough reports whether a failure is one to let through. reads: it is a read.
func (k *Blocks) letThrough(f *Failure, reads bool) bool {
	switch {
	case k.in.cfg.LetThrough == nil || k.in.steered():
		return false
	case f.Kind == trace.UseAfterFree, f.Kind == trace.HeapOverflow && reads, f.Kind == trace.InvalidFree:
	default:
		return false
	}
	f.Stack, f.At = k.in.Stack(f.Thread), k.in.threads[f.Thread].Insns+1
	if !k.in.cfg.LetThrough(f) {
		return false
	}
	if k.attempt.probing || k.attempt.scouting || k.attempt.trying {
		return true // it is taken back
	}
	for _, known := range k.in.through {
		if known.Kind == f.Kind && known.PC == f.PC {
			return true
		}
	}
	k.in.through = append(k.in.through, f)
	return true
}

// LetThrough lists the errors that the execution went past, in order.
func (s *state) LetThrough() []*Failure { return s.through }

// WrongFree reports whether a block that another function gave out may be freed all the
// same.
func (k *Blocks) WrongFree(f *Failure) bool { return k.letThrough(f, false) }

// passBlock lets the access through at which a thread has stopped, if it is to be. It
// runs the instruction again, without a look at blocks. The argument before is how
// many accesses tr had before the run that stopped.
func (k *Blocks) passBlock(th edit, tr *trace.Transition, stop *emu.Stop, before int) (allow uint32, pass bool) {
	if k := stop.Fault.Kind; k != emu.FaultBlockRead && k != emu.FaultBlockWrite {
		return 0, false
	}
	th.Regs = stop.Regs
	if !k.letThrough(k.FaultFailure(th.ID, stop.Fault), stop.Fault.Kind == emu.FaultBlockRead) {
		return 0, false
	}
	// The run has recorded what the instruction did by then, and the next one will.
	insn := uint16(stop.Insns + 1)
	for n := len(tr.Accesses); n > before && tr.Accesses[n-1].Insn == insn; n-- {
		tr.Accesses = tr.Accesses[:n-1]
		allow++
	}
	return allow, true
}
