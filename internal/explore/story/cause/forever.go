package cause

import (
	"fmt"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Threads that wait for what another one has left behind.

// spinning makes what a thread's loop reads the cause of a livelock: which thread wrote it last.
func (cs *Case) spinning(b *result.Bug) {
	if b.Kind != trace.Livelock || b.Cause != "" {
		return
	}
	for i := range b.Loops {
		l := &b.Loops[i]
		spins, ok := cs.guest.Lookup(l.Thread)
		for k := range l.Waits {
			a := &l.Waits[k]
			w, by, written := cs.LastWrite(uint64(a.Address), uint64(a.Size))
			if !ok || !written || by == spins {
				continue
			}
			m := cs.Shown(w)
			if m.Bookkeeping || where(m.Stack) == "" || m.New == "" {
				continue
			}
			b.Cause = fmt.Sprintf("thread %s waits for %s to change (%s), which thread %s has set to %s (%s)", l.Thread, m.Name(), where(l.Lines), m.Thread, m.New, where(m.Stack))
			if cs.guest.StateText(by) == "ended" {
				b.Cause += " before it ended"
			}
			b.Accesses, cs.collided = []result.Access{m}, []at{w}
			return
		}
	}
}

// kept: a thread waits for ever for a mutex whose holder has ended.
func (cs *Case) kept(b *result.Bug) string {
	for i := range b.Waits {
		w := &b.Waits[i]
		owner, ok := cs.guest.Lookup(w.Owner)
		if w.For != "mutex" || !ok || w.Acquired == nil || w.Acquired.File == "" || cs.guest.StateText(owner) != "ended" {
			continue
		}
		return fmt.Sprintf("Thread %s takes %s (%s) and ends without releasing it. %s", w.Owner, w.Object, w.Acquired.Where(), unlockOnEveryWay)
	}
	return ""
}
