package steer

import (
	"landgo/emu"
	"landgo/internal/trace"
)

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

// ended is the happening when a guest has failed.
func (ex *execution) ended(_ *turn, err error) (happening, error) { return atEnd, err }
