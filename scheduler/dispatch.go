package scheduler

import (
	"fmt"

	"landgo/internal/trace"
)

// step carries out what the thread stands at, then lets it run on.
func (s *System) step(th edit, tr *trace.Transition, c trace.Choice) error {
	th.Yielding, th.Waits, th.awaits, th.turns, th.leaving, th.leavingRegs, th.woken, th.hint, th.whole, th.parked = false, nil, false, 0, nil, 0, false, nil, false, false
	s.current = th.ID
	if th.Stand != StandFailure {
		s.lib.Steps(th.ID, tr)
	}
	switch th.Stand {
	case StandRun:
		if len(th.copying().left) > 0 {
			return s.Traps.stepCopy(th, tr)
		}
		return s.Advance(th.ID, tr, 0)
	case StandAccess:
		s.Stacks.uses(th.thread, th.Access.Addr)
		if th.returns != 0 {
			s.Stacks.returned(th, tr)
		}
		return s.Advance(th.ID, tr, 1)
	case StandOp:
		th.Half = 0
		s.Stacks.uses(th.thread, th.Regs.RDI)
		return s.lib.StepOp(th.ID, tr, c)
	case StandTrap:
		return s.Traps.stepTrap(th, tr, c)
	case StandSleep:
		return s.Traps.stepExpire(th, tr, c)
	case StandSpin:
		return s.stepPoll(th, tr, c)
	case StandFence:
		if th.atNone {
			th.atNone = false
			th.Insns++ // schedules name the states on both sides
		}
		return s.Advance(th.ID, tr, 0)
	case StandTimer:
		return s.timers.stepTimer(th, tr)
	case StandArrival:
		return s.arrivals.step(th, tr)
	case StandFailure:
		th.Half = 0
		th.Insns++ // the end counts: schedules name it
		tr.End = trace.EndBug
		tr.Did(trace.Op{Kind: trace.OpEnd})
		return nil
	}
	panic(fmt.Sprintf("scheduler: step of thread %d, which stands at %d", th.ID, th.Stand))
}

// stepPoll lets a thread go on whose next look moves the clock. All that others did comes
// before: no other thread can run.
func (s *System) stepPoll(th edit, tr *trace.Transition, c trace.Choice) error {
	th.Stand = th.spinStand
	if !s.known.Hurried {
		s.kernel.(clockKernel).LookMoves(th.ID, th.passes)
		th.passes++
		tr.Did(trace.Op{Kind: trace.OpAdvance, PC: s.PC(th.ID)})
	}
	return s.step(th, tr, c)
}
