package scheduler

import (
	"strings"

	"landgo/internal/image"
	"landgo/internal/trace"
)

// atEnding makes a thread stand before the guest's end.
func (s *library) atEnding(th *thread) (verdict, error) {
	pc := s.callSite(th)
	switch th.role {
	case image.ProcessExit:
		if s.cfg.Tested {
			return step, nil
		}
		if s.exitHandlers.Get() != 0 || s.ownDestructors || th.atExit {
			return step, nil // they are the guest's own code
		}
		if int32(th.arg(0)) != 0 {
			return s.enterQuiet(th, false) // a bug: its output is wanted, so buffers are flushed
		}
		th.Stand, th.phase = StandOp, phaseEntry
		return stay, nil
	case image.AssertFail:
		return stay, s.fail(th, &Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: s.assertMessage(th)})
	case image.Panic:
		return stay, s.fail(th, &Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: "panic: " + strings.TrimRight(s.format(th, s.formatPlace(th)), "\n")})
	case image.TestReport:
		if int32(th.arg(0)) == 0 {
			return step, nil
		}
		return stay, s.fail(th, &Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: "the test reports failure"})
	}
	if b := s.roles[th.Regs.RIP]; b.Own {
		return stay, s.fail(th, &Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: b.Name + " was called"})
	}
	if s.handlesAbort() {
		return step, nil
	}
	return stay, s.fail(th, &Failure{Kind: trace.Assertion, Thread: th.ID, PC: pc, Message: "abort() was called"})
}

// formatPlace is the place of the format among a panic function's arguments, from
// 0: what it formats comes right behind it.
func (s *library) formatPlace(th *thread) int {
	if places := s.roles[th.Regs.RIP].Args; places != nil {
		return places[0] - 1
	}
	return 0
}
