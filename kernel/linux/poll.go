package linux

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// poll, select and their kin. A descriptor without an object behind it never waits. The
// standard ones are pipes whose other ends are there until the input is read up, and all
// others are files. So a call returns at once, or sleeps for objects, or nothing will ever
// end it but its timeout and signals.

// A pollfd: the descriptor (4 bytes), the events asked for (2), those that came (2).
const pollSize = 8

// Events of poll(2).
const (
	pollIn     = 0x001
	pollPri    = 0x002
	pollOut    = 0x004
	pollErr    = 0x008
	pollHup    = 0x010
	pollNval   = 0x020
	pollRdnorm = 0x040
	pollRdband = 0x080
	pollWrnorm = 0x100
	pollWrband = 0x200
	pollRdhup  = 0x2000
	anyEvent   = 0xffff
)

// polled has a call's findings: the pollfds as they are to be, how many have events, and what
// the others wait for.
func (c *call) polled() (fds []byte, ready uint64, wants []want, errno uint64) {
	n := c.a[1]
	if n > c.get(c.k.files.limit) {
		return nil, 0, nil, einval
	}
	if fds = c.k.user.copyIn(c.a[0], n*pollSize); fds == nil {
		return nil, 0, nil, efault
	}
	for at := 0; at < len(fds); at += pollSize {
		fd, asked := int32(binary.LittleEndian.Uint32(fds[at:])), binary.LittleEndian.Uint16(fds[at+4:])
		events := c.events(fd) & uint64(asked|always|pollNval)
		binary.LittleEndian.PutUint16(fds[at+6:], uint16(events))
		if events != 0 {
			ready++
		}
		wants = c.wanting(wants, fd, uint64(asked))
	}
	return fds, ready, wants, 0
}

// wanting adds what a descriptor is waited for, if that can be.
func (c *call) wanting(wants []want, fd int32, events uint64) []want {
	if fd < 0 {
		return wants
	}
	use := c.k.files.use(fd)
	if o, end := c.object(use); o != nil {
		wants = append(wants, want{o: o, end: end, events: events, use: use})
	}
	return wants
}

// events are those that a descriptor has at the moment.
func (c *call) events(fd int32) uint64 {
	if fd < 0 {
		return 0
	}
	use := c.k.files.use(fd)
	switch use {
	case useClosed:
		return pollNval
	case useStdin:
		if c.get(&c.k.files.stdinRead) < uint64(len(c.k.files.stdin)) {
			return pollIn | pollRdnorm
		}
		return pollHup
	case useStdout, useStderr:
		return pollOut | pollWrnorm
	}
	if o, end := c.object(use); o != nil {
		return c.k.objects.events(o, end)
	}
	return pollIn | pollRdnorm | pollOut | pollWrnorm
}

// planPoll: a call that waits for no object is a sleep. Another one's result depends on the
// opens, closes and reads of other threads.
func planPoll(c *call, p *kernel.Plan) {
	defer c.planOwnMask(p)
	if c.a[1] == 0 {
		planRest(c, p)
		return
	}
	fds, ready, wants, errno := c.polled()
	waits := errno == 0 && ready == 0 && !c.impatient()
	switch {
	case errno == 0 && len(wants) > 0:
		c.planObjects(p, wants)
	case waits && c.awaitsEnd(fds):
		invalid(p, p.Name+" that waits for standard input to be read up is not modelled")
	case waits:
		planRest(c, p)
	default:
		planFiles(c, p)
	}
}

// planObjects is the plan of a call for several things, some of them objects.
func (c *call) planObjects(p *kernel.Plan, wants []want) {
	c.event(p, wants[0].o.receive(wants[0].o.reads(wants[0].end)))
	c.planTimed(p)
}

// awaitsEnd reports whether standard input is among descriptors that have no event: it
// will have one when other threads have read it up.
func (c *call) awaitsEnd(fds []byte) bool {
	for at := 0; at < len(fds); at += pollSize {
		if fd := int32(binary.LittleEndian.Uint32(fds[at:])); fd >= 0 && c.k.files.use(fd) == useStdin {
			return true
		}
	}
	return false
}

// patience is the time that poll, ppoll, select or pselect6 has; noDeadline for ever.
func (c *call) patience() (ns, errno uint64) {
	at := c.a[4]
	switch c.nr {
	case sysPoll:
		if ms := c.int32(2); ms >= 0 {
			return uint64(ms) * 1_000_000, 0
		}
		return noDeadline, 0
	case sysPpoll:
		at = c.a[2]
	}
	switch {
	case at == 0:
		return noDeadline, 0
	case c.nr != sysSelect:
		return c.k.user.timespec(at)
	case !c.k.user.canRead(at, 16):
		return 0, efault
	}
	sec, usec := c.k.log.Read64(at), c.k.log.Read64(at+8)
	if int64(sec) < 0 || usec >= 1_000_000 || sec > 1<<33 {
		return 0, einval
	}
	return sec*second + usec*1000, 0
}

// impatient: the call's timeout is no time at all.
func (c *call) impatient() bool {
	ns, errno := c.patience()
	return errno == 0 && ns == 0
}

// tellRest writes what is left of the time, as Linux does at the end of a call.
func (c *call) tellRest() {
	at := c.restPlace()
	if at == 0 {
		return
	}
	var left uint64
	if c.retried() {
		left = c.t.wait.until.Peek() - min(c.t.wait.until.Peek(), c.get(&c.k.clock.now))
	} else {
		left, _ = c.patience()
	}
	if c.nr == sysSelect {
		c.k.log.Write(at, pair(left/second, left%second/1000))
		return
	}
	c.k.log.Write(at, pair(left/second, left%second))
}

// restPlace is where ppoll, select or pselect6 tells what is left of its time, 0 for nowhere. A place
// that can't be written is no error.
func (c *call) restPlace() uint64 {
	at := c.a[4]
	switch c.nr {
	case sysPoll:
		return 0
	case sysPpoll:
		at = c.a[2]
	}
	if at == 0 || !c.k.user.canWrite(at, 16) {
		return 0
	}
	return at
}

// sleeps is a poll or a select that no descriptor ends. It has no time left at its end.
func (c *call) sleeps(o *kernel.Outcome, ns uint64) uint64 {
	if at := c.restPlace(); at != 0 {
		c.k.log.Write(at, pair(0, 0))
	}
	return c.rest(o, ns)
}

func doPoll(c *call, o *kernel.Outcome) uint64 { return c.withMask(o, (*call).poll) }

func (c *call) poll(o *kernel.Outcome) uint64 {
	if c.a[1] > 0 {
		fds, ready, wants, errno := c.polled()
		if errno != 0 {
			return errno
		}
		if !c.k.log.Can(c.a[0], uint64(len(fds)), emu.ProtWrite) {
			return efault
		}
		if len(wants) > 0 {
			return c.pollObjects(o, wants, ready, func() { c.k.user.copyOut(c.a[0], fds) })
		}
		if ready > 0 || c.impatient() {
			c.op(onResource(resourceFiles, 1))
			c.k.user.copyOut(c.a[0], fds)
			return ready
		}
		c.k.user.copyOut(c.a[0], fds) // which have no event, now and later
	}
	if c.nr == sysPpoll {
		return doPselect(c, o)
	}
	if c.endless() {
		return doPause(c, o)
	}
	return c.rest(o, uint64(max(c.int32(2), 0))*1_000_000)
}

// pollObjects ends a call with what it found, or has it sleep.
func (c *call) pollObjects(o *kernel.Outcome, wants []want, ready uint64, tell func()) uint64 {
	ns, errno := c.patience()
	if errno != 0 {
		return errno
	}
	if ready == 0 {
		if n := c.waitTimed(o, wants, ns, 0); o.Sleep {
			return n
		}
	} else {
		for i := range wants {
			c.op(trace.Op{Kind: trace.OpReceive, Obj: wants[i].o.at[wants[i].o.reads(wants[i].end)], Size: objectWordSize})
		}
	}
	tell()
	c.tellRest()
	return ready
}

// tellNone writes the events of a poll that a signal ends: none, whatever was there.
func (c *call) tellNone() {
	if c.nr != sysPoll && c.nr != sysPpoll {
		return
	}
	if fds, _, _, errno := c.polled(); errno == 0 {
		c.k.user.copyOut(c.a[0], fds)
	}
}

// select.

// Events of the three sets (fs/select.c).
var selectEvents = [3]uint64{
	pollRdnorm | pollRdband | pollIn | pollHup | pollErr,
	pollWrband | pollWrnorm | pollOut | pollErr,
	pollPri,
}

// selected has the findings of a call of select: the sets as they are to be, and so on.
func (c *call) selected() (sets [3][]byte, ready uint64, wants []want, errno uint64) {
	n := c.int32(0)
	if n < 0 {
		return sets, 0, nil, einval
	}
	n = min(n, maxDescriptors)
	size := uint64(n+63) / 64 * 8
	var asked [3][]byte
	for i := range sets {
		if c.a[1+i] == 0 {
			continue
		}
		if asked[i] = c.k.user.copyIn(c.a[1+i], size); asked[i] == nil {
			return sets, 0, nil, efault
		}
		sets[i] = make([]byte, size)
	}
	for fd := range n {
		var events uint64
		for i := range asked {
			if asked[i] != nil && asked[i][fd/8]&(1<<(fd%8)) != 0 {
				events |= selectEvents[i]
			}
		}
		if events == 0 {
			continue
		}
		has := c.events(fd)
		if has == pollNval {
			return sets, 0, nil, ebadf
		}
		for i := range asked {
			if asked[i] != nil && asked[i][fd/8]&(1<<(fd%8)) != 0 && has&selectEvents[i] != 0 {
				sets[i][fd/8] |= 1 << (fd % 8)
				ready++
			}
		}
		wants = c.wanting(wants, fd, events)
	}
	return sets, ready, wants, 0
}

func planSelect(c *call, p *kernel.Plan) {
	defer c.planOwnMask(p)
	if c.int32(0) == 0 {
		planRest(c, p)
		return
	}
	_, ready, wants, errno := c.selected()
	waits := errno == 0 && ready == 0 && !c.impatient()
	switch {
	case errno == 0 && len(wants) > 0:
		c.planObjects(p, wants)
	case waits && c.selectsStdin():
		invalid(p, p.Name+" that waits for standard input to be read up is not modelled")
	case waits:
		planRest(c, p)
	default:
		planFiles(c, p)
	}
}

func (c *call) selectsStdin() bool {
	for fd := range min(c.int32(0), maxDescriptors) {
		if c.k.files.use(fd) != useStdin {
			continue
		}
		for i := range 3 {
			if at := c.a[1+i]; at != 0 && c.k.log.Read8(at+uint64(fd/8))&(1<<(fd%8)) != 0 {
				return true
			}
		}
	}
	return false
}

// doSelect is select and pselect6.
func doSelect(c *call, o *kernel.Outcome) uint64 { return c.withMask(o, (*call).selects) }

func (c *call) selects(o *kernel.Outcome) uint64 {
	sets, ready, wants, errno := c.selected()
	if errno != 0 {
		return errno
	}
	for i := range sets {
		if c.a[1+i] != 0 && !c.k.user.canWrite(c.a[1+i], uint64(len(sets[i]))) {
			return efault
		}
	}
	tell := func() {
		for i := range sets {
			if len(sets[i]) > 0 {
				c.k.user.copyOut(c.a[1+i], sets[i])
			}
		}
	}
	if len(wants) > 0 {
		return c.pollObjects(o, wants, ready, tell)
	}
	tell()
	if c.int32(0) > 0 && (ready > 0 || c.impatient()) {
		c.op(onResource(resourceFiles, 1))
		return ready
	}
	if c.nr == sysPselect6 {
		return doPselect(c, o)
	}
	ns, errno := c.patience()
	switch {
	case errno != 0:
		return errno
	case ns == noDeadline:
		return doPause(c, o)
	}
	return c.sleeps(o, ns)
}
