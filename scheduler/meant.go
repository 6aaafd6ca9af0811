package scheduler

import (
	"fmt"
	"path"
	"strings"

	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// An execution that no thread can go on from is a deadlock or a livelock. But some
// programs were never to end: a server, or a test whose threads work for ever. In
// both, no thread waits for a thing that another one owes it:
//
//   - The first thread sleeps in a loop that has no condition (image.Forever), or waits there
//     for signals from outside the program (pause). A wait for one signal, behind which the
//     program would go on, is for one that is owed.
//   - A thread takes locks and gives them back, in such a loop.
//
// One of these is there, and all others wait for work (a condition variable, a semaphore)
// or for one of them to end. A lock that is held is owed, and so is the word that a loop reads: then
// it is a bug as ever. A wake-up that is lost looks like waiting for work, so what was
// taken as meant is said on the first line of the result.

// idles reports whether a loop's turn, a thread's own steps from index i on, is one that
// a program may be meant to be in for ever. Then it sleeps and the thread is the first,
// or it takes locks.
func (s *state) idles(th *thread, i int32) bool {
	for ; int(i) < len(s.steps); i++ {
		tr := s.steps[i].tr
		if tr.Thread != th.ID {
			continue
		}
		for k := range tr.Ops {
			switch op := tr.Ops[k].Kind; {
			case spins.PlainLock(op), th.Parent == trace.NoThread && (op == trace.OpSleep || op == trace.OpYield):
				return true
			}
		}
	}
	return false
}

// meantLoop reports whether a thread is in a loop that a program may be meant to be in for
// ever.
func (s *present) meantLoop(th *thread) bool {
	return th.Stand == StandSpin && th.idles && static.Forever(s.image.Info, s.Stack(th.ID))
}

// meant says how it is that threads which wait for ever are meant to, or "" if that isn't
// so.
func (s *named) meant(waits []Wait) string {
	var loops, idle []string
	for i := range waits {
		w := &waits[i]
		th := &s.threads[w.Thread]
		at := s.ownPlace(w.Thread)
		switch {
		case s.meantLoop(th):
			does := "takes and releases locks"
			if th.Parent == trace.NoThread {
				does = "goes round"
			}
			loops = append(loops, fmt.Sprintf("thread %s %s in a loop without an end%s", s.Name(w.Thread), does, at))
		case th.Parent == trace.NoThread && th.Stand == StandSleep && th.pending.Kind == trace.OpCancel && static.Forever(s.image.Info, s.Stack(th.ID)):
			loops = append(loops, fmt.Sprintf("thread %s waits for a signal from outside%s", s.Name(w.Thread), at))
		case w.For == "condition variable", w.For == "semaphore":
			idle = append(idle, fmt.Sprintf("thread %s waits for %s%s", s.Name(w.Thread), w.String(), at))
		case w.For != "thread":
			return ""
		}
	}
	if len(loops) == 0 {
		return ""
	}
	const most = 3 // threads that are named
	all := append(loops, idle...)
	if len(all) > most {
		all = append(all[:most:most], fmt.Sprintf("%d more threads do so", len(all)-most))
	}
	return strings.Join(all, ", ")
}

// ownPlace is the innermost place on a thread's stack that is in code with lines, as
// " (main server.c:12)"; or "".
func (s *present) ownPlace(t trace.TID) string {
	fs := s.image.Frames(s.ownPC(t, 0))
	if len(fs) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s %s:%d)", fs[0].Function, path.Base(fs[0].File), fs[0].Line)
}
