package linux

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/kernel"
)

// poll and ppoll. A descriptor of landgo's never waits: the standard ones are pipes whose
// other ends are there until the input is read up, and all others are files. So a call
// returns at once, or nothing will ever end it but its timeout and signals.

// A pollfd: the descriptor (4 bytes), the events asked for (2), those that came (2).
const pollSize = 8

// Events of poll(2).
const (
	pollIn     = 0x001
	pollOut    = 0x004
	pollHup    = 0x010
	pollNval   = 0x020
	pollRdnorm = 0x040
	pollWrnorm = 0x100
)

// polled is what a call finds: the pollfds as they are to be, and how many have events.
func (c *call) polled() (fds []byte, ready, errno uint64) {
	n := c.a[1]
	if n > maxDescriptors {
		return nil, 0, einval
	}
	if fds = c.k.copyIn(c.a[0], n*pollSize); fds == nil {
		return nil, 0, efault
	}
	for at := 0; at < len(fds); at += pollSize {
		events := c.events(int32(binary.LittleEndian.Uint32(fds[at:])))
		events &= binary.LittleEndian.Uint16(fds[at+4:]) | pollHup | pollNval
		binary.LittleEndian.PutUint16(fds[at+6:], events)
		if events != 0 {
			ready++
		}
	}
	return fds, ready, 0
}

// events are those that a descriptor has at the moment.
func (c *call) events(fd int32) uint16 {
	if fd < 0 {
		return 0
	}
	switch c.use(fd) {
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
	return pollIn | pollRdnorm | pollOut | pollWrnorm
}

// planPoll: a call that waits is a sleep. What another one finds depends on the opens,
// closes and reads of other threads.
func planPoll(c *call, p *kernel.Plan) {
	if c.a[1] == 0 {
		planRest(c, p)
		return
	}
	if fds, ready, errno := c.polled(); errno == 0 && ready == 0 && !c.impatient() {
		if c.awaitsEnd(fds) {
			invalid(p, p.Name+" that waits for standard input to be read up is not modelled")
			return
		}
		planRest(c, p)
		return
	}
	planFiles(c, p)
}

// awaitsEnd reports whether standard input is among descriptors that have no event: it
// will have one when other threads have read it up.
func (c *call) awaitsEnd(fds []byte) bool {
	for at := 0; at < len(fds); at += pollSize {
		if fd := int32(binary.LittleEndian.Uint32(fds[at:])); fd >= 0 && c.use(fd) == useStdin {
			return true
		}
	}
	return false
}

// impatient: the call's timeout is no time at all.
func (c *call) impatient() bool {
	if c.nr == sysPoll {
		return c.int32(2) == 0
	}
	if c.a[2] == 0 || !c.k.canRead(c.a[2], 16) {
		return false
	}
	ns, errno := c.k.timespec(c.a[2])
	return errno == 0 && ns == 0
}

func doPoll(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] > 0 {
		fds, ready, errno := c.polled()
		if errno != 0 {
			return errno
		}
		if !c.k.log.Can(c.a[0], uint64(len(fds)), emu.ProtWrite) {
			return efault
		}
		if ready > 0 || c.impatient() {
			c.op(onResource(resourceFiles, 1))
			c.k.copyOut(c.a[0], fds)
			return ready
		}
		c.k.copyOut(c.a[0], fds) // which have no event, now and later
	}
	if c.nr == sysPpoll {
		return doPselect(c, o)
	}
	if c.endless() {
		return doPause(c, o)
	}
	ms := uint64(max(c.int32(2), 0))
	return c.rest(o, ms*1_000_000)
}
