package cause

import (
	"fmt"
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Mistakes about waits on condition variables, and for signals.

// lostSignal: a thread waits for ever on a condition variable that was signalled before,
// when no thread waited, or that woke others.
func (cs *Case) lostSignal(b *result.Bug) string {
	for w, entered := range cs.CondWaits(b) {
		var before, after []call
		for _, c := range cs.Calls(uint64(w.Address), trace.OpCondSignal, trace.OpCondBroadcast) {
			if c.Beat < entered.Beat {
				before = append(before, c)
			} else {
				after = append(after, c)
			}
		}
		if n := len(after); n > 0 {
			last := after[n-1]
			if woken := cs.Beats[last.Beat].Wakes; last.Op.Kind == trace.OpCondSignal && len(woken) == 1 {
				cure := "Broadcast, or give each kind of waiter a condition variable of its own."
				if o := cs.WaitedAt(woken[0], uint64(w.Address), last.Beat); o != nil && o.Op.PC == entered.Op.PC {
					cure = "Broadcast, or signal once for each thread that can go on."
				}
				return fmt.Sprintf("Thread %s's signal (%s) wakes thread %s, not thread %s, which waits for %s too (%s). %s",
					cs.guest.Name(cs.By(last)), cs.Place(last), cs.guest.Name(woken[0]), w.Thread, w.Object, where(w.Stack), cure)
			}
			continue
		}
		if n := len(before); n > 0 && len(cs.Beats[before[n-1].Beat].Wakes) == 0 {
			last := before[n-1]
			if cs.TestedFor(*entered, last) {
				continue // the variable is there, and tested as it should be
			}
			return fmt.Sprintf("Thread %s signals %s (%s) before thread %s waits for it (%s): the signal is lost, because it wakes only threads that wait already. Test under the mutex, in a loop around the wait, a variable that the signalling thread sets under the mutex.",
				cs.guest.Name(cs.By(last)), w.Object, cs.Place(last), w.Thread, where(w.Stack))
		}
	}
	return ""
}

// untested: the thread that failed was woken from a wait. Another thread ran first and changed
// what the waiting thread had tested, and the waiting thread didn't test again.
func (cs *Case) untested(failed trace.TID) string {
	text, wait, goesOn := cs.overtaken(failed)
	if text == "" && wait >= 0 {
		return cs.asBefore(failed, wait, goesOn)
	}
	return text
}

// othersUntested is untested of a thread that isn't the one that fails, only where another
// thread has changed what it had tested.
func (cs *Case) othersUntested(f *scheduler.Failure) string {
	if len(f.Waits) > 0 {
		return ""
	}
	for _, x := range cs.guest.Starts() {
		if text, _, _ := cs.overtaken(x.Thread); text != "" && x.Thread != f.Thread {
			return text
		}
	}
	return ""
}

// overtaken says that a thread was woken from its last wait and goes on without another
// look, if another thread ran first and changed what it had tested. It returns the beats in
// which it waits, and goes on; -1 if it wasn't woken.
func (cs *Case) overtaken(failed trace.TID) (text string, wait, goesOn int) {
	wait = -1
	var cond uint64
	for i := range cs.Beats {
		for k := range cs.Beats[i].Ops {
			if o := &cs.Beats[i].Ops[k]; o.Kind == trace.OpCondWait && cs.Beats[i].Step.Thread == failed {
				wait, cond = i, o.Obj
			}
		}
	}
	if wait < 0 {
		return "", -1, 0
	}
	woken := slices.IndexFunc(cs.Calls(cond, trace.OpCondSignal, trace.OpCondBroadcast), func(c call) bool {
		return c.Beat > wait && slices.Contains(cs.Beats[c.Beat].Wakes, failed)
	})
	if woken < 0 {
		return "", -1, 0
	}
	signal := cs.Calls(cond, trace.OpCondSignal, trace.OpCondBroadcast)[woken]
	goesOn = signal.Beat + 1
	for goesOn < len(cs.Beats) && cs.Beats[goesOn].Step.Thread != failed {
		goesOn++
	}
	if goesOn == len(cs.Beats) {
		return "", -1, 0 // it hasn't gone on
	}
	for i := signal.Beat + 1; i < goesOn; i++ {
		for k := range cs.Beats[i].Accesses {
			mid := &cs.Beats[i].Accesses[k]
			if !mid.IsWrite() || cs.Beats[i].MadeBy(k) == cs.By(signal) {
				continue
			}
			tested, ok := cs.LastConflict(failed, at{Beat: wait, Access: len(cs.Beats[wait].Accesses)}, mid)
			if !ok || cs.AccessAt(tested).IsWrite() || cs.looksAgain(failed, wait, goesOn, tested) {
				continue
			}
			m, x := cs.Shown(at{Beat: i, Access: k}), cs.Shown(tested)
			if where(m.Stack) == "" || where(x.Stack) == "" {
				continue
			}
			return fmt.Sprintf("Thread %s is woken, and goes on without another look at %s, which it tested before it waited (%s): thread %s has changed that (%s) in between. Put the wait in a loop, `while` and not `if`.",
				cs.guest.Name(failed), m.Name(), where(x.Stack), m.Thread, where(m.Stack)), wait, goesOn
		}
	}
	return "", wait, goesOn
}

// asBefore: the thread that failed was woken from its last wait, and goes on though what it
// had tested is as before. A loop would have had it wait again.
func (cs *Case) asBefore(failed trace.TID, wait, goesOn int) string {
	if cs.News(failed, wait, goesOn) {
		return ""
	}
	for y, used := range cs.Forward(failed, at{Beat: goesOn}) {
		if used.IsWrite() {
			continue
		}
		x, ok := cs.Tested(failed, wait, used)
		if !ok || cs.looksAgain(failed, wait, goesOn, x) {
			continue
		}
		m, as := cs.Shown(x), "goes on without another look at %s, which it tested before it waited (%s) and nothing has changed since"
		if w, by, written := cs.Source(y); written && x.Before(w) {
			if by == failed || len(cs.Held(y)) == 0 || cs.RawAt(x) != cs.RawAt(y) {
				continue
			}
			as = "goes on though %s, which it tested before it waited (%s), is again as it was then"
		}
		if where(m.Stack) == "" {
			continue
		}
		return fmt.Sprintf("Thread %s is woken, and "+as+". Put the wait in a loop, `while` and not `if`.", cs.guest.Name(failed), m.Name(), where(m.Stack))
	}
	return ""
}

// tooEarly: a thread waits for ever on a condition variable. Between its test and its wait,
// another thread changed what it had tested, without the lock, and signalled.
func (cs *Case) tooEarly(b *result.Bug) string {
	for w, entered := range cs.CondWaits(b) {
		for x, test := range cs.Backward(cs.By(*entered), at{Beat: entered.Beat, Access: int(entered.Op.At)}) {
			if len(cs.Held(x)) == 0 || cs.waitedSince(x, entered) {
				break
			}
			if test.IsWrite() {
				continue
			}
			if text := cs.changedUnseen(b, w, entered, x, test); text != "" {
				return text
			}
		}
	}
	return ""
}

// waitedSince reports whether a thread has waited on a condition variable, and released its lock for that,
// between an access and a later wait.
func (cs *Case) waitedSince(x at, entered *call) bool {
	for i := x.Beat; i <= entered.Beat; i++ {
		for k := range cs.Beats[i].Ops {
			o := &cs.Beats[i].Ops[k]
			early := i == x.Beat && int(o.At) <= x.Access
			if o.Kind == trace.OpCondWait && o != entered.Op && !early && cs.Beats[i].Step.Thread == cs.By(*entered) {
				return true
			}
		}
	}
	return false
}

// changedUnseen: after a thread's test, and before it entered its wait, another thread wrote
// what was tested and signalled, without a lock that the test was made under. That is the
// cause then.
func (cs *Case) changedUnseen(b *result.Bug, w *result.Wait, entered *call, x at, test *trace.Access) string {
	waiter := cs.By(*entered)
	for i := x.Beat + 1; i < entered.Beat; i++ {
		for k := range cs.Beats[i].Accesses {
			a := &cs.Beats[i].Accesses[k]
			if !a.IsWrite() || !a.Conflicts(test) || cs.RawAt(at{Beat: i, Access: k}) == cs.RawAt(x) || cs.Beats[i].MadeBy(k) == waiter || cs.Together(x, at{Beat: i, Access: k}) {
				continue
			}
			for _, c := range cs.Calls(uint64(w.Address), trace.OpCondSignal, trace.OpCondBroadcast) {
				if c.Beat < i || c.Beat == i && int(c.Op.At) <= k || c.Beat >= entered.Beat || cs.By(c) != cs.Beats[i].MadeBy(k) {
					continue
				}
				m, r, lock := cs.Shown(at{Beat: i, Access: k}), cs.Shown(x), cs.Held(x)
				if where(m.Stack) == "" || where(r.Stack) == "" || m.Symbol == "" {
					return ""
				}
				b.Cause = cs.cause(waiter, x, at{Beat: i, Access: k}, at{}, true, false)
				b.Accesses, cs.collided, cs.hit = []result.Access{r, m}, []at{x, {Beat: i, Access: k}}, nil
				return fmt.Sprintf("Thread %s changes %s (%s) without %s and signals %s (%s), after thread %s has tested it (%s) and before thread %s waits: the signal is lost. Change it under %s.",
					m.Thread, m.Name(), where(m.Stack), lock[len(lock)-1], w.Object, cs.Place(c), w.Thread, where(r.Stack), w.Thread, lock[len(lock)-1])
			}
		}
	}
	return ""
}

// handledTooEarly: a thread waits for ever for a signal to the process or to itself. One came
// between its test of a variable and its wait, and the thread's own handler changed what it
// had tested.
func (cs *Case) handledTooEarly(b *result.Bug) string {
	for i := range b.Waits {
		w := &b.Waits[i]
		if w.For != "a signal" {
			continue
		}
		waiter, ok := cs.guest.Lookup(w.Thread)
		if !ok {
			continue
		}
		for _, sent := range slices.Backward(cs.Calls(uint64(waiter), trace.OpCancel)) {
			if cs.By(sent) == waiter || sent.Op.Signal() == 0 {
				continue
			}
			if test, change, ok := cs.changedByItself(waiter, sent.Beat); ok {
				sent = cs.Sending(sent)
				return fmt.Sprintf("Thread %s tests %s (%s), then thread %s's signal comes (%s) and its handler changes %s (%s), then thread %s waits (%s) for a signal that has come already. Block the signal before the test, and wait with sigsuspend, which lets it in.",
					w.Thread, test.Name(), where(test.Stack), cs.guest.Name(cs.By(sent)), where(cs.code.Frames(cs.Beats[sent.Beat].Stack)), change.Name(), where(change.Stack), w.Thread, where(w.Stack))
			}
		}
	}
	return ""
}

// changedByItself is a thread's last read of a variable before a beat, and its own write of
// it after that beat, without an access to it in between or afterwards.
func (cs *Case) changedByItself(t trace.TID, beat int) (test, change result.Access, ok bool) {
	for x, a := range cs.Backward(t, cs.End()) {
		if x.Beat <= beat {
			break
		}
		if !a.IsWrite() || cs.LastOf(t, cs.End(), a) != x {
			continue
		}
		y := cs.LastOf(t, x, a)
		if y.Beat < 0 || y.Beat > beat || cs.AccessAt(y).IsWrite() {
			continue
		}
		test, change = cs.Shown(y), cs.Shown(x)
		if where(test.Stack) != "" && where(change.Stack) != "" && change.Symbol != "" {
			return test, change, true
		}
	}
	return test, change, false
}
