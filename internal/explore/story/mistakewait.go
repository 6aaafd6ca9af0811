package story

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
func (st *Story) lostSignal(b *result.Bug) string {
	for w, entered := range st.condWaits(b) {
		var before, after []call
		for _, c := range st.calls(uint64(w.Address), trace.OpCondSignal, trace.OpCondBroadcast) {
			if c.beat < entered.beat {
				before = append(before, c)
			} else {
				after = append(after, c)
			}
		}
		if n := len(after); n > 0 {
			last := after[n-1]
			if woken := st.beats[last.beat].wakes; last.op.Kind == trace.OpCondSignal && len(woken) == 1 {
				cure := "Broadcast, or give each kind of waiter a condition variable of its own."
				if o := st.waitedAt(woken[0], uint64(w.Address), last.beat); o != nil && o.op.PC == entered.op.PC {
					cure = "Broadcast, or signal once for each thread that can go on."
				}
				return fmt.Sprintf("Thread %s's signal (%s) wakes thread %s, not thread %s, which waits for %s too (%s). %s",
					st.Guest.Name(st.by(last)), st.place(last), st.Guest.Name(woken[0]), w.Thread, w.Object, where(w.Stack), cure)
			}
			continue
		}
		if n := len(before); n > 0 && len(st.beats[before[n-1].beat].wakes) == 0 {
			last := before[n-1]
			if st.testedFor(*entered, last) {
				continue // the variable is there, and tested as it should be
			}
			return fmt.Sprintf("Thread %s signals %s (%s) before thread %s waits for it (%s): the signal is lost, because it wakes only threads that wait already. Test under the mutex, in a loop around the wait, a variable that the signalling thread sets under the mutex.",
				st.Guest.Name(st.by(last)), w.Object, st.place(last), w.Thread, where(w.Stack))
		}
	}
	return ""
}

// untested: the thread that failed was woken from a wait. Another thread ran first and changed
// what the waiting thread had tested, and the waiting thread didn't test again.
func (st *Story) untested(failed trace.TID) string {
	text, wait, goesOn := st.overtaken(failed)
	if text == "" && wait >= 0 {
		return st.asBefore(failed, wait, goesOn)
	}
	return text
}

// othersUntested is untested of a thread that isn't the one that fails, only where another
// thread has changed what it had tested.
func (st *Story) othersUntested(f *scheduler.Failure) string {
	if len(f.Waits) > 0 {
		return ""
	}
	for _, x := range st.Guest.Starts() {
		if text, _, _ := st.overtaken(x.Thread); text != "" && x.Thread != f.Thread {
			return text
		}
	}
	return ""
}

// overtaken says that a thread was woken from its last wait and goes on without another
// look, if another thread ran first and changed what it had tested. It returns the beats in
// which it waits, and goes on; -1 if it wasn't woken.
func (st *Story) overtaken(failed trace.TID) (text string, wait, goesOn int) {
	wait = -1
	var cond uint64
	for i := range st.beats {
		for k := range st.beats[i].ops {
			if o := &st.beats[i].ops[k]; o.Kind == trace.OpCondWait && st.beats[i].step.Thread == failed {
				wait, cond = i, o.Obj
			}
		}
	}
	if wait < 0 {
		return "", -1, 0
	}
	woken := slices.IndexFunc(st.calls(cond, trace.OpCondSignal, trace.OpCondBroadcast), func(c call) bool {
		return c.beat > wait && slices.Contains(st.beats[c.beat].wakes, failed)
	})
	if woken < 0 {
		return "", -1, 0
	}
	signal := st.calls(cond, trace.OpCondSignal, trace.OpCondBroadcast)[woken]
	goesOn = signal.beat + 1
	for goesOn < len(st.beats) && st.beats[goesOn].step.Thread != failed {
		goesOn++
	}
	if goesOn == len(st.beats) {
		return "", -1, 0 // it hasn't gone on
	}
	for i := signal.beat + 1; i < goesOn; i++ {
		for k := range st.beats[i].accesses {
			mid := &st.beats[i].accesses[k]
			if !mid.IsWrite() || st.beats[i].madeBy(k) == st.by(signal) {
				continue
			}
			tested, ok := st.lastConflict(failed, at{wait, len(st.beats[wait].accesses)}, mid)
			if !ok || st.accessAt(tested).IsWrite() || st.looksAgain(failed, wait, goesOn, tested) {
				continue
			}
			m, x := st.shown(i, k), st.shown(tested.beat, tested.access)
			if where(m.Stack) == "" || where(x.Stack) == "" {
				continue
			}
			return fmt.Sprintf("Thread %s is woken, and goes on without another look at %s, which it tested before it waited (%s): thread %s has changed that (%s) in between. Put the wait in a loop, `while` and not `if`.",
				st.Guest.Name(failed), m.Name(), where(x.Stack), m.Thread, where(m.Stack)), wait, goesOn
		}
	}
	return "", wait, goesOn
}

// asBefore: the thread that failed was woken from its last wait, and goes on though what it
// had tested is as before. A loop would have had it wait again.
func (st *Story) asBefore(failed trace.TID, wait, goesOn int) string {
	if st.news(failed, wait, goesOn) {
		return ""
	}
	for y, used := range st.forward(failed, at{beat: goesOn}) {
		if used.IsWrite() {
			continue
		}
		x, ok := st.tested(failed, wait, used)
		if !ok || st.looksAgain(failed, wait, goesOn, x) {
			continue
		}
		m, as := st.shown(x.beat, x.access), "goes on without another look at %s, which it tested before it waited (%s) and nothing has changed since"
		if w, by, written := st.source(y); written && x.before(w) {
			if by == failed || len(st.held(y)) == 0 || st.rawAt(x) != st.rawAt(y) {
				continue
			}
			as = "goes on though %s, which it tested before it waited (%s), is again as it was then"
		}
		if where(m.Stack) == "" {
			continue
		}
		return fmt.Sprintf("Thread %s is woken, and "+as+". Put the wait in a loop, `while` and not `if`.", st.Guest.Name(failed), m.Name(), where(m.Stack))
	}
	return ""
}

// tooEarly: a thread waits for ever on a condition variable. Between its test and its wait,
// another thread changed what it had tested, without the lock, and signalled.
func (st *Story) tooEarly(b *result.Bug) string {
	for w, entered := range st.condWaits(b) {
		for x, test := range st.backward(st.by(*entered), at{entered.beat, int(entered.op.At)}) {
			if len(st.held(x)) == 0 {
				break
			}
			if test.IsWrite() {
				continue
			}
			if text := st.changedUnseen(b, w, entered, x, test); text != "" {
				return text
			}
		}
	}
	return ""
}

// changedUnseen: after a thread's test, and before it entered its wait, another thread wrote
// what was tested and signalled, without a lock that the test was made under. That is the
// cause then.
func (st *Story) changedUnseen(b *result.Bug, w *result.Wait, entered *call, x at, test *trace.Access) string {
	waiter := st.by(*entered)
	for i := x.beat + 1; i < entered.beat; i++ {
		for k := range st.beats[i].accesses {
			a := &st.beats[i].accesses[k]
			if !a.IsWrite() || !a.Conflicts(test) || st.rawAt(at{i, k}) == st.rawAt(x) || st.beats[i].madeBy(k) == waiter || st.together(x, at{i, k}) {
				continue
			}
			for _, c := range st.calls(uint64(w.Address), trace.OpCondSignal, trace.OpCondBroadcast) {
				if c.beat < i || c.beat == i && int(c.op.At) <= k || c.beat >= entered.beat || st.by(c) != st.beats[i].madeBy(k) {
					continue
				}
				m, r, lock := st.shown(i, k), st.shown(x.beat, x.access), st.held(x)
				if where(m.Stack) == "" || where(r.Stack) == "" || m.Symbol == "" {
					return ""
				}
				b.Cause = st.cause(waiter, x, at{i, k}, at{}, true, false)
				b.Accesses, st.collided, st.hit = []result.Access{r, m}, []at{x, {i, k}}, nil
				return fmt.Sprintf("Thread %s changes %s (%s) without %s and signals %s (%s), after thread %s has tested it (%s) and before thread %s waits: the signal is lost. Change it under %s.",
					m.Thread, m.Name(), where(m.Stack), lock[len(lock)-1], w.Object, st.place(c), w.Thread, where(r.Stack), w.Thread, lock[len(lock)-1])
			}
		}
	}
	return ""
}

// handledTooEarly: a thread waits for ever for a signal to the process or to itself. One came
// between its test of a variable and its wait, and the thread's own handler changed what it
// had tested.
func (st *Story) handledTooEarly(b *result.Bug) string {
	for i := range b.Waits {
		w := &b.Waits[i]
		if w.For != "a signal" {
			continue
		}
		waiter, ok := st.Guest.Lookup(w.Thread)
		if !ok {
			continue
		}
		for _, sent := range slices.Backward(st.calls(uint64(waiter), trace.OpCancel)) {
			if st.by(sent) == waiter || sent.op.Signal() == 0 {
				continue
			}
			if test, change, ok := st.changedByItself(waiter, sent.beat); ok {
				sent = st.sending(sent)
				return fmt.Sprintf("Thread %s tests %s (%s), then thread %s's signal comes (%s) and its handler changes %s (%s), then thread %s waits (%s) for a signal that has come already. Block the signal before the test, and wait with sigsuspend, which lets it in.",
					w.Thread, test.Name(), where(test.Stack), st.Guest.Name(st.by(sent)), where(st.Frames(st.beats[sent.beat].stack)), change.Name(), where(change.Stack), w.Thread, where(w.Stack))
			}
		}
	}
	return ""
}

// sending is the call that sent the signal which another call, or an arrival, brings.
func (r *record) sending(c call) call {
	for _, o := range slices.Backward(r.calls(c.op.Obj, trace.OpPost, trace.OpCancel)) {
		if c.op.Arg&trace.Arrives != 0 && o.beat < c.beat && o.op.Signal() == c.op.Signal() && o.op.Arg&trace.Arrives == 0 {
			return o
		}
	}
	return c
}

// changedByItself is a thread's last read of a variable before a beat, and its own write of
// it after that beat, without an access to it in between or afterwards.
func (st *Story) changedByItself(t trace.TID, beat int) (test, change result.Access, ok bool) {
	for x, a := range st.backward(t, st.end()) {
		if x.beat <= beat {
			break
		}
		if !a.IsWrite() || st.lastOf(t, st.end(), a) != x {
			continue
		}
		y := st.lastOf(t, x, a)
		if y.beat < 0 || y.beat > beat || st.accessAt(y).IsWrite() {
			continue
		}
		test, change = st.shown(y.beat, y.access), st.shown(x.beat, x.access)
		if where(test.Stack) != "" && where(change.Stack) != "" && change.Symbol != "" {
			return test, change, true
		}
	}
	return test, change, false
}
