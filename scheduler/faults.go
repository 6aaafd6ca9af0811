package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Calls that fail because the search has them fail (Config.Faults). Such a call begins a
// step. It has an outcome more for each kind that it can fail with, as long as the
// execution may have another failure of the kind. It begins a step after that too: where
// steps end may not depend on what others have had. Which failure is whose is told apart
// by the outcome alone, so that a failure commutes with what doesn't depend on the call.
// With the failures that there may be used up, another call's outcome isn't possible any
// more. That makes no two calls dependent: the first outcome of each always is possible,
// and whatever an execution has, it has in each order of its steps (por/optimal.go).

// Failer is a kernel whose calls can be made to fail. Failing is of the failures
// that executions may have.
type Failing struct {
	in   *present
	most *int // see LimitFaults; nil: no limit
	// failed is how many there were of each kind, a byte each.
	failed emu.Cell
}

type Failer interface {
	// CanFail reports whether the call at which a thread stands can fail so.
	CanFail(t trace.TID, k trace.FaultKind) bool
	// Fail carries it out as one that does, as Do does.
	Fail(t trace.TID, k trace.FaultKind) kernel.Outcome
}

// May reports whether the execution may have another failure of a kind.
func (g *Failing) May(k trace.FaultKind) bool {
	used := g.failed.Get()
	if g.in.cfg.Faults[k] <= uint8(used>>(8*k)) {
		return false
	}
	return g.most == nil || g.Count() < *g.most
}

// Count is how many failures the execution has had.
func (g *Failing) Count() (n int) {
	for used := g.failed.Get(); used != 0; used >>= 8 {
		n += int(used & 0xff)
	}
	return n
}

// LimitFaults has executions have n failures at the most, of all kinds together; fewer
// than none: as many as Config.Faults says.
func (s *System) LimitFaults(n int) {
	if s.Failing.most = &n; n < 0 {
		s.Failing.most = nil
	}
	s.Unlist()
	for _, w := range s.twins.beside {
		w.LimitFaults(n)
	}
}

// Failed notes a failure of what a thread called at pc; arg says what was asked for.
func (g *Failing) Failed(t trace.TID, tr *trace.Transition, k trace.FaultKind, pc, arg uint64) {
	g.in.machine.Put(&g.failed, g.failed.Get()+1<<(8*k))
	g.in.edit(t).Effects++
	tr.Did(trace.Op{Kind: trace.OpFault, Obj: uint64(k), Arg: arg, PC: pc})
}

// Possible reports whether calls of a kind may be had fail where a thread stands: in the
// program's own code, after the beginning of main.
func (g *Failing) Possible(t trace.TID, k trace.FaultKind) bool {
	th := &g.in.threads[t]
	return g.in.cfg.Faults[k] > 0 && g.in.Entered() && !th.Starting && g.in.lib.Running(t)&(RunsFollowed|RunsQuiet) == 0
}

// kinds are the kinds of failures that a trap can end with, whether or not the
// execution may have another.
func (g *Failing) kinds(th *thread) (list []trace.FaultKind) {
	if !g.in.cfg.Faults.Any() || th.copying().on { // in the midst of a copy it's too late
		return nil
	}
	f, ok := g.in.kernel.(Failer)
	if !ok {
		return nil
	}
	for k := range trace.NumFaults {
		inside := k == trace.FaultMalloc && g.in.cfg.OwnAllocator && g.in.cfg.Faults[k] > 0 && g.in.Entered() && g.in.lib.Running(th.ID)&RunsFollowed != 0
		if (inside || g.Possible(th.ID, k)) && f.CanFail(th.ID, k) {
			list = append(list, k)
		}
	}
	return list
}

// chosen is the failure that outcome c of a trap is, whose own outcomes are this many.
func (g *Failing) chosen(th *thread, c trace.Choice, outcomes uint32) (trace.FaultKind, bool) {
	n := int(c) - int(max(outcomes, 1))
	if n < 0 {
		return 0, false
	}
	for _, k := range g.kinds(th) {
		if !g.May(k) {
			continue
		}
		if n == 0 {
			return k, true
		}
		n--
	}
	return 0, false
}

// outcomes is how many outcomes the failures of a trap are.
func (g *Failing) outcomes(th *thread) (n uint32) {
	for _, k := range g.kinds(th) {
		if g.May(k) {
			n++
		}
	}
	return n
}

// Assumed reports whether a thread is at an assumption that doesn't hold.
func (s *present) Assumed() bool {
	for i := range s.threads {
		if th := &s.threads[i]; th.Exists && th.copying().never || th.Exists && th.Stand == StandTrap && s.kernel.Plan(th.ID, th.trap).Op.Kind == trace.OpAssume {
			return true
		}
	}
	return false
}

// unassumed reports whether a thread is there, or would be with the next read, before which it waits.
func (s *present) unassumed() bool {
	for i := range s.threads {
		if th := &s.threads[i]; th.Exists && th.Stand == StandSpin && th.assumes {
			return true
		}
	}
	return s.Assumed()
}
