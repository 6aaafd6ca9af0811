package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// Companion has the calls of a System to a guest that schedules its threads itself (steered.go).
type Companion interface {
	// Keep keeps what is known of a thread. It is asked for whenever the System keeps
	// its own.
	Keep(trace.TID)
	// TakeUp takes up all but the first n again that were kept, the latest first. This many of
	// the path's steps are left.
	TakeUp(n, steps int)
	// Word reads a word of memory by the guest's own addresses; false: nothing is there.
	Word(va uint64) (uint64, bool)
	// Registers are a thread's: the processor's, if it runs.
	Registers(trace.TID) emu.Regs
}
