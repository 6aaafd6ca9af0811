package cause

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Locks that are used against their rules, or not at all: what came before tells what to change.

const unlockOnEveryWay = "Unlock it on every way to the thread's end; where a thread can be cancelled, by pthread_cleanup_push."

// misused: a lock is held too long, taken twice, or released once too often.
func (cs *Case) misused(b *result.Bug, f *scheduler.Failure) string {
	if f.Misuse == scheduler.OtherMisuse {
		return ""
	}
	lock, t, here := cs.guest.VariableName(f.Lock), cs.guest.Name(f.Thread), where(b.Stack)
	holder, taken := "", ""
	if f.Holder != trace.NoThread {
		holder = cs.guest.Name(f.Holder)
		at := cs.Acquired(f.Holder, f.Lock)
		if at == nil || at.File == "" {
			return ""
		}
		taken = at.Where()
	}
	if f.Misuse == scheduler.KeptAtEnd {
		return fmt.Sprintf("Thread %s takes %s (%s) and ends without releasing it. %s", t, lock, taken, unlockOnEveryWay)
	}
	if here == "" {
		return ""
	}
	switch f.Misuse {
	case scheduler.TakenTwice:
		return fmt.Sprintf("Thread %s takes %s (%s) and wants it once more (%s) before it releases it. Unlock it before, or have a function for callers that hold it.", t, lock, taken, here)
	case scheduler.Upgraded:
		return fmt.Sprintf("Thread %s holds %s for reading (%s) and wants it for writing (%s). Release it first, and look again once it is held for writing: another thread may come in between.", t, lock, taken, here)
	case scheduler.AnothersLock:
		return fmt.Sprintf("Thread %s takes %s (%s), and thread %s releases it (%s). The thread that takes a lock has to release it; a semaphore may be posted by another thread.", holder, lock, taken, t, here)
	case scheduler.HeldAtItsEnd:
		if f.Holder == f.Thread {
			return fmt.Sprintf("Thread %s takes %s (%s), and destroys or initialises it (%s) while it holds it. Unlock it first.", t, lock, taken, here)
		}
		return fmt.Sprintf("Thread %s takes %s (%s), and thread %s destroys or initialises it (%s) before it is released. %s", holder, lock, taken, t, here, usersFirst(t, holder))
	case scheduler.NotTaken:
		by, at := cs.LastOperation(f.Lock, trace.OpUnlock, trace.OpReadUnlock, trace.OpWriteUnlock)
		if at != "" && by == f.Thread {
			return fmt.Sprintf("Thread %s releases %s (%s), and once more (%s). Unlock it once for each time that it is taken.", t, lock, at, here)
		}
		if cs.Acquired(f.Thread, f.Lock) == nil {
			return fmt.Sprintf("Thread %s releases %s (%s) without having taken it. Lock it before.", t, lock, here)
		}
	case scheduler.UsedGone:
		by, at := cs.LastOperation(f.Lock, trace.OpMutexDestroy, trace.OpCondDestroy, trace.OpRWDestroy, trace.OpBarrierDestroy, trace.OpSemDestroy)
		if at == "" {
			return ""
		}
		return fmt.Sprintf("Thread %s destroys %s (%s) before thread %s uses it (%s). %s", cs.guest.Name(by), lock, at, t, here, usersFirst(cs.guest.Name(by), t))
	}
	return ""
}

// usersFirst is what to do where a thread destroys what another one uses. A thread joins its children; the
// one that created it may wait for its end itself.
func usersFirst(destroys, uses string) string {
	if isChild(uses, destroys) {
		return "Wait for the threads that use it first, with pthread_join."
	}
	return "Destroy it when no thread uses it any more."
}

// countedApart: a thread ends with a lock that it should have released, by a count that it
// changes and then looks at. Another one changes that in between, and no lock is held.
func (cs *Case) countedApart(f *scheduler.Failure) string {
	if f.Misuse != scheduler.KeptAtEnd || cs.hit == nil || cs.hit.thread != f.Thread {
		return ""
	}
	before, mid, after := cs.AccessAt(cs.hit.before), cs.AccessAt(cs.hit.mid), cs.AccessAt(cs.hit.after)
	if !before.IsWrite() || after.IsWrite() || before.Addr != after.Addr || cs.IsAtomic(before) || cs.IsAtomic(mid) || len(common(cs.Held(cs.hit.before), cs.Held(cs.hit.mid))) > 0 || !mid.IsWrite() {
		return ""
	}
	x, m, y := cs.Shown(cs.hit.before), cs.Shown(cs.hit.mid), cs.Shown(cs.hit.after)
	if m.Symbol == "" || m.Bookkeeping || where(x.Stack) == "" || where(m.Stack) == "" || result.Innermost(x.Stack).Function != result.Innermost(y.Stack).Function {
		return ""
	}
	return fmt.Sprintf("Thread %s changes %s and looks at it again (%s), as two steps. In between thread %s changes it too (%s). Let both hold a lock of its own over the change and the look.",
		cs.guest.Name(f.Thread), m.Name(), lines(x, y), m.Thread, where(m.Stack))
}

// neverLocked: two threads change several words of one object, in runs in which no thread takes
// a lock or uses atomic operations.
func (pr *Pair) neverLocked() string {
	if len(pr.collided) < 2 {
		return ""
	}
	x, y := pr.collided[0], pr.collided[1]
	of := pr.ObjectAt(x)
	a, b := pr.Shown(x), pr.Shown(y)
	if a.Thread == b.Thread || of == "" || pr.ObjectAt(y) != of || where(a.Stack) == "" || where(b.Stack) == "" {
		return ""
	}
	changed := map[uint64][]string{} // by which of the two
	for _, s := range []*Case{pr.Case, pr.passes} {
		for i := range s.Beats {
			for k := range s.Beats[i].Ops {
				o := &s.Beats[i].Ops[k]
				if (record.Takes(o) || o.Kind == trace.OpSemWait) && s.eventPlace(&event{at: at{Beat: i}, op: o}) != "" {
					return ""
				}
			}
			for k := range s.Beats[i].Accesses {
				w, by := &s.Beats[i].Accesses[k], s.guest.Name(s.Beats[i].MadeBy(k))
				if w.Flags&trace.Atomic != 0 && w.Addr >= record.LowestVariable && !s.Shown(at{Beat: i, Access: k}).Bookkeeping {
					return ""
				}
				if w.IsWrite() && (by == a.Thread || by == b.Thread) && s.ObjectAt(at{Beat: i, Access: k}) == of && !slices.Contains(changed[w.Addr], by) {
					changed[w.Addr] = append(changed[w.Addr], by)
				}
			}
		}
	}
	maps.DeleteFunc(changed, func(_ uint64, by []string) bool { return len(by) < 2 })
	if len(changed) < 2 {
		return ""
	}
	return fmt.Sprintf("Threads %s and %s both change %s (%s), with no lock that keeps their uses of it apart. Let both hold one lock for as long as they use it.", a.Thread, b.Thread, of, lines(a, b))
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
	return inCycle(turns)
}

// mostTurns is how many turns of a cycle are told.
const mostTurns = 4

// inCycle tells how each thread of a cycle takes its locks; of a long cycle the first and the last.
func inCycle(turns []string) string {
	if n := len(turns); n > mostTurns {
		turns = append(turns[:mostTurns-1:mostTurns-1], fmt.Sprintf("so on, for %d more", n-mostTurns), turns[n-1])
	}
	return fmt.Sprintf("The locks are taken in different orders: %s. Take them in one order everywhere.", strings.Join(turns, "; "))
}

// spinOrder is lockOrder of locks of the guest's own. Each thread of a cycle has exchanged 0 for something
// in a word, and waits in a loop for another word to be 0 again.
func (cs *Case) spinOrder(b *result.Bug) string {
	type want struct {
		loop *result.Loop
		held at // where the other thread has taken the word
	}
	wants := map[trace.TID]want{}
	for i := range b.Loops {
		l := &b.Loops[i]
		t, ok := cs.guest.Lookup(l.Thread)
		for k := range l.Waits {
			w, by, written := cs.LastWrite(uint64(l.Waits[k].Address), uint64(l.Waits[k].Size))
			const exchange = trace.RMW | trace.Atomic
			if ok && written && by != t && cs.AccessAt(w).Flags&exchange == exchange && cs.RawAt(w) != 0 && cs.wasZero(w) {
				wants[t] = want{l, w}
			}
		}
	}
	for i := range b.Loops {
		first, _ := cs.guest.Lookup(b.Loops[i].Thread)
		var turns []string
		for t := first; len(turns) < len(wants); {
			w, ok := wants[t]
			if !ok {
				break
			}
			u := cs.Maker(w.held) // it holds what t wants, and wants something itself
			its, ok := wants[u]
			if !ok {
				break
			}
			has, gets := cs.Shown(w.held), cs.Shown(its.held)
			if !plain(&has, &gets) || where(its.loop.Lines) == "" {
				return ""
			}
			turns = append(turns, fmt.Sprintf("thread %s takes %s (%s) and then waits for %s (%s)", has.Thread, has.Name(), where(has.Stack), gets.Name(), where(its.loop.Lines)))
			if t = u; t == first && len(turns) > 1 {
				return inCycle(append(turns[len(turns)-1:], turns[:len(turns)-1]...))
			}
		}
	}
	return ""
}

// wasZero reports whether a write finds 0, as far as the run has it.
func (cs *Case) wasZero(w at) bool {
	was, _, ok := cs.Source(w)
	return !ok || cs.RawAt(was) == 0
}
