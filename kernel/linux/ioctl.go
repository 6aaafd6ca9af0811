package linux

import (
	"encoding/binary"
	"slices"

	"landgo/kernel"
)

// Requests of ioctl that ask whether a descriptor is a terminal: none is.
const (
	tcgets     = 0x5401
	tiocgwinsz = 0x5413
	tiocgpgrp  = 0x540f

	// Of pipes and sockets.
	fionread = 0x541b
	fionbio  = 0x5421
)

func planIoctl(c *call, p *kernel.Plan) {
	switch c.a[1] & 0xffffffff {
	case tcgets, tiocgwinsz, tiocgpgrp:
		planStat(c, p)
	case fionread, fionbio:
		if _, obj, end := c.on(c.int32(0)); obj != nil || c.k.files.use(c.int32(0)) == useClosed {
			if planFiles(c, p); obj != nil {
				c.event(p, obj.receive(obj.reads(end)))
			}
			return
		}
		invalid(p, hexReason("ioctl(%#x) of a file is not modelled", c.a[1]&0xffffffff))
	default:
		if planFiles(c, p); c.ioctlMayBeThere() {
			invalid(p, hexReason("ioctl(%#x) is not modelled", c.a[1]&0xffffffff))
		}
	}
}

// ioctlMayBeThere reports whether Linux may have an answer: of a pipe and its like it has none but
// for what all files have, whose numbers are of few groups.
func (c *call) ioctlMayBeThere() bool {
	if c.k.files.use(c.int32(0)) == useClosed {
		return false
	}
	_, o, _ := c.on(c.int32(0))
	group := c.a[1] >> 8 & 0xff
	return o == nil || o.isSocket() || group == 0 || slices.Contains([]uint64{'T', 'X', 'f', 0x94}, group)
}

func doIoctl(c *call, o *kernel.Outcome) uint64 {
	if c.k.files.use(c.int32(0)) == useClosed {
		return ebadf
	}
	if d, obj, end := c.on(c.int32(0)); obj != nil {
		switch c.a[1] & 0xffffffff {
		case fionbio:
			if !c.k.user.canRead(c.a[2], 4) {
				return efault
			}
			c.k.files.setNonblocking(d, uint64(c.k.log.Read32(c.a[2])))
			return 0
		case fionread:
			n, ok := c.unreadBytes(obj, end)
			if !ok {
				return enotty
			}
			return c.k.user.copyOut(c.a[2], binary.LittleEndian.AppendUint32(nil, uint32(n)))
		}
	}
	return enotty
}

// unreadBytes is FIONREAD: what a read could get; of datagrams, the first.
func (c *call) unreadBytes(obj *object, end uint64) (uint64, bool) {
	kind := obj.kind.Peek()
	if kind != objPipe && !obj.isSocket() {
		return 0, false
	}
	f := obj.flow[obj.reads(end)]
	n := c.get(&f.tail) - c.get(&f.head)
	if kind == objDatagram || kind == objSeqpacket {
		if first := c.get(&f.first); first < c.get(&f.last) {
			n = f.end(first) - c.get(&f.head)
		}
	}
	return n, true
}
