package library

import (
	"strings"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Functions that landgo carries out and a search has fail (scheduler/faults.go): the thread
// stands before such a call, which then goes on as ever or fails. Only a semaphore's wait
// can do so later: Linux interrupts one that sleeps (interruptedwait.go).

// faultOf is the kind of failure that the call at whose entry a thread stands may end
// with, if failures of the kind are asked for.
func (l *Library) faultOf(th edit, b *profile.Bound) (trace.FaultKind, bool) {
	kind := trace.NumFaults
	switch b.Role {
	case profile.Malloc, profile.Calloc, profile.AlignedAlloc, profile.PosixMemalign, profile.Memalign, profile.Valloc, profile.Pvalloc:
		kind = trace.FaultMalloc
	case profile.Realloc, profile.ReallocArray:
		if l.asksFor(th, b.Role) > 0 || th.arg(0) == 0 {
			kind = trace.FaultMalloc
		}
	case profile.CondWait, profile.CondTimedWait, profile.CondClockWait:
		kind = trace.FaultSpurious
	case profile.Create:
		kind = trace.FaultCreate
	case profile.MutexTryLock:
		if b.C11 || l.isWeakTry(th.thread) {
			kind = trace.FaultTryLock
		}
	}
	if kind == trace.NumFaults || kind == trace.FaultMalloc && (l.cfg.OwnAllocator || l.cfg.Tested || b.Own) || !l.core.Failing.Possible(th.ID, kind) {
		return 0, false
	}
	return kind, true
}

// asksFor is how many bytes a call of the allocator asks for.
func (l *Library) asksFor(th edit, r profile.Role) uint64 {
	old := th.role
	th.role = r
	n, _ := th.request()
	th.role = old
	return n
}

// isWeakTry reports whether a try for a mutex is std::mutex's, or of glibc's mtx_trylock:
// these may fail for nothing, and pthread_mutex_trylock may not.
func (l *Library) isWeakTry(th *thread) bool {
	for _, f := range l.image.Frames(l.callSite(th) - 1) {
		if strings.Contains(f.Function, "try_lock") || strings.Contains(f.Function, "gthread_mutex_trylock") || strings.HasSuffix(f.Function, "mtx_trylock") {
			return true
		}
	}
	return false
}

// standsBeforeFault has a thread stand before a call that may fail.
func (l *Library) standsBeforeFault(th edit, b *profile.Bound) bool {
	if th.settled {
		th.settled = false
		return false
	}
	k, ok := l.faultOf(th, b)
	if !ok {
		return false
	}
	th.role, th.timed, th.failing = b.Role, false, k
	th.Stand, th.phase = scheduler.StandOp, phaseFault
	return true
}

// stepFault has the call at which a thread stands go on, or fail.
func (l *Library) stepFault(th edit, tr *trace.Transition, c trace.Choice) (scheduler.Verdict, error) {
	if c > 0 {
		size, _ := th.request()
		l.core.Failing.Failed(th.ID, tr, th.failing, l.callSite(th.thread), size)
		if th.failing != trace.FaultSpurious {
			return l.fail(th, tr)
		}
		th.spurious = true
	}
	th.phase, th.settled = phaseEntry, true
	l.begins, tr.Loose = true, true
	at := th.Insns
	v, err := l.atBreak(th, l.breaks[th.Regs.RIP], tr)
	if l.begins, th.settled = false, false; v == scheduler.Stay && err == nil && th.Stand == scheduler.StandOp && th.Insns == at {
		th.Half = 1
	}
	return v, err
}

// fail ends the call at which a thread stands as one that fails.
func (l *Library) fail(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	th.phase = phaseEntry
	switch th.failing {
	case trace.FaultMalloc:
		if th.role == profile.PosixMemalign {
			l.ret(th, enomem)
			break
		}
		l.begins = true // its store to errno is the step's
		l.give(th, tr, 0)
		l.begins = false
	case trace.FaultCreate:
		if l.roles[th.Regs.RIP].C11 && l.libc == elffile.Musl {
			l.ret(th, enomem)
			th.Regs.RAX = thrdNoMemory
			break
		}
		if at := th.arg(0); l.libc == elffile.Glibc && l.machine.Prot(at)&emu.ProtWrite != 0 {
			l.begins = true
			l.door(th.thread, tr).write64(at, neverThread)
			l.begins = false
		}
		l.ret(th, abi.EAGAIN)
	case trace.FaultTryLock:
		l.ret(th, abi.EBUSY)
	}
	return scheduler.Pass, nil
}

// thrdNoMemory is C11's thrd_nomem, which musl's thrd_create returns for EAGAIN.
const thrdNoMemory = 3

// neverThread is what glibc leaves for the name of a thread if the kernel has no room for one. It is the
// address of a stack that glibc has given back.
const neverThread = 0x7ffff000

// interrupts reports whether a semaphore's wait that falls asleep may be interrupted.
func (l *objectCalls) interrupts(th *thread) bool {
	return l.sleeps(th) && l.core.Failing.Possible(th.ID, trace.FaultEINTR)
}
