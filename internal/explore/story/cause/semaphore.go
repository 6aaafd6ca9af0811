package cause

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Mistakes about semaphores that threads use as locks, and about barriers. A thread uses a
// semaphore so if it waits for it and posts it later itself.

// letsInTwo: two threads change a variable, and both have passed a semaphore that they post again
// only then.
func (cs *Case) letsInTwo(m, y *result.Access) string {
	t, u := cs.hit.thread, cs.Beats[cs.hit.mid.Beat].MadeBy(cs.hit.mid.Access)
	its := cs.Passed(u, cs.hit.mid)
	for _, s := range cs.Passed(t, cs.hit.before) {
		if !slices.Contains(its, s) || !slices.Contains(cs.Passed(t, cs.hit.after), s) || !slices.ContainsFunc(cs.Calls(s, trace.OpSemPost), func(c call) bool { return cs.By(c) == u && c.Beat >= cs.hit.mid.Beat }) {
			continue
		}
		sem := cs.guest.VariableName(s)
		_, begun := cs.LastOperation(s, trace.OpSemInit)
		if begun == "" {
			continue
		}
		return fmt.Sprintf("Threads %s and %s change %s (%s) while both have waited for %s, which lets in more than one at a time. Begin it with 1 (%s), or protect %s with a lock.",
			cs.guest.Name(t), m.Thread, m.Name(), lines(*y, *m), sem, begun, m.Name())
	}
	return ""
}

// passedIn is where the thread of w has waited for the semaphore for which v waits. It is ok if the
// thread posts it later in a run that passes, and hasn't done so here.
func (pr *Pair) passedIn(w, v *result.Wait) (at string, ok bool) {
	t, known := pr.guest.Lookup(w.Thread)
	if v.For != "semaphore" || w.For == "thread" || w.Thread == v.Thread || w.Address == v.Address || !known || !slices.Contains(pr.Passed(t, pr.End()), uint64(v.Address)) {
		return "", false
	}
	post := []trace.OpKind{trace.OpSemPost}
	if len(pr.passes.CallsBy(w.Thread, uint64(v.Address), post)) <= len(pr.CallsBy(w.Thread, uint64(v.Address), post)) {
		return "", false
	}
	waits := pr.CallsBy(w.Thread, uint64(v.Address), []trace.OpKind{trace.OpSemWait, trace.OpSemTryWait})
	at = pr.Place(waits[len(waits)-1])
	return at, at != "" && where(w.Stack) != "" && where(v.Stack) != ""
}

// barrierAlone: threads wait at a barrier, and no thread is left that could come there, because
// all others wait for these threads to end.
func (cs *Case) barrierAlone(b *result.Bug) string {
	waits := map[string]*result.Wait{}
	var there []string
	var bar, joins *result.Wait
	for i := range b.Waits {
		w := &b.Waits[i]
		waits[w.Thread] = w
		switch {
		case w.For != "barrier":
		case bar != nil && bar.Address != w.Address:
			return ""
		default:
			bar = w
			there = append(there, w.Thread)
		}
	}
	if bar == nil || where(bar.Stack) == "" {
		return ""
	}
	for _, x := range cs.guest.Starts() {
		switch w := waits[cs.guest.Name(x.Thread)]; {
		case w == nil:
			return "" // it has ended, or could have come
		case w.For == "thread" && slices.Contains(there, w.Owner):
			joins = w
		case w.For != "barrier":
			return ""
		}
	}
	_, begun := cs.LastOperation(uint64(bar.Address), trace.OpBarrierInit)
	name, _, _ := strings.Cut(bar.Object, " (")
	if begun == "" || joins == nil || where(joins.Stack) == "" {
		return ""
	}
	return fmt.Sprintf("%s at %s (%s), and no other thread is left that could come: thread %s waits for thread %s to end (%s). Initialise %s (%s) with the number of threads that come there.",
		waitFor(there), name, where(bar.Stack), joins.Thread, joins.Owner, where(joins.Stack), name, begun)
}

// oneRound: a thread reads what another one writes, and both do so between the same two waits at a
// barrier.
func (pr *Pair) oneRound(f *flip) string {
	if f.early.op != nil || f.late.op != nil || !f.early.writes || f.late.writes {
		return ""
	}
	data, read := pr.Shown(f.first), pr.AccessAt(f.first)
	if pr.IsAtomic(read) || pr.passes.IsAtomic(pr.passes.AccessAt(f.early.at)) ||
		data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" || len(f.earlyHeld)+len(pr.Held(f.first)) > 0 {
		return ""
	}
	mine, bar := pr.passes.rounds(f.other, f.late.at)
	its, same := pr.passes.rounds(f.thread, f.early.at)
	if mine == 0 || mine != its || bar != same {
		return ""
	}
	return fmt.Sprintf("Thread %s writes %s (%s) and thread %s reads it (%s), both between the same two waits at %s. Let all threads wait there once more, between the two.",
		f.early.thread, data.Name(), f.earlyIs, data.Thread, f.here, pr.guest.VariableName(bar))
}

// rounds is how often a thread has waited at its latest barrier before an access.
func (cs *Case) rounds(t trace.TID, x at) (n int, bar uint64) {
	for i := 0; i <= x.Beat; i++ {
		for k := range cs.Beats[i].Ops {
			o := &cs.Beats[i].Ops[k]
			if o.Kind != trace.OpBarrierArrive || cs.Beats[i].Step.Thread != t || i == x.Beat && int(o.At) > x.Access {
				continue
			}
			if o.Obj != bar {
				n, bar = 0, o.Obj
			}
			n++
		}
	}
	return n, bar
}

// waitFor says that threads wait.
func waitFor(threads []string) string {
	if len(threads) == 1 {
		return "Thread " + threads[0] + " waits"
	}
	return "Threads " + strings.Join(threads[:len(threads)-1], ", ") + " and " + threads[len(threads)-1] + " wait"
}

// halfSeen: a thread reads two variables without a lock, and comes between the changes that another
// one makes to both under a lock.
func (pr *Pair) halfSeen(f *flip) string {
	data, read := pr.Shown(f.first), pr.AccessAt(f.first)
	if pr.IsAtomic(read) || data.Symbol == "" || data.Bookkeeping || f.here == "" || f.earlyIs == "" || len(f.earlyHeld) == 0 || len(pr.Held(f.first)) > 0 {
		return ""
	}
	lock := f.earlyHeld[len(f.earlyHeld)-1]
	for x, a := range pr.Backward(f.other, pr.End()) {
		if a.IsWrite() || a.Addr < record.LowestVariable || f.late.overlaps(a) || pr.IsAtomic(a) || pr.code.Decides(a.PC, read.PC) || len(pr.Held(x)) > 0 || x.Before(f.first) && pr.Operation(x, f.first, record.Unlocks) || f.first.Before(x) && pr.Operation(f.first, x, record.Unlocks) {
			continue
		}
		w, ok := pr.passes.alsoChanges(f, lock, a)
		if !ok {
			continue
		}
		second, made := pr.Shown(x), pr.passes.Shown(w)
		if second.Symbol == "" || second.Bookkeeping || where(second.Stack) == "" || where(made.Stack) == "" || second.Name() == data.Name() ||
			result.Innermost(second.Stack).Function != result.Innermost(data.Stack).Function {
			continue
		}
		return fmt.Sprintf("Thread %s reads %s (%s) and %s (%s) without %s, under which thread %s changes both (%s, %s). Hold %s over both reads.",
			data.Thread, data.Name(), f.here, second.Name(), where(second.Stack), lock, f.early.thread, f.earlyIs, where(made.Stack), lock)
	}
	return ""
}

// alsoChanges is where, in this run, the early thread of a flip writes what another access reads,
// without releasing a lock between that and the early one.
func (cs *Case) alsoChanges(f *flip, lock string, a *trace.Access) (x at, ok bool) {
	for x, w := range cs.Forward(f.thread, at{}) {
		if w.IsWrite() && w.Overlaps(a) && slices.Contains(cs.Held(x), lock) && !cs.Operation(x, f.early.at, record.Unlocks) && !cs.Operation(f.early.at, x, record.Unlocks) {
			return x, true
		}
	}
	return x, false
}
