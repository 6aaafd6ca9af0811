package library

import (
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// signal has a handler of a thread begin, as scheduler.System.Interrupt does. It returns
// the handler's frame.
func (w *world) signal(t testing.TB, id trace.TID, nap trace.Op) (frame uint64) {
	t.Helper()
	w.begun(t, id)
	th := &w.threads[id]
	frame = th.Regs.RSP - 0x40
	w.core.Save(id)
	w.Interrupted(id, 10, frame, nap)
	th.Stand = scheduler.StandRun
	return frame
}

// TestSignalled: a wait for a condition variable goes on after a handler, and a signal
// that came meanwhile has ended it.
func TestSignalled(t *testing.T) {
	for _, meanwhile := range []bool{false, true} {
		both(t, func(t *testing.T, libc elffile.Libc) {
			w := newWorld(t, libc, 2, Config{})
			w.does(t, 0, profile.MutexLock, mutexA)
			w.call(t, 0, profile.CondWait, condA, mutexA)
			w.step(t, 0, 0)
			th := &w.threads[0]
			regs := th.Regs
			frame := w.signal(t, 0, trace.Op{})
			if th.phase != phaseEntry || len(th.held) != 1 {
				t.Fatalf("in the handler it is at phase %d, with %d waits", th.phase, len(th.held))
			}
			if meanwhile {
				w.does(t, 1, profile.CondSignal, condA)
			}
			if !w.ComesBack(0, "rt_sigreturn") {
				t.Error("the return to the wait isn't foreseen")
			}
			w.begun(t, 0)
			th.Regs = regs
			if !w.ComeBack(0, w.tr, frame, 0) || th.Stand != scheduler.StandOp || len(th.held) != 0 {
				t.Fatalf("after the handler it stands at %d", th.Stand)
			}
			if w.possible(th) != meanwhile {
				t.Errorf("it goes on: %v, was signalled: %v", w.possible(th), meanwhile)
			}
		})
	}
}

// TestSleepEnds: a handler ends a wait for a semaphore with EINTR where the kernel doesn't
// restart it, and a second one of another frame isn't taken for its end.
func TestSleepEnds(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 2, Config{})
		w.known.Signalled.Add(0)
		w.call(t, 0, profile.SemWait, semA)
		w.step(t, 0, 0)
		th := &w.threads[0]
		if th.phase != phaseSleeps || w.possible(th) {
			t.Fatalf("it is at phase %d", th.phase)
		}
		regs := th.Regs
		frame := w.signal(t, 0, trace.Op{})
		w.begun(t, 0)
		th.Regs = regs
		if w.ComeBack(0, w.tr, frame+8, 0) || len(th.held) != 1 {
			t.Error("another frame's return ends the wait")
		}
		if w.ComeBack(0, w.tr, frame, 0) {
			t.Error("it waits again")
		}
		if got := w.result(t, 0); got != ^uint64(0) {
			t.Errorf("it returns %#x", got)
		}
	})
}
