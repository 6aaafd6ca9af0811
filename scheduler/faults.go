package scheduler

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// Calls that fail because the search has them fail (Config.Faults). Such a call begins a
// step, and has an outcome more for each kind that it can fail with, as long as the
// execution may have another failure of the kind. It begins a step after that too: where
// steps end may not depend on what others have had. Which failure is whose is told apart
// by the outcome alone, so that a failure commutes with what doesn't depend on the call.
// With the failures that there may be used up, another call's outcome isn't possible any
// more. That makes no two calls dependent: the first outcome of each always is possible,
// and whatever an execution has, it has in each order of its steps (por/optimal.go).

// Failer is a kernel of which calls can be had fail.
type Failer interface {
	// CanFail reports whether the call at which a thread stands can fail so.
	CanFail(t trace.TID, k trace.FaultKind) bool
	// Fail carries it out as one that does, as Do does.
	Fail(t trace.TID, k trace.FaultKind) kernel.Outcome
}

// MayFail reports whether the execution may have another failure of a kind.
func (s *present) MayFail(k trace.FaultKind) bool {
	used := s.failed.Get()
	if s.cfg.Faults[k] <= uint8(used>>(8*k)) {
		return false
	}
	return s.mostFaults == nil || s.Failures() < *s.mostFaults
}

// Failures is how many failures the execution has had.
func (s *present) Failures() (n int) {
	for used := s.failed.Get(); used != 0; used >>= 8 {
		n += int(used & 0xff)
	}
	return n
}

// LimitFaults has executions have n failures at the most, of all kinds together; fewer
// than none: as many as Config.Faults says.
func (s *System) LimitFaults(n int) {
	if s.mostFaults = &n; n < 0 {
		s.mostFaults = nil
	}
	s.Unlist()
	for _, w := range s.twins {
		w.LimitFaults(n)
	}
}

// Failed notes a failure of what a thread called at pc; arg says what was asked for.
func (s *present) Failed(t trace.TID, tr *trace.Transition, k trace.FaultKind, pc, arg uint64) {
	s.machine.Put(&s.failed, s.failed.Get()+1<<(8*k))
	s.threads[t].Effects++
	tr.Did(trace.Op{Kind: trace.OpFault, Obj: uint64(k), Arg: arg, PC: pc})
}

// Faultable reports whether calls of a kind may be had fail where a thread stands: in the
// program's own code, after the beginning of main.
func (s *System) Faultable(t trace.TID, k trace.FaultKind) bool {
	th := &s.threads[t]
	return s.cfg.Faults[k] > 0 && s.Entered() && !th.Starting && s.lib.Running(t)&(RunsFollowed|RunsQuiet) == 0
}

// trapFaults are the kinds of failures that a trap can end with, whether or not the
// execution may have another.
func (s *System) trapFaults(th *thread) (list []trace.FaultKind) {
	f, ok := s.kernel.(Failer)
	if !ok || !s.cfg.Faults.Any() {
		return nil
	}
	for k := range trace.NumFaults {
		inside := k == trace.FaultMalloc && s.cfg.NativeMalloc && s.cfg.Faults[k] > 0 && s.Entered() && s.lib.Running(th.ID)&RunsFollowed != 0
		if (inside || s.Faultable(th.ID, k)) && f.CanFail(th.ID, k) {
			list = append(list, k)
		}
	}
	return list
}

// trapFault is the failure that outcome c of a trap is, whose own outcomes are so many.
func (s *System) trapFault(th *thread, c trace.Choice, outcomes uint32) (trace.FaultKind, bool) {
	n := int(c) - int(max(outcomes, 1))
	if n < 0 {
		return 0, false
	}
	for _, k := range s.trapFaults(th) {
		if !s.MayFail(k) {
			continue
		}
		if n == 0 {
			return k, true
		}
		n--
	}
	return 0, false
}

// faultOutcomes is how many outcomes the failures of a trap are.
func (s *System) faultOutcomes(th *thread) (n uint32) {
	for _, k := range s.trapFaults(th) {
		if s.MayFail(k) {
			n++
		}
	}
	return n
}

// Assumed reports whether a thread is at an assumption that doesn't hold.
func (s *System) Assumed() bool {
	for i := range s.threads {
		if th := &s.threads[i]; th.Exists && th.Stand == StandTrap && s.kernel.Plan(th.ID, th.trap).Op.Kind == trace.OpAssume {
			return true
		}
	}
	return false
}
