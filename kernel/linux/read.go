package linux

import (
	"landgo/kernel"
	"landgo/trace"
)

// unread is what a read of up to size bytes gives, and the offset that it
// moves, nil for none.
func (c *call) unread(size uint64) (text []byte, offset *uint64, errno uint64) {
	f := &c.k.files
	d := f.descriptor(c.int32(0))
	switch {
	case d == nil:
		return nil, nil, ebadf
	case d.use == useStdin:
		text, offset = f.stdin, &f.stdinRead
	case d.use < useFile:
		return nil, nil, ebadf
	default:
		open := f.description(d)
		text, offset = f.text(open), &open.offset
	}
	at := *offset
	if c.nr == sysPread64 {
		if d.use == useStdin {
			return nil, nil, espipe
		}
		at, offset = c.a[3], nil
	}
	text = text[min(at, uint64(len(text))):]
	return text[:min(size, uint64(len(text)))], offset, 0
}

func memRead(c *call) {
	text, _, _ := c.unread(c.a[2])
	c.touch(c.a[1], uint64(len(text)), trace.Write)
}

func doRead(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	text, offset, errno := c.unread(c.a[2])
	if errno != 0 {
		return errno
	}
	if c.k.copyOut(c.a[1], text) != 0 {
		return efault
	}
	if offset != nil {
		c.k.set(offset, *offset+uint64(len(text)))
	}
	return uint64(len(text))
}

func memReadv(c *call) {
	vec, total, _ := c.iovec()
	text, _, _ := c.unread(total)
	for _, v := range vec {
		n := min(v.size, uint64(len(text)))
		c.touch(v.addr, n, trace.Write)
		text = text[n:]
	}
}

func doReadv(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	vec, total, errno := c.iovec()
	if errno != 0 {
		return errno
	}
	text, offset, errno := c.unread(total)
	if errno != 0 {
		return errno
	}
	c.k.set(offset, *offset+uint64(len(text)))
	read := uint64(len(text))
	for _, v := range vec {
		n := min(v.size, uint64(len(text)))
		if c.k.copyOut(v.addr, text[:n]) != 0 {
			return efault
		}
		text = text[n:]
	}
	return read
}

// buffer is one element of an I/O vector.
type buffer struct{ addr, size uint64 }

const maxVector = 1024

// iovec decodes the vector of readv and writev.
func (c *call) iovec() (vec []buffer, total, errno uint64) {
	n := c.a[2]
	if n > maxVector {
		return nil, 0, einval
	}
	if !c.k.canRead(c.a[1], n*16) {
		return nil, 0, efault
	}
	for i := uint64(0); i < n; i++ {
		b := buffer{c.k.m.Read64(c.a[1] + i*16), c.k.m.Read64(c.a[1] + i*16 + 8)}
		if total+b.size > maxBuffer || total+b.size < total {
			return nil, 0, einval
		}
		total += b.size
		vec = append(vec, b)
	}
	return vec, total, 0
}
