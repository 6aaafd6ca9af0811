package scheduler

import (
	"landgo/kernel"
	"landgo/trace"
)

// bareThread is a thread of a kernel that schedules its threads itself: what every
// kind of guest knows of it, and what only Bare does.
type bareThread struct {
	*thread
	own ownThread
}

// ownSave is what Bare's part of a thread was.
type ownSave struct {
	id  trace.TID
	own ownThread
}

// ensure makes room for thread t. Threads never move: the capacity is there from the
// start.
func (s *Bare) ensure(t trace.TID) {
	s.System.ensure(t)
	for i := len(s.threads); i < len(s.System.threads); i++ {
		s.threads = append(s.threads, bareThread{thread: &s.System.threads[i]})
	}
}

// Keep implements Companion.
func (s *Bare) Keep(t trace.TID) {
	s.ownLog = append(s.ownLog, ownSave{t, s.threads[t].own})
}

// TakeUp implements Companion.
func (s *Bare) TakeUp(n int) {
	for i := len(s.ownLog) - 1; i >= n; i-- {
		s.threads[s.ownLog[i].id].own = s.ownLog[i].own
	}
	clear(s.ownLog[n:])
	s.ownLog = s.ownLog[:n]
}

// invalid makes the error for what isn't modelled.
func (s *Bare) invalid(gap kernel.Gap, th *bareThread, pc uint64, format string, args ...any) error {
	return s.System.invalid(gap, th.thread, pc, format, args...)
}
