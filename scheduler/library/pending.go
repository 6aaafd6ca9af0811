package library

import (
	"fmt"

	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// The next operation of a thread that stands at a trusted function, and whether the thread
// can go on.

// DescribeOp implements scheduler.Teller.
func (l *Library) DescribeOp(t trace.TID, d *trace.Thread) scheduler.Watch {
	th := &l.threads[t]
	if th.phase == phaseTouch {
		d.Pending, d.Loose = trace.Op{PC: th.Regs.RIP}, true
		return anything
	}
	if th.phase == phaseNames {
		d.Pending, d.Loose = l.lives.naming(th), true
		return anything
	}
	if th.phase == phaseFault {
		d.Pending, d.Loose, d.Outcomes = l.pendingOp(th), true, 1+uint32(trace.Bit(l.core.Failing.May(th.failing)))
		return anything
	}
	if l.carried.carries(th.role) {
		l.carried.describe(th, d)
		return anything
	}
	if th.phase == phaseOver {
		d.Pending, d.Outcomes = l.pendingOp(th), 1
		return scheduler.Watch{}
	}
	d.Pending, d.Loose = l.pendingOp(th), l.isQuiet(th.role) || isNamed(th.role) || l.cfg.OwnAllocator && acts[th.role].how == allocator
	if th.phase == phaseTaken || th.phase == phaseGiven {
		d.Loose = false
	}
	if th.phase == phaseStore {
		d.Pending.Kind, d.PendingAccess, d.Loose = trace.OpAccess, trace.Access{Addr: th.quiet.id, Size: 8, PC: th.quiet.ret - 1, Flags: trace.Write}, false
	}
	if !l.possible(th) {
		d.Status = trace.Blocked
	}
	d.Outcomes = l.outcomes(th)
	return l.watch(th)
}

// anything is the Watch of a description that may depend on all.
var anything = scheduler.Watch{Anything: true}

// watch has the memory on which the description of a thread at a function depends: one object, of
// which landgo's model is all in its bytes.
func (l *Library) watch(th *thread) scheduler.Watch {
	a := &acts[th.role]
	if l.shapes == nil || isNamed(th.role) || a.how == allocator {
		return anything
	}
	switch th.phase {
	case phaseQueued, phaseLeave:
		return scheduler.Watch{} // others wake the thread
	case phaseReacquire:
		return scheduler.Watch{Addr: th.mutex, Size: uint64(l.sizes[kindMutex]), Lock: true}
	case phaseEntry:
		switch a.op {
		case trace.OpLock:
			return scheduler.Watch{Addr: th.arg(0), Size: uint64(l.sizes[a.kind]), Lock: a.kind == kindMutex && !th.timed}
		case trace.OpUnlock, trace.OpTryLock, trace.OpCondSignal, trace.OpCondBroadcast, trace.OpCondWait,
			trace.OpSemWait, trace.OpSemTryWait, trace.OpSemPost, trace.OpBarrierArrive,
			trace.OpReadLock, trace.OpTryReadLock, trace.OpWriteLock, trace.OpTryWriteLock, trace.OpWriteUnlock:
			return scheduler.Watch{Addr: th.arg(0), Size: uint64(l.sizes[a.kind])}
		}
	}
	return anything
}

// Owner implements Memory.
func (l *Library) Owner(addr uint64) (owner trace.TID, plain bool) {
	o, ok := l.objects.Get(addr)
	if !ok || o.kind != kindMutex || o.forgotten || o.unusable() || l.rewritten(&o) {
		return trace.NoThread, false
	}
	return o.owner, true
}

// Call implements scheduler.Teller.
func (l *Library) Call(t trace.TID) (op trace.OpKind, ret uint64) {
	th := &l.threads[t]
	if th.quiet.on {
		return acts[th.quiet.role].op, th.quiet.ret
	}
	return acts[th.role].op, l.callSite(th)
}

// PendingOp implements scheduler.Teller.
func (l *Library) PendingOp(t trace.TID) trace.Op { return l.pendingOp(&l.threads[t]) }

// pendingOp is the operation that a thread standing at a trusted function
// would do next.
func (l *Library) pendingOp(th *thread) trace.Op {
	a := &acts[th.role]
	switch th.phase {
	case phaseEnd, phaseTaken, phaseGiven:
		return th.pending
	case phaseNames:
		return l.lives.naming(th)
	case phaseOver:
		return trace.Op{PC: th.Regs.RIP}
	case phaseFault:
		return trace.Op{Kind: trace.OpFault, Obj: uint64(th.failing), PC: th.Regs.RIP}
	}
	if a.how == allocator {
		if l.cfg.Tested {
			return trace.Op{Kind: trace.OpAccess, PC: th.Regs.RIP}
		}
		return th.pending
	}
	if isNamed(th.role) {
		return l.named.pending(th)
	}
	op := trace.Op{Kind: a.op, Obj: th.arg(0), PC: th.Regs.RIP}
	switch th.role {
	case profile.CallEnds:
		return op
	case profile.Eventually:
		return l.core.Promises.Pending(op.PC)
	case profile.Join, profile.TryJoin, profile.TimedJoin, profile.ClockJoin, profile.Detach:
		op.Obj = uint64(l.lives.threadOf(th.arg(0)))
		return op
	}
	if th.role == profile.ThreadExit {
		if end := l.core.Stacks.StackEnd(th.ID); end.Kind != trace.OpNone {
			return end
		}
		op.Obj = uint64(th.ID)
		return op
	}
	if endsProcess(th.role) {
		op.Obj = 0
		return op
	}
	op.Size = l.sizes[a.kind]
	if op.Kind == trace.OpSemWait {
		op.Arg = l.objectOf(op.Obj, kindSem).value
	}
	if op.Kind == trace.OpSemWait && th.phase == phaseEntry && l.sleeps(th) {
		if op.Kind = trace.OpSemTryWait; op.Arg == 0 {
			op.Kind = trace.OpSemTryWaitFail
		}
	}
	switch th.phase {
	case phaseReacquire:
		op.Kind, op.Obj, op.Size = trace.OpLock, th.mutex, l.sizes[kindMutex]
	case phaseLeave:
		op.Kind = trace.OpBarrierLeave
	default:
		if a.kind == kindRWLock && onObject(th.role) {
			o := l.objectOf(op.Obj, kindRWLock)
			op.Kind = l.rwLocks.try(&o, op.Kind)
		}
	}
	return op
}

// possible reports whether the operation at which a thread stands can be done
// now. A misuse is possible: it is done as a failure.
func (l *Library) possible(th *thread) bool {
	switch th.phase {
	case phaseTaken, phaseGiven, phaseTouch, phaseNames, phaseFault, phaseOver:
		return true
	case phaseClaimed:
		return !l.threads[th.pending.Obj].Live()
	case phaseQueued:
		return false
	case phaseReacquire:
		o := l.objectOf(th.mutex, kindMutex)
		return o.owner == trace.NoThread || o.owner == th.ID || o.unusable()
	case phaseLeave:
		return th.released
	}
	if onObject(th.role) && l.objectOf(th.arg(0), acts[th.role].kind).unusable() {
		return true
	}
	if _, faults := l.objectFault(th); faults {
		return true
	}
	switch th.role {
	case profile.MutexLock, profile.MutexTimedLock, profile.MutexClockLock, profile.SpinLock:
		o := l.objectOf(th.arg(0), acts[th.role].kind)
		if o.owner == th.ID && o.mtype == mutexNormal && th.timed {
			return false // its time runs out
		}
		return o.owner == trace.NoThread || o.owner == th.ID
	case profile.SemWait, profile.SemTimedWait, profile.SemClockWait:
		return l.objectOf(th.arg(0), kindSem).value > 0 || th.phase == phaseEntry && l.sleeps(th)
	case profile.RWReadLock, profile.RWTimedReadLock, profile.RWClockReadLock, profile.RWWriteLock, profile.RWTimedWriteLock, profile.RWClockWriteLock:
		o := l.objectOf(th.arg(0), kindRWLock)
		return l.rwLocks.possible(th, &o)
	case profile.Once:
		o := l.objectOf(th.arg(0), kindOnce)
		return o.done || o.owner == trace.NoThread
	case profile.Join, profile.TimedJoin, profile.ClockJoin:
		t := l.lives.threadOf(th.arg(0))
		switch {
		case t == trace.NoThread || l.threads[t].detached:
			return true
		case t == th.ID:
			return l.libc == elffile.Glibc // which refuses it
		}
		return !l.threads[t].Live()
	}
	return true
}

// outcomes is the number of outcomes of the operation at which a thread
// stands: a signal may let any waiter go.
func (l *Library) outcomes(th *thread) uint32 {
	if th.role == profile.CondSignal {
		return uint32(max(1, len(l.objectOf(th.arg(0), kindCond).waiters)))
	}
	if th.phase == phaseEntry && acts[th.role].op == trace.OpSemWait && l.interrupts(th) && l.objectOf(th.arg(0), kindSem).value == 0 && l.core.Failing.May(trace.FaultEINTR) {
		return 2
	}
	return 1
}

// WaitOf implements scheduler.Teller.
func (l *Library) WaitOf(t trace.TID) (scheduler.Wait, bool) {
	if l.core.Spins(t) {
		return l.spinWait(t)
	}
	if at, sleeps := l.core.Asleep(t); sleeps {
		return l.asleep(t, at)
	}
	th := &l.threads[t]
	w := scheduler.Wait{Thread: th.ID, Owner: trace.NoThread}
	if l.possible(th) {
		return w, false
	}
	w.Timed = th.timed
	w.Obj = th.arg(0)
	w.Name = l.core.VariableName(w.Obj)
	switch kind := acts[th.role].kind; {
	case th.phase == phaseQueued:
		w.For = "condition variable"
	case th.phase == phaseReacquire:
		w.For, w.Obj, w.Name = "mutex", th.mutex, l.core.VariableName(th.mutex)
		w.Owner = l.objectOf(th.mutex, kindMutex).owner
	case th.phase == phaseLeave:
		o := l.objectOf(w.Obj, kindBarrier)
		w.For = "barrier"
		w.Name += fmt.Sprintf(" (%d of %d have arrived)", len(o.waiters), o.value)
	case kind == kindSem:
		w.For = "semaphore"
	case kind == kindRWLock:
		o := l.objectOf(w.Obj, kindRWLock)
		w.For = "read-write lock"
		switch w.Owner = o.owner; {
		case w.Owner != trace.NoThread:
		case acts[th.role].op == trace.OpReadLock && len(o.waiters) > 0:
			w.Owner = o.waiters[0]
		case len(o.readers) > 0:
			w.Owner = o.readers[0]
		}
	case kind == kindOnce:
		w.For, w.Owner = "once", l.objectOf(w.Obj, kindOnce).owner
	case th.phase == phaseClaimed:
		w.For, w.Owner = "thread", trace.TID(th.pending.Obj)
		w.Name = l.core.Name(w.Owner)
	case acts[th.role].op == trace.OpJoin:
		w.For, w.Owner = "thread", l.lives.threadOf(w.Obj)
		w.Name = l.core.Name(w.Owner)
	default:
		w.For, w.Owner = "mutex", l.objectOf(w.Obj, kind).owner
	}
	return w, true
}
