package library

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// With store buffers a spin lock that is let go by a plain store is the library's own code
// (drains.go). A thread that waits for one is in a loop then; what it waits for is the lock all
// the same, and may have to wait in a cycle.

// spinWait says for which spin lock a thread spins, if for one.
func (l *Library) spinWait(t trace.TID) (w scheduler.Wait, ok bool) {
	f, found := l.image.SymbolAt(l.core.PC(t))
	reads := l.core.Awaited(t)
	if !found || !l.spins[f.Addr] || len(reads) == 0 {
		return w, false
	}
	w = scheduler.Wait{Thread: t, For: "mutex", Obj: reads[0].Addr, Name: l.core.VariableName(reads[0].Addr)}
	w.Owner = l.core.FirstLocked(&reads[0])
	return w, true
}
