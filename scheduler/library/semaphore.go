package library

import (
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// semMax is SEM_VALUE_MAX, and the most parties that musl's barrier has.
const semMax = 0x7fffffff

// maxPosts is more than threads that are about to post.
const maxPosts = 1 << 20

// performSem carries out an operation on a semaphore, other than to open or close a named one.
func (l *objectCalls) performSem(th edit, tr *trace.Transition, o objectEdit, c trace.Choice) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if th.phase == phaseEntry && l.sleeps(th.thread) {
		if op = trace.OpSemTryWait; o.value == 0 && c > 0 {
			l.did(th.thread, tr, trace.OpSemTryWaitFail, o.object, 0)
			l.core.Failing.Failed(th.ID, tr, trace.FaultEINTR, l.callSite(th.thread), 0)
			l.setErrno(th.thread, tr, abi.EINTR)
			l.ret(th, ^uint64(0))
			return scheduler.Pass, nil
		}
		if o.value == 0 {
			return l.fallAsleep(th, tr, o.object)
		}
	}
	switch {
	case op == trace.OpSemTryWait && o.value == 0:
		l.did(th.thread, tr, trace.OpSemTryWaitFail, o.object, 0)
		return l.refuse(th, tr, abi.EAGAIN)
	case op == trace.OpSemInit && l.initialCount(th.thread) > semMax && !l.cfg.Tested:
		return l.refuse(th, tr, abi.EINVAL)
	case op == trace.OpSemPost && o.value >= semMax-maxPosts && !l.cfg.Tested:
		l.did(th.thread, tr, trace.OpSemGet, o.object, 0) // it matters which post comes last
		if o.value >= semMax {
			return l.refuse(th, tr, abi.EOVERFLOW)
		}
	}
	l.did(th.thread, tr, op, o.object, o.value)
	defer l.settle(o)
	switch op {
	case trace.OpSemInit:
		n := l.initialCount(th.thread) & semMax
		l.initialise(o)
		o.value = n
	case trace.OpSemDestroy:
		l.destroy(o)
	case trace.OpSemWait, trace.OpSemTryWait:
		o.value--
		th.phase = phaseEntry
	case trace.OpSemPost:
		o.value++
		l.ret(th, 0)
		return l.afterRelease(th.thread), nil
	case trace.OpSemGet:
		l.door(th.thread, tr).write32(th.arg(1), uint32(o.value))
	}
	l.ret(th, 0)
	return scheduler.Pass, nil
}

// initialCount is the value that sem_init gives a semaphore: pthread's has an
// argument more.
func (l *objectCalls) initialCount(th *thread) uint64 {
	if l.cfg.Tested {
		return th.arg(1)
	}
	return th.arg(2) & 0xffffffff
}
