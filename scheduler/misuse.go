package scheduler

import (
	"fmt"

	"landgo/image"
	"landgo/trace"
)

// misuse checks the operation at whose entry a thread stands against its
// rules: both libcs are silent about most of these, and they are bugs all the
// same (lock-misuse).
func (s *System) misuse(th *thread) *Failure {
	a := &acts[th.role]
	if a.op < trace.OpLock || a.op > trace.OpOnce {
		return nil
	}
	if a.op >= trace.OpFutexWait {
		return nil
	}
	o := s.objectOf(th.arg(0), a.kind)
	bad := func(format string, args ...any) *Failure {
		return &Failure{Kind: LockMisuse, Thread: th.id, PC: s.callSite(th), Message: fmt.Sprintf(format, args...)}
	}
	name := s.VariableName(o.addr)
	isInit := a.op == trace.OpMutexInit || a.op == trace.OpCondInit || a.op == trace.OpSemInit ||
		a.op == trace.OpRWInit || a.op == trace.OpBarrierInit
	if o.destroyed && !isInit {
		return bad("%s is used after it was destroyed", name)
	}
	switch a.op {
	case trace.OpLock:
		if o.owner == th.id && o.mtype == mutexNormal {
			return bad("%s is locked twice by the same thread", name)
		}
	case trace.OpUnlock:
		if th.role == image.SpinInitOrUnlock && o.owner == trace.NoThread {
			return nil
		}
		if o.owner != th.id && o.mtype == mutexNormal {
			if o.owner == trace.NoThread {
				return bad("%s is unlocked, but nobody holds it", name)
			}
			return bad("%s is unlocked by thread %s, but thread %s holds it", name, s.Name(th.id), s.Name(o.owner))
		}
	case trace.OpMutexDestroy:
		if o.owner != trace.NoThread {
			return bad("%s is destroyed while thread %s holds it", name, s.Name(o.owner))
		}
	case trace.OpMutexInit:
		if o.owner != trace.NoThread {
			return bad("%s is initialised while thread %s holds it", name, s.Name(o.owner))
		}
	case trace.OpCondWait:
		m := s.objectOf(th.arg(1), kindMutex)
		if m.owner != th.id {
			return bad("a wait on %s without holding %s", name, s.VariableName(m.addr))
		}
	case trace.OpCondDestroy:
		if len(o.waiters) > 0 {
			return bad("%s is destroyed while thread %s waits on it", name, s.Name(o.waiters[0]))
		}
	case trace.OpSemDestroy:
		if t := s.waiterOf(o.addr); t != trace.NoThread {
			return bad("%s is destroyed while thread %s waits on it", name, s.Name(t))
		}
	case trace.OpWriteUnlock:
		if o.owner != th.id && index(o.readers, th.id) < 0 {
			return bad("%s is unlocked by thread %s, which doesn't hold it", name, s.Name(th.id))
		}
	case trace.OpWriteLock:
		if o.owner == th.id || index(o.readers, th.id) >= 0 {
			return bad("%s is locked for writing by thread %s, which holds it already", name, s.Name(th.id))
		}
	case trace.OpRWDestroy:
		if o.owner != trace.NoThread || len(o.readers) > 0 {
			return bad("%s is destroyed while it is held", name)
		}
	case trace.OpBarrierDestroy:
		if len(o.waiters) > 0 {
			return bad("%s is destroyed while thread %s waits at it", name, s.Name(o.waiters[0]))
		}
	case trace.OpBarrierArrive:
		if o.value == 0 {
			return bad("%s is waited at, but wasn't initialised", name)
		}
	}
	return nil
}

// exitMisuse checks a thread that is about to end.
func (s *System) exitMisuse(th *thread) *Failure {
	for _, a := range th.holds {
		if o := s.objectOf(a, kindMutex); !o.destroyed {
			return &Failure{Kind: LockMisuse, Thread: th.id, PC: th.regs.RIP,
				Message: fmt.Sprintf("thread %s ends while it holds %s", s.Name(th.id), s.VariableName(a))}
		}
	}
	return nil
}

// waiterOf is a thread that stands at an operation on the object at addr
// which isn't possible.
func (s *System) waiterOf(addr uint64) trace.TID {
	for i := range s.threads {
		th := &s.threads[i]
		if s.exists[i] && th.stand == standOp && th.arg(0) == addr && !s.possible(th) {
			return th.id
		}
	}
	return trace.NoThread
}
