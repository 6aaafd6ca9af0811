package linux

import (
	"encoding/binary"
	"math"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/kernel"
)

// Descriptors that count: eventfd, timerfd; and those that tell of signals.

const (
	efdSemaphore = 1
	mostCount    = math.MaxUint64 - 1 // of an eventfd
	sysEventfd   = 284
	sysSignalfd  = 282
)

func doEventfd(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	flags := c.a[1]
	if c.nr == sysEventfd {
		flags = 0
	}
	if flags&^(oNonblock|oCloexec|efdSemaphore) != 0 {
		return einval
	}
	return c.openOne(objEvent, flags, func(obj *object) {
		c.k.log.Init(&obj.count, c.a[0]&0xffffffff)
		c.k.log.Init(&obj.flags, flags&efdSemaphore)
	})
}

// openOne opens a descriptor of a new object with one end.
func (c *call) openOne(kind, flags uint64, set func(*object)) uint64 {
	_, fd, ok := c.k.files.free(0)
	if !ok {
		return emfile
	}
	obj, n := c.make(kind)
	if set != nil {
		set(obj)
	}
	c.install(fd, c.describe(n, 0, 2|flags&oNonblock), flags&oCloexec)
	return uint64(fd)
}

func (c *call) readCount(o *kernel.Outcome, d *description, obj *object, vec []buffer, total uint64) uint64 {
	k := c.k
	if total < 8 {
		return einval
	}
	n := k.log.Get(&obj.count)
	if n == 0 {
		return c.waitFor(o, d, obj, 0, pollIn, 0)
	}
	got := n
	if k.log.Get(&obj.flags) != 0 {
		got = 1
	}
	k.log.Set(&obj.count, n-got)
	c.op(obj.receive(0))
	k.objects.stir(obj, 0, pollOut)
	return c.tellCount(vec, got)
}

func (c *call) writeCount(o *kernel.Outcome, d *description, obj *object, vec []buffer, total uint64) uint64 {
	k := c.k
	if total < 8 {
		return einval
	}
	p := c.gather(vec)
	if len(p) < 8 {
		return efault
	}
	more, n := binary.LittleEndian.Uint64(p), k.log.Get(&obj.count)
	switch {
	case more == math.MaxUint64:
		return einval
	case more > mostCount-n:
		return c.waitFor(o, d, obj, 0, pollOut, 0)
	}
	k.log.Set(&obj.count, n+more)
	c.op(obj.send(0))
	k.objects.stir(obj, 0, pollIn)
	return 8
}

// Timers go off by the one clock that there is, see time.go: a thread that waits for one
// sleeps until then, as one with a timeout does.

const (
	tfdAbstime     = 1
	tfdCancelOnSet = 2
)

func planTimerfd(c *call, p *kernel.Plan) {
	switch c.a[0] {
	case abi.ClockRealtime, abi.ClockMonotonic, abi.ClockBoottime:
		planFiles(c, p)
	default:
		if c.a[0] == 8 || c.a[0] == 9 { // the alarm clocks
			invalid(p, hexReason("timerfd_create of clock %d is not modelled", c.a[0]))
			return
		}
		planFiles(c, p)
	}
}

func doTimerfd(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	if c.a[1]&^(oNonblock|oCloexec) != 0 || c.a[0] != abi.ClockRealtime && c.a[0] != abi.ClockMonotonic && c.a[0] != abi.ClockBoottime {
		return einval
	}
	return c.openOne(objTimer, c.a[1], func(obj *object) { c.k.log.Init(&obj.clock, c.a[0]) })
}

// expirations is how often a timer has gone off since it was read.
func (b *objects) expirations(o *object, now uint64) uint64 {
	at, every := b.log.Get(&o.expiry), b.log.Get(&o.interval)
	switch {
	case at == 0 || now < at:
		return 0
	case every == 0:
		return 1
	}
	return 1 + (now-at)/every
}

func (c *call) readTimer(o *kernel.Outcome, d *description, obj *object, vec []buffer, total uint64) uint64 {
	k := c.k
	if total < 8 {
		return einval
	}
	n := k.objects.expirations(obj, c.get(&k.clock.now))
	if n == 0 {
		return c.waitFor(o, d, obj, 0, pollIn, 0)
	}
	k.log.Set(&obj.expiry, c.nextExpiry(obj, n))
	c.op(obj.receive(0))
	return c.tellCount(vec, n)
}

// tellCount gives a count that was taken to its reader. It is gone even if the reader's buffer can't
// be written.
func (c *call) tellCount(vec []buffer, n uint64) uint64 {
	if c.fill(vec, pair(n, 0)[:8]) < 8 {
		return efault
	}
	return 8
}

// nextExpiry is when a timer goes off after n times.
func (c *call) nextExpiry(obj *object, n uint64) uint64 {
	if every := c.get(&obj.interval); every != 0 {
		return c.get(&obj.expiry) + n*every
	}
	return 0
}

// timer is the one that timerfd_settime or timerfd_gettime is about.
func (c *call) timer() (*object, uint64) {
	_, obj, _ := c.on(c.int32(0))
	switch {
	case obj == nil && c.k.files.use(c.int32(0)) == useClosed:
		return nil, ebadf
	case obj == nil || obj.kind.Peek() != objTimer:
		return nil, einval
	}
	return obj, 0
}

// setting is a timer's interval and time left, as an itimerspec.
func (c *call) setting(obj *object, now uint64) []byte {
	at, every := c.get(&obj.expiry), c.get(&obj.interval)
	var left uint64
	switch n := c.k.objects.expirations(obj, now); {
	case at == 0, n > 0 && every == 0:
	case n > 0:
		left = at + n*every - now
	default:
		left = at - now
	}
	return append(pair(every/second, every%second), pair(left/second, left%second)...)
}

func planTimer(c *call, p *kernel.Plan) {
	if obj, _ := c.timer(); obj != nil {
		c.event(p, obj.send(0))
		return
	}
	planFiles(c, p)
}

func doTimerSettime(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	if c.a[1]&^(tfdAbstime|tfdCancelOnSet) != 0 {
		return einval
	}
	obj, errno := c.timer()
	if errno != 0 {
		return errno
	}
	every, errno := k.user.timespec(c.a[2])
	if errno != 0 {
		return errno
	}
	first, errno := k.user.timespec(c.a[2] + 16)
	if errno != 0 {
		return errno
	}
	now := c.get(&k.clock.now)
	if c.a[3] != 0 {
		if errno := k.user.copyOut(c.a[3], c.setting(obj, now)); errno != 0 {
			return errno
		}
	}
	var at uint64
	switch {
	case first == 0:
	case c.a[1]&tfdAbstime != 0:
		at = max(k.Realtime(c.get(&obj.clock), first), 1)
	default:
		at = saturatingAdd(now, first)
	}
	k.log.Set(&obj.expiry, at)
	k.log.Set(&obj.interval, every)
	c.op(obj.send(0))
	k.objects.stir(obj, 0, pollIn) // a thread that waits for it waits for another time now
	return 0
}

func doTimerGettime(c *call, o *kernel.Outcome) uint64 {
	obj, errno := c.timer()
	if errno != 0 {
		return errno
	}
	return c.k.user.copyOut(c.a[1], c.setting(obj, c.look(o)))
}

// signalfd.

const signalInfoSize = 128

func doSignalfd(c *call, o *kernel.Outcome) uint64 {
	k, flags := c.k, c.a[3]
	if c.nr == sysSignalfd {
		flags = 0
	}
	c.op(onResource(resourceFiles, 1))
	if c.a[2] != 8 || flags&^(oNonblock|oCloexec) != 0 {
		return einval
	}
	if !k.user.canRead(c.a[1], 8) {
		return efault
	}
	mask := k.log.Read64(c.a[1]) &^ unblockable
	if c.int32(0) == -1 {
		return c.openOne(objSignals, flags, func(obj *object) { k.log.Init(&obj.mask, mask) })
	}
	_, obj, _ := c.on(c.int32(0))
	switch {
	case obj == nil && c.k.files.use(c.int32(0)) == useClosed:
		return ebadf
	case obj == nil || obj.kind.Peek() != objSignals:
		return einval
	}
	k.log.Set(&obj.mask, mask)
	k.objects.stir(obj, 0, pollIn)
	return uint64(c.int32(0))
}

// readySignals are those that a thread would read from a descriptor.
func (b *objects) readySignals(t *thread, o *object) uint64 {
	return (b.log.Get(&t.sent) | b.log.Get(&b.signals.pending)) & b.log.Get(&o.mask)
}

func (c *call) readSignals(o *kernel.Outcome, d *description, obj *object, vec []buffer, total uint64) uint64 {
	k := c.k
	if total < signalInfoSize {
		return einval
	}
	if c.reach(vec, signalInfoSize, emu.ProtWrite) < signalInfoSize {
		return efault
	}
	var out []byte
	for uint64(len(out))+signalInfoSize <= total {
		ready := k.objects.readySignals(c.t, obj)
		if ready == 0 {
			break
		}
		sig := k.signals.nextSignal(c.t, ready)
		i := k.signals.take(c.t, sig)
		b := make([]byte, signalInfoSize)
		binary.LittleEndian.PutUint32(b, uint32(sig))
		binary.LittleEndian.PutUint32(b[8:], uint32(i.code))
		from := 12 // the sender's number and user
		if i.code == siTimer {
			from = 24 // the timer's
		}
		binary.LittleEndian.PutUint32(b[from:], uint32(i.addr))
		binary.LittleEndian.PutUint32(b[16:], uint32(i.addr>>32))
		binary.LittleEndian.PutUint32(b[44:], uint32(i.value))
		binary.LittleEndian.PutUint64(b[48:], i.value)
		out = append(out, b...)
	}
	k.signals.recalculate(c.t) // also where there was none
	if len(out) == 0 {
		return c.waitFor(o, d, obj, 0, pollIn, 0)
	}
	c.op(obj.receive(0))
	c.fill(vec, out)
	return uint64(len(out))
}

// tellSignal lets those go that wait for a signal at a descriptor.
func (b *objects) tellSignal(sig uint64) {
	for n := range b.n.Peek() {
		if o := b.list[n]; o.kind.Peek() == objSignals && b.log.Get(&o.mask)&bit(sig) != 0 {
			b.now.call.op(o.send(0))
			b.stir(o, 0, pollIn)
		}
	}
}
