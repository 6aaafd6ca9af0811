package steer

import (
	"landgo/kernel"
	"landgo/scheduler"
	"landgo/trace"
)

// thread is a thread of the kernel: what every kind of guest has of one, and what
// only a kernel's has.
type thread struct {
	*scheduler.Thread
	own ownThread
}

// ownSave is what a kernel's part of a thread was.
type ownSave struct {
	id  trace.TID
	own ownThread
}

// ensure makes room for thread t. Threads never move: the capacity is there from the
// start.
func (s *Kernel) ensure(t trace.TID) {
	s.Ensure(t)
	for i := len(s.threads); i <= int(t); i++ {
		s.threads = append(s.threads, thread{Thread: s.Thread(trace.TID(i))})
	}
}

// save keeps the present state of a thread for Rewind.
func (s *Kernel) save(t trace.TID) { s.Save(t) }

// Keep implements scheduler.Companion.
func (s *Kernel) Keep(t trace.TID) {
	s.ownLog = append(s.ownLog, ownSave{t, s.threads[t].own})
}

// TakeUp implements scheduler.Companion.
func (s *Kernel) TakeUp(n, steps int) {
	for i := len(s.ownLog) - 1; i >= n; i-- {
		s.threads[s.ownLog[i].id].own = s.ownLog[i].own
	}
	clear(s.ownLog[n:])
	s.ownLog = s.ownLog[:n]
	s.steps = s.steps[:steps]
}

// invalid makes the error for what isn't modelled.
func (s *Kernel) invalid(gap kernel.Gap, th *thread, pc uint64, format string, args ...any) error {
	return s.Invalid(gap, th.ID, pc, format, args...)
}
