package linux

import (
	"fmt"

	"landgo/internal/trace"
	"landgo/kernel"
)

// Writes to descriptors, and where they go. What becomes of a standard descriptor's bytes is in
// capture.go.

// sink is where a write to the descriptor goes; use tells which.
func (c *call) sink() (to *capture, use, errno uint64) {
	use = c.k.files.use(c.int32(0))
	switch {
	case use == useStdout:
		return &c.k.out, use, 0
	case use == useStderr:
		return &c.k.errs, use, 0
	case c.device(use) != noDevice && !c.opened(use, oWronly):
		return nil, 0, ebadf
	case c.device(use) == devFull:
		return nil, use, enospc
	case c.device(use) != noDevice:
		return nil, use, 0 // swallows all
	}
	return nil, 0, ebadf
}

// IsStdout reports whether what is written to a descriptor now is standard output.
func (k *Kernel) IsStdout(fd int32) bool {
	return fd >= 0 && int(fd) < len(k.files.table) && k.files.table[fd].use.Peek() == useStdout
}

// planWrite: writes are local unless their order is to be seen, or a standard
// descriptor may mean something else by now.
func planWrite(c *call, p *kernel.Plan) {
	if _, obj, end := c.on(c.int32(0)); obj != nil {
		c.event(p, obj.send(obj.writes(end)))
		c.planBroken(p, obj, end)
		return
	}
	_, use, errno := c.sink()
	switch {
	case errno == 0 && use < useFile && c.k.cfg.ObserveStdout:
		c.event(p, onResource(stream(use), 1))
	case errno != 0 || use >= useFile || c.get(&c.k.files.redirected) != 0:
		planFiles(c, p)
	}
}

// stream is the resource of a standard descriptor.
func stream(use uint64) uint64 {
	if use == useStderr {
		return resourceStderr
	}
	return resourceStdout
}

func doWrite(c *call, o *kernel.Outcome) uint64 {
	return c.write([]buffer{{c.a[1], min(c.a[2], maxBuffer)}}, o)
}

func doWritev(c *call, o *kernel.Outcome) uint64 {
	vec, _, errno := c.iovec()
	if errno != 0 {
		return errno
	}
	return c.write(vec, o)
}

func (c *call) write(vec []buffer, o *kernel.Outcome) uint64 {
	k := c.k
	if d, obj, end := c.on(c.int32(0)); obj != nil {
		return c.writeObject(o, d, obj, end, vec, size(vec))
	}
	if at := c.k.files.use(c.int32(0)); c.k.files.inode(at) != nil {
		return c.writeInode(o, at, c.k.files.inode(at), vec)
	}
	if t := c.comm(c.k.files.use(c.int32(0))); t != nil {
		return c.writeComm(o, t, vec)
	}
	to, use, errno := c.sink()
	switch {
	case errno != 0 || use >= useFile || c.get(&k.files.redirected) != 0:
		c.op(onResource(resourceFiles, 1))
	case k.cfg.ObserveStdout:
		c.op(trace.Op{Kind: trace.OpSyscall, Obj: stream(use), Arg: 1})
	}
	if errno != 0 {
		return errno
	}
	if to == nil {
		return size(vec) // and nothing is read
	}
	text := c.gather(vec)
	if n := uint64(len(text)); n < size(vec) { // a pipe takes a page at a time
		text = text[:n&^(pipePage-1)]
		if len(text) == 0 {
			return efault
		}
	}
	if to.n.Peek()+uint64(len(text)) > to.limit {
		o.Invalid, o.Gap = fmt.Sprintf("the guest prints more than %d bytes in one execution", to.limit), kernel.GapOutput
		return 0
	}
	k.capture(to, text)
	return uint64(len(text))
}

func doPwrite(c *call, o *kernel.Outcome) uint64 {
	return c.writeAt(o, []buffer{{c.a[1], min(c.a[2], maxBuffer)}})
}

// writeAt is a write to a place that the call names. Standard output, pipes and threads' names have
// none, and devices take no notice of it.
func (c *call) writeAt(o *kernel.Outcome, vec []buffer) uint64 {
	use := c.k.files.use(c.int32(0))
	if use == useClosed {
		return ebadf
	}
	if obj, _ := c.object(use); obj != nil || use < useFile || c.comm(use) != nil {
		return espipe
	}
	return c.write(vec, o)
}
