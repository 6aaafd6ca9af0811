package library

import (
	"fmt"
	"math"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// The trusted timed operations (pthread_cond_timedwait and its like) take an
// absolute time on a clock. It is the clock given before the time
// (pthread_cond_clockwait), that of the condition variable's attribute, or
// CLOCK_REALTIME. The scheduler's deadlines are all on the last.

// clocks is a kernel with several clocks.
type clocks interface {
	// Realtime is a time on the clock of a number as one of CLOCK_REALTIME.
	Realtime(clock, ns uint64) uint64
	// Epoch is the time on CLOCK_REALTIME when the guest begins.
	Epoch() uint64
}

// badTime is the deadline of a time that isn't one: its nanoseconds aren't
// fewer than a second's.
const badTime = math.MaxUint64

// setDeadline reads the time at which the operation at whose entry a thread
// stands gives up, if it has one. It reports whether the call is over, and with which
// verdict: the library looks at some times before all else.
func (l *objectCalls) setDeadline(th edit, tr *trace.Transition, a *act) (over bool, v scheduler.Verdict, err error) {
	th.timed = false
	if a.deadline == 0 {
		return false, scheduler.Pass, nil
	}
	at := th.arg(int(a.deadline))
	glibc := l.libc != elffile.Musl
	if c := l.clockOf(th.thread, a); glibc && c != abi.ClockRealtime && c != abi.ClockMonotonic {
		v, err = l.refuse(th, tr, abi.EINVAL)
		return true, v, err
	}
	early := a.op == trace.OpCondWait || glibc && (a.op == trace.OpReadLock || a.op == trace.OpWriteLock || a.op == trace.OpSemWait)
	if at == 0 && !(glibc && (a.op == trace.OpCondWait || a.op == trace.OpSemWait)) {
		return false, scheduler.Pass, nil // no time is none that runs out
	}
	ns := uint64(badTime)
	if l.readable(at, abi.TimespecSize) {
		ns = l.timespec(th.thread, tr, at)
	}
	if ns == badTime {
		th.badTime, th.deadline = true, ns
		if early {
			v, err = l.refuse(th, tr, abi.EINVAL)
			return true, v, err
		}
		l.onlyTry(th)
		return false, scheduler.Pass, nil
	}
	if k, ok := l.kernel.(clocks); ok && ns != 0 {
		ns = k.Realtime(l.clockOf(th.thread, a), ns)
	}
	th.timed, th.deadline, l.known.Timed = true, ns, true
	// glibc refuses the writer itself before it looks at the time.
	writes := (a.op == trace.OpReadLock || a.op == trace.OpWriteLock) && l.objectOf(th.arg(0), kindRWLock).owner == th.ID
	if l.hasPassed(ns) && !(glibc && writes) { // whatever the others do, it doesn't wait
		th.timed, th.badTime = false, true
		l.onlyTry(th)
	}
	return false, scheduler.Pass, nil
}

// hasPassed reports whether a time was over when the guest began. If it passes while the
// guest runs, it is only known that a wait runs out last.
func (l *objectCalls) hasPassed(ns uint64) bool {
	k, ok := l.kernel.(clocks)
	return ok && ns <= k.Epoch()
}

// waitsInVain reports whether a thread stands before a wait on a condition variable
// whose time has passed. That is no try: a signal may come before it gives up.
func (l *objectCalls) waitsInVain(th *thread, a *act) bool {
	at := th.arg(int(a.deadline))
	k, ok := l.kernel.(clocks)
	if !ok || a.op != trace.OpCondWait || a.deadline == 0 || !l.readable(at, abi.TimespecSize) {
		return false
	}
	sec, nsec := l.core.Word(at), l.core.Word(at+8)
	if nsec >= 1e9 || sec > maxSeconds && int64(sec) >= 0 {
		return false
	}
	return int64(sec) < 0 || l.hasPassed(k.Realtime(l.clockOf(th, a), sec*1e9+nsec))
}

const maxSeconds = math.MaxInt64/1_000_000_000 - 1

// clockOf is the number of the clock that a timed operation's time is on.
func (l *objectCalls) clockOf(th *thread, a *act) uint64 {
	switch th.role {
	case profile.MutexClockLock, profile.CondClockWait, profile.SemClockWait, profile.RWClockReadLock, profile.RWClockWriteLock, profile.ClockJoin:
		return th.arg(int(a.deadline)-1) & 0xffffffff
	case profile.CondTimedWait:
		return l.objectOf(th.arg(0), kindCond).clock
	}
	return abi.ClockRealtime
}

// onlyTry makes an operation whose time isn't one, and is looked at only where it
// would have to wait, a try.
func (l *objectCalls) onlyTry(th edit) {
	switch acts[th.role].op {
	case trace.OpLock:
		th.role = profile.MutexTryLock
	case trace.OpReadLock:
		th.role = profile.RWTryReadLock
	case trace.OpWriteLock:
		th.role = profile.RWTryWriteLock
	case trace.OpSemWait:
		th.role = profile.SemTryWait
	case trace.OpJoin:
		th.role = profile.TryJoin
	}
}

// timespec reads a struct timespec as nanoseconds; what lies before the clock's
// beginning is 0.
func (l *objectCalls) timespec(th *thread, tr *trace.Transition, p uint64) uint64 {
	d := l.door(th, tr)
	sec, nsec := d.read64(p), d.read64(p+8)
	switch {
	case nsec >= 1e9:
		return badTime
	case int64(sec) < 0:
		return 0
	case sec > maxSeconds:
		return math.MaxInt64
	}
	return sec*1e9 + nsec
}

// timeOut lets the timed operation at which a thread stands give up.
func (l *Library) timeOut(th edit, tr *trace.Transition, c trace.Choice) (scheduler.Verdict, error) {
	if !th.timed {
		panic(fmt.Sprintf("scheduler: thread %d was stepped at an operation that isn't possible", th.ID))
	}
	l.core.RunOut(th.ID, th.deadline, tr, c)
	l.kernel.AdvanceTo(th.deadline)
	th.Insns++
	tr.Did(trace.Op{Kind: trace.OpAdvance, PC: l.callSite(th.thread)})
	th.timed = false
	l.leaveQueue(th, tr)
	if th.phase == phaseReacquire {
		if l.possible(th.thread) {
			return l.reacquire(th, tr)
		}
		return scheduler.Stay, nil
	}
	return l.returnsLate(th, tr)
}

// leaveQueue takes a thread whose time is over out of the queue in which it waits.
func (l *Library) leaveQueue(th edit, tr *trace.Transition) {
	switch th.phase {
	case phaseQueued:
		o := l.use(th.arg(0), kindCond)
		l.did(th.thread, tr, trace.OpCondTimeout, o.object, 0)
		if i := index(o.waiters, th.ID); i >= 0 {
			o.waiters = without(o.waiters, i)
			l.settle(o)
		}
		th.phase, th.result = phaseReacquire, abi.ETIMEDOUT
	case phaseAsleep:
		l.rwLocks.giveUpQueue(th, tr)
	}
}

// RunOut implements scheduler.Waits.
func (l *Library) RunOut(t trace.TID, tr *trace.Transition) {
	th := l.edit(t)
	if l.possible(th.thread) {
		return // it waits for something else: its turn
	}
	th.timed = false
	if l.leaveQueue(th, tr); th.phase != phaseReacquire {
		th.phase = phaseOver
	}
	tr.Wakes = append(tr.Wakes, t)
}

// returnsLate returns from an operation whose time is over.
func (l *Library) returnsLate(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if acts[th.role].kind == kindSem && acts[th.role].op == trace.OpSemWait {
		l.setErrno(th.thread, tr, abi.ETIMEDOUT)
		l.ret(th, ^uint64(0))
		return scheduler.Pass, nil
	}
	l.ret(th, abi.ETIMEDOUT)
	return scheduler.Pass, nil
}

// Deadlines implements scheduler.Waits.
func (l *objectCalls) Deadlines(f func(t trace.TID, when uint64)) {
	for i := range l.threads {
		if th := &l.threads[i]; th.timed && th.Exists && th.Stand == scheduler.StandOp {
			f(th.ID, th.deadline)
		}
	}
}
