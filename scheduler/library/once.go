package library

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// onceFrame is a once routine under way: landgo made its call a tail call, so
// that it returns to pthread_once's caller.
type onceFrame struct{ obj, sp, ret uint64 }

// performOnce runs the routine as a tail call of pthread_once: it returns to
// pthread_once's caller, where a breakpoint completes the operation.
func (s *objectCalls) performOnce(th edit, tr *trace.Transition, o objectEdit) (scheduler.Verdict, error) {
	if o.done {
		s.did(th.thread, tr, trace.OpOncePass, o.object, trace.OnceDone)
		s.ret(th, 0)
		return scheduler.Pass, nil
	}
	s.did(th.thread, tr, trace.OpOnce, o.object, trace.OnceBegins)
	o.owner = th.ID
	s.settle(o)
	sp := th.Regs.RSP
	f := onceFrame{obj: o.addr, sp: sp, ret: s.core.Word(sp)}
	th.onces = append(th.onces[:len(th.onces):len(th.onces)], f)
	s.breakAt(f.ret, breakReturn)
	th.Regs.RIP = th.arg(1)
	th.Set |= setRIP
	th.Stand = scheduler.StandRun
	return scheduler.Pass, nil
}

// endOnce completes the innermost once routine of a thread, at its return.
func (s *objectCalls) endOnce(th edit, tr *trace.Transition) {
	n := len(th.onces)
	f := th.onces[n-1]
	th.onces = th.onces[: n-1 : n-1]
	o := s.change(s.objectOf(f.obj, kindOnce))
	o.done, o.owner = true, trace.NoThread
	s.settle(o)
	tr.Did(trace.Op{Kind: trace.OpOnce, Obj: f.obj, Size: s.sizes[kindOnce], Arg: trace.OnceEnds, PC: f.ret})
	th.Regs.RAX = 0
	th.Set |= trace.RAX
}

// leaveOnces ends the once routines of a thread whose frames lie at or below an
// address on its stack: an exception, or the thread's end, went past them. The next
// caller begins such a routine again. The library says so when the exception passes
// pthread_once; landgo sees it when the code that catches the exception calls the
// runtime. The runtime's frame is where pthread_once's was if the same function
// called both.
func (s *objectCalls) leaveOnces(th edit, tr *trace.Transition, top uint64) {
	for n := len(th.onces); n > 0 && th.onces[n-1].sp <= top; n-- {
		f := th.onces[n-1]
		th.onces = th.onces[: n-1 : n-1]
		o := s.change(s.objectOf(f.obj, kindOnce))
		o.owner = trace.NoThread
		s.settle(o)
		tr.Did(trace.Op{Kind: trace.OpOnce, Obj: f.obj, Size: s.sizes[kindOnce], Arg: trace.OnceLeft, PC: f.ret})
	}
}
