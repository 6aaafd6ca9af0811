package linux

import (
	"landgo/kernel"
	"landgo/kernel/effect"
)

// unread is the result of a read of up to size bytes, and the offset that it
// moves, nil for none.
func (c *call) unread(size uint64) (text []byte, offset *effect.Word, errno uint64) {
	use := c.k.files.use(c.int32(0))
	switch {
	case use == useStdin:
		text, offset = c.k.files.stdin, &c.k.files.stdinRead
	case use < useFile:
		return nil, nil, ebadf
	default:
		if o, _ := c.object(use); o != nil {
			return nil, nil, espipe
		}
		if !c.opened(use, oRdonly) {
			return nil, nil, ebadf
		}
		if d := c.device(use); d != noDevice {
			return c.gives(d, size), nil, 0
		}
		text, offset = c.text(use), &c.k.files.description(use).offset
	}
	at := c.get(offset)
	if c.placed() {
		if use == useStdin {
			return nil, nil, espipe
		}
		at, offset = c.a[3], nil
	}
	text = text[min(at, uint64(len(text))):]
	return text[:min(size, uint64(len(text)))], offset, 0
}

func doRead(c *call, o *kernel.Outcome) uint64 {
	if d, obj, end := c.on(c.int32(0)); obj != nil {
		n := min(c.a[2], maxBuffer)
		return c.readObject(o, d, obj, end, []buffer{{c.a[1], n}}, n)
	}
	return doPread(c, o)
}

func doPread(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	return c.readText([]buffer{{c.a[1], c.a[2]}}, c.a[2])
}

// readText reads from anything but an object, as far as the buffers can be written. Standard input
// is a pipe, which gives up whole pages.
func (c *call) readText(vec []buffer, total uint64) uint64 {
	text, offset, errno := c.unread(total)
	if errno != 0 {
		return errno
	}
	n := c.fill(vec, text)
	if offset == &c.k.files.stdinRead && n < uint64(len(text)) {
		at := c.get(offset)
		n = max((at+n)&^(pipePage-1), at) - at
	}
	if n == 0 && len(text) > 0 {
		return efault
	}
	if offset != nil {
		c.set(offset, c.get(offset)+n)
	}
	return n
}

func doReadv(c *call, o *kernel.Outcome) uint64 {
	vec, total, errno := c.iovec()
	if d, obj, end := c.on(c.int32(0)); obj != nil && errno == 0 && !c.placed() {
		return c.readObject(o, d, obj, end, vec, total)
	}
	c.op(onResource(resourceFiles, 1))
	if errno != 0 {
		return errno
	}
	return c.readText(vec, total)
}

const maxVector = 1024

// iovec decodes the vector of readv and writev.
func (c *call) iovec() (vec []buffer, total, errno uint64) { return c.vector(c.a[1], c.a[2]) }

func (c *call) vector(at, n uint64) (vec []buffer, total, errno uint64) {
	if n > maxVector {
		return nil, 0, einval
	}
	if !c.k.user.canRead(at, n*16) {
		return nil, 0, efault
	}
	for i := uint64(0); i < n; i++ {
		b := buffer{c.k.log.Read64(at + i*16), c.k.log.Read64(at + i*16 + 8)}
		if total+b.size > maxBuffer || total+b.size < total {
			return nil, 0, einval
		}
		total += b.size
		vec = append(vec, b)
	}
	return vec, total, 0
}
