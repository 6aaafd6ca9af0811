package library

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// mtxRecursive is C11's mtx_recursive.
const mtxRecursive = 1

// performMutex carries out an operation on a mutex or a spin lock.
func (s *objectCalls) performMutex(th edit, tr *trace.Transition, o objectEdit) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if th.role == profile.SpinInitOrUnlock && o.owner == trace.NoThread {
		op = trace.OpMutexInit
	}
	switch op {
	case trace.OpMutexInit:
		s.did(th.thread, tr, op, o.object, 0)
		s.initialise(o)
		switch {
		case s.cfg.Tested || th.role != profile.MutexInit:
		case s.roles[th.Regs.RIP].C11:
			o.flags = uint32(th.arg(1)) & mtxRecursive
			o.mtype = muslMutexType(o.flags)
		default:
			o.mtype, o.flags = s.mutexAttr(th.thread, tr, th.arg(1))
		}
		s.settle(o)
		s.ret(th, 0)
	case trace.OpMutexDestroy:
		s.did(th.thread, tr, op, o.object, 0)
		s.destroy(o)
		s.ret(th, 0)
	case trace.OpUnlock:
		if o.owner != th.ID { // an error-checking or recursive mutex
			s.did(th.thread, tr, trace.OpTryLockFail, o.object, 0)
			s.ret(th, abi.EPERM)
			return scheduler.Pass, nil
		}
		by := uint64(trace.UnlockDrains)
		if s.unlocksByStore(th.role) {
			by = trace.UnlockStores
		}
		s.did(th.thread, tr, op, o.object, by)
		s.unlock(th, o)
		s.ret(th, 0)
		return s.afterRelease(th.thread), nil
	default:
		return s.acquire(th, tr, o, op)
	}
	return scheduler.Pass, nil
}

// acquire takes a mutex, or fails to.
func (s *objectCalls) acquire(th edit, tr *trace.Transition, o objectEdit, op trace.OpKind) (scheduler.Verdict, error) {
	switch {
	case o.owner == th.ID && o.mtype == mutexRecursive:
		s.did(th.thread, tr, op, o.object, 0)
		if o.depth >= s.maxDepth() {
			s.ret(th, abi.EAGAIN)
			return scheduler.Pass, nil
		}
		o.depth++
		s.settle(o)
		s.ret(th, 0)
		return scheduler.Pass, nil
	case o.owner == th.ID && (op == trace.OpLock || o.mtype&3 == mutexErrorCheck && (th.badTime || s.hasProtocol(o.object, inherits|protects))): // an error-checking mutex
		s.did(th.thread, tr, trace.OpTryLockFail, o.object, 0)
		s.ret(th, abi.EDEADLK)
		return scheduler.Pass, nil
	case o.owner != trace.NoThread:
		s.did(th.thread, tr, trace.OpTryLockFail, o.object, 0)
		return s.refuse(th, tr, abi.EBUSY)
	}
	s.did(th.thread, tr, op, o.object, 0)
	s.take(th, o)
	s.ret(th, 0)
	if !s.core.Alone(th.ID) && s.merges(o.addr) {
		return scheduler.PassAllow, nil
	}
	return scheduler.Pass, nil
}

// take makes a thread hold a mutex once, or once more.
func (s *objectCalls) take(th edit, o objectEdit) {
	if o.owner == th.ID {
		o.depth++
	} else {
		o.owner, o.depth = th.ID, 1
		th.holds = append(th.holds[:len(th.holds):len(th.holds)], o.addr)
	}
	s.settle(o)
}

// maxDepth is how often a recursive mutex can be locked.
func (s *objectCalls) maxDepth() uint64 {
	if s.libc == elffile.Musl {
		return 1 << 31
	}
	return 1<<32 - 1
}

// unlock lets a mutex go once, or altogether.
func (s *objectCalls) unlock(th edit, o objectEdit) {
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

// hasProtocol reports whether a mutex of glibc's is one with a protocol (priority inheritance, or
// protection): a try of one's own is distinguished from a busy one then.
func (s *objectCalls) hasProtocol(o *object, protocols uint32) bool {
	const kind = 16
	return s.libc == elffile.Glibc && s.machine.Prot(o.addr+kind)&emu.ProtRead != 0 && s.machine.Read32(o.addr+kind)&protocols != 0
}

// The protocols in glibc's __kind.
const (
	inherits = 32
	protects = 64
)

// mutexAttr is the type that a mutex attribute object asks for, and what the library
// keeps of it in the mutex.
func (s *objectCalls) mutexAttr(th *thread, tr *trace.Transition, attr uint64) (mutexType, uint32) {
	if attr == 0 {
		return mutexNormal, 0
	}
	v := s.door(th, tr).read32(attr)
	if s.libc == elffile.Musl {
		return muslMutexType(v), v
	}
	// glibc's attribute holds the type in its low bits, the protocol in bits 28 and
	// 29, robustness in bit 30, and in bit 31 whether processes share it.
	flags := v&3 | v>>28&3<<5 | v>>30&1<<4 | v>>31<<7
	return glibcMutexType(flags), flags
}
