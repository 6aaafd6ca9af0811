package scheduler

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Signals that come between a thread's instructions.
//
// A handler is another party in its thread: where it comes matters to what both
// touch, as if another thread did it. So, once a thread was sent a signal by
// another,
//   - each of its steps has OpTurn, on which the coming of a signal depends, and its end is a step;
//   - what a handler touches is shared with other threads that do, its own thread too,
//     but for the stack below where the thread stood;
//   - a lock that it takes isn't merged with what comes next (library/lockmerge.go);
//   - its accesses count as another thread's, and no lock protects them from their
//     own thread's (witness/sights.go).
//
// That a thread gets signals is a fact (known.Facts.Signalled). A handler that is left by a jump
// counts as running for ever. The signals that cancel a thread are left out, unless threads may
// be cancelled anywhere: their handlers are trusted code, and look at nothing that the thread
// is about.

// SeeLife learns that threads look whether others live.
func (g *signals) SeeLife() {
	if !g.learning.known.Exits {
		g.learning.known.Exits, g.learning.finer = true, true
	}
}

// sends learns of a signal to another thread, or of a look whether it lives.
func (g *signals) sends(th *thread, op trace.Op) {
	switch {
	case op.Kind != trace.OpCancel || op.Obj == uint64(th.ID):
	case op.Arg == 0:
		g.SeeLife()
	case g.in.lib.Own(op.Arg):
	case !g.learning.known.Signalled.Has(op.Obj):
		g.learning.known.Signalled[op.Obj], g.learning.finer = true, true
	}
}

// Receiver is a kernel in which a thread that a signal has woken looks once more for what it waits for.
type Receiver interface {
	// LastTry tries the call that the signal has interrupted once more, for a thread that stands
	// at a handler's first instruction. regs are the handler's, and change where another handler
	// comes first. name is the call's. nil: there was no call. The result is valid until the
	// kernel's next call.
	LastTry(t trace.TID, regs *emu.Regs) (out *kernel.Outcome, name string)
}

// takesSignals reports whether a call is the one by which a thread takes signals again
// that it has just created another. The function that creates threads blocks them all meanwhile: one to the
// process goes to another thread then.
func (g *signals) takesSignals(th *thread, p *kernel.Plan) bool {
	return p.Unmasks && g.createsQuietly(th) && len(g.learning.known.Signalled) > 0
}

// createsQuietly: it is in a trusted function that creates a thread, not in a
// handler.
func (g *signals) createsQuietly(th *thread) bool {
	return !th.Starting && g.in.lib.Running(th.ID)&(RunsCreate|RunsFollowed) == RunsCreate
}

// Interrupt implements kernel.Interrupter.
func (s *System) Interrupt(t trace.TID, regs *emu.Regs) {
	sp, pc := s.Regs(t).RSP, s.Regs(t).RIP
	th := s.edit(t)
	nap := trace.Op{}
	if th.napping {
		nap, th.napping = th.pending, false
	}
	s.unreads.exposes(t)
	s.Traps.sent = append(s.Traps.sent, s.lib.Interrupted(t, regs.RDI, regs.RSP, nap)...)
	if calls := th.Stand == StandSleep || th.Stand == StandTrap; th.left == 0 && !(calls && s.lib.Own(regs.RDI)) {
		th.left, th.leftAt = sp, emu.Range{Lo: pc, Hi: pc + 1}
		if calls { // the call may be over, or start again
			th.leftAt.Lo, th.leftAt.Hi = pc-uint64(th.trap.Len), pc+uint64(th.trap.Len)+1
		}
	}
	if len(th.copying().left) == 0 { // Linux has the handler come behind the call, or the call begin again
		th.copies = nil
	}
	s.SetRegs(t, regs)
	th.limited, th.handles, th.woken = true, true, false // the handler may begin at a breakpoint
	if s.Undrained(t) {
		th.fence = atHandler
	}
	if by := &s.threads[max(s.current, 0)]; !by.isArrival() && !by.isTimer() && !s.lib.Own(regs.RDI) {
		s.seen.record.Met.AtOnce = true
	}
	if s.known.Signalled.Has(uint64(t)) && th.Interrupted == 0 && !s.timers.on() && !s.lib.Own(regs.RDI) {
		th.Interrupted = sp
	}
}

// endInterrupt ends a handler that returned to where its thread stood.
func (th edit) endInterrupt() {
	if th.Regs.RSP >= th.Interrupted {
		th.Interrupted = 0
	}
	if th.Regs.RSP >= th.left && th.Regs.RIP >= th.leftAt.Lo && th.Regs.RIP < th.leftAt.Hi {
		th.left = 0
	}
}

// seeTorn learns that a signal leaves a thread in its midst: its handler jumps away, or ends the
// thread, as asynchronous cancellation does. What the thread has done until then is told by its
// memory, also to a thread that joins it: such memory is shared.
func (g *signals) seeTorn(th *thread) {
	k := &g.learning.known
	if !k.Torn || !k.Signalled[uint64(th.ID)] {
		k.Torn, k.Signalled[uint64(th.ID)], g.learning.finer = true, true, true
	}
}

// handlersOwn is the part of its thread's stack that a handler has for itself:
// nothing where the stack may be part of something else.
func (g *signals) handlersOwn(th *thread) emu.Range {
	if th.ID != 0 && !th.OwnStack {
		return emu.Range{}
	}
	hi := (th.Interrupted - abi.RedZone) &^ 7
	return emu.Range{Lo: g.in.Stacks.mappingStart(hi - 1), Hi: hi}
}

// party is the maker of a thread's accesses: the thread, with the locks that it holds, or
// its handler, which no lock protects from it.
func (g *signals) party(th *thread) (trace.TID, []uint64) {
	if th.Interrupted != 0 {
		return ^th.ID, nil
	}
	return th.ID, g.in.lib.Holds(th.ID)
}
