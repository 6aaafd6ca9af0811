package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Where calls return: landgo has a breakpoint behind each call whose end matters, and
// a thread is at its call's return if its stack pointer is that call's too.

// atReturn ends the call that returns where a thread is, if one does. The call is of
// an allocator, of a quiet function, of a tested one that releases, or of a once
// routine.
func (l *Library) atReturn(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	l.leave(th)
	if v, err := l.leavePools(th, tr); err != nil || v == scheduler.Stay {
		return v, err
	}
	if a := th.alloc; a != nil {
		if th.Regs.RIP == a.ret && th.Regs.RSP == a.sp+l.wordSize {
			l.leaveFollowed(th, tr)
		}
		return scheduler.Step, nil
	}
	if q := &th.quiet; q.on {
		if th.Regs.RIP == q.ret && th.Regs.RSP == q.sp+l.wordSize {
			return l.quiets.leave(th, tr), nil
		}
		return scheduler.Step, nil
	}
	l.lives.endNamed(th, tr)
	if r := &th.release; r.on && th.Regs.RIP == r.ret && th.Regs.RSP == r.sp+l.wordSize {
		th.release = frame{}
		if l.core.Points.Allowed(th.ID, th.Regs.RIP) {
			return scheduler.Stay, nil
		}
		return scheduler.Step, nil
	}
	if n := len(th.onces); n > 0 && th.onces[n-1].sp+l.wordSize == th.Regs.RSP {
		if l.core.AwaitEmpty(th.ID) {
			return scheduler.Stay, nil // the routine's stores come first
		}
		l.endOnce(th, tr)
	}
	return scheduler.Step, nil
}

// returnsHere reports whether a call whose end matters returns where a thread is.
func (l *Library) returnsHere(th *thread) bool {
	here := func(q quiet) bool { return q.on && th.Regs.RIP == q.ret && th.Regs.RSP == q.sp+l.wordSize }
	if n := len(th.inside); n > 0 && here(th.inside[n-1].quiet) {
		return true
	}
	n := len(th.onces)
	return th.alloc != nil && here(th.alloc.quiet) || here(th.quiet) || n > 0 && th.onces[n-1].ret == th.Regs.RIP && th.onces[n-1].sp+l.wordSize == th.Regs.RSP
}

// CarriesOut implements scheduler.Calls: the functions of the allocator and of objects, sched_yield,
// pthread_join, and what fails.
func (l *Library) CarriesOut(pc uint64) bool {
	b, ok := l.roles[pc]
	if !ok || l.breaks[pc] != breakRole || b.Own || l.cfg.Tested || l.follows(&b) || l.carried.carries(b.Role) {
		return false
	}
	switch b.Role {
	case profile.InsideAllocator, profile.Once: // a once routine is the program's
		return false
	case profile.Yield, profile.AssertFail, profile.Join:
		return true
	}
	return acts[b.Role].how == allocator && !l.cfg.OwnAllocator || onObject(b.Role)
}

// Arguments implements scheduler.Calls.
func (l *Library) Arguments(pc uint64) trace.RegSet {
	if !l.CarriesOut(pc) {
		return static.AllArguments
	}
	inOrder := [...]trace.RegSet{trace.RDI, trace.RSI, trace.RDX, trace.RCX}
	n := len(inOrder)
	switch l.roles[pc].Role {
	case profile.Yield:
		n = 0
	case profile.Malloc, profile.Free, profile.Valloc, profile.Pvalloc, profile.MallocUsableSize, profile.MutexLock, profile.MutexTryLock, profile.MutexUnlock,
		profile.MutexDestroy, profile.CondSignal, profile.CondBroadcast, profile.CondDestroy, profile.SemWait, profile.SemTryWait, profile.SemPost, profile.SemDestroy,
		profile.BarrierWait, profile.BarrierDestroy, profile.RWReadLock, profile.RWTryReadLock, profile.RWWriteLock, profile.RWTryWriteLock, profile.RWUnlock,
		profile.SpinLock, profile.SpinTryLock, profile.SpinUnlock:
		n = 1
	case profile.Calloc, profile.Realloc, profile.AlignedAlloc, profile.Memalign, profile.CondWait, profile.Join:
		n = 2
	}
	var set trace.RegSet
	for _, r := range inOrder[:n] {
		set |= r
	}
	return set
}

// AtCallersReturn implements scheduler.Calls. A once routine or a start routine may call a
// function last by a jump. Where that function returns, it returns for its caller too,
// whose breakpoint the thread has yet to meet. So it is where a start routine is itself a
// function that landgo carries out.
func (l *Library) AtCallersReturn(t trace.TID) bool {
	th := &l.threads[t]
	if th.begins {
		return true
	}
	rip, rsp := th.Regs.RIP, th.Regs.RSP-l.wordSize
	if n := len(th.onces); n > 0 && th.onces[n-1].ret == rip && th.onces[n-1].sp == rsp {
		return true
	}
	return rip == th.exitPC && rsp == th.exitSP && !th.native && !l.known.Native
}
