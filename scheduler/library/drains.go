package library

import (
	"strings"

	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// Drains implements Memory: which operations the C library makes by locked instructions, or
// by calls of the kernel, so that they empty the thread's store buffer. It follows glibc's
// nptl and musl's src/thread. Most tries that fail, and calls that find nothing to do, do so by
// loads. One whose time has passed has said by a locked instruction that it waits. Objects are
// set up by plain stores, and a recursive mutex is counted by them.
func (l *Library) Drains(t trace.TID) bool {
	th := &l.threads[t]
	if th.phase != phaseEntry {
		return true
	}
	a := &acts[th.role]
	switch {
	case a.how == allocator:
		return false
	case a.how == watched:
		return l.locksStream(th)
	}
	switch a.op {
	case trace.OpMutexInit, trace.OpMutexDestroy, trace.OpCondInit, trace.OpCondDestroy, trace.OpSemInit, trace.OpSemDestroy,
		trace.OpRWInit, trace.OpRWDestroy, trace.OpBarrierInit, trace.OpBarrierDestroy:
		return false
	case trace.OpLock, trace.OpTryLock, trace.OpUnlock:
		if !onObject(th.role) {
			return true
		}
		o := l.objectOf(th.arg(0), a.kind)
		return l.mutexDrains(th, a.op, &o)
	}
	switch th.role {
	case profile.Once:
		return !l.objectOf(th.arg(0), kindOnce).done
	case profile.CondSignal, profile.CondBroadcast:
		return l.libc != elffile.Glibc || len(l.objectOf(th.arg(0), kindCond).waiters) > 0
	case profile.SemTryWait:
		return th.badTime || l.objectOf(th.arg(0), kindSem).value > 0
	case profile.SemGetValue:
		return false
	case profile.RWTryReadLock, profile.RWTryWriteLock:
		if o := l.objectOf(th.arg(0), kindRWLock); !l.rwLocks.free(th, &o) {
			refused := l.libc == elffile.Glibc && o.owner == th.ID // a load shows it the deadlock
			return th.badTime && !refused || l.libc == elffile.Musl && th.role == profile.RWTryWriteLock
		}
	case profile.ThreadExit: // the library's own code has the instructions that wait
		return !l.lives.runsOwnEnd(th)
	case profile.TryJoin:
		u := l.lives.threadOf(th.arg(0))
		return u == trace.NoThread || !l.threads[u].Live() || th.badTime && l.libc == elffile.Glibc
	}
	return true
}

// mutexDrains is Drains of an operation on a mutex or a spin lock. musl tries a normal one by an
// exchange, glibc looks first; spin locks are tried by an exchange in both.
func (l *Library) mutexDrains(th *thread, op trace.OpKind, o *object) bool {
	switch own := o.owner == th.ID; {
	case own && op == trace.OpUnlock:
		return o.depth <= 1
	case own && o.mtype != mutexNormal:
		return false
	case op != trace.OpTryLock || th.badTime || o.owner == trace.NoThread:
		return true
	}
	return th.role == profile.SpinTryLock || l.libc == elffile.Musl && o.mtype == mutexNormal
}

// unlocksByStore reports whether a role is of spin locks that are let go by a plain store, as
// glibc's are. The thread may go on before others see the lock free. musl has a fence there.
func (l *guest) unlocksByStore(r profile.Role) bool {
	switch r {
	case profile.SpinInit, profile.SpinDestroy, profile.SpinLock, profile.SpinTryLock, profile.SpinUnlock, profile.SpinInitOrUnlock:
		return l.libc == elffile.Glibc
	}
	return false
}

// locksStream reports whether the function of stdio at whose entry a thread stands takes a
// stream's lock: one that works on a string has none.
func (l *Library) locksStream(th *thread) bool {
	name := l.roles[th.Regs.RIP].Name
	for _, ofString := range []string{"sprintf", "snprintf", "swprintf", "sscanf", "swscanf"} {
		if strings.Contains(name, ofString) {
			return false
		}
	}
	return !strings.HasSuffix(name, "_unlocked")
}
