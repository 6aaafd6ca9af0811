package cause

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Mistakes that a run that passes shows: two accesses come in an order that nothing
// ensures.

// Mistake names the mistake that a run and one that passes show together, or is "".
func (pr *Pair) Mistake(b *result.Bug, failed trace.TID) string {
	f := pr.flip
	if f == nil {
		return ""
	}
	for _, text := range []string{pr.heldAcross(b), pr.reset(b), pr.lookedOnce(failed)} {
		if text != "" {
			return text
		}
	}
	if f.late.op == nil && f.early.op == nil && !f.late.writes && f.early.writes && f.other == failed {
		if text := pr.halfSeen(f); text != "" {
			return text
		}
		if text := pr.doubleChecked(f); text != "" {
			return text
		}
		if text := pr.missingJoin(f); text != "" {
			return text
		}
	}
	if text := pr.changedTooEarly(f); text != "" {
		return text
	}
	half := func(f *flip) string {
		if f.other != failed {
			return ""
		}
		return pr.halfSeen(f)
	}
	join := func(f *flip) string {
		if f.other != failed {
			return ""
		}
		return pr.missingJoin(f)
	}
	before := func(f *flip) string { return pr.beforeLock(f, failed) }
	last := slices.Clone(pr.flips) // what is read last decides the failure
	slices.SortStableFunc(last, func(f, g flip) int {
		return cmp.Or(cmp.Compare(g.first.Beat, f.first.Beat), cmp.Compare(g.first.Access, f.first.Access))
	})
	for _, kind := range []func(*flip) string{pr.postedEarly, pr.announced, before, pr.letIn, half, join} {
		for i := range last {
			if text := kind(&last[i]); text != "" {
				return text
			}
		}
	}
	if len(b.Waits) > 0 {
		return ""
	}
	for _, text := range []string{pr.apart(failed), pr.underWay(failed), pr.oneRound(f)} {
		if text != "" {
			return text
		}
	}
	if text := pr.leftBehind(); text != "" {
		return text
	}
	return pr.neverLocked()
}

// changedTooEarly: a thread reads a variable at its start, and the thread that created it has
// changed that since.
func (pr *Pair) changedTooEarly(f *flip) string {
	if f.early.op != nil || f.late.op != nil || f.early.writes || !f.late.writes || !isChild(f.early.thread, f.late.thread) || !pr.passes.Begins(f.thread, f.early.at) {
		return ""
	}
	read, data := pr.passes.AccessAt(f.early.at), pr.Shown(f.first)
	created := pr.CreatedAt(f.thread)
	if pr.IsAtomic(read) || data.Symbol == "" || created.File == "" || f.here == "" || f.earlyIs == "" {
		return ""
	}
	return fmt.Sprintf("Thread %s creates thread %s (%s) and changes %s (%s) before that has read it (%s). Give each thread a variable of its own for what it begins with.",
		data.Thread, f.early.thread, created.Where(), data.Name(), f.here, f.earlyIs)
}

// beforeLock: a thread reads what another one changes under a lock, then takes that lock,
// and goes by what it has read.
func (pr *Pair) beforeLock(f *flip, failed trace.TID) string {
	data := pr.Shown(f.first)
	read := pr.AccessAt(f.first)
	if pr.IsAtomic(read) {
		return ""
	}
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" || len(f.earlyHeld) == 0 || len(pr.Held(f.first)) > 0 {
		return ""
	}
	lock := f.earlyHeld[len(f.earlyHeld)-1]
	for i := f.first.Beat; i < len(pr.Beats); i++ {
		for k := range pr.Beats[i].Ops {
			o := &pr.Beats[i].Ops[k]
			if pr.Beats[i].Step.Thread != f.other || !record.Takes(o) || i == f.first.Beat && int(o.At) <= f.first.Access {
				continue
			}
			from := at{Beat: i, Access: int(o.At)}
			if pr.guest.VariableName(o.Obj) != lock || pr.readsUnder(f, from, lock) && !(f.other == failed && pr.failsUnder(f, from)) && !pr.takesNothing(f, from) {
				return ""
			}
			return fmt.Sprintf("Thread %s reads %s (%s) before it takes %s (%s), under which thread %s changes it (%s). Read it after taking %s.",
				data.Thread, data.Name(), f.here, lock, pr.Place(call{Beat: i, Op: o}), f.early.thread, f.earlyIs, lock)
		}
	}
	return ""
}

// letIn: a thread reads what another one changes while both hold a lock for reading.
func (pr *Pair) letIn(f *flip) string {
	data := pr.Shown(f.first)
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" {
		return ""
	}
	its := pr.ReadHeld(f.other, f.first)
	for _, l := range pr.ReadHeld(f.thread, f.first) {
		if slices.Contains(its, l) && slices.Contains(f.earlyRead, l) {
			return fmt.Sprintf("Thread %s changes %s (%s) while it holds %s for reading, which lets thread %s in to read it (%s). Take it for writing.",
				f.early.thread, data.Name(), f.earlyIs, pr.guest.VariableName(l), data.Thread, f.here)
		}
	}
	return ""
}

// failsUnder reports whether the late thread of a flip finds another value under the lock, and fails by
// that without having released the lock or written anything.
func (pr *Pair) failsUnder(f *flip, from at) bool {
	for x, a := range pr.Forward(f.other, from) {
		if a.IsWrite() && a.Addr >= record.LowestVariable {
			return false
		}
		if f.late.overlaps(a) && pr.RawAt(x) == pr.RawAt(f.first) {
			return false
		}
	}
	return !pr.Operation(from, pr.End(), record.Unlocks) && pr.onlyOf(f.other, f.late.addr, from)
}

// takesNothing reports whether the late thread of a flip changes under the lock what it has looked at
// before, though nothing is left there. Two numbers that differed are equal, or one falls below 0.
func (pr *Pair) takesNothing(f *flip, from at) bool {
	looked := pr.AccessAt(f.first)
	for x, a := range pr.Forward(f.other, from) {
		if !a.IsWrite() || !f.late.overlaps(a) {
			continue
		}
		had, known := pr.valueAt(a, x)
		if known && had == 0 && pr.RawAt(x) == math.MaxUint64>>(64-8*a.Size) && pr.RawAt(f.first) != 0 {
			return true
		}
		n := 0
		for y, o := range pr.Backward(f.other, from) {
			if n++; n > 4 {
				break
			}
			if o.IsWrite() || o.Addr == looked.Addr || o.Size != looked.Size || len(pr.Held(y)) > 0 || pr.RawAt(y) == pr.RawAt(f.first) || pr.ObjectAt(y) != pr.ObjectAt(f.first) {
				continue
			}
			if now, ok := pr.valueAt(o, x); ok && known && now == had {
				return true
			}
		}
		return false
	}
	return false
}

// valueAt is the value of an access's bytes before another access, as far as the run has it.
func (cs *Case) valueAt(a *trace.Access, before at) (v uint64, ok bool) {
	for i := before.Beat; i >= 0; i-- {
		for k := len(cs.Beats[i].Accesses) - 1; k >= 0; k-- {
			if x := (at{Beat: i, Access: k}); x.Before(before) && cs.AccessAt(x).Addr == a.Addr && cs.AccessAt(x).Size == a.Size {
				return cs.RawAt(x), true
			}
		}
	}
	return 0, false
}

// readsUnder reports whether the late thread of a flip reads the same again while it holds a
// lock, and not only to change it.
func (pr *Pair) readsUnder(f *flip, from at, lock string) bool {
	until := at{Beat: len(pr.Beats)} // it releases the lock
	for i := from.Beat; i < len(pr.Beats) && until.Beat == len(pr.Beats); i++ {
		for k := range pr.Beats[i].Ops {
			o := &pr.Beats[i].Ops[k]
			if here := (at{Beat: i, Access: int(o.At)}); o.Kind == trace.OpUnlock && pr.Beats[i].Step.Thread == f.other && !here.Before(from) && pr.guest.VariableName(o.Obj) == lock {
				until = here
				break
			}
		}
	}
	for x, a := range pr.Forward(f.other, from) {
		if !x.Before(until) || f.late.overlaps(a) && a.IsWrite() {
			return false
		}
		if f.late.overlaps(a) && !pr.writesAt(f.other, x) {
			return true
		}
	}
	return false
}

// announced: a thread sees by a variable that another one has come so far, and then reads what that
// one writes only later. The variable is accessed atomically, or decides where the thread goes on.
// A lock word or a count changes again after that; such a variable isn't meant.
func (pr *Pair) announced(f *flip) string {
	data := pr.Shown(f.first)
	read := pr.AccessAt(f.first)
	if pr.IsAtomic(read) {
		return "" // it may be looked at on its own
	}
	if data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" || len(pr.Held(f.first)) > 0 {
		return ""
	}
	if pr.writesToo(f) {
		return "" // the two keep each other out, or mean to
	}
	for x, a := range pr.Backward(f.other, f.first) {
		if a.Addr < record.LowestVariable || f.late.overlaps(a) {
			continue
		}
		once := a.IsWrite() && pr.Exchanged(x)
		if a.IsWrite() && !once {
			continue
		}
		if pr.WaitsBetween(f.other, x, f.first) {
			return "" // what let it go on is that
		}
		w, by, ok := pr.Source(x)
		if once && (!ok || !pr.OnlyWrite(w)) {
			continue
		}
		if !ok || by != f.thread || len(pr.Held(x)) > 0 || !f.final(a.Addr) && !pr.firstMark(f, w) {
			continue
		}
		flag, set := pr.Shown(x), pr.Shown(w)
		if of, element := array(flag.Name()); element {
			if its, ok := array(data.Name()); ok && its == of {
				continue // two elements of one array are data both
			}
		}
		meant := pr.Declared(a) || pr.AccessAt(w).Flags&trace.Atomic != 0 || pr.code.Decides(a.PC, read.PC)
		if !meant || flag.Symbol == "" || flag.Bookkeeping || where(flag.Stack) == "" || where(set.Stack) == "" {
			continue
		}
		if once {
			return fmt.Sprintf("Thread %s finds by %s (%s) that thread %s has begun (%s), and uses %s (%s) before that one writes it (%s). Have it wait until the other one is done, as pthread_once does.",
				data.Thread, flag.Name(), where(flag.Stack), f.early.thread, where(set.Stack), data.Name(), f.here, f.earlyIs)
		}
		return fmt.Sprintf("Thread %s finds by %s (%s) that it can use %s (%s), but thread %s sets %s (%s) before it writes %s (%s). Set it after that.",
			data.Thread, flag.Name(), where(flag.Stack), data.Name(), f.here, f.early.thread, flag.Name(), where(set.Stack), data.Name(), f.earlyIs)
	}
	return ""
}

// array is the name of the array of which a name is an element's.
func array(name string) (of string, ok bool) {
	i := strings.LastIndexByte(name, '[')
	return name[:max(i, 0)], i > 0 && strings.HasSuffix(name, "]")
}

// writesToo reports whether the late thread of a flip writes, before or after its read, what it
// reads.
func (pr *Pair) writesToo(f *flip) bool {
	for _, a := range pr.Forward(f.other, at{}) {
		if a.IsWrite() && f.late.overlaps(a) {
			return true
		}
	}
	return false
}

// firstMark reports whether a write of the early thread's is the first to a variable that no other
// thread writes, as an index is. The late thread doesn't look at that again, as at the number of a
// version.
func (pr *Pair) firstMark(f *flip, w at) bool {
	a := pr.AccessAt(w)
	for x, o := range pr.Backward(f.other, f.first) {
		if o.IsWrite() && o.Addr >= record.LowestVariable && pr.Uses(f.thread, o) && !pr.Alone(x) {
			return false // it says something, too, as threads at a lock do
		}
	}
	for i := range pr.Beats {
		for k := range pr.Beats[i].Accesses {
			o, x := &pr.Beats[i].Accesses[k], at{Beat: i, Access: k}
			if !o.Overlaps(a) || o.Addr < record.LowestVariable {
				continue
			}
			by := pr.Beats[i].MadeBy(k)
			if o.IsWrite() && (by != f.thread || x.Before(w)) && !pr.Alone(x) || by == f.other && f.first.Before(x) {
				return false
			}
		}
	}
	return true
}

// doubleChecked: a thread sees without a lock that a variable is set, and then reads other
// variables. The thread that sets it writes these later, under the lock.
func (pr *Pair) doubleChecked(f *flip) string {
	if len(f.earlyHeld) == 0 || len(pr.Held(f.first)) > 0 {
		return ""
	}
	if text := pr.setBefore(f, true); text != "" {
		return text
	}
	return pr.setBefore(f, false)
}

// setBefore is doubleChecked, for pointers to the object with what is read, or for any
// variable.
func (pr *Pair) setBefore(f *flip, pointers bool) string {
	for x, a := range pr.Backward(f.other, f.first) {
		if a.IsWrite() || a.Addr == f.late.addr || len(pr.Held(x)) > 0 || a.Addr < record.LowestVariable || pointers && (uint64(a.Size) != pr.code.Word() || !pr.leadsTo(pr.RawAt(x), f.late.addr)) {
			continue
		}
		w, by, ok := pr.Source(x)
		if !ok || by != f.thread || len(common(pr.Held(w), f.earlyHeld)) == 0 {
			continue
		}
		flag, data := pr.Shown(x), pr.Shown(f.first)
		set := pr.Shown(w)
		if data.Symbol == "" {
			return ""
		}
		if flag.Symbol == "" || flag.Bookkeeping || where(flag.Stack) == "" || where(set.Stack) == "" {
			continue
		}
		if !pointers && result.Innermost(flag.Stack).Function == result.Innermost(data.Stack).Function && !pr.code.Decides(a.PC, pr.AccessAt(f.first).PC) {
			continue // they are only looked at together
		}
		lock := common(pr.Held(w), f.earlyHeld)[0]
		return fmt.Sprintf("Thread %s finds %s set (%s) without %s, and uses %s (%s): thread %s sets it (%s) before it writes %s (%s). Set it last, or look at it under %s.",
			data.Thread, flag.Name(), where(flag.Stack), lock, data.Name(), f.here, f.early.thread, where(set.Stack), data.Name(), f.earlyIs, lock)
	}
	return ""
}
