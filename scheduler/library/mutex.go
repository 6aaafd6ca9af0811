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
func (l *objectCalls) performMutex(th edit, tr *trace.Transition, o objectEdit) (scheduler.Verdict, error) {
	op := acts[th.role].op
	if th.role == profile.SpinInitOrUnlock && o.owner == trace.NoThread {
		op = trace.OpMutexInit
	}
	switch op {
	case trace.OpMutexInit:
		l.did(th.thread, tr, op, o.object, 0)
		l.initialise(o)
		switch {
		case l.cfg.Tested || th.role != profile.MutexInit:
		case l.roles[th.Regs.RIP].C11:
			o.flags = uint32(th.arg(1)) & mtxRecursive
			o.mtype = muslMutexType(o.flags)
		default:
			o.mtype, o.flags = l.mutexAttr(th.thread, tr, th.arg(1))
		}
		l.settle(o)
		l.ret(th, 0)
	case trace.OpMutexDestroy:
		l.did(th.thread, tr, op, o.object, 0)
		l.destroy(o)
		l.ret(th, 0)
	case trace.OpUnlock:
		if o.owner != th.ID { // an error-checking or recursive mutex
			l.did(th.thread, tr, trace.OpTryLockFail, o.object, 0)
			l.ret(th, abi.EPERM)
			return scheduler.Pass, nil
		}
		by := uint64(trace.UnlockDrains)
		if l.unlocksByStore(th.role) {
			by = trace.UnlockStores
		}
		l.did(th.thread, tr, op, o.object, by)
		l.unlock(th, o)
		l.ret(th, 0)
		return l.afterRelease(th.thread), nil
	default:
		return l.acquire(th, tr, o, op)
	}
	return scheduler.Pass, nil
}

// acquire takes a mutex, or fails to.
func (l *objectCalls) acquire(th edit, tr *trace.Transition, o objectEdit, op trace.OpKind) (scheduler.Verdict, error) {
	switch {
	case o.owner == th.ID && o.mtype == mutexRecursive:
		l.did(th.thread, tr, op, o.object, 0)
		if o.depth >= l.maxDepth() {
			l.ret(th, abi.EAGAIN)
			return scheduler.Pass, nil
		}
		o.depth++
		l.settle(o)
		l.ret(th, 0)
		return scheduler.Pass, nil
	case o.owner == th.ID && (op == trace.OpLock || o.mtype&3 == mutexErrorCheck && (th.badTime || l.hasProtocol(o.object, inherits|protects))): // an error-checking mutex
		l.did(th.thread, tr, trace.OpTryLockFail, o.object, 0)
		l.ret(th, abi.EDEADLK)
		return scheduler.Pass, nil
	case o.owner != trace.NoThread:
		l.did(th.thread, tr, trace.OpTryLockFail, o.object, 0)
		return l.refuse(th, tr, abi.EBUSY)
	}
	l.did(th.thread, tr, op, o.object, 0)
	l.take(th, o)
	l.ret(th, 0)
	if !l.core.Alone(th.ID) && l.merges(o.addr) {
		return scheduler.PassAllow, nil
	}
	return scheduler.Pass, nil
}

// take makes a thread hold a mutex once, or once more.
func (l *objectCalls) take(th edit, o objectEdit) {
	if o.owner == th.ID {
		o.depth++
	} else {
		o.owner, o.depth = th.ID, 1
		th.holds = append(th.holds[:len(th.holds):len(th.holds)], o.addr)
	}
	l.settle(o)
}

// maxDepth is how often a recursive mutex can be locked.
func (l *objectCalls) maxDepth() uint64 {
	if l.libc == elffile.Musl {
		return 1 << 31
	}
	return 1<<32 - 1
}

// unlock lets a mutex go once, or altogether.
func (l *objectCalls) unlock(th edit, o objectEdit) {
	if o.depth > 1 {
		o.depth--
		l.settle(o)
		return
	}
	o.owner, o.depth = trace.NoThread, 0
	l.settle(o)
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
func (l *objectCalls) hasProtocol(o *object, protocols uint32) bool {
	const kind = 16
	return l.libc == elffile.Glibc && l.machine.Prot(o.addr+kind)&emu.ProtRead != 0 && l.machine.Read32(o.addr+kind)&protocols != 0
}

// The protocols in glibc's __kind.
const (
	inherits = 32
	protects = 64
)

// mutexAttr is the type that a mutex attribute object asks for, and what the library
// keeps of it in the mutex.
func (l *objectCalls) mutexAttr(th *thread, tr *trace.Transition, attr uint64) (mutexType, uint32) {
	if attr == 0 {
		return mutexNormal, 0
	}
	v := l.door(th, tr).read32(attr)
	if l.libc == elffile.Musl {
		return muslMutexType(v), v
	}
	// glibc's attribute holds the type in its low bits, the protocol in bits 28 and
	// 29, robustness in bit 30, and in bit 31 whether processes share it.
	flags := v&3 | v>>28&3<<5 | v>>30&1<<4 | v>>31<<7
	return glibcMutexType(flags), flags
}
