package scheduler

import (
	"sort"

	"landgo/internal/trace"
	"landgo/kernel"
)

// Ends are those of threads and of the process: what is a step, and what other threads can
// observe.
type Ends struct {
	in        *present
	stacks    *Stacks
	sharing   *Sharing
	learning  *learning
	unreads   *unreads
	leftovers *leftovers
	describe  func(*thread, *trace.Thread) Watch // of the System
	late      bool                               // the end of the process comes last

	traceless traceless
}

// Late ends: where one thread ends the process well, the others are cut off, at each of
// their points in some execution. Their next steps would show a bug or none. If there is
// one, an execution that goes on shows it. So a search that asks for it (por.Awaiter) is
// told that such an end isn't possible as long as another thread can run. No bug is
// lost:
//
//   - What the others did before the end they do in the execution that goes on, too: it
//     begins with the same steps. Their steps after that are explored besides.
//   - The ending thread stands before its last step, and does no more than to end. Its
//     status is its own: it has it already, and it is 0. An end with another status, or
//     by a bug, isn't late.
//   - Exit handlers and destructors are steps before the end, in all orders with the
//     others'.
//   - Where several threads stand before an end, each of these ends is explored.
//   - What is in store buffers at an early end gets to memory when no thread is left to read
//     it. In the execution that goes on it gets there before the end.
//   - Threads that wait when no other can run wait at an early end as well, and a cycle of
//     locks stays one. No timed wait runs out as long as the end is possible.
//
// Only effects outside show the difference: output, and those of other system calls. A thread may
// be seen to do anything of that without having to do it by the end. Then ends come anywhere
// again, for good (known.Facts.Early), and all begins anew. So they do where others go on for
// long, and perhaps for ever, and with --check leak, because a thread that is cut off leaves its
// blocks. And so they do where a thread stands at an assumption that doesn't hold: an end before
// that is of an execution that isn't assumed away. Judged by TestLateEnds in por.

// EndLate implements por.Awaiter.
func (s *System) EndLate(on bool) {
	s.Ends.late = on && !s.steered() && s.cfg.Fill == nil && s.cfg.Leaks == 0 && !s.Coarse()
	s.Unlist()
}

// endsWell reports whether a thread, which stands before the end of the process, ends it
// with status 0, by its own doing.
func (e *Ends) endsWell(th *thread) bool {
	switch th.Stand {
	case StandOp:
		return true // else the library lets its own code run up to the call
	case StandTrap:
		return th.trap.Syscall && e.in.wordSize == 8 && e.in.plan(th).About&kernel.AboutSuccess != 0
	}
	return false
}

// isLate reports whether a thread described by d ends the process late.
func (e *Ends) isLate(th *thread, d *trace.Thread) bool {
	return e.late && !e.learning.known.Early && d.Pending.Kind == trace.OpEnd && d.Status == trace.Ready && e.endsWell(th)
}

// letEnd has late ends wait for the threads that can run.
func letEnd(list []trace.Thread) (altered bool) {
	others := false
	for i := range list {
		others = others || list[i].Status == trace.Ready && !list[i].Late
	}
	for i := range list {
		if d := &list[i]; d.Late && others {
			d.Status, d.Outcomes = trace.Blocked, 0
			altered = true
		}
	}
	return altered
}

// letEnd does so for the threads that are listed.
func (l *listing) letEnd() {
	others := false
	for i, w := range l.Ready {
		others = others || w&^l.late[i] != 0
	}
	for t := range l.late.All {
		d := &l.from[l.place[t]-1]
		if d.Status, d.Outcomes = trace.Ready, 1; others {
			d.Status, d.Outcomes = trace.Blocked, 0
		}
		l.Note(d)
	}
}

// endsEarly notes that the process is ended by t, late: could the end have been seen to come
// before something that another thread did?
func (e *Ends) endsEarly(t trace.TID) {
	if !e.late || e.learning.known.Early || e.in.Alone(t) {
		return
	}
	pointer := e.in.lib.Unwritten(t).Pointer
	if e.in.Assumed() || e.traceless.differ(e.in.steps, t, pointer, func(tr *trace.Transition) bool { return e.leavesTraces(tr, pointer) }) {
		e.learning.known.Early, e.learning.finer = true, true
	}
}

// traceless has the first steps of an execution that ended with no traces of other threads than
// thread. The next execution's first steps that are the same aren't looked at again: with locks
// that aren't trusted an execution has hundreds of steps, and few of them are new.
type traceless struct {
	thread  trace.TID
	pointer uint64
	numbers []uint64 // of these steps (stepInfo.number)
}

// differ reports whether one of the steps is another thread's than t, and leaves traces.
func (l *traceless) differ(steps []stepInfo, t trace.TID, pointer uint64, leaves func(*trace.Transition) bool) bool {
	if l.thread != t || l.pointer != pointer {
		*l = traceless{t, pointer, l.numbers[:0]}
	}
	// A step has the number of the other execution if and only if both have all steps up to it.
	same := sort.Search(min(len(steps), len(l.numbers)), func(i int) bool { return steps[i].number != l.numbers[i] })
	l.numbers = l.numbers[:same]
	for i := same; i < len(steps); i++ {
		if tr := steps[i].tr; tr.Thread != t && leaves(tr) {
			return true
		}
		l.numbers = append(l.numbers, steps[i].number)
	}
	return false
}

// leavesTraces reports whether a step did what can be told when the process has ended.
// pointer is where the guest keeps how much the end is to write, or 0.
func (e *Ends) leavesTraces(tr *trace.Transition, pointer uint64) bool {
	k, prints := e.in.kernel.(outputKernel)
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		if prints && a.Flags&trace.Library != 0 && a.Addr == k.OutputWord() || pointer != 0 && a.IsWrite() && a.Addr == pointer {
			return true
		}
	}
	for i := range tr.Ops {
		if tr.Ops[i].Kind == trace.OpSyscall {
			return true
		}
	}
	return false
}

// longestAfter is how many steps others may take while a thread waits to end the process.
const longestAfter = 1 << 12

// tire is called now and then.
func (e *Ends) tire() {
	if !e.late || e.learning.known.Early {
		return
	}
	for i := range e.in.threads {
		th := &e.in.threads[i]
		if !th.Exists || th.Stand != StandOp && th.Stand != StandTrap || len(e.in.steps)-int(th.LastStep) < longestAfter {
			continue
		}
		var d trace.Thread
		if e.describe(th, &d); d.Late {
			e.learning.known.Early, e.learning.finer = true, true
		}
	}
}
