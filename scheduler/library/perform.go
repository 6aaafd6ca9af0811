package library

import (
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/scheduler"
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
	eoverflow = 75
)

// semMax is SEM_VALUE_MAX, and the most parties that musl's barrier has.
const semMax = 0x7fffffff

// barrierSerial is PTHREAD_BARRIER_SERIAL_THREAD.
const barrierSerial = ^uint64(0)

// perform carries out the trusted operation at which a thread stands, which is
// possible, with outcome c. Where it takes several steps (a condition wait, a
// barrier), the thread then stands at the next of them.
func (s *Library) perform(th *thread, tr *trace.Transition, c trace.Choice) (scheduler.Verdict, error) {
	if failed, err := s.failMisuse(th, tr); failed {
		return scheduler.Stay, err
	}
	if th.phase == phaseReacquire {
		return s.reacquire(th, tr)
	}
	if isNamed(th.role) {
		return s.performNamed(th, tr)
	}
	obj := th.arg(0)
	switch acts[th.role].kind {
	case kindMutex, kindSpin:
		if onObject(th.role) {
			return s.performMutex(th, tr, s.use(obj, acts[th.role].kind))
		}
	case kindCond:
		return s.performCond(th, tr, s.use(obj, kindCond), c)
	case kindSem:
		return s.performSem(th, tr, s.use(obj, kindSem))
	case kindRWLock:
		return s.performRW(th, tr, s.use(obj, kindRWLock))
	case kindBarrier:
		if th.phase == phaseLeave {
			return s.leaveBarrier(th, tr, obj)
		}
		return s.performBarrier(th, tr, s.use(obj, kindBarrier))
	case kindOnce:
		return s.performOnce(th, tr, s.use(obj, kindOnce))
	}
	return s.performThread(th, tr)
}

// use finds or makes an object that is about to change.
func (s *Library) use(addr uint64, kind objectKind) *object {
	o := s.objectOf(addr, kind)
	s.saveObject(o)
	return o
}

// did records an operation on an object.
func (s *Library) did(th *thread, tr *trace.Transition, k trace.OpKind, o *object, arg uint64) {
	s.touchesObject(th, o)
	tr.Did(trace.Op{Kind: k, Obj: o.addr, Size: s.sizes[o.kind], Arg: arg, PC: s.callSite(th)})
}

func (s *Library) performMutex(th *thread, tr *trace.Transition, o *object) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if th.role == image.SpinInitOrUnlock && o.owner == trace.NoThread {
		op = trace.OpMutexInit
	}
	switch op {
	case trace.OpMutexInit:
		s.did(th, tr, op, o, 0)
		s.initialise(o)
		switch {
		case s.cfg.Tested || th.role != image.MutexInit:
		case s.roles[th.Regs.RIP].C11:
			o.flags = uint32(th.arg(1)) & mtxRecursive
			o.mtype = muslMutexType(o.flags)
		default:
			o.mtype, o.flags = s.mutexAttr(th, tr, th.arg(1))
		}
		s.settle(o)
		s.ret(th, 0)
	case trace.OpMutexDestroy:
		s.did(th, tr, op, o, 0)
		s.destroy(o)
		s.ret(th, 0)
	case trace.OpUnlock:
		if o.owner != th.ID { // an error-checking or recursive mutex
			s.did(th, tr, trace.OpTryLockFail, o, 0)
			s.ret(th, eperm)
			return scheduler.Pass, nil
		}
		s.did(th, tr, op, o, 0)
		s.unlock(th, o)
		s.ret(th, 0)
		return s.afterRelease(th), nil
	default:
		return s.acquire(th, tr, o, op)
	}
	return scheduler.Pass, nil
}

// acquire takes a mutex, or fails to.
func (s *Library) acquire(th *thread, tr *trace.Transition, o *object, op trace.OpKind) (scheduler.Verdict, error) {
	switch {
	case o.owner == th.ID && o.mtype == mutexRecursive:
		s.did(th, tr, op, o, 0)
		if o.depth >= s.maxDepth() {
			s.ret(th, eagain)
			return scheduler.Pass, nil
		}
		o.depth++
		s.settle(o)
		s.ret(th, 0)
		return scheduler.Pass, nil
	case o.owner == th.ID && (op == trace.OpLock || o.mtype&3 == mutexErrorCheck && (th.badTime || s.hasProtocol(o))): // an error-checking mutex
		s.did(th, tr, trace.OpTryLockFail, o, 0)
		s.ret(th, edeadlk)
		return scheduler.Pass, nil
	case o.owner != trace.NoThread:
		s.did(th, tr, trace.OpTryLockFail, o, 0)
		return s.refuse(th, tr, ebusy)
	}
	s.did(th, tr, op, o, 0)
	s.take(th, o)
	s.ret(th, 0)
	if !s.core.Alone(th.ID) && s.merges(o.addr) {
		return scheduler.PassAllow, nil
	}
	return scheduler.Pass, nil
}

// take makes a thread hold a mutex once, or once more.
func (s *Library) take(th *thread, o *object) {
	if o.owner == th.ID {
		o.depth++
	} else {
		o.owner, o.depth = th.ID, 1
		th.holds = append(th.holds[:len(th.holds):len(th.holds)], o.addr)
	}
	s.settle(o)
}

// maxDepth is how often a recursive mutex can be locked.
func (s *Library) maxDepth() uint64 {
	if s.libc == image.Musl {
		return 1 << 31
	}
	return 1<<32 - 1
}

// unlock lets a mutex go once, or altogether.
func (s *Library) unlock(th *thread, o *object) {
	if o.depth > 1 {
		o.depth--
		s.settle(o)
		return
	}
	o.owner, o.depth = trace.NoThread, 0
	s.settle(o)
	holds := make([]uint64, 0, len(th.holds))
	for _, a := range th.holds {
		if a != o.addr {
			holds = append(holds, a)
		}
	}
	th.holds = holds
}

func (s *Library) performCond(th *thread, tr *trace.Transition, o *object, c trace.Choice) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if op == trace.OpCondWait {
		// A mutex that knows its owner tells another from it.
		if m := s.objectOf(th.arg(1), kindMutex); m.owner != th.ID {
			s.did(th, tr, trace.OpTryLockFail, m, 0)
			s.ret(th, eperm)
			return scheduler.Pass, nil
		}
	}
	s.did(th, tr, op, o, 0)
	defer s.settle(o)
	switch op {
	case trace.OpCondInit:
		flags := uint32(0)
		if !s.roles[th.Regs.RIP].C11 {
			flags = s.condAttr(th, tr, th.arg(1))
		}
		s.initialise(o)
		o.flags, o.clock = flags, s.clockIn(flags)
	case trace.OpCondDestroy:
		s.destroy(o)
	case trace.OpCondSignal:
		if len(o.waiters) > 0 {
			s.wake(tr, o.waiters[c], o.addr)
			o.waiters = without(o.waiters, int(c))
		}
	case trace.OpCondBroadcast:
		for _, w := range o.waiters {
			s.wake(tr, w, o.addr)
		}
		o.waiters = nil
	case trace.OpCondWait:
		m := s.use(th.arg(1), kindMutex)
		s.did(th, tr, trace.OpUnlock, m, 0)
		s.unlock(th, m)
		o.waiters = with(o.waiters, th.ID)
		th.Insns++
		th.Stand, th.phase, th.mutex, th.result = scheduler.StandOp, phaseQueued, m.addr, 0
		return scheduler.Stay, nil
	}
	s.ret(th, 0)
	return s.afterRelease(th), nil
}

// wake moves a signalled waiter on to taking its mutex back.
func (s *Library) wake(tr *trace.Transition, t trace.TID, cond uint64) {
	s.core.Save(t)
	th := &s.threads[t]
	if (th.Stand != scheduler.StandOp || th.phase != phaseQueued || th.arg(0) != cond) && s.wakeHeld(th, cond) {
		return
	}
	th.phase, th.timed = phaseReacquire, false
	tr.Wakes = append(tr.Wakes, t)
}

// reacquire ends a condition wait.
func (s *Library) reacquire(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	m := s.use(th.mutex, kindMutex)
	s.did(th, tr, trace.OpLock, m, 0)
	s.take(th, m)
	th.phase = phaseEntry
	s.ret(th, th.result)
	if !s.core.Alone(th.ID) && s.merges(m.addr) {
		return scheduler.PassAllow, nil
	}
	return scheduler.Pass, nil
}

func (s *Library) performSem(th *thread, tr *trace.Transition, o *object) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if th.phase == phaseEntry && s.sleeps(th) {
		if op = trace.OpSemTryWait; o.value == 0 {
			return s.fallAsleep(th, tr, o)
		}
	}
	switch {
	case op == trace.OpSemTryWait && o.value == 0:
		s.did(th, tr, trace.OpSemTryWaitFail, o, 0)
		return s.refuse(th, tr, eagain)
	case op == trace.OpSemInit && s.initialCount(th) > semMax && !s.cfg.Tested:
		return s.refuse(th, tr, einval)
	case op == trace.OpSemPost && o.value >= semMax-maxPosts && !s.cfg.Tested:
		s.did(th, tr, trace.OpSemGet, o, 0) // it matters which post comes last
		if o.value >= semMax {
			return s.refuse(th, tr, eoverflow)
		}
	}
	s.did(th, tr, op, o, o.value)
	defer s.settle(o)
	switch op {
	case trace.OpSemInit:
		n := s.initialCount(th) & semMax
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
		return s.afterRelease(th), nil
	case trace.OpSemGet:
		s.door(th, tr).write32(th.arg(1), uint32(o.value))
	}
	s.ret(th, 0)
	return scheduler.Pass, nil
}

// maxPosts is more than threads that are about to post.
const maxPosts = 1 << 20

// initialCount is the value that sem_init gives a semaphore: pthread's has an
// argument more.
func (s *Library) initialCount(th *thread) uint64 {
	if s.cfg.Tested {
		return th.arg(1)
	}
	return th.arg(2) & 0xffffffff
}

// performBarrier is two steps: arrive, then leave once all have arrived.
func (s *Library) performBarrier(th *thread, tr *trace.Transition, o *object) (scheduler.Verdict, error) {
	op := acts[th.role].op
	n := th.arg(2) & 0xffffffff
	if op == trace.OpBarrierInit && !s.cfg.Tested && (n == 0 || n > s.maxParties()) {
		s.ret(th, einval)
		return scheduler.Pass, nil
	}
	s.did(th, tr, op, o, 0)
	defer s.settle(o)
	switch op {
	case trace.OpBarrierInit:
		s.initialise(o)
		o.value = n
	case trace.OpBarrierDestroy:
		s.destroy(o)
	default:
		o.waiters = with(o.waiters, th.ID)
		th.Insns++
		th.Stand, th.phase, th.result, th.released = scheduler.StandOp, phaseLeave, 0, false
		if uint64(len(o.waiters)) >= o.value {
			// The last one is the serial thread. All go; order only. Who has yet to
			// leave needs the barrier no more: its memory may serve something else.
			for _, w := range o.waiters {
				if s.releaseHeld(w, o.addr) {
					continue
				}
				if w != th.ID {
					s.core.Save(w)
					tr.Wakes = append(tr.Wakes, w)
				}
				s.threads[w].released = true
			}
			o.waiters = nil
			th.result = barrierSerial
		}
		return scheduler.Stay, nil
	}
	s.ret(th, 0)
	return scheduler.Pass, nil
}

// maxParties is how many threads a barrier may be for.
func (s *Library) maxParties() uint64 {
	if s.libc == image.Musl {
		return semMax
	}
	return semMax - 1
}

// leaveBarrier lets a thread go that all others have met.
func (s *Library) leaveBarrier(th *thread, tr *trace.Transition, addr uint64) (scheduler.Verdict, error) {
	s.did(th, tr, trace.OpBarrierLeave, &object{addr: addr, kind: kindBarrier}, 0)
	th.phase, th.released = phaseEntry, false
	s.ret(th, th.result)
	return scheduler.Pass, nil
}

// performOnce runs the routine as a tail call of pthread_once: it returns to
// pthread_once's caller, where a breakpoint completes the operation.
func (s *Library) performOnce(th *thread, tr *trace.Transition, o *object) (scheduler.Verdict, error) {
	if o.done {
		s.did(th, tr, trace.OpOnce, o, trace.OnceDone)
		s.ret(th, 0)
		return scheduler.Pass, nil
	}
	s.did(th, tr, trace.OpOnce, o, trace.OnceBegins)
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

// afterRelease says whether there is a preemption point after an operation
// that lets others go. With PointMem there is one before the next access
// anyway, and what lies between is private.
func (s *Library) afterRelease(th *thread) scheduler.Verdict {
	if !acts[th.role].release || th.quiet.on || !s.core.Coarse() || s.cfg.Points&(trace.PointUnlock|trace.PointMem) == 0 ||
		s.core.Alone(th.ID) || !s.core.PointAllowed(th.ID, th.Regs.RIP) {
		return scheduler.Pass
	}
	return scheduler.Stay
}

// mtxRecursive is C11's mtx_recursive.
const mtxRecursive = 1

// hasProtocol reports whether a mutex of glibc's is one with a protocol (priority
// inheritance, or protection): a try of one's own is told from a busy one then.
func (s *Library) hasProtocol(o *object) bool {
	const kind, protocols = 16, 32 | 64
	return s.libc == image.Glibc && s.machine.Read32(o.addr+kind)&protocols != 0
}

// mutexAttr is the type that a mutex attribute object asks for, and what the library
// keeps of it in the mutex.
func (s *Library) mutexAttr(th *thread, tr *trace.Transition, attr uint64) (mutexType, uint32) {
	if attr == 0 {
		return mutexNormal, 0
	}
	v := s.door(th, tr).read32(attr)
	if s.libc == image.Musl {
		return muslMutexType(v), v
	}
	// glibc's attribute holds the type in its low bits, the protocol in bits 28 and
	// 29, robustness in bit 30, and in bit 31 whether processes share it.
	flags := v&3 | v>>28&3<<5 | v>>30&1<<4 | v>>31<<7
	return glibcMutexType(flags), flags
}
