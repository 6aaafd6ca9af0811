package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// Pipes, as Linux has them: sixteen pages, and each holds a part of one write. A write's odd
// bytes go to the last page if that has room for them (pipe_write in fs/pipe.c). A write of a
// page or less is in one piece; one of more may be mixed with others.

const (
	oNonblock = 0x800
	oDirect   = 0x4000

	sysPipe = 22
)

func planPipe(c *call, p *kernel.Plan) {
	if c.nr != sysPipe && c.a[1]&oDirect != 0 {
		invalid(p, "pipe2 with O_DIRECT is not modelled")
		return
	}
	planFiles(c, p)
}

func doPipe(c *call, o *kernel.Outcome) uint64 {
	flags := c.a[1]
	if c.nr == sysPipe {
		flags = 0
	}
	c.op(onResource(resourceFiles, 1))
	if flags&^(oNonblock|oCloexec) != 0 {
		return einval
	}
	if !c.k.user.canWrite(c.a[0], 8) {
		return efault
	}
	return c.couple(objPipe, c.a[0], flags, [2]uint64{0, 1})
}

// couple makes an object with two ends, and writes their descriptors.
func (c *call) couple(kind, at, flags uint64, modes [2]uint64) uint64 {
	_, a, ok := c.k.files.free(0)
	if !ok {
		return emfile
	}
	_, b, ok := c.k.files.free(a + 1)
	if !ok {
		return emfile
	}
	_, n := c.make(kind)
	for end, fd := range [2]int{a, b} {
		c.install(fd, c.describe(n, uint64(end), modes[end]|flags&oNonblock), flags&oCloexec)
		c.k.log.Write32(at+4*uint64(end), uint32(fd))
	}
	return 0
}

// readObject reads from an object into buffers.
func (c *call) readObject(o *kernel.Outcome, d *description, obj *object, end uint64, vec []buffer, total uint64) uint64 {
	k := c.k
	switch obj.kind.Peek() {
	case objStream, objDatagram, objSeqpacket:
		return c.receive(o, d, obj, end, vec, total, 0, nil)
	case objEvent:
		return c.readCount(o, d, obj, vec, total)
	case objTimer:
		return c.readTimer(o, d, obj, vec, total)
	case objSignals:
		return c.readSignals(o, d, obj, vec, total)
	case objEpoll:
		return einval
	}
	if end != readEnd {
		return ebadf
	}
	f := obj.flow[0]
	switch {
	case total == 0:
		return 0
	case k.log.Get(&f.head) == k.log.Get(&f.tail):
		if k.log.Get(&f.writers) == 0 {
			o.Idle = true
			return 0
		}
		return c.waitFor(o, d, obj, end, pollIn, 0)
	}
	full := f.parts(&k.log) >= k.log.Get(&f.room)
	p := f.peek(&k.log, total)
	n := f.inParts(&k.log, c.fill(vec, p), uint64(len(p)))
	if n == 0 {
		return efault
	}
	f.take(&k.log, n)
	c.op(obj.receive(0))
	if full && f.parts(&k.log) < k.log.Get(&f.room) {
		k.objects.stir(obj, writeEnd, pollOut|pollWrnorm)
	}
	return n
}

// waitFor has the caller sleep for an event of the object that its call is about, or go away
// empty-handed.
func (c *call) waitFor(o *kernel.Outcome, d *description, obj *object, end, events, done uint64) uint64 {
	if c.k.files.nonblocking(d) {
		if done > 0 {
			return done
		}
		if obj.kind.Peek() == objTimer {
			c.look(o)
			return eagain
		}
		o.Idle = true
		return eagain
	}
	return c.await(o, []want{{o: obj, end: end, events: events}}, noDeadline, d.use, done)
}

// writeObject writes from buffers to an object.
func (c *call) writeObject(o *kernel.Outcome, d *description, obj *object, end uint64, vec []buffer, total uint64) uint64 {
	k := c.k
	switch obj.kind.Peek() {
	case objStream, objDatagram, objSeqpacket:
		return c.send(o, d, obj, end, vec, total, 0)
	case objEvent:
		return c.writeCount(o, d, obj, vec, total)
	case objTimer, objSignals, objEpoll:
		return einval
	}
	if end != writeEnd {
		return ebadf
	}
	f := obj.flow[0]
	if total == 0 {
		return 0
	}
	done := c.done()
	if k.log.Get(&f.readers) == 0 {
		if done > 0 {
			return done
		}
		return c.brokenPipe(o, obj.at[0])
	}
	text, before := c.gather(vec), done
	left, fails := text[min(done, uint64(len(text))):], false
	if odd := (total - done) % pipePage; done == 0 && odd != 0 && f.parts(&k.log) > 0 {
		if last := k.log.Get(&f.last) - 1; f.end(last)-f.start(last)+odd <= pipePage {
			if odd > uint64(len(left)) {
				return efault
			}
			f.append(&k.log, left[:odd], true)
			left, done = left[odd:], done+odd
		}
	}
	for done < total && f.parts(&k.log) < k.log.Get(&f.room) {
		n := min(total-done, pipePage)
		if fails = n > uint64(len(left)); fails {
			break
		}
		f.append(&k.log, left[:n], false)
		left, done = left[n:], done+n
	}
	if done > before {
		c.op(obj.send(0))
		k.objects.stir(obj, readEnd, pollIn|pollRdnorm)
	}
	switch {
	case fails && done == 0:
		return efault
	case done < total && !fails:
		return c.waitFor(o, d, obj, end, pollOut, done)
	}
	return done
}

// done counts the bytes that the call wrote before it slept.
func (c *call) done() uint64 {
	if c.retried() {
		return c.t.wait.done.Peek()
	}
	return 0
}

// brokenPipe: there will be no reader.
func (c *call) brokenPipe(o *kernel.Outcome, about uint64) uint64 {
	o.Idle = true
	o.Why, o.About = "SIGPIPE, for no read end is open of", about
	c.k.signals.send(target{sig: sigPipe, t: c.t}, o)
	if c.unmasks {
		o.Idle = false
	}
	return epipe
}

// planBroken is the plan of a write that ends the process by SIGPIPE.
func (c *call) planBroken(p *kernel.Plan, obj *object, end uint64) {
	broken := false
	switch obj.kind.Peek() {
	case objPipe:
		broken = end == writeEnd && c.get(&obj.flow[0].readers) == 0
	case objStream:
		broken = c.get(&obj.flow[1-end].readers)&c.get(&obj.flow[1-end].writers) == 0 && c.noSignal() == 0
	}
	if broken && c.done() == 0 && c.k.signals.fate(sigPipe) == fateDeadly && c.get(&c.t.blocked)&bit(sigPipe) == 0 {
		c.event(p, trace.Op{Kind: trace.OpEnd})
	}
}

// planRead and planObjectWrite are the plans of calls that move bytes.
func planRead(c *call, p *kernel.Plan) {
	if _, obj, end := c.on(c.int32(0)); obj != nil {
		c.event(p, obj.receive(obj.reads(end)))
		c.planTimed(p)
		return
	}
	planFiles(c, p)
}

// pipeSize is F_SETPIPE_SZ and F_GETPIPE_SZ.
func (c *call) pipeSize(use uint64) uint64 {
	k := c.k
	o, _ := c.object(use)
	if o == nil || o.kind.Peek() != objPipe {
		return ebadf
	}
	f := o.flow[0]
	if c.a[1] == fGetpipeSize {
		return k.log.Get(&f.room) * pipePage
	}
	want := c.a[2] & 0xffffffff
	if want > 1<<31 {
		return einval
	}
	pages := uint64(1)
	for pages*pipePage < want {
		pages *= 2
	}
	switch {
	case pages > pipeLimit:
		return eperm
	case pages < f.parts(&k.log):
		return ebusy
	}
	k.log.Set(&f.room, pages)
	k.objects.stir(o, writeEnd, pollOut|pollWrnorm)
	return pages * pipePage
}
