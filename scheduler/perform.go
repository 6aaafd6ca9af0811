package scheduler

import (
	"landgo/image"
	"landgo/trace"
)

// errno values that the pthread functions return; semaphores set errno.
const (
	esrch     = 3
	ebusy     = 16
	einval    = 22
	eagain    = 11
	edeadlk   = 35
	eperm     = 1
	etimedout = 110
)

// barrierSerial is PTHREAD_BARRIER_SERIAL_THREAD.
const barrierSerial = ^uint64(0)

// perform carries out the trusted operation at which a thread stands, which is
// possible, with outcome c. Where it takes several steps (a condition wait, a
// barrier), the thread then stands at the next of them.
func (s *System) perform(th *thread, tr *trace.Transition, c trace.Choice) (verdict, error) {
	if failed, err := s.failMisuse(th, tr); failed {
		return stay, err
	}
	if th.phase == phaseReacquire {
		return s.reacquire(th, tr)
	}
	obj := th.arg(0)
	switch acts[th.role].kind {
	case kindMutex:
		if acts[th.role].op <= trace.OpMutexDestroy && acts[th.role].op >= trace.OpLock {
			return s.performMutex(th, tr, s.objectOf(obj, kindMutex))
		}
	case kindCond:
		return s.performCond(th, tr, s.objectOf(obj, kindCond), c)
	case kindSem:
		return s.performSem(th, tr, s.objectOf(obj, kindSem))
	case kindRWLock:
		return s.performRW(th, tr, s.objectOf(obj, kindRWLock))
	case kindBarrier:
		return s.performBarrier(th, tr, s.objectOf(obj, kindBarrier))
	case kindOnce:
		return s.performOnce(th, tr, s.objectOf(obj, kindOnce))
	}
	return s.performThread(th, tr)
}

// did records an operation on an object. One in a block of memory, or in pages that
// the program mapped, is an access to it: the block's end, or what is done to the
// pages, depends on it.
func (s *System) did(th *thread, tr *trace.Transition, k trace.OpKind, o *object, arg uint64) {
	if (s.inHeap(o.addr) || s.mapped.Around(o.addr) != nil) && !s.alone(th) {
		_, learned := s.machine.Touch(th.id, o.addr, uint64(s.sizes[o.kind]))
		s.finer = s.finer || learned
	}
	tr.Did(trace.Op{Kind: k, Obj: o.addr, Size: s.sizes[o.kind], Arg: arg, PC: s.callSite(th)})
}

func (s *System) performMutex(th *thread, tr *trace.Transition, o *object) (verdict, error) {
	s.saveObject(o)
	op := acts[th.role].op
	if th.role == image.SpinInitOrUnlock && o.owner == trace.NoThread {
		op = trace.OpMutexInit
	}
	switch op {
	case trace.OpMutexInit:
		s.did(th, tr, op, o, 0)
		*o = object{addr: o.addr, kind: kindMutex, owner: trace.NoThread}
		switch {
		case s.cfg.PointsOnly || th.role != image.MutexInit:
		case s.roles[th.regs.RIP].C11:
			o.mtype = muslMutexType(uint32(th.arg(1)) & mtxRecursive)
		default:
			o.mtype = s.mutexAttr(th.arg(1))
		}
		s.ret(th, 0)
	case trace.OpMutexDestroy:
		s.did(th, tr, op, o, 0)
		s.destroy(o)
		s.ret(th, 0)
	case trace.OpUnlock:
		if o.owner != th.id { // an error-checking or recursive mutex
			s.did(th, tr, trace.OpTryLockFail, o, 0)
			s.ret(th, eperm)
			return pass, nil
		}
		s.did(th, tr, op, o, 0)
		s.unlock(th, o)
		s.ret(th, 0)
		return s.afterRelease(th), nil
	default:
		return s.acquire(th, tr, o, op)
	}
	return pass, nil
}

// acquire takes a mutex, or fails to.
func (s *System) acquire(th *thread, tr *trace.Transition, o *object, op trace.OpKind) (verdict, error) {
	switch {
	case o.owner == th.id && o.mtype == mutexRecursive:
		o.depth++
		s.did(th, tr, op, o, 0)
		s.ret(th, 0)
		return pass, nil
	case o.owner == th.id && op == trace.OpLock: // an error-checking mutex
		s.did(th, tr, trace.OpTryLockFail, o, 0)
		s.ret(th, edeadlk)
		return pass, nil
	case o.owner != trace.NoThread:
		s.did(th, tr, trace.OpTryLockFail, o, 0)
		return s.refuse(th, ebusy)
	}
	s.did(th, tr, op, o, 0)
	o.owner, o.depth = th.id, 1
	th.holds = append(th.holds[:len(th.holds):len(th.holds)], o.addr)
	s.ret(th, 0)
	if !s.alone(th) && s.merges(o.addr) {
		return passAllow, nil
	}
	return pass, nil
}

// unlock lets a mutex go once, or altogether.
func (s *System) unlock(th *thread, o *object) {
	if o.depth > 1 {
		o.depth--
		return
	}
	o.owner, o.depth = trace.NoThread, 0
	holds := make([]uint64, 0, len(th.holds))
	for _, a := range th.holds {
		if a != o.addr {
			holds = append(holds, a)
		}
	}
	th.holds = holds
}

func (s *System) performCond(th *thread, tr *trace.Transition, o *object, c trace.Choice) (verdict, error) {
	s.saveObject(o)
	op := acts[th.role].op
	s.did(th, tr, op, o, 0)
	switch op {
	case trace.OpCondInit:
		*o = object{addr: o.addr, kind: kindCond, owner: trace.NoThread, clock: s.condClock(th.arg(1))}
	case trace.OpCondDestroy:
		s.destroy(o)
	case trace.OpCondSignal:
		if len(o.waiters) > 0 {
			s.wake(tr, o.waiters[c])
			o.waiters = without(o.waiters, int(c))
		}
	case trace.OpCondBroadcast:
		for _, w := range o.waiters {
			s.wake(tr, w)
		}
		o.waiters = nil
	case trace.OpCondWait:
		m := s.objectOf(th.arg(1), kindMutex)
		s.saveObject(m)
		s.did(th, tr, trace.OpUnlock, m, 0)
		s.unlock(th, m)
		o.waiters = with(o.waiters, th.id)
		th.insns++
		th.stand, th.phase, th.mutex, th.result = standOp, phaseQueued, m.addr, 0
		return stay, nil
	}
	s.ret(th, 0)
	return s.afterRelease(th), nil
}

// wake moves a signalled waiter on to taking its mutex back.
func (s *System) wake(tr *trace.Transition, t trace.TID) {
	s.save(t)
	th := &s.threads[t]
	th.phase, th.timed = phaseReacquire, false
	tr.Wakes = append(tr.Wakes, t)
}

// reacquire ends a condition wait.
func (s *System) reacquire(th *thread, tr *trace.Transition) (verdict, error) {
	m := s.objectOf(th.mutex, kindMutex)
	s.saveObject(m)
	s.did(th, tr, trace.OpLock, m, 0)
	m.owner, m.depth = th.id, 1
	th.holds = append(th.holds[:len(th.holds):len(th.holds)], m.addr)
	th.phase = phaseEntry
	s.ret(th, th.result)
	if !s.alone(th) && s.merges(m.addr) {
		return passAllow, nil
	}
	return pass, nil
}

func (s *System) performSem(th *thread, tr *trace.Transition, o *object) (verdict, error) {
	s.saveObject(o)
	op := acts[th.role].op
	if op == trace.OpSemTryWait && o.value == 0 {
		s.did(th, tr, trace.OpSemTryWaitFail, o, 0)
		return s.refuse(th, eagain)
	}
	s.did(th, tr, op, o, o.value)
	switch op {
	case trace.OpSemInit:
		*o = object{addr: o.addr, kind: kindSem, owner: trace.NoThread, value: s.initialCount(th) & 0x7fffffff}
	case trace.OpSemDestroy:
		s.destroy(o)
	case trace.OpSemWait, trace.OpSemTryWait:
		o.value--
	case trace.OpSemPost:
		o.value++
		s.ret(th, 0)
		return s.afterRelease(th), nil
	case trace.OpSemGet:
		s.machine.Write32(th.arg(1), uint32(o.value))
		s.touch(th, tr, s.callSite(th)-1, th.arg(1), 4, trace.Write)
	}
	s.ret(th, 0)
	return pass, nil
}

// initialCount is the value that sem_init gives a semaphore: pthread's has an
// argument more.
func (s *System) initialCount(th *thread) uint64 {
	if s.cfg.PointsOnly {
		return th.arg(1)
	}
	return th.arg(2)
}

func (s *System) performRW(th *thread, tr *trace.Transition, o *object) (verdict, error) {
	s.saveObject(o)
	op := acts[th.role].op
	free := o.owner == trace.NoThread
	switch op {
	case trace.OpRWInit:
		s.did(th, tr, op, o, 0)
		*o = object{addr: o.addr, kind: kindRWLock, owner: trace.NoThread}
	case trace.OpRWDestroy:
		s.did(th, tr, op, o, 0)
		s.destroy(o)
	case trace.OpReadLock, trace.OpTryReadLock:
		if !free {
			s.did(th, tr, trace.OpTryReadLockFail, o, 0)
			if op == trace.OpReadLock { // its own write lock
				return s.refuse(th, edeadlk)
			}
			return s.refuse(th, ebusy)
		}
		s.did(th, tr, op, o, 0)
		o.readers = with(o.readers, th.id)
	case trace.OpWriteLock, trace.OpTryWriteLock:
		if !free || len(o.readers) > 0 {
			s.did(th, tr, trace.OpTryWriteLockFail, o, 0)
			return s.refuse(th, ebusy)
		}
		s.did(th, tr, op, o, 0)
		o.owner = th.id
	case trace.OpWriteUnlock:
		if o.owner == th.id {
			s.did(th, tr, trace.OpWriteUnlock, o, 0)
			o.owner = trace.NoThread
			if th.role == image.RWDowngrade { // at once, before any writer
				s.did(th, tr, trace.OpReadLock, o, 0)
				o.readers = with(o.readers, th.id)
			}
		} else {
			s.did(th, tr, trace.OpReadUnlock, o, 0)
			o.readers = without(o.readers, index(o.readers, th.id))
		}
		s.ret(th, 0)
		return s.afterRelease(th), nil
	}
	s.ret(th, 0)
	return pass, nil
}

// performBarrier is two steps: arrive, then leave once all have arrived.
func (s *System) performBarrier(th *thread, tr *trace.Transition, o *object) (verdict, error) {
	s.saveObject(o)
	switch op := acts[th.role].op; {
	case op == trace.OpBarrierInit:
		s.did(th, tr, op, o, 0)
		*o = object{addr: o.addr, kind: kindBarrier, owner: trace.NoThread, value: th.arg(2) & 0xffffffff}
	case op == trace.OpBarrierDestroy:
		s.did(th, tr, op, o, 0)
		s.destroy(o)
	case th.phase == phaseLeave:
		s.did(th, tr, trace.OpBarrierLeave, o, 0)
		o.leaving = without(o.leaving, index(o.leaving, th.id))
		th.phase = phaseEntry
		s.ret(th, th.result)
		return pass, nil
	default:
		s.did(th, tr, op, o, 0)
		o.waiters = with(o.waiters, th.id)
		th.insns++
		th.stand, th.phase, th.result = standOp, phaseLeave, 0
		if uint64(len(o.waiters)) >= o.value {
			// The last one is the serial thread. All go; order only.
			for _, w := range o.waiters {
				if w != th.id {
					tr.Wakes = append(tr.Wakes, w)
				}
			}
			o.leaving = append(o.leaving[:len(o.leaving):len(o.leaving)], o.waiters...)
			o.waiters = nil
			th.result = barrierSerial
		}
		return stay, nil
	}
	s.ret(th, 0)
	return pass, nil
}

// performOnce runs the routine as a tail call of pthread_once: it returns to
// pthread_once's caller, where a breakpoint completes the operation.
func (s *System) performOnce(th *thread, tr *trace.Transition, o *object) (verdict, error) {
	s.saveObject(o)
	if o.done {
		s.did(th, tr, trace.OpOnce, o, trace.OnceDone)
		s.ret(th, 0)
		return pass, nil
	}
	s.did(th, tr, trace.OpOnce, o, trace.OnceBegins)
	o.owner = th.id
	sp := th.regs.RSP
	f := onceFrame{obj: o.addr, sp: sp, ret: s.word(sp)}
	th.onces = append(th.onces[:len(th.onces):len(th.onces)], f)
	s.breakAt(f.ret, breakReturn)
	th.regs.RIP = th.arg(1)
	th.set |= setRIP
	th.stand = standRun
	return pass, nil
}

// afterRelease says whether there is a preemption point after an operation
// that lets others go. With PointMem there is one before the next access
// anyway, and what lies between is private.
func (s *System) afterRelease(th *thread) verdict {
	if !acts[th.role].release || th.quiet.on || !s.coarse() || s.cfg.Points&(PointUnlock|PointMem) == 0 ||
		s.alone(th) || !s.pointAllowed(th, th.regs.RIP) {
		return pass
	}
	return stay
}

// mtxRecursive is C11's mtx_recursive.
const mtxRecursive = 1

// mutexAttr is the type that a mutex attribute object asks for.
func (s *System) mutexAttr(attr uint64) mutexType {
	if attr == 0 {
		return mutexNormal
	}
	v := s.machine.Read32(attr)
	if s.libc == image.Musl {
		return muslMutexType(v)
	}
	// glibc's attribute holds the type in its low bits and robustness in bit 30.
	t := glibcMutexType(v & 3)
	if v&(1<<30) != 0 {
		t |= mutexRobust
	}
	return t
}
