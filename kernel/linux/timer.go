package linux

import (
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Timers that send signals: setitimer, alarm, and timer_create. (For SIGEV_THREAD a library starts a
// thread, which waits for a signal of its own by SIGEV_THREAD_ID.) Linux checks them at the machine's
// ticks, and a process may be kept from running for any time. So one that is set may go off between
// any two instructions, whatever its length; package scheduler has each as a thread of its own
// (scheduler/timer.go), whose steps are GoOff.
//
// What a timer has left is by the clock: sleeps and looks at the clock make it less (time.go). One that
// hasn't gone off when nothing is left has the least that it can have. A timer of a processor's time always
// has left what it was set to. While its signal is pending a timer doesn't go off, so there are no overruns.

const (
	itimers   = 3 // ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF
	maxTimers = 32

	sigAlrm   = 14
	sigVtAlrm = 26
	sigProf   = 27

	sigevSignal   = 0
	sigevNone     = 1
	sigevThreadID = 4

	siKernel = 128
	siTimer  = -2

	// longTimer is the length from which on a timer is a watchdog: it goes off only when
	// nothing else can be done. deadlyTimer is the same for a timer whose signal ends the
	// process. A shorter one may be set by mistake before its handler.
	longTimer, deadlyTimer = 5 * second, second
)

// alarm is a timer that sends a signal.
type alarm struct {
	made     effect.Word // of timer_create: it is in use
	left     effect.Word // nanoseconds that it was set to, 0: it isn't set
	since    effect.Word // when that was, or when it last went off
	clock    effect.Word // by which it goes
	interval effect.Word
	signal   effect.Word // 0: it sends none
	target   effect.Word // a thread's number; 0: the process
	value    effect.Word // of the signal
	n        int
}

func newAlarm(n int) *alarm {
	w := effect.At(wordTimers, 0)
	a := &alarm{made: w, left: w, since: w, clock: w, interval: w, signal: w, target: w, value: w, n: n}
	if n < itimers {
		a.clock = effect.At(wordTimers, [itimers]uint64{abi.ClockMonotonic, abi.ClockProcessCPUTimeID, abi.ClockProcessCPUTimeID}[n])
		a.made = effect.At(wordTimers, 1)
		a.signal = effect.At(wordTimers, [itimers]uint64{sigAlrm, sigVtAlrm, sigProf}[n])
	}
	return a
}

// alarmAt is timer n, which needn't have been met before.
func (s *signals) alarmAt(n int) *alarm {
	for len(s.alarms) <= n {
		s.alarms = append(s.alarms, newAlarm(len(s.alarms)))
	}
	return s.alarms[n]
}

// setAlarm sets a timer to go off, and notes that signals of timers come from now on.
func (c *call) setAlarm(a *alarm, left, interval uint64) {
	c.set(&a.left, left)
	c.set(&a.since, c.get(&c.k.clock.now))
	c.set(&a.interval, interval)
	if left != 0 {
		c.k.log.Turn(&c.k.signals.alarming, true)
	}
}

// remains is what a timer has left, at least this much if it is set.
func (c *call) remains(a *alarm, least uint64) uint64 {
	left := c.get(&a.left)
	switch clock := c.get(&a.clock); {
	case left == 0, clock == abi.ClockProcessCPUTimeID, clock == abi.ClockThreadCPUTimeID:
		return left
	}
	return max(left-min(left, c.get(&c.k.clock.now)-c.get(&a.since)), least)
}

// itimerval is a timer's setting as setitimer has it, with microseconds.
func (c *call) itimerval(a *alarm) []byte {
	every, left := c.get(&a.interval), c.remains(a, 1000)
	return append(pair(every/second, every%second/1000), pair(left/second, left%second/1000)...)
}

// timeval reads a time with microseconds, in nanoseconds.
func (u *user) timeval(addr uint64) (ns, errno uint64) {
	if !u.canRead(addr, 16) {
		return 0, efault
	}
	sec, usec := u.log.Read64(addr), u.log.Read64(addr+8)
	if int64(sec) < 0 || usec >= second/1000 {
		return 0, einval
	}
	return min(sec, noDeadline/second-1)*second + usec*1000, 0
}

func doSetitimer(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	if c.a[0] >= itimers {
		return einval
	}
	a := k.signals.alarmAt(int(c.a[0]))
	var every, left, errno uint64
	if c.a[1] != 0 {
		if every, errno = k.user.timeval(c.a[1]); errno == 0 {
			left, errno = k.user.timeval(c.a[1] + 16)
		}
		if errno != 0 {
			return errno
		}
	}
	old := c.itimerval(a)
	c.setAlarm(a, left, every)
	if c.a[2] != 0 {
		return k.user.copyOut(c.a[2], old)
	}
	return 0
}

func doGetitimer(c *call, o *kernel.Outcome) uint64 {
	if c.a[0] >= itimers {
		return einval
	}
	return c.k.user.copyOut(c.a[1], c.itimerval(c.k.signals.alarmAt(int(c.a[0]))))
}

func doAlarm(c *call, o *kernel.Outcome) uint64 {
	a := c.k.signals.alarmAt(0)
	left := c.remains(a, 1000)
	c.setAlarm(a, c.a[0]&0xffffffff*second, 0)
	if left < second {
		return (left + second - 1) / second
	}
	return (left + second/2) / second
}

// sigevent reads how a timer of timer_create notifies.
func (c *call) sigevent() (notify, signal, value, target uint64, ok bool) {
	if c.a[1] == 0 {
		return sigevSignal, sigAlrm, 0, 0, true
	}
	if !c.k.user.canRead(c.a[1], 24) {
		return 0, 0, 0, 0, false
	}
	value = c.k.log.Read64(c.a[1])
	signal, notify = uint64(c.k.log.Read32(c.a[1]+8)), uint64(c.k.log.Read32(c.a[1]+12))
	if notify == sigevThreadID {
		target = uint64(c.k.log.Read32(c.a[1] + 16))
	}
	return notify, signal, value, target, true
}

func doTimerCreate(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	notify, signal, value, target, ok := c.sigevent()
	switch {
	case !ok:
		return efault
	case c.a[0] > abi.ClockBoottime, notify != sigevNone && (signal == 0 || signal >= numSignals):
		return einval
	case notify != sigevSignal && notify != sigevNone && notify != sigevThreadID:
		return einval
	case target != 0 && k.roster.numbered(target) == nil:
		return einval
	}
	for n := itimers; n < itimers+maxTimers; n++ {
		a := k.signals.alarmAt(n)
		if c.get(&a.made) != 0 {
			continue
		}
		if notify == sigevNone {
			signal = 0
		}
		if value == 0 && c.a[1] == 0 {
			value = uint64(n - itimers)
		}
		c.set(&a.made, 1)
		c.set(&a.clock, c.a[0])
		c.set(&a.left, 0)
		c.set(&a.interval, 0)
		c.set(&a.signal, signal)
		c.set(&a.target, target)
		c.set(&a.value, value)
		return k.user.copyOut(c.a[2], []byte{byte(n - itimers), 0, 0, 0})
	}
	return eagain
}

// posixTimer is the timer that a call of timer_create's kin is about, nil for none.
func (c *call) posixTimer() *alarm {
	if id := c.a[0] & 0xffffffff; id < maxTimers {
		if a := c.k.signals.alarmAt(itimers + int(id)); c.get(&a.made) != 0 {
			return a
		}
	}
	return nil
}

// itimerspec is a timer's setting, with nanoseconds.
func (c *call) itimerspec(a *alarm) []byte {
	every, left := c.get(&a.interval), c.remains(a, 1)
	return append(pair(every/second, every%second), pair(left/second, left%second)...)
}

func doPosixSettime(c *call, o *kernel.Outcome) uint64 {
	k, a := c.k, c.posixTimer()
	if a == nil || c.a[2] == 0 {
		return einval
	}
	every, errno := k.user.timespec(c.a[2])
	if errno != 0 {
		return errno
	}
	left, errno := k.user.timespec(c.a[2] + 16)
	if errno != 0 {
		return errno
	}
	if left != 0 && c.a[1]&timerAbstime != 0 {
		left = max(left-min(left, onClock(c.get(&a.clock), c.get(&k.clock.now))), 1)
	}
	old := c.itimerspec(a)
	c.setAlarm(a, left, every)
	if c.a[3] != 0 {
		return k.user.copyOut(c.a[3], old)
	}
	return 0
}

func doPosixGettime(c *call, o *kernel.Outcome) uint64 {
	if a := c.posixTimer(); a != nil {
		return c.k.user.copyOut(c.a[1], c.itimerspec(a))
	}
	return einval
}

func doPosixOverrun(c *call, o *kernel.Outcome) uint64 {
	if a := c.posixTimer(); a != nil {
		return 0
	}
	return einval
}

func doPosixDelete(c *call, o *kernel.Outcome) uint64 {
	a := c.posixTimer()
	if a == nil {
		return einval
	}
	c.setAlarm(a, 0, 0)
	c.set(&a.made, 0)
	return 0
}

// Alarming implements scheduler.Clockwork.
func (k *Kernel) Alarming() bool { return k.signals.alarmed() }

// alarmed reports whether a timer that sends a signal was ever set.
func (s *signals) alarmed() bool { return s.alarming.On() }

// Timers implements scheduler.Clockwork.
func (k *Kernel) Timers() int { return len(k.signals.alarms) }

// Timer implements scheduler.Clockwork.
func (k *Kernel) Timer(n int, kept bool) (x kernel.Timer) {
	a := k.signals.alarms[n]
	sig, left := a.signal.Peek(), a.left.Peek()
	x = kernel.Timer{Thread: trace.NoThread, Signal: sig}
	if left == 0 || sig == 0 {
		return x
	}
	to, ok := k.signals.alarmTarget(a)
	fate := k.signals.fate(sig)
	x.Last = left >= longTimer || left >= deadlyTimer && fate == fateDeadly
	blocked := ok && to.t.blocked.Peek()&bit(sig) != 0
	if !ok || !blocked && (fate == fateIgnored || fate == fateDeadly && x.Last) { // a program that hangs is told as one
		return x
	}
	x.Thread, x.Set = to.t.id, true
	switch {
	case blocked && k.signals.waits(a, &to): // one more makes no difference
	case blocked:
		x.Comes = kept || k.signals.awaits(to.t, sig)
	default:
		x.Comes = true
	}
	return x
}

// waits reports whether a timer's signal makes no difference: the same one waits, or for a
// signal that isn't queued any one of its number.
func (s *signals) waits(a *alarm, to *target) bool {
	if to.sig < firstRealTime {
		return (to.t.sent.Peek()|s.pending.Peek())&bit(to.sig) != 0
	}
	timer := uint64(a.n - itimers)
	return to.t.backlog.ofTimer(to.sig, timer) || s.backlog.ofTimer(to.sig, timer)
}

// alarmTarget is where a timer's signal goes; !ok: to no thread.
func (s *signals) alarmTarget(a *alarm) (to target, ok bool) {
	to.sig = s.log.Get(&a.signal)
	if number := s.log.Get(&a.target); number != 0 {
		to.t = s.roster.numbered(number)
		return to, to.t != nil
	}
	to.shared, to.among = true, s.takers(to.sig)
	to.t = to.among[0]
	return to, to.t != nil
}

// GoOff implements scheduler.Clockwork.
func (k *Kernel) GoOff(n int, by trace.TID) kernel.Outcome {
	k.log.Begin(by, 0)
	k.call = call{k: k}
	k.ops, k.wakes = k.ops[:0], k.wakes[:0]
	o := &k.outcome
	*o = kernel.Outcome{}
	a := k.signals.alarms[n]
	every := k.log.Get(&a.interval)
	if k.log.Set(&a.left, every); every != 0 {
		k.log.Set(&a.since, k.log.Get(&k.clock.now))
	}
	switch to, ok := k.signals.alarmTarget(a); {
	case !ok:
	case len(to.among) > 1:
		o.Gap, o.Invalid = kernel.GapCall, "a timer's signal that several threads could take is not modelled: block it in all but one"
	case k.signals.fate(to.sig) == fateStop:
		o.Gap, o.Invalid = kernel.GapCall, "a timer's signal that stops the process is not modelled"
	default:
		for _, t := range k.roster.threads { // which thread it goes to depends on all
			if t != nil && t.alive.Peek() != 0 && t != to.t {
				k.call.op(trace.Op{Kind: trace.OpCancel, Obj: uint64(t.id), Arg: trace.PassedOver})
			}
		}
		k.call.op(trace.Op{Kind: trace.OpCancel, Obj: uint64(to.t.id), Arg: to.sig})
		to.info = a.told(&k.log, to.shared)
		k.signals.send(to, o)
	}
	o.Accesses, o.Others = k.log.Made(), k.log.Others()
	o.Ops, o.Wakes = k.ops, k.wakes
	return *o
}

// told is the info that a timer's signal carries.
func (a *alarm) told(l *effect.Log, shared bool) info {
	if a.n < itimers {
		return info{code: siKernel, shared: shared}
	}
	return info{code: siTimer, shared: shared, addr: uint64(a.n - itimers), value: l.Get(&a.value)}
}
