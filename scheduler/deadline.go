package scheduler

import (
	"math"

	"landgo/image"
	"landgo/trace"
)

// The trusted timed operations (pthread_cond_timedwait and its like) take an
// absolute time on a clock: the one that is given before the time
// (pthread_cond_clockwait), that of the condition variable's attribute, or
// CLOCK_REALTIME. The scheduler's deadlines are all on the last.

// clocks is a kernel with several clocks.
type clocks interface {
	// Realtime is a time on the clock of a number as one of CLOCK_REALTIME.
	Realtime(clock, ns uint64) uint64
}

// badTime is the deadline of a time that isn't one: its nanoseconds aren't
// fewer than a second's.
const badTime = math.MaxUint64

// setDeadline reads the time at which the operation at whose entry a thread
// stands gives up, if it has one. It reports whether the call is over: the
// library looks at some times before all else.
func (s *System) setDeadline(th *thread, a *act) (over bool) {
	th.timed = false
	if a.deadline == 0 || th.arg(int(a.deadline)) == 0 {
		return false
	}
	ns := s.timespec(th.arg(int(a.deadline)))
	if ns == badTime {
		return s.refuseTime(th)
	}
	if k, ok := s.kernel.(clocks); ok && ns != 0 {
		ns = k.Realtime(s.clockOf(th, a), ns)
	}
	th.timed, th.deadline = true, ns
	return false
}

// clockOf is the number of the clock that a timed operation's time is on.
func (s *System) clockOf(th *thread, a *act) uint64 {
	switch th.role {
	case image.MutexClockLock, image.CondClockWait, image.SemClockWait, image.RWClockReadLock, image.RWClockWriteLock, image.ClockJoin:
		return th.arg(int(a.deadline) - 1)
	case image.CondTimedWait:
		return s.objectOf(th.arg(0), kindCond).clock
	}
	return clockRealtime
}

const clockRealtime = 0

// refuseTime carries out an operation with a time that isn't one. Some functions
// refuse it at once, the others only where they would have to wait: a try.
func (s *System) refuseTime(th *thread) (over bool) {
	glibc := s.libc != image.Musl
	switch op := acts[th.role].op; {
	case op == trace.OpCondWait, glibc && (op == trace.OpReadLock || op == trace.OpWriteLock):
		s.ret(th, einval)
		return true
	case glibc && op == trace.OpSemWait:
		s.setErrno(th, einval)
		s.ret(th, ^uint64(0))
		return true
	case op == trace.OpLock:
		th.role = image.MutexTryLock
	case op == trace.OpReadLock:
		th.role = image.RWTryReadLock
	case op == trace.OpWriteLock:
		th.role = image.RWTryWriteLock
	case op == trace.OpSemWait:
		th.role = image.SemTryWait
	case op == trace.OpJoin:
		th.role = image.TryJoin
	}
	th.badTime = true
	return false
}

// refusal is what a try that fails returns: errno, or what a timed operation
// does that was given no time.
func (s *System) refusal(th *thread, errno uint64) uint64 {
	if th.badTime {
		return einval
	}
	return errno
}

// timespec reads a struct timespec as nanoseconds; what lies before the clock's
// beginning is 0.
func (s *System) timespec(p uint64) uint64 {
	sec, nsec := s.machine.Read64(p), s.machine.Read64(p+8)
	switch {
	case nsec >= 1e9:
		return badTime
	case int64(sec) < 0:
		return 0
	case sec > math.MaxInt64/1_000_000_000-1:
		return math.MaxInt64
	}
	return sec*1e9 + nsec
}

// condClock is the clock that a condition variable's attribute object asks for.
func (s *System) condClock(attr uint64) uint64 {
	if attr == 0 || s.cfg.PointsOnly {
		return clockRealtime
	}
	v := s.machine.Read32(attr)
	if s.libc == image.Musl {
		return uint64(v & 0x7fffffff)
	}
	return uint64(v >> 1 & 1) // glibc: bit 0 says whether processes share it
}
