package scheduler

import (
	"strings"

	"landgo/image"
)

// atEnding makes a thread stand before the guest's end.
func (s *System) atEnding(th *thread) (verdict, error) {
	pc := s.callSite(th)
	switch th.role {
	case image.ProcessExit:
		if s.cfg.PointsOnly {
			return step, nil
		}
		if s.exitHandlers != 0 || s.ownDestructors {
			return step, nil // they are the guest's own code
		}
		if int32(th.arg(0)) != 0 {
			return s.enterQuiet(th, false) // a bug: its output is wanted, so buffers are flushed
		}
		th.stand, th.phase = standOp, phaseEntry
		return stay, nil
	case image.AssertFail:
		return stay, s.fail(th, &Failure{Kind: Assertion, Thread: th.id, PC: pc, Message: s.assertMessage(th)})
	case image.Panic:
		return stay, s.fail(th, &Failure{Kind: Assertion, Thread: th.id, PC: pc, Message: "panic: " + strings.TrimRight(s.format(th, 0), "\n")})
	case image.TestReport:
		if int32(th.arg(0)) == 0 {
			return step, nil
		}
		return stay, s.fail(th, &Failure{Kind: Assertion, Thread: th.id, PC: pc, Message: "the test reports failure"})
	}
	if s.handlesAbort() {
		return step, nil
	}
	return stay, s.fail(th, &Failure{Kind: Assertion, Thread: th.id, PC: pc, Message: "abort() was called"})
}
