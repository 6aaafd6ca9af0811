package linux

import (
	"encoding/binary"
	"math"

	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// The clock is virtual: nanoseconds since the epoch, from a fixed beginning,
// one for all threads. It moves when a timed wait runs out (AdvanceTo) and when
// a thread has slept, so that an event is never earlier than the events that
// happen before it. A sleep is a mere yield otherwise. Two looks with nothing
// of that between show the same time.
//
// Sleeps of different threads commute until a thread looks at the clock (wordClock is
// one of the words that count once they have been read).
//
// A loop that waits for a time would never end so. If its turns do the same, one look of
// it moves the clock when no other thread can run (LookMoves; scheduler/spinclock.go). If
// they don't (they count, or work), from a thread's freeLooks-th look on each one moves the
// clock, by twice as much each time. That is also all the processor's time that a thread
// takes: none passes in a sleep.

const (
	// epoch is where CLOCK_REALTIME begins: 2020-09-13 12:26:40 UTC.
	epoch = 1_600_000_000 * second
	// bootTime is where CLOCK_MONOTONIC is 0.
	bootTime = epoch - 1000*second
	second   = 1_000_000_000

	freeLooks = 16
	firstTick = 1000 // nanoseconds
	maxTick   = 40   // doublings

	// once, of a thread's looks: the next one moves the clock, and is no precedent. Below
	// it are the doublings.
	once = 1 << 32
)

// Clocks and flags.
const (
	timerAbstime = 1
)

// clocks is the virtual clock.
type clocks struct {
	log  *effect.Log
	now  effect.Word // CLOCK_REALTIME, in nanoseconds
	busy effect.Word // the part of it that is processor time: looks at it moved it
}

// passes lets the clock be no earlier than a time from now on.
func (ck *clocks) passes(ns uint64) { ck.log.Set(&ck.now, max(ck.now.Peek(), ns)) }

// nextLook is the time that t's next look at the clock shows.
func (ck *clocks) nextLook(t *thread) uint64 {
	now := ck.log.Get(&ck.now)
	switch looks := ck.log.Get(&t.looks); {
	case looks >= once:
		now += firstTick << min(looks-once, maxTick)
	case looks >= freeLooks:
		now += firstTick << min(looks-freeLooks, maxTick)
	}
	return now
}

// IsLook, LookMoves and LooksAnew are for loops that look at the clock.

// IsLook reports whether an operation is a look at the clock that doesn't move it; with
// timeouts at any time, no look is told apart.
func (k *Kernel) IsLook(op trace.Op) bool {
	return !k.cfg.TimeoutsAny && op.Kind == trace.OpSyscall && op.Obj == resourceClock && op.Arg == 0
}

// LookMoves has a thread's next look move the clock, sixteen times as far each time.
func (k *Kernel) LookMoves(id trace.TID, often uint64) {
	k.log.Init(&k.roster.threads[id].looks, once+4*often)
}

// LooksAnew lets a thread look as often as at first before its looks move the clock.
func (k *Kernel) LooksAnew(id trace.TID) { k.log.Init(&k.roster.threads[id].looks, 0) }

// OnlySlept reports whether nothing but the clock has changed since the machine's log had a length.
func (k *Kernel) OnlySlept(logged int) bool { return k.log.Only(&k.clock.now, logged) }

// AdvanceTo implements kernel.Kernel.
func (k *Kernel) AdvanceTo(ns uint64) {
	k.log.Init(&k.clock.now, max(k.clock.now.Peek(), ns)) // in order with all that any thread does
}

// Deadlines implements kernel.Kernel.
func (k *Kernel) Deadlines(f func(t trace.TID, ns uint64)) {
	for _, t := range k.roster.threads {
		if t != nil && t.alive.Peek() != 0 && t.wait.kind.Peek() != awake && t.wait.deadline.Peek() < noDeadline {
			f(t.id, t.wait.deadline.Peek())
		}
	}
}

// Expire implements kernel.Kernel.
func (k *Kernel) Expire(id trace.TID) {
	t := k.roster.threads[id]
	result := uint64(etimedout)
	if t.wait.kind.Peek() == waitSignals {
		result = eagain
	}
	k.log.Begin(id, 0) // in order with all that any thread does, as its advance of the clock is
	if t.wait.kind.Peek() == waitObjects {
		k.objects.rouse(t) // it looks once more
		return
	}
	k.queues.dequeue(t)
	k.host.SetResult(id, result)
}

// onClock is a time of CLOCK_REALTIME on the clock of a guest's number.
func onClock(id, ns uint64) uint64 {
	switch id {
	case abi.ClockRealtime, abi.ClockRealtimeCoarse:
		return ns
	case abi.ClockProcessCPUTimeID, abi.ClockThreadCPUTimeID:
		return ns - epoch // where it is asked for a length of time only
	}
	return ns - bootTime
}

// sinceEpoch and sinceBoot turn a guest's absolute times into the kernel's.
func sinceEpoch(ns uint64) uint64 { return ns }
func sinceBoot(ns uint64) uint64  { return saturatingAdd(ns, bootTime) }

// Realtime is a time on the clock of a guest's number as one of CLOCK_REALTIME,
// the kernel's own.
func (k *Kernel) Realtime(clock, ns uint64) uint64 {
	return saturatingAdd(ns, epoch-onClock(clock, epoch))
}

// Epoch is the time on CLOCK_REALTIME when the guest begins.
func (k *Kernel) Epoch() uint64 { return epoch }

func saturatingAdd(a, b uint64) uint64 {
	if a+b < a {
		return noDeadline - 1
	}
	return a + b
}

// timespec reads a guest's time in nanoseconds.
func (u *user) timespec(addr uint64) (ns, errno uint64) {
	if !u.canRead(addr, 16) {
		return 0, efault
	}
	sec, nsec := u.log.Read64(addr), u.log.Read64(addr+8)
	if int64(sec) < 0 || nsec >= second {
		return 0, einval
	}
	if sec > math.MaxInt64/second-1 {
		return math.MaxInt64, 0
	}
	return sec*second + nsec, 0
}

// planLook is the plan of a call that shows the clock. It isn't OpAdvance when
// it moves it: that is for states in which no thread can run, and a look may
// come in any order with others'.
func planLook(c *call, p *kernel.Plan) {
	c.event(p, onResource(resourceClock, c.moves()))
}

// moves is 1 if the caller's next look moves the clock, else 0.
func (c *call) moves() uint64 {
	if c.k.clock.nextLook(c.t) > c.k.clock.now.Peek() {
		return 1
	}
	return 0
}

// look reads the clock for the caller.
func (c *call) look(o *kernel.Outcome) uint64 {
	k := c.k
	moves := c.moves()
	o.Idle = moves == 0
	c.op(onResource(resourceClock, moves))
	ns := k.clock.nextLook(c.t)
	if moves != 0 {
		k.log.Set(&k.clock.busy, k.clock.busy.Peek()+ns-k.clock.now.Peek())
		c.set(&c.t.busy, c.get(&c.t.busy)+ns-k.clock.now.Peek())
		k.clock.passes(ns)
	}
	looks := c.get(&c.t.looks) + 1
	if looks > once {
		looks = 0
	}
	c.set(&c.t.looks, looks)
	return ns
}

// shows looks at a clock for the caller: at that of thread t, if it is one of threads.
func (c *call) shows(o *kernel.Outcome, clock uint64, t *thread) uint64 {
	ns := c.look(o)
	switch clock {
	case abi.ClockProcessCPUTimeID:
		return c.get(&c.k.clock.busy)
	case abi.ClockThreadCPUTimeID:
		return c.get(&t.busy)
	}
	return onClock(clock, ns)
}

func pair(a, b uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, a), b)
}

// clockOf is the clock that a call names, and the thread whose time it shows. Numbers below 0 stand for
// the processor time of a thread or a process by its number, 0 for the caller's.
func (c *call) clockOf() (clock uint64, t *thread, ok bool) {
	const kind, ofFile, ofThread, number = 3, 3, 4, 3
	id := c.int32(0)
	switch pid := ^(id >> number); {
	case id == abi.ClockTAI:
		return abi.ClockRealtime, c.t, true
	case id >= 0:
		return uint64(id), c.t, id <= abi.ClockBoottime
	case id&kind == ofFile:
		return 0, nil, false
	case id&ofThread == 0:
		return abi.ClockProcessCPUTimeID, c.t, pid == 0 || pid == firstNumber
	case pid == 0:
		return abi.ClockThreadCPUTimeID, c.t, true
	default:
		t = c.k.roster.numbered(uint64(pid))
		return abi.ClockThreadCPUTimeID, t, t != nil
	}
}

func doClockGettime(c *call, o *kernel.Outcome) uint64 {
	clock, t, ok := c.clockOf()
	if !ok {
		return einval
	}
	ns := c.shows(o, clock, t)
	return c.k.user.copyOut(c.a[1], pair(ns/second, ns%second))
}

// tick is the resolution of the coarse clocks, as most distributions configure Linux (HZ=250).
const tick = 4_000_000

func doClockGetres(c *call, o *kernel.Outcome) uint64 {
	clock, _, ok := c.clockOf()
	if !ok {
		return einval
	}
	if c.a[1] == 0 {
		return 0
	}
	ns := uint64(1)
	if clock == abi.ClockRealtimeCoarse || clock == abi.ClockMonotonicCoarse {
		ns = tick
	}
	return c.k.user.copyOut(c.a[1], pair(0, ns))
}

func doGettimeofday(c *call, o *kernel.Outcome) uint64 {
	ns := c.look(o)
	if c.a[1] != 0 {
		if c.k.user.copyOut(c.a[1], make([]byte, 8)) != 0 {
			return efault
		}
	}
	if c.a[0] == 0 {
		return 0
	}
	return c.k.user.copyOut(c.a[0], pair(ns/second, ns%second/1000))
}

func doTime(c *call, o *kernel.Outcome) uint64 {
	s := c.look(o) / second
	if c.a[0] != 0 && c.k.user.copyOut(c.a[0], binary.LittleEndian.AppendUint64(nil, s)) != 0 {
		return efault
	}
	return s
}

func planSleep(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpSleep})
	p.Yield = true
}

func doNanosleep(c *call, o *kernel.Outcome) uint64 {
	return c.nap(o, abi.ClockRealtime, 0, c.a[0])
}

func doClockNanosleep(c *call, o *kernel.Outcome) uint64 {
	if c.a[0] > abi.ClockBoottime || c.a[0] == abi.ClockThreadCPUTimeID {
		return einval
	}
	return c.nap(o, c.a[0], c.a[1], c.a[2])
}

// nap is a sleep: see the head of this file.
func (c *call) nap(o *kernel.Outcome, clock, flags, addr uint64) uint64 {
	c.op(trace.Op{Kind: trace.OpSleep})
	o.Idle = true
	ns, errno := c.k.user.timespec(addr)
	if errno != 0 {
		return errno
	}
	until := saturatingAdd(c.sleepsFrom(), ns)
	if flags&timerAbstime != 0 {
		until = c.k.Realtime(clock, ns)
		if clock == abi.ClockProcessCPUTimeID {
			until = saturatingAdd(c.k.clock.now.Peek(), ns-min(ns, c.get(&c.k.clock.busy)))
		}
	}
	if clock == abi.ClockProcessCPUTimeID && until > c.k.clock.now.Peek() { // a sleep until others have worked
		c.k.log.Set(&c.k.clock.busy, c.k.clock.busy.Peek()+until-c.k.clock.now.Peek())
	}
	c.k.clock.passes(until)
	return 0
}

// rest is a sleep for a time, with nothing left of it at the end.
func (c *call) rest(o *kernel.Outcome, ns uint64) uint64 {
	c.op(trace.Op{Kind: trace.OpSleep})
	o.Idle = true
	c.k.clock.passes(saturatingAdd(c.sleepsFrom(), ns))
	return 0
}

// doPselect is pselect6 and ppoll, whose timespec is argument 4 or 2.
func doPselect(c *call, o *kernel.Outcome) uint64 {
	if c.get(&c.t.savedMaskIsWanted) != 0 {
		ns, errno := c.patience()
		if errno != 0 {
			return errno
		}
		c.waitTimed(o, nil, ns, 0)
		if !o.Sleep {
			c.tellRest()
		}
		return 0
	}
	at := c.a[4]
	if c.nr == sysPpoll {
		at = c.a[2]
	}
	if at == 0 {
		return doPause(c, o)
	}
	ns, errno := c.k.user.timespec(at)
	if errno != 0 {
		return errno
	}
	return c.sleeps(o, ns)
}
