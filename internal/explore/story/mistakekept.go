package story

import (
	"fmt"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Threads that wait for what another one has left behind.

// spinning makes what a thread's loop reads the cause of a livelock: which thread wrote it last.
func (st *Story) spinning(b *result.Bug) {
	if b.Kind != trace.Livelock || b.Cause != "" {
		return
	}
	for i := range b.Loops {
		l := &b.Loops[i]
		spins, ok := st.Guest.Lookup(l.Thread)
		for k := range l.Waits {
			a := &l.Waits[k]
			w, by, written := st.LastWrite(uint64(a.Address), uint64(a.Size))
			if !ok || !written || by == spins {
				continue
			}
			m := st.shown(w)
			if m.Bookkeeping || where(m.Stack) == "" || m.New == "" {
				continue
			}
			b.Cause = fmt.Sprintf("thread %s waits for %s to change (%s), which thread %s has set to %s (%s)", l.Thread, m.Name(), where(l.Lines), m.Thread, m.New, where(m.Stack))
			if st.Guest.StateText(by) == "ended" {
				b.Cause += " before it ended"
			}
			b.Accesses, st.collided = []result.Access{m}, []at{w}
			return
		}
	}
}

// kept: a thread waits for ever for a mutex whose holder has ended.
func (st *Story) kept(b *result.Bug) string {
	for i := range b.Waits {
		w := &b.Waits[i]
		owner, ok := st.Guest.Lookup(w.Owner)
		if w.For != "mutex" || !ok || w.Acquired == nil || w.Acquired.File == "" || st.Guest.StateText(owner) != "ended" {
			continue
		}
		return fmt.Sprintf("Thread %s takes %s (%s) and ends without releasing it. %s", w.Owner, w.Object, w.Acquired.Where(), unlockOnEveryWay)
	}
	return ""
}
