package story

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Mistakes of known kinds, in words. Which one a run shows is decided by its events
// alone, never by names. The kinds are tried from the most certain to the least; where
// none fits there is no word.

// mistake names the mistake that a run shows and what to change, or is "".
func (st *Story) mistake(b *result.Bug, f *scheduler.Failure) string {
	for _, text := range []string{lockOrder(b), joinsHolding(b), st.barrierAlone(b), st.countedApart(f), st.kept(b), st.misused(b, f), st.lostSignal(b), st.tooEarly(b), st.lookedTooEarly(b), st.handledTooEarly(b), st.roundMissed(b), st.untested(f.Thread), st.othersUntested(f), st.goneOwner(b, f), st.goneStack(b, f), st.changedAfter(f), st.takenBackLate(), st.reused(), st.lastTwice(), st.unprotected(b, f), st.letGoBefore()} {
		if text != "" {
			return text
		}
	}
	return ""
}

// lockOrder: each thread of the cycle holds a lock that another one wants.
func lockOrder(b *result.Bug) string {
	n := len(b.Cycle)
	waits := make([]*result.Wait, n)
	for i, name := range b.Cycle {
		for k := range b.Waits {
			if w := &b.Waits[k]; w.Thread == name && strings.HasSuffix(w.For, "mutex") && w.Acquired != nil && w.Acquired.File != "" {
				waits[i] = w
			}
		}
		if waits[i] == nil {
			return ""
		}
	}
	if n < 2 {
		return ""
	}
	var turns []string
	for i, w := range waits {
		before := waits[(i+n-1)%n] // it wants what w's thread holds
		turns = append(turns, fmt.Sprintf("thread %s takes %s (%s) and then %s (%s)", w.Thread, before.Object, before.Acquired.Where(), w.Object, where(w.Stack)))
	}
	return fmt.Sprintf("The locks are taken in different orders: %s. Take them in one order everywhere.", strings.Join(turns, "; "))
}

func where(stack []result.Frame) string { f := result.Innermost(stack); return f.Where() }

// hit is a collision in the strict sense: another thread writes between two accesses
// of a thread's.
type hit struct {
	thread             trace.TID
	before, mid, after at
}

// unprotected: what the collision says of locks.
func (st *Story) unprotected(b *result.Bug, f *scheduler.Failure) string {
	if st.hit == nil || st.reset(b) != "" { // which a run that passes will show
		return ""
	}
	x, m, y := st.shown(st.hit.before), st.shown(st.hit.mid), st.shown(st.hit.after)
	if where(x.Stack) == "" || where(m.Stack) == "" || where(y.Stack) == "" || m.Symbol == "" {
		return ""
	}
	acts := st.writesAt(st.hit.thread, st.hit.after)
	variable, t, u := m.Name(), st.Guest.Name(st.hit.thread), m.Thread
	both := common(x.Held, y.Held)
	all := common(both, m.Held)
	atomic := func(x at) bool {
		a := st.AccessAt(x)
		declared, _ := st.Image.Atomic(a.PC, a.Addr)
		return declared || a.Flags&trace.Atomic != 0
	}
	if lock := st.sharedLock(); lock != "" && acts && !atomic(st.hit.mid) && !atomic(st.hit.after) {
		return fmt.Sprintf("Threads %s and %s change %s (%s) while both hold %s for reading, which lets them in together. Take it for writing.", t, u, variable, lines(y, m), lock)
	}
	if text := st.letsInTwo(&m, &y); text != "" && acts && !atomic(st.hit.mid) && !atomic(st.hit.after) {
		return text
	}
	if text := st.lookedForReading(&x, &m, &y); text != "" && acts {
		return text
	}
	if both := common(m.Held, y.Held); acts && len(x.Held) == 0 && len(both) > 0 && !atomic(st.hit.before) && !st.AccessAt(st.hit.after).IsWrite() {
		return st.lookedBefore(&x, &m, &y, both[0])
	}
	if !acts && !st.failsAt(f) {
		return st.doneTwice(f, &m)
	}
	if len(all) == 0 && st.otherLocks() && !st.sameUpdate() {
		return ""
	}
	switch {
	case len(all) > 0:
		let := st.letGo(st.hit.thread, all[0])
		if let == "" || st.AccessAt(st.hit.before).IsWrite() && where(x.Stack) == where(y.Stack) {
			return "" // or the line is run twice, and each time is whole
		}
		return fmt.Sprintf("Thread %s releases %s (%s) between its two accesses to %s (%s), and thread %s changes that. Hold %s over both, or look again after taking it.",
			t, all[0], let, variable, lines(x, y), u, all[0])
	case !acts:
		return st.readLate(&x, &m, &y)
	case len(common(x.Held, m.Held)) > 0 && len(y.Held) == 0:
		lock := common(x.Held, m.Held)[0]
		let := st.letGo(st.hit.thread, lock)
		if let == "" || st.AccessAt(st.hit.before).IsWrite() || result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function {
			return ""
		}
		return fmt.Sprintf("Thread %s releases %s (%s) before its last access to %s there (%s), and thread %s changes that under the lock (%s). Unlock after the last access.", t, lock, let, variable, where(y.Stack), u, where(m.Stack))
	case len(both) > 0 && len(m.Held) == 0:
		return fmt.Sprintf("Thread %s changes %s (%s) without %s, which thread %s holds at its accesses. If %s is what protects %s, take it there too.", u, variable, where(m.Stack), both[0], t, both[0], variable)
	case len(m.Held) > 0 && len(x.Held) == 0 && len(y.Held) == 0:
		return fmt.Sprintf("Thread %s uses %s (%s) without %s, which thread %s holds at its access. If %s is what protects %s, hold it over both.", t, variable, lines(x, y), m.Held[0], u, m.Held[0], variable)
	case len(m.Held) > 0 && len(both) > 0:
		return fmt.Sprintf("Thread %s holds %s at its accesses to %s (%s), and thread %s holds %s (%s): different locks don't keep threads apart. Use one lock for %s.", t, both[0], variable, lines(x, y), u, m.Held[0], where(m.Stack), variable)
	case len(m.Held) > 0 || len(x.Held) > 0 || len(y.Held) > 0:
		return ""
	case atomic(st.hit.before) && atomic(st.hit.after):
		if result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function || st.AccessAt(st.hit.before).IsWrite() || !st.AccessAt(st.hit.after).IsWrite() {
			return ""
		}
		return fmt.Sprintf("Each access to %s is atomic, but thread %s's two together (%s) aren't. Use one atomic operation for both, or a lock.", variable, t, lines(x, y))
	case atomic(st.hit.mid) || atomic(st.hit.before) || atomic(st.hit.after), st.AccessAt(st.hit.before).IsWrite():
		return "" // the intention isn't as plain
	}
	between := fmt.Sprintf("thread %s's read and write of it (%s)", t, where(x.Stack))
	if to := where(y.Stack); to != where(x.Stack) {
		between = fmt.Sprintf("thread %s's read (%s) and write (%s)", t, where(x.Stack), to)
	}
	return fmt.Sprintf("Nothing keeps thread %s's change of %s (%s) from coming between %s. Let both threads hold one lock there, or use one atomic operation.", u, variable, where(m.Stack), between)
}

// doneTwice: a thread looks at something under a lock, releases the lock, and makes under it
// the changes that another one has made in between.
func (st *Story) doneTwice(f *scheduler.Failure, m *result.Access) string {
	all := common(common(st.AnyHeld(st.hit.before), st.AnyHeld(st.hit.after)), st.AnyHeld(st.hit.mid))
	if len(all) == 0 || st.AccessAt(st.hit.before).IsWrite() || len(f.Waits) > 0 {
		return ""
	}
	lock, u := all[0], st.Beats[st.hit.mid.Beat].MadeBy(st.hit.mid.Access)
	let, changed, by := st.letGo(st.hit.thread, lock), at{Beat: -1, Access: 0}, at{Beat: -1, Access: 0}
	for again, a := range st.Forward(st.hit.thread, st.retaken(lock)) {
		if a.Addr < record.LowestVariable || !a.IsWrite() {
			continue
		}
		if !slices.Contains(st.AnyHeld(again), lock) {
			break
		}
		first := st.LastOf(u, again, a)
		for first.Beat >= 0 && !st.AccessAt(first).IsWrite() {
			first = st.LastOf(u, first, a)
		}
		if first.Beat < 0 || first.Before(st.hit.before) || !slices.Contains(st.AnyHeld(first), lock) {
			return ""
		}
		if changed.Beat < 0 {
			changed, by = again, first
		}
	}
	if let == "" || changed.Beat < 0 {
		return ""
	}
	both, first := st.shown(changed), st.shown(by)
	if both.Symbol == "" || where(both.Stack) == "" || where(first.Stack) == "" {
		return ""
	}
	return fmt.Sprintf("Thread %s releases %s (%s) after it has looked at %s, and changes %s (%s) when it has it again. In between thread %s has done the same (%s). Hold %s over both, or look again after taking it.",
		st.Guest.Name(st.hit.thread), lock, let, m.Name(), both.Name(), where(both.Stack), m.Thread, where(first.Stack), lock)
}

// retaken is where the thread of the hit has taken a lock again after its first access.
func (st *Story) retaken(lock string) at {
	x := st.hit.after
	for i := st.hit.before.Beat; i <= st.hit.after.Beat; i++ {
		for k := range st.Beats[i].Ops {
			o := &st.Beats[i].Ops[k]
			if here := (at{Beat: i, Access: int(o.At)}); record.Takes(o) && st.Beats[i].Step.Thread == st.hit.thread && st.hit.before.Before(here) && !st.hit.after.Before(here) && st.Guest.VariableName(o.Obj) == lock {
				x = here
			}
		}
	}
	return x
}

// sharedLock is a lock that both threads of the hit hold for reading at what they write, or
// "".
func (st *Story) sharedLock() string {
	mine, its := st.ReadHeld(st.hit.thread, st.hit.after), st.ReadHeld(st.Beats[st.hit.mid.Beat].MadeBy(st.hit.mid.Access), st.hit.mid)
	for _, l := range mine {
		if slices.Contains(its, l) {
			return st.Guest.VariableName(l)
		}
	}
	return ""
}

// letGoBefore: of two accesses that met, one is made without a lock that the other is made
// under. Its thread held that lock at its access before, and has released it since.
func (st *Story) letGoBefore() string {
	if len(st.collided) != 2 {
		return ""
	}
	for i, late := range st.collided {
		other := st.collided[1-i]
		t, u := st.Beats[late.Beat].MadeBy(late.Access), st.Beats[other.Beat].MadeBy(other.Access)
		before := st.LastOf(t, late, st.AccessAt(late))
		if t == u || before.Beat < 0 || len(common(st.Held(late), st.Held(other))) > 0 || !st.AccessAt(late).IsWrite() {
			continue
		}
		for _, lock := range common(st.Held(before), st.Held(other)) {
			let := st.unlocked(t, lock, before, late)
			w, o, b := st.shown(late), st.shown(other), st.shown(before)
			if let == "" || w.Symbol == "" || where(w.Stack) == "" || where(o.Stack) == "" || result.Innermost(b.Stack).Function != result.Innermost(w.Stack).Function {
				continue
			}
			return fmt.Sprintf("Thread %s releases %s (%s) before it writes %s (%s), and thread %s, which holds %s, uses that (%s). Unlock after the last access.",
				w.Thread, lock, let, w.Name(), where(w.Stack), o.Thread, lock, where(o.Stack))
		}
	}
	return ""
}

// lookedForReading: a thread looks at something with a lock held for reading, releases it, and
// changes that with the lock held for writing. Another one has changed it in between.
func (st *Story) lookedForReading(x, m, y *result.Access) string {
	t, u := st.hit.thread, st.Beats[st.hit.mid.Beat].MadeBy(st.hit.mid.Access)
	mine, its := st.WriteHeld(t, st.hit.after), st.WriteHeld(u, st.hit.mid)
	for _, l := range st.ReadHeld(t, st.hit.before) {
		lock := st.Guest.VariableName(l)
		let := st.letGo(t, lock)
		if !slices.Contains(mine, l) || !slices.Contains(its, l) || let == "" {
			continue
		}
		return fmt.Sprintf("Thread %s looks at %s (%s) while it holds %s for reading, releases that (%s), and changes %s (%s) when it holds it for writing. In between thread %s changes it (%s). Look again after taking %s for writing.",
			st.Guest.Name(t), m.Name(), where(x.Stack), lock, let, m.Name(), where(y.Stack), m.Thread, where(m.Stack), lock)
	}
	return ""
}

// lookedBefore: a thread looks at something, and then takes the lock under which it and another
// one change that.
func (st *Story) lookedBefore(x, m, y *result.Access, lock string) string {
	if st.AccessAt(st.hit.before).IsWrite() || result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function {
		return ""
	}
	return fmt.Sprintf("Thread %s looks at %s (%s) before it takes %s, under which it changes that (%s). In between thread %s changes it (%s). Look at it after taking %s.",
		st.Guest.Name(st.hit.thread), m.Name(), where(x.Stack), lock, where(y.Stack), m.Thread, where(m.Stack), lock)
}

// lines are the places of two accesses: one, if they are on one line.
func lines(x, y result.Access) string {
	if where(x.Stack) == where(y.Stack) {
		return where(x.Stack)
	}
	return where(x.Stack) + ", " + where(y.Stack)
}

// failsAt reports whether the thread of the hit fails soon after the hit, with nothing in
// between that another thread could have changed: it acts on what it looked at.
func (st *Story) failsAt(f *scheduler.Failure) bool {
	if f.Thread != st.hit.thread || len(f.Waits) > 0 {
		return false
	}
	mid := st.Guest.VariableName(st.AccessAt(st.hit.mid).Addr)
	for x, a := range st.Backward(f.Thread, st.End()) {
		if x == st.hit.after {
			return true
		}
		if a.Addr >= record.LowestVariable && st.Guest.VariableName(a.Addr) != mid {
			return false
		}
	}
	return false
}

// sameUpdate reports whether both threads of the hit write where the one does, one
// instruction after its read and the other before. Whatever else protects the variable, it
// doesn't do so there.
func (st *Story) sameUpdate() bool {
	before, mid, after := st.AccessAt(st.hit.before), st.AccessAt(st.hit.mid), st.AccessAt(st.hit.after)
	return !before.IsWrite() && mid.IsWrite() && after.IsWrite() && mid.PC == after.PC && before.Addr == after.Addr
}

// otherLocks reports whether the run has what may protect memory beside mutexes: locks
// for reading, semaphores, or locked instructions on other variables.
func (st *Story) otherLocks() bool {
	addr := st.AccessAt(st.hit.mid).Addr
	for i := range st.Beats {
		for k := range st.Beats[i].Ops {
			switch st.Beats[i].Ops[k].Kind {
			case trace.OpReadLock, trace.OpTryReadLock, trace.OpSemWait, trace.OpSemTryWait:
				return true
			}
		}
		for k := range st.Beats[i].Accesses {
			if a := &st.Beats[i].Accesses[k]; a.Flags&trace.Atomic != 0 && a.Addr != addr && a.Addr > record.LowestVariable && !st.IsOwnLock(a.Addr) {
				return true
			}
		}
	}
	return false
}

// writesAt reports whether a thread's access is a write, or the read that one on the same
// line begins with.
func (st *Story) writesAt(t trace.TID, x at) bool {
	first := st.AccessAt(x)
	line := where(st.shown(x).Stack)
	for y, a := range st.Forward(t, x) {
		if a.Addr == first.Addr && a.IsWrite() {
			return where(st.shown(y).Stack) == line
		}
	}
	return false
}

// letGo is where a thread unlocked a lock between the accesses of the hit, or "".
func (st *Story) letGo(t trace.TID, lock string) string {
	return st.unlocked(t, lock, st.hit.before, st.hit.after)
}

// unlocked is where a thread unlocked a lock between two accesses, or "".
func (st *Story) unlocked(t trace.TID, lock string, before, after at) string {
	for i := before.Beat; i <= after.Beat && i < len(st.Beats); i++ {
		for k := range st.Beats[i].Ops {
			o := &st.Beats[i].Ops[k]
			early := i == before.Beat && int(o.At) <= before.Access
			late := i == after.Beat && int(o.At) > after.Access
			if record.Unlocks(o) && !early && !late && st.Beats[i].Step.Thread == t && st.Guest.VariableName(o.Obj) == lock {
				return st.Place(call{Beat: i, Op: o})
			}
		}
	}
	return ""
}

// common are the locks of both lists.
func common(a, b []string) (list []string) {
	for _, l := range a {
		if slices.Contains(b, l) {
			list = append(list, l)
		}
	}
	return list
}
