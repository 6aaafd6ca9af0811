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
func (s *objectCalls) performSem(th edit, tr *trace.Transition, o objectEdit, c trace.Choice) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if th.phase == phaseEntry && s.sleeps(th.thread) {
		if op = trace.OpSemTryWait; o.value == 0 && c > 0 {
			s.did(th.thread, tr, trace.OpSemTryWaitFail, o.object, 0)
			s.core.Failing.Failed(th.ID, tr, trace.FaultEINTR, s.callSite(th.thread), 0)
			s.setErrno(th.thread, tr, abi.EINTR)
			s.ret(th, ^uint64(0))
			return scheduler.Pass, nil
		}
		if o.value == 0 {
			return s.fallAsleep(th, tr, o.object)
		}
	}
	switch {
	case op == trace.OpSemTryWait && o.value == 0:
		s.did(th.thread, tr, trace.OpSemTryWaitFail, o.object, 0)
		return s.refuse(th, tr, abi.EAGAIN)
	case op == trace.OpSemInit && s.initialCount(th.thread) > semMax && !s.cfg.Tested:
		return s.refuse(th, tr, abi.EINVAL)
	case op == trace.OpSemPost && o.value >= semMax-maxPosts && !s.cfg.Tested:
		s.did(th.thread, tr, trace.OpSemGet, o.object, 0) // it matters which post comes last
		if o.value >= semMax {
			return s.refuse(th, tr, abi.EOVERFLOW)
		}
	}
	s.did(th.thread, tr, op, o.object, o.value)
	defer s.settle(o)
	switch op {
	case trace.OpSemInit:
		n := s.initialCount(th.thread) & semMax
		s.initialise(o)
		o.value = n
	case trace.OpSemDestroy:
		s.destroy(o)
	case trace.OpSemWait, trace.OpSemTryWait:
		o.value--
		th.phase = phaseEntry
	case trace.OpSemPost:
		o.value++
		s.ret(th, 0)
		return s.afterRelease(th.thread), nil
	case trace.OpSemGet:
		s.door(th.thread, tr).write32(th.arg(1), uint32(o.value))
	}
	s.ret(th, 0)
	return scheduler.Pass, nil
}

// initialCount is the value that sem_init gives a semaphore: pthread's has an
// argument more.
func (s *objectCalls) initialCount(th *thread) uint64 {
	if s.cfg.Tested {
		return th.arg(1)
	}
	return th.arg(2) & 0xffffffff
}
