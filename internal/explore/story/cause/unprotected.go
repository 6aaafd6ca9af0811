package cause

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// unprotected: what the collision says of locks.
func (cs *Case) unprotected(b *result.Bug, f *scheduler.Failure) string {
	if cs.hit == nil || cs.reset(b) != "" { // which a run that passes will show
		return ""
	}
	x, m, y := cs.Shown(cs.hit.before), cs.Shown(cs.hit.mid), cs.Shown(cs.hit.after)
	if where(x.Stack) == "" || where(m.Stack) == "" || where(y.Stack) == "" || m.Symbol == "" {
		return ""
	}
	acts := cs.writesAt(cs.hit.thread, cs.hit.after)
	variable, t, u := m.Name(), cs.guest.Name(cs.hit.thread), m.Thread
	both := common(x.Held, y.Held)
	all := common(both, m.Held)
	atomic := func(x at) bool { return cs.IsAtomic(cs.AccessAt(x)) }
	if lock := cs.sharedLock(); lock != "" && acts && !atomic(cs.hit.mid) && !atomic(cs.hit.after) {
		return fmt.Sprintf("Threads %s and %s change %s (%s) while both hold %s for reading, which lets them in together. Take it for writing.", t, u, variable, lines(y, m), lock)
	}
	if text := cs.letsInTwo(&m, &y); text != "" && acts && !atomic(cs.hit.mid) && !atomic(cs.hit.after) {
		return text
	}
	if text := cs.lookedForReading(&x, &m, &y); text != "" && acts {
		return text
	}
	if both := common(m.Held, y.Held); acts && len(x.Held) == 0 && len(both) > 0 && !atomic(cs.hit.before) && !cs.AccessAt(cs.hit.after).IsWrite() {
		return cs.lookedBefore(&x, &m, &y, both[0])
	}
	if !acts && !cs.failsAt(f) {
		return cs.doneTwice(f, &m)
	}
	if len(all) == 0 && cs.otherLocks() && !cs.sameUpdate() {
		return ""
	}
	switch {
	case len(all) > 0:
		let := cs.letGo(cs.hit.thread, all[0])
		if let == "" || cs.AccessAt(cs.hit.before).IsWrite() && where(x.Stack) == where(y.Stack) {
			return "" // or the line is run twice, and each time is whole
		}
		return fmt.Sprintf("Thread %s releases %s (%s) between its two accesses to %s (%s), and thread %s changes that. Hold %s over both, or look again after taking it.",
			t, all[0], let, variable, lines(x, y), u, all[0])
	case !acts:
		return cs.readLate(&x, &m, &y)
	case len(common(x.Held, m.Held)) > 0 && len(y.Held) == 0:
		lock := common(x.Held, m.Held)[0]
		let := cs.letGo(cs.hit.thread, lock)
		if let == "" || cs.AccessAt(cs.hit.before).IsWrite() || result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function {
			return ""
		}
		return fmt.Sprintf("Thread %s releases %s (%s) before its last access to %s there (%s), and thread %s changes that under the lock (%s). Unlock after the last access.", t, lock, let, variable, where(y.Stack), u, where(m.Stack))
	case len(both) > 0 && len(m.Held) == 0:
		return fmt.Sprintf("Thread %s changes %s (%s) without %s, which thread %s holds at its accesses. If %s is what protects %s, take it there too.", u, variable, where(m.Stack), both[0], t, both[0], variable)
	case len(m.Held) > 0 && len(x.Held) == 0 && len(y.Held) == 0:
		return fmt.Sprintf("Thread %s uses %s (%s) without %s, which thread %s holds at its access. If %s is what protects %s, hold it over both.", t, variable, lines(x, y), m.Held[0], u, m.Held[0], variable)
	case len(m.Held) > 0 && len(both) > 0:
		return fmt.Sprintf("Thread %s holds %s at its accesses to %s (%s), and thread %s holds %s (%s): different locks don't keep threads apart. Use one lock for %s.", t, both[0], variable, lines(x, y), u, m.Held[0], where(m.Stack), variable)
	case len(x.Held) > 0 && len(m.Held) == 0 && len(y.Held) == 0:
		return cs.bothTooEarly(&x, &m, &y)
	case len(m.Held) > 0 || len(x.Held) > 0 || len(y.Held) > 0:
		return ""
	case atomic(cs.hit.before) && atomic(cs.hit.after):
		if result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function || cs.AccessAt(cs.hit.before).IsWrite() || !cs.AccessAt(cs.hit.after).IsWrite() {
			return ""
		}
		return fmt.Sprintf("Each access to %s is atomic, but thread %s's two together (%s) aren't. Use one atomic operation for both, or a lock.", variable, t, lines(x, y))
	case atomic(cs.hit.mid) || atomic(cs.hit.before) || atomic(cs.hit.after), cs.AccessAt(cs.hit.before).IsWrite():
		return "" // the intention isn't as plain
	}
	between := fmt.Sprintf("thread %s's read and write of it (%s)", t, where(x.Stack))
	if to := where(y.Stack); to != where(x.Stack) {
		between = fmt.Sprintf("thread %s's read (%s) and write (%s)", t, where(x.Stack), to)
	}
	return fmt.Sprintf("Nothing keeps thread %s's change of %s (%s) from coming between %s. Let both threads hold one lock there, or use one atomic operation.", u, variable, where(m.Stack), between)
}

// bothTooEarly: a thread reads something under a lock, and writes it when it has released that. Another
// one does the same, and its write comes in between.
func (cs *Case) bothTooEarly(x, m, y *result.Access) string {
	t, u := cs.hit.thread, cs.Maker(cs.hit.mid)
	first := cs.LastOf(u, cs.hit.mid, cs.AccessAt(cs.hit.mid))
	if cs.AccessAt(cs.hit.before).IsWrite() || !cs.sameUpdate() || first.Beat < 0 || result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function {
		return ""
	}
	for _, lock := range common(x.Held, cs.Held(first)) {
		if let := cs.letGo(t, lock); let != "" && cs.unlocked(u, lock, first, cs.hit.mid) != "" {
			return fmt.Sprintf("Thread %s releases %s (%s) before its last access to %s there (%s), and thread %s changes that in the same way (%s). Unlock after the last access.",
				cs.guest.Name(t), lock, let, m.Name(), where(y.Stack), m.Thread, where(m.Stack))
		}
	}
	return ""
}

// doneTwice: a thread looks at something under a lock, releases the lock, and makes under it
// the changes that another one has made in between.
func (cs *Case) doneTwice(f *scheduler.Failure, m *result.Access) string {
	all := common(common(cs.AnyHeld(cs.hit.before), cs.AnyHeld(cs.hit.after)), cs.AnyHeld(cs.hit.mid))
	if len(all) == 0 || cs.AccessAt(cs.hit.before).IsWrite() || len(f.Waits) > 0 {
		return ""
	}
	lock, u := all[0], cs.Beats[cs.hit.mid.Beat].MadeBy(cs.hit.mid.Access)
	let, changed, by := cs.letGo(cs.hit.thread, lock), at{Beat: -1, Access: 0}, at{Beat: -1, Access: 0}
	for again, a := range cs.Forward(cs.hit.thread, cs.retaken(lock)) {
		if a.Addr < record.LowestVariable || !a.IsWrite() {
			continue
		}
		if !slices.Contains(cs.AnyHeld(again), lock) {
			break
		}
		first := cs.LastOf(u, again, a)
		for first.Beat >= 0 && !cs.AccessAt(first).IsWrite() {
			first = cs.LastOf(u, first, a)
		}
		if first.Beat < 0 || first.Before(cs.hit.before) || !slices.Contains(cs.AnyHeld(first), lock) {
			return ""
		}
		if changed.Beat < 0 {
			changed, by = again, first
		}
	}
	if let == "" || changed.Beat < 0 {
		return ""
	}
	both, first := cs.Shown(changed), cs.Shown(by)
	if both.Symbol == "" || where(both.Stack) == "" || where(first.Stack) == "" {
		return ""
	}
	return fmt.Sprintf("Thread %s releases %s (%s) after it has looked at %s, and changes %s (%s) when it has it again. In between thread %s has done the same (%s). Hold %s over both, or look again after taking it.",
		cs.guest.Name(cs.hit.thread), lock, let, m.Name(), both.Name(), where(both.Stack), m.Thread, where(first.Stack), lock)
}

// retaken is where the thread of the hit has taken a lock again after its first access.
func (cs *Case) retaken(lock string) at {
	x := cs.hit.after
	for i := cs.hit.before.Beat; i <= cs.hit.after.Beat; i++ {
		for k := range cs.Beats[i].Ops {
			o := &cs.Beats[i].Ops[k]
			if here := (at{Beat: i, Access: int(o.At)}); record.Takes(o) && cs.Beats[i].Step.Thread == cs.hit.thread && cs.hit.before.Before(here) && !cs.hit.after.Before(here) && cs.guest.VariableName(o.Obj) == lock {
				x = here
			}
		}
	}
	return x
}

// sharedLock is a lock that both threads of the hit hold for reading at what they write, or
// "".
func (cs *Case) sharedLock() string {
	mine, its := cs.ReadHeld(cs.hit.thread, cs.hit.after), cs.ReadHeld(cs.Beats[cs.hit.mid.Beat].MadeBy(cs.hit.mid.Access), cs.hit.mid)
	for _, l := range mine {
		if slices.Contains(its, l) {
			return cs.guest.VariableName(l)
		}
	}
	return ""
}

// letGoBefore: of two accesses that met, one is made without a lock that the other is made
// under. Its thread held that lock at its access before, and has released it since.
func (cs *Case) letGoBefore() string {
	if len(cs.collided) != 2 {
		return ""
	}
	for i, late := range cs.collided {
		other := cs.collided[1-i]
		t, u := cs.Beats[late.Beat].MadeBy(late.Access), cs.Beats[other.Beat].MadeBy(other.Access)
		before := cs.LastOf(t, late, cs.AccessAt(late))
		if t == u || before.Beat < 0 || len(common(cs.Held(late), cs.Held(other))) > 0 || !cs.AccessAt(late).IsWrite() {
			continue
		}
		for _, lock := range common(cs.Held(before), cs.Held(other)) {
			let := cs.unlocked(t, lock, before, late)
			w, o, b := cs.Shown(late), cs.Shown(other), cs.Shown(before)
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
func (cs *Case) lookedForReading(x, m, y *result.Access) string {
	t, u := cs.hit.thread, cs.Beats[cs.hit.mid.Beat].MadeBy(cs.hit.mid.Access)
	mine, its := cs.WriteHeld(t, cs.hit.after), cs.WriteHeld(u, cs.hit.mid)
	for _, l := range cs.ReadHeld(t, cs.hit.before) {
		lock := cs.guest.VariableName(l)
		let := cs.letGo(t, lock)
		if !slices.Contains(mine, l) || !slices.Contains(its, l) || let == "" {
			continue
		}
		return fmt.Sprintf("Thread %s looks at %s (%s) while it holds %s for reading, releases that (%s), and changes %s (%s) when it holds it for writing. In between thread %s changes it (%s). Look again after taking %s for writing.",
			cs.guest.Name(t), m.Name(), where(x.Stack), lock, let, m.Name(), where(y.Stack), m.Thread, where(m.Stack), lock)
	}
	return ""
}

// lookedBefore: a thread looks at something, and then takes the lock under which it and another
// one change that.
func (cs *Case) lookedBefore(x, m, y *result.Access, lock string) string {
	if cs.AccessAt(cs.hit.before).IsWrite() || result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function {
		return ""
	}
	return fmt.Sprintf("Thread %s looks at %s (%s) before it takes %s, under which it changes that (%s). In between thread %s changes it (%s). Look at it after taking %s.",
		cs.guest.Name(cs.hit.thread), m.Name(), where(x.Stack), lock, where(y.Stack), m.Thread, where(m.Stack), lock)
}

// failsAt reports whether the thread of the hit fails soon after the hit, with nothing in
// between that another thread could have changed: it acts on what it looked at. That includes what its
// pointers lead to.
func (cs *Case) failsAt(f *scheduler.Failure) bool {
	if f.Thread != cs.hit.thread || len(f.Waits) > 0 {
		return false
	}
	return cs.onlyOf(f.Thread, cs.AccessAt(cs.hit.mid).Addr, cs.hit.after)
}

// onlyOf reports whether a thread, from an access on, accesses only the variable that has an address,
// and what its pointers lead to.
func (cs *Case) onlyOf(t trace.TID, addr uint64, from at) bool {
	part := func(addr uint64) string { name, _, _ := strings.Cut(cs.guest.VariableName(addr), "+"); return name }
	of := part(addr)
	var pointers []uint64
	for x, a := range cs.Forward(t, from) {
		if a.Addr < record.LowestVariable {
			continue
		}
		leads := slices.ContainsFunc(pointers, func(p uint64) bool { return cs.leadsTo(p, a.Addr) })
		if part(a.Addr) != of && !leads {
			return false
		}
		if uint64(a.Size) == cs.code.Word() && !a.IsWrite() {
			pointers = append(pointers, cs.RawAt(x))
		}
	}
	return true
}

// sameUpdate reports whether both threads of the hit write where the one does, one
// instruction after its read and the other before. Whatever else protects the variable, it
// doesn't do so there.
func (cs *Case) sameUpdate() bool {
	before, mid, after := cs.AccessAt(cs.hit.before), cs.AccessAt(cs.hit.mid), cs.AccessAt(cs.hit.after)
	return !before.IsWrite() && mid.IsWrite() && after.IsWrite() && mid.PC == after.PC && before.Addr == after.Addr
}

// otherLocks reports whether the run has what may protect memory beside mutexes: locks
// for reading, semaphores, or locked instructions on other variables.
func (cs *Case) otherLocks() bool {
	addr := cs.AccessAt(cs.hit.mid).Addr
	for i := range cs.Beats {
		for k := range cs.Beats[i].Ops {
			switch cs.Beats[i].Ops[k].Kind {
			case trace.OpReadLock, trace.OpTryReadLock, trace.OpSemWait, trace.OpSemTryWait:
				return true
			}
		}
		for k := range cs.Beats[i].Accesses {
			if a := &cs.Beats[i].Accesses[k]; a.Flags&trace.Atomic != 0 && a.Addr != addr && a.Addr > record.LowestVariable && !cs.IsOwnLock(a.Addr) {
				return true
			}
		}
	}
	return false
}

// letGo is where a thread unlocked a lock between the accesses of the hit, or "".
func (cs *Case) letGo(t trace.TID, lock string) string {
	return cs.unlocked(t, lock, cs.hit.before, cs.hit.after)
}

// readLate: a thread writes something under a lock, releases that, and reads it again. In between,
// another thread writes it under the lock.
func (cs *Case) readLate(x, m, y *result.Access) string {
	if !cs.AccessAt(cs.hit.before).IsWrite() || cs.AccessAt(cs.hit.after).IsWrite() || len(cs.AnyHeld(cs.hit.after)) > 0 {
		return ""
	}
	for _, lock := range common(x.Held, m.Held) {
		if let := cs.letGo(cs.hit.thread, lock); let != "" {
			return fmt.Sprintf("Thread %s writes %s (%s) under %s, and reads it (%s) when it has released that (%s). In between thread %s writes it under %s (%s). Hold %s until the last use, or copy under %s what is needed.",
				y.Thread, m.Name(), where(x.Stack), lock, where(y.Stack), let, m.Thread, lock, where(m.Stack), lock, lock)
		}
	}
	return ""
}
