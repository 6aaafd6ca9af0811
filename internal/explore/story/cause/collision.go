package cause

import (
	"fmt"
	"slices"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// collisions finds the accesses that the story is about. At a preemption, a thread was
// between two accesses of its own to memory that another thread then changed, without a
// lock in common if there is such a case. If there is nothing of the kind, an access of
// the other's that conflicts with one of the thread's will do, a write before a read.
// The objects that threads wait for at the end come before all else.
func (cs *Case) collisions(b *result.Bug) {
	if cs.intercepted(b) {
		return
	}
	kinds := []wanted{{both: true, write: true}, {both: true, write: true, locked: true}, {write: true}, {}, {write: true, locked: true}, {locked: true}}
	list := awaited(b, kinds)
	for _, w := range kinds { // what the C library's locks do in their own code comes last
		w.users = true
		list = append(list, w)
	}
	for _, w := range append(list, kinds...) {
		for i := range cs.Beats {
			for _, t := range cs.behind(i) {
				if cs.collision(b, i, t, w) {
					return
				}
			}
			if i > 0 && cs.Beats[i].Step.Preemption && cs.collision(b, i, cs.Beats[i-1].Step.Thread, w) {
				return
			}
		}
	}
}

// wanted says which collision will do: between two accesses of the thread's, or beside one,
// with a write or with any access of the other's, under a common lock too. If of isn't
// empty, the collision is at these addresses. users: not by a function of the C library's on
// threads, nor by a library to memory that has no name.
type wanted struct {
	both, write, locked, users bool
	of                         []result.Addr
}

// awaited is kinds of what threads wait for at the end.
func awaited(b *result.Bug, kinds []wanted) (own []wanted) {
	var of []result.Addr
	for i := range b.Waits {
		if at := b.Waits[i].Address; at != 0 {
			of = append(of, at)
		}
	}
	if len(of) == 0 {
		return nil
	}
	for _, w := range kinds {
		w.of = of
		own = append(own, w)
	}
	return own
}

// collision looks at what happens from beat i on, where thread t was preempted,
// until that thread goes on.
func (cs *Case) collision(b *result.Bug, i int, t trace.TID, w wanted) bool {
	resume := i
	for resume < len(cs.Beats) && cs.Beats[resume].Step.Thread != t {
		resume++
	}
	for j := i; j < resume; j++ {
		for k := range cs.Beats[j].Accesses {
			mid := &cs.Beats[j].Accesses[k]
			if cs.Beats[j].MadeBy(k) == t || len(w.of) > 0 && !slices.Contains(w.of, result.Addr(mid.Addr)) {
				continue
			}
			if w.users && (cs.code.OnThreads(mid.PC) || cs.IsOwnLock(mid.Addr)) {
				continue
			}
			by := cs.Beats[j].MadeBy(k)
			before, okB := cs.LastConflict(t, at{Beat: j, Access: k}, mid)
			after, okA := cs.FirstConflict(t, resume, mid)
			// An event before the one's creation or after its end can't be otherwise.
			okB = okB && !cs.Between(before, at{Beat: j, Access: k}, trace.OpCreate, by)
			okA = okA && !cs.Between(at{Beat: j, Access: k}, after, trace.OpJoin, by)
			// An earlier or later life of the memory has another content.
			okB = okB && !cs.Freed(before, at{Beat: j, Access: k}, mid.Addr)
			okA = okA && !cs.Freed(at{Beat: j, Access: k}, after, mid.Addr)
			if w.both && !(okB && okA) || w.write && !mid.IsWrite() || !okB && !okA {
				continue
			}
			if w.users && (cs.nameless(at{Beat: j, Access: k}) || okB && cs.draws(before, at{Beat: j, Access: k})) {
				continue
			}
			if !w.locked && (okB && cs.Together(at{Beat: j, Access: k}, before) || okA && cs.Together(at{Beat: j, Access: k}, after)) {
				continue
			}
			var list []at
			if okB {
				list = append(list, before)
			}
			list = append(list, at{Beat: j, Access: k})
			if okA {
				list = append(list, after)
			}
			cs.collided = list
			for _, x := range list {
				b.Accesses = append(b.Accesses, cs.Shown(x))
			}
			if okB && okA && mid.IsWrite() {
				cs.hit = &hit{t, before, at{Beat: j, Access: k}, after}
			}
			b.Cause = cs.cause(t, before, at{Beat: j, Access: k}, after, okB, okA)
			cs.interrupted(b, t, at{Beat: j, Access: k})
			return true
		}
	}
	return false
}

// draws reports whether two accesses are the same addition, as two threads make at a lock with
// tickets.
func (cs *Case) draws(x, y at) bool {
	a, b := cs.AccessAt(x), cs.AccessAt(y)
	return a.PC == b.PC && a.Addr == b.Addr && a.Flags&trace.RMW != 0 && cs.RawAt(x) != cs.RawAt(y) && b.Flags&trace.RMW != 0
}

// nameless reports whether an access is a library's own, to memory without a name: how it
// counts what uses it, say.
func (cs *Case) nameless(x at) bool {
	a := cs.Shown(x)
	f := result.Innermost(a.Stack)
	return a.Symbol == "" && (f.File == "" || f.Library)
}

// cause puts a collision into one line.
func (cs *Case) cause(t trace.TID, before, mid, after at, okB, okA bool) string {
	m := cs.Shown(mid)
	place := func(a result.Access) string { f := result.Innermost(a.Stack); return f.Where() }
	noun := map[string]string{"reads": "read", "writes": "write", "updates": "update", "fails to exchange": "failed exchange"}
	verb := map[string]string{"reads": "reads", "writes": "changes", "updates": "changes", "fails to exchange": "looks at"}
	line := fmt.Sprintf("thread %s %s %s (%s)", m.Thread, verb[m.Op], m.Name(), place(m))
	name := "thread " + cs.guest.Name(t)
	switch {
	case okB && okA:
		x, y := cs.Shown(before), cs.Shown(after)
		return fmt.Sprintf("%s between %s's %s (%s) and its %s (%s)", line, name, noun[x.Op], place(x), noun[y.Op], place(y))
	case okB:
		x := cs.Shown(before)
		return fmt.Sprintf("%s after %s's %s (%s), and before that thread went on", line, name, noun[x.Op], place(x))
	}
	y := cs.Shown(after)
	return fmt.Sprintf("%s before %s's %s (%s)", line, name, noun[y.Op], place(y))
}

// intercepted tells of the latest signal that another thread than its own got at first. That is a
// choice of the execution, which isn't left without need.
func (cs *Case) intercepted(b *result.Bug) bool {
	for i := len(cs.Beats) - 1; i >= 0; i-- {
		for _, o := range cs.Beats[i].Ops {
			if sig := o.Caught(); sig != 0 {
				b.Cause = fmt.Sprintf("thread %s gets at %s (%s) while it is on its way to thread %s", cs.guest.Name(cs.Beats[i].Step.Thread), trace.SignalName(sig),
					where(cs.code.Frames(cs.Beats[i].Stack)), cs.guest.Name(trace.TID(o.Obj)))
				return true
			}
		}
	}
	return false
}

// interrupted tells of a collision that it is a signal, if its middle is: where the thread
// that gets it was, by its last access of the user's.
func (cs *Case) interrupted(b *result.Bug, t trace.TID, mid at) {
	i := slices.IndexFunc(cs.Beats[mid.Beat].Ops, func(o trace.Op) bool {
		return o.Obj == uint64(t) && o.Signal() != 0
	})
	if i < 0 || cs.AccessAt(mid).Addr >= record.LowestVariable {
		return
	}
	comes := &cs.Beats[mid.Beat].Ops[i]
	sent := cs.Sending(call{Beat: mid.Beat, Op: comes}).Beat
	m := cs.Shown(mid)
	if k := slices.IndexFunc(cs.Beats[sent].Accesses, func(a trace.Access) bool { return a.IsWrite() && a.Addr == cs.AccessAt(mid).Addr }); k >= 0 {
		m = cs.Shown(at{Beat: sent, Access: k})
	}
	text := fmt.Sprintf("thread %s sends %s to thread %s (%s)", m.Thread, trace.SignalName(comes.Signal()), cs.guest.Name(t), where(m.Stack))
	if sent != mid.Beat {
		text += ", which comes"
	}
	for x := range cs.Backward(t, mid) {
		if a := cs.Shown(x); !a.Bookkeeping && a.Symbol != "" && where(a.Stack) != "" {
			b.Cause = fmt.Sprintf("%s after that thread %s %s (%s), and before it goes on", text, a.Op, a.Name(), where(a.Stack))
			b.Accesses, cs.collided = []result.Access{a, m}, []at{x, mid}
			return
		}
	}
	b.Cause = text + ", which runs its handler"
}

// behind are the other threads that made accesses in a beat: each was left behind it.
func (cs *Case) behind(i int) []trace.TID {
	b := &cs.Beats[i]
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(b.By))), func(t trace.TID) bool { return t == b.Step.Thread })
}
