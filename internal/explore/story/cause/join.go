package cause

import (
	"fmt"
	"slices"

	"landgo/internal/trace"
)

// Threads that are joined too late.

// missingJoin: a thread reads what a thread that it created writes, without waiting. Where locks or atomic
// accesses keep the two apart, a run that passes has to join the other thread after the read. What is
// atomic may be meant to be looked at: then the reader has to have joined another writer before.
func (pr *Pair) missingJoin(f *flip) string {
	if !isChild(f.early.thread, f.late.thread) || pr.Joins(f.other, f.thread, f.first.Beat) {
		return ""
	}
	atomic := pr.IsAtomic(pr.AccessAt(f.first))
	if apart := atomic || len(f.earlyHeld) > 0 || len(pr.Held(f.first)) > 0; apart && !pr.passes.joinsAfter(f.other, f.thread, f.late.at) {
		return ""
	}
	_, by, found := pr.Source(f.first)
	if third := found && by != f.other && by != f.thread; (atomic || third) && !pr.joinedAnother(f) || !pr.goesBy(f) {
		return "" // it looks on while others are at work, as a reader of a queue does
	}
	for _, run := range []*Case{pr.Case, pr.passes} {
		if run.looksOften(f, run == pr.passes) || run.waitsForOthers() {
			return ""
		}
	}
	data := pr.Shown(f.first)
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" {
		return ""
	}
	return fmt.Sprintf("Thread %s reads %s (%s) without waiting for thread %s, which it created and which writes that (%s). Join the thread before the read.", data.Thread, data.Name(), f.here, f.early.thread, f.earlyIs)
}

// looksOften reports whether the late thread of a flip reads the same at another place too.
func (cs *Case) looksOften(f *flip, passes bool) bool {
	here := f.first
	if passes {
		here = f.late.at
	}
	for x, o := range cs.Backward(f.other, cs.End()) {
		if x != here && o.Addr == cs.AccessAt(here).Addr && !o.IsWrite() {
			return true
		}
	}
	return false
}

// waitsForOthers reports whether threads wait for each other in other ways than for their ends.
func (cs *Case) waitsForOthers() bool {
	for i := range cs.Beats {
		for k := range cs.Beats[i].Ops {
			switch cs.Beats[i].Ops[k].Kind {
			case trace.OpCondWait, trace.OpSemWait, trace.OpBarrierArrive:
				return true
			}
		}
	}
	return false
}

// joinsAfter reports whether a thread joins another one after an access.
func (cs *Case) joinsAfter(t, other trace.TID, x at) bool {
	for _, c := range cs.Calls(uint64(other), trace.OpJoin) {
		if cs.By(c) == t && !cs.After(x, c) {
			return true
		}
	}
	return false
}

// goesBy reports whether the late thread of a flip fails by what it has read. It changes that nowhere
// while the other one is there, and reads nothing else of another thread's after it.
func (pr *Pair) goesBy(f *flip) bool {
	for x, a := range pr.Forward(f.other, at{}) {
		alone := x.Before(f.first) && pr.Between(x, f.first, trace.OpCreate, f.thread)
		if a.IsWrite() && f.late.overlaps(a) && !alone {
			return false
		}
		if _, by, ok := pr.Source(x); f.first.Before(x) && !a.IsWrite() && ok && by != f.other {
			return false
		}
	}
	return true
}

// joinedAnother reports whether the late thread of a flip has joined another thread that writes the same.
func (pr *Pair) joinedAnother(f *flip) bool {
	return slices.ContainsFunc(pr.Born(), func(by trace.TID) bool {
		if by == f.other || !pr.Joins(f.other, by, f.first.Beat) {
			return false
		}
		for _, a := range pr.Forward(by, at{}) {
			if a.IsWrite() && f.late.overlaps(a) {
				return true
			}
		}
		return false
	})
}
