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
func (l *objectCalls) performOnce(th edit, tr *trace.Transition, o objectEdit) (scheduler.Verdict, error) {
	if o.done {
		l.did(th.thread, tr, trace.OpOncePass, o.object, trace.OnceDone)
		l.ret(th, 0)
		return scheduler.Pass, nil
	}
	l.did(th.thread, tr, trace.OpOnce, o.object, trace.OnceBegins)
	o.owner = th.ID
	l.settle(o)
	sp := th.Regs.RSP
	f := onceFrame{obj: o.addr, sp: sp, ret: l.core.Word(sp)}
	th.onces = append(th.onces[:len(th.onces):len(th.onces)], f)
	l.breakAt(f.ret, breakReturn)
	th.Regs.RIP = th.arg(1)
	th.Set |= setRIP
	th.Stand = scheduler.StandRun
	return scheduler.Pass, nil
}

// endOnce completes the innermost once routine of a thread, at its return.
func (l *objectCalls) endOnce(th edit, tr *trace.Transition) {
	n := len(th.onces)
	f := th.onces[n-1]
	th.onces = th.onces[: n-1 : n-1]
	o := l.use(f.obj, kindOnce)
	o.done, o.owner = true, trace.NoThread
	l.settle(o)
	tr.Did(trace.Op{Kind: trace.OpOnce, Obj: f.obj, Size: l.sizes[kindOnce], Arg: trace.OnceEnds, PC: f.ret})
	th.Regs.RAX = 0
	th.Set |= trace.RAX
}

// leaveOnces ends the once routines of a thread whose frames lie at or below an
// address on its stack: an exception, or the thread's end, went past them. The next
// caller begins such a routine again. The library says so when the exception passes
// pthread_once; landgo sees it when the code that catches the exception calls the
// runtime. The runtime's frame is where pthread_once's was if the same function
// called both.
func (l *objectCalls) leaveOnces(th edit, tr *trace.Transition, top uint64) {
	for n := len(th.onces); n > 0 && th.onces[n-1].sp <= top; n-- {
		f := th.onces[n-1]
		th.onces = th.onces[: n-1 : n-1]
		o := l.use(f.obj, kindOnce)
		o.owner = trace.NoThread
		l.settle(o)
		tr.Did(trace.Op{Kind: trace.OpOnce, Obj: f.obj, Size: l.sizes[kindOnce], Arg: trace.OnceLeft, PC: f.ret})
	}
}
