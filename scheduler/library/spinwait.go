package library

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// With store buffers a spin lock that is let go by a plain store is the library's own code
// (drains.go). A thread that waits for one is in a loop then; what it waits for is the lock all
// the same, and may have to wait in a cycle.

// spinWait says for which spin lock a thread spins, if for one.
func (s *Library) spinWait(t trace.TID) (w scheduler.Wait, ok bool) {
	f, found := s.image.SymbolAt(s.core.PC(t))
	reads := s.core.Awaited(t)
	if !found || !s.spins[f.Addr] || len(reads) == 0 {
		return w, false
	}
	w = scheduler.Wait{Thread: t, For: "mutex", Obj: reads[0].Addr, Name: s.core.VariableName(reads[0].Addr)}
	w.Owner = s.core.FirstLocked(&reads[0])
	return w, true
}
