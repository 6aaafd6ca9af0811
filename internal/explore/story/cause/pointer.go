package cause

import (
	"fmt"
	"strings"

	"landgo/internal/explore/story/record"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Pointers that outlive their lock: a thread takes one under a lock, releases the lock, and uses
// what the pointer leads to. Another thread frees or changes that under the lock.

// freedAfter is the lock under which a thread takes a pointer to a block, if another one frees the
// block, or takes the pointer away, under it. let is where the thread releases the lock.
func (cs *Case) freedAfter(f *scheduler.Failure, taken at) (lock, let string) {
	freer, atFree := f.Block.Back.Thread, int(f.Block.Back.Step)-1
	var its []string
	for i := range cs.Beats[atFree].Ops {
		if o := &cs.Beats[atFree].Ops[i]; o.Kind == trace.OpFree && o.Obj == f.Block.Addr {
			its = cs.HeldAfter(&cs.Beats[atFree], i)
		}
	}
	for x, a := range cs.Forward(freer, taken) {
		if taken.Before(x) && a.IsWrite() && a.Overlaps(cs.AccessAt(taken)) && x.Beat <= atFree {
			its = append(its, cs.Held(x)...)
		}
	}
	for _, lock := range common(cs.Held(taken), its) {
		if let := cs.unlocked(f.Thread, lock, taken, cs.End()); let != "" {
			return lock, let
		}
	}
	return "", ""
}

// mostUses is how many of a thread's last accesses changedAfter looks at.
const mostUses = 64

// changedAfter: a thread takes a pointer under a lock, releases that, and reads what the pointer leads
// to. Another thread has changed that under the lock, and the reading one fails.
func (cs *Case) changedAfter(f *scheduler.Failure) string {
	if len(f.Waits) > 0 {
		return ""
	}
	n := 0
	for x, a := range cs.Backward(f.Thread, cs.End()) {
		if n++; n > mostUses || cs.WaitsBetween(f.Thread, x, cs.End()) {
			return ""
		}
		w, by, ok := cs.Source(x)
		if a.IsWrite() || a.Addr < record.LowestVariable || !ok || by == f.Thread || cs.IsAtomic(a) || cs.IsAtomic(cs.AccessAt(w)) || cs.Together(x, w) {
			continue
		}
		p, ok := cs.pointerTo(f.Thread, a.Addr, x)
		if !ok || !p.Before(w) || cs.WaitsBetween(f.Thread, p, x) {
			continue
		}
		for _, lock := range common(cs.Held(p), cs.Held(w)) {
			let := cs.unlocked(f.Thread, lock, p, x)
			from, used, changed := cs.Shown(p), cs.Shown(x), cs.Shown(w)
			if let == "" || from.Symbol == "" || used.Symbol == "" || used.Bookkeeping || where(from.Stack) == "" || where(used.Stack) == "" || where(changed.Stack) == "" {
				continue
			}
			in := "from " + from.Name()
			if from.Bookkeeping {
				in = "there"
			}
			return fmt.Sprintf("Thread %s takes a pointer %s under %s (%s), releases that (%s), and reads %s by the pointer (%s). In between thread %s changes it under %s (%s). Hold %s until the last use, or copy under %s what is needed.",
				used.Thread, in, lock, where(from.Stack), let, used.Name(), where(used.Stack), changed.Thread, lock, where(changed.Stack), lock, lock)
		}
	}
	return ""
}

// pointerTo is a thread's last read, before an access, of a pointer to the object that has an
// address.
func (cs *Case) pointerTo(t trace.TID, addr uint64, before at) (p at, ok bool) {
	for p, a := range cs.Backward(t, before) {
		if !a.IsWrite() && uint64(a.Size) == cs.code.Word() && cs.leadsTo(cs.RawAt(p), addr) {
			return p, true
		}
	}
	return p, false
}

// leadsTo reports whether a pointer is to the object that has an address: to its block, or to its
// structure or element of a variable.
func (cs *Case) leadsTo(v, addr uint64) bool {
	if v < record.LowestVariable || v > addr {
		return false
	}
	if b, ok := cs.BlockAt(addr); ok {
		return b.Contains(v)
	}
	of := func(addr uint64) string {
		name, _ := cs.guest.Variable(addr)
		name, _, _ = strings.Cut(name, ".")
		name, _, _ = strings.Cut(name, "+")
		return name
	}
	return of(v) != "" && of(v) == of(addr)
}
