package linux

import (
	"cmp"
	"encoding/binary"
	"math/bits"

	"landgo/internal/abi"
	"landgo/kernel"
)

// Socket pairs (AF_UNIX), as net/unix/af_unix.c has them. How much fits is a matter of the
// memory that Linux counts for a message, which is more than its bytes: 278 messages of one
// byte fill a socket.

const (
	sockStream    = 1
	sockDgram     = 2
	sockSeqpacket = 5
	afUnix        = 1
	afMax         = 46 // of Linux 6

	msgPeek     = 0x2
	msgTrunc    = 0x20
	msgDontwait = 0x40
	msgEor      = 0x80
	msgWaitall  = 0x100
	msgNosignal = 0x4000
	msgCloexec  = 0x40000000

	sendBuffer = 212992 // net.core.wmem_default

	sysSocketpair = 53
	sysSendto     = 44
	sysRecvfrom   = 45
	sysSendmsg    = 46
	sysRecvmsg    = 47
)

func planSocketpair(c *call, p *kernel.Plan) {
	if c.a[0] != afUnix && c.a[0] < afMax {
		invalid(p, hexReason("socketpair of family %d is not modelled, only AF_UNIX is", c.a[0]))
		return
	}
	planFiles(c, p)
}

func doSocketpair(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	flags := c.a[1] &^ 0xf
	kind := map[uint64]uint64{sockStream: objStream, sockDgram: objDatagram, sockSeqpacket: objSeqpacket}[c.a[1]&0xf]
	switch {
	case flags&^(oNonblock|oCloexec) != 0:
		return einval
	case c.a[0] >= afMax:
		return eafnosupport
	case kind == 0:
		return esocktnosupport
	case c.a[2] > afUnix:
		return eprotonosupport
	case !c.k.user.canWrite(c.a[3], 8):
		return efault
	}
	return c.couple(kind, c.a[3], flags, [2]uint64{2, 2})
}

// Sizes in the kernel's allocator (linux/skbuff.h on x86-64).
const (
	bufferHead  = 256 // of a message
	bufferTail  = 320
	maxHead     = abi.PageSize - bufferTail
	maxAlloc    = 16384 - bufferTail
	streamFrags = 32768
	maxMessage  = sendBuffer - 32
)

// trueSize is the memory that is counted for a message.
func trueSize(kind, n uint64) uint64 {
	var frags uint64
	most := uint64(maxAlloc)
	if kind == objStream {
		most = maxHead
	}
	if n > most {
		frags = (n - most + abi.PageSize - 1) &^ (abi.PageSize - 1)
		if kind == objStream {
			frags = min(frags, n)
		}
	}
	linear := (n - min(n, frags) + 63) &^ 63
	size := uint64(1) << bits.Len64(linear+bufferTail-1)
	return max(size, 512) + bufferHead + abi.PageUp(frags)
}

// chunk is the number of bytes that a stream takes at a time.
const chunk = min(sendBuffer/2-64, maxAlloc+streamFrags)

// takes reports whether a socket takes another message, writable whether poll says so.
func (b *objects) takes(f *flow) bool    { return b.log.Get(&f.used) < sendBuffer }
func (b *objects) writable(f *flow) bool { return b.log.Get(&f.used)*4 <= sendBuffer }

// noSignal is MSG_NOSIGNAL, if the call has it.
func (c *call) noSignal() uint64 {
	switch c.nr {
	case sysSendto:
		return c.a[3] & msgNosignal
	case sysSendmsg:
		return c.a[2] & msgNosignal
	}
	return 0
}

// send writes to a socket.
func (c *call) send(o *kernel.Outcome, d *description, obj *object, end uint64, vec []buffer, total, flags uint64) uint64 {
	k, kind, f := c.k, obj.kind.Peek(), obj.flow[1-end]
	text, done := c.gather(vec), c.done()
	if at := uint64(len(text)); at < total && (kind != objStream || done == 0 && at < chunk) {
		return efault
	}
	if k.log.Get(&f.writers) == 0 || k.log.Get(&f.readers) == 0 {
		// Linux looks for an error of the socket's where it waits for room, which a stream does
		// after it has looked whether the other end is there.
		if in := obj.flow[end]; (kind == objSeqpacket || kind == objStream && c.retried()) && k.log.Get(&in.reset) != 0 {
			k.log.Set(&in.reset, 0)
			if done > 0 {
				return done
			}
			return econnreset
		}
		switch {
		case done > 0:
			return done
		case kind == objDatagram && k.log.Get(&f.gone) == isLost:
			o.Idle = true
			return enotconn
		case kind == objDatagram && k.log.Get(&f.gone) == isClosed && k.log.Get(&f.writers) != 0:
			k.log.Set(&f.gone, isLost)
			return econnrefused
		case kind != objStream || flags&msgNosignal != 0:
			o.Idle = true
			return epipe
		}
		return c.brokenPipe(o, obj.at[0])
	}
	if kind != objStream {
		if total > maxMessage {
			return emsgsize
		}
		if !k.objects.takes(f) {
			return c.waitSocket(o, d, obj, end, pollOut, 0, flags)
		}
		c.put(obj, end, text)
		return total
	}
	for done < total && k.objects.takes(f) {
		n := min(total-done, chunk)
		if done+n > uint64(len(text)) {
			return done
		}
		c.put(obj, end, text[done:done+n])
		done += n
	}
	if done < total {
		return c.waitSocket(o, d, obj, end, pollOut, done, flags)
	}
	return done
}

// put adds a message that an end sends.
func (c *call) put(obj *object, end uint64, p []byte) {
	f := obj.flow[1-end]
	f.append(&c.k.log, p, false)
	c.k.log.Set(&f.used, c.k.log.Get(&f.used)+trueSize(obj.kind.Peek(), uint64(len(p))))
	c.op(obj.send(1 - end))
	c.k.objects.stir(obj, 1-end, pollIn|pollRdnorm)
}

func (c *call) waitSocket(o *kernel.Outcome, d *description, obj *object, end, events, done, flags uint64) uint64 {
	if flags&msgDontwait != 0 {
		if done > 0 {
			return done
		}
		o.Idle = true
		return eagain
	}
	return c.waitFor(o, d, obj, end, events, done)
}

// receive reads from a socket. For datagrams, *truncated is set where one is longer than
// there is room for.
func (c *call) receive(o *kernel.Outcome, d *description, obj *object, end uint64, vec []buffer, total, flags uint64, truncated *bool) uint64 {
	k, kind, f := c.k, obj.kind.Peek(), obj.flow[end]
	empty := k.log.Get(&f.first) == k.log.Get(&f.last)
	if (empty || kind != objStream) && k.log.Get(&f.reset) != 0 {
		k.log.Set(&f.reset, 0)
		return econnreset
	}
	done := c.done()
	if empty {
		switch {
		case done > 0 && (k.log.Get(&f.writers) == 0 || k.log.Get(&f.readers) == 0):
			return done
		case kind != objDatagram && k.log.Get(&f.writers) == 0, k.log.Get(&f.readers) == 0:
			o.Idle = true
			if kind == objDatagram && (flags&msgDontwait != 0 || k.files.nonblocking(d)) {
				return eagain
			}
			return 0
		case kind == objStream && total == 0:
			return 0
		}
		return c.waitSocket(o, d, obj, end, pollIn, done, flags)
	}
	first := k.log.Get(&f.first)
	if kind != objStream {
		size := f.end(first) - k.log.Get(&f.head)
		p := f.peek(&k.log, min(size, total))
		c.op(obj.receive(end))
		told := c.fill(vec, p) == uint64(len(p))
		if truncated != nil {
			*truncated = size > total
		}
		if flags&msgPeek == 0 {
			f.takePart(&k.log)
			c.freed(obj, end, size)
		}
		if !told {
			return efault // and the message is gone
		}
		if flags&msgTrunc != 0 {
			return size
		}
		return uint64(len(p))
	}
	if total == 0 {
		return 0
	}
	p := f.peek(&k.log, total-done)
	n := f.inParts(&k.log, c.fill(skip(vec, done), p), uint64(len(p)))
	if n == 0 {
		return cmp.Or(done, efault)
	}
	fails := n < uint64(len(p))
	p = p[:n]
	c.op(obj.receive(end))
	if flags&msgPeek != 0 {
		return uint64(len(p))
	}
	var sizes []uint64
	for n := first; n < k.log.Get(&f.last) && f.end(n) <= k.log.Get(&f.head)+uint64(len(p)); n++ {
		sizes = append(sizes, f.end(n)-f.start(n))
	}
	f.take(&k.log, uint64(len(p)))
	c.freed(obj, end, sizes...)
	done += uint64(len(p))
	if flags&msgWaitall != 0 && done < total && !fails && !(k.log.Get(&f.writers) == 0) {
		return c.waitSocket(o, d, obj, end, pollIn, done, flags)
	}
	return done
}

// skip leaves the first n bytes of some buffers out.
func skip(vec []buffer, n uint64) (rest []buffer) {
	for _, v := range vec {
		m := min(n, v.size)
		n -= m
		rest = append(rest, buffer{v.addr + m, v.size - m})
	}
	return rest
}

// freed counts messages that have gone.
func (c *call) freed(obj *object, end uint64, sizes ...uint64) {
	f := obj.flow[end]
	for _, n := range sizes {
		c.k.log.Set(&f.used, c.k.log.Get(&f.used)-trueSize(obj.kind.Peek(), n))
	}
	if len(sizes) > 0 && c.k.objects.writable(f) {
		c.k.objects.stir(obj, 1-end, pollOut|pollWrnorm)
	}
}

// message is the argument of sendmsg or recvmsg.
type message struct {
	at      uint64
	vec     []buffer
	total   uint64
	control uint64
	name    uint64
	errno   uint64
}

const messageSize = 56

func (c *call) message() (m message) {
	k := c.k
	m.at = c.a[1]
	if !k.user.canRead(m.at, messageSize) {
		m.errno = efault
		return m
	}
	m.name = k.log.Read64(m.at)
	if m.name != 0 && uint64(k.log.Read32(m.at+8)) == 0 {
		m.name = 0
	}
	m.vec, m.total, m.errno = c.vector(k.log.Read64(m.at+16), k.log.Read64(m.at+24))
	if k.log.Read64(m.at+32) != 0 {
		m.control = k.log.Read64(m.at + 40)
	}
	return m
}

// oneMessage is the message of send, sendmsg and the like, with the call's flags.
func (c *call) oneMessage() (m message, flags uint64) {
	if c.nr == sysSendmsg || c.nr == sysRecvmsg {
		return c.message(), c.a[2]
	}
	n := min(c.a[2], maxBuffer)
	return message{vec: []buffer{{c.a[1], n}}, total: n}, c.a[3]
}

// planSend and planReceive are the plans of the calls that have flags.
func planSend(c *call, p *kernel.Plan) {
	flags, known := c.a[3], uint64(msgDontwait|msgNosignal|msgEor)
	if c.nr == sysSendmsg {
		flags = c.a[2]
		if m := c.message(); m.errno == 0 && (m.control != 0 || m.name != 0) {
			invalid(p, "sendmsg with descriptors, or with an address, is not modelled")
			return
		}
	} else if c.a[4] != 0 {
		invalid(p, "sendto with an address is not modelled")
		return
	}
	if flags &= 0xffffffff; flags&^known != 0 {
		invalid(p, hexReason(p.Name+" with flags %#x is not modelled", flags&^known))
		return
	}
	_, obj, end := c.on(c.int32(0))
	if obj == nil {
		planFiles(c, p)
		return
	}
	c.event(p, obj.send(obj.writes(end)))
	c.planBroken(p, obj, end)
}

func planReceive(c *call, p *kernel.Plan) {
	flags, known := c.a[3], uint64(msgDontwait|msgNosignal|msgPeek|msgTrunc|msgWaitall|msgCloexec)
	if c.nr == sysRecvmsg {
		flags = c.a[2]
	}
	if flags &= 0xffffffff; flags&^known != 0 || flags&(msgPeek|msgWaitall) == msgPeek|msgWaitall {
		invalid(p, hexReason(p.Name+" with flags %#x is not modelled", flags))
		return
	}
	planRead(c, p)
}

func doSend(c *call, o *kernel.Outcome) uint64 {
	m, flags := c.oneMessage()
	d, obj, end, errno := c.socket()
	if errno = cmp.Or(m.errno, errno); errno != 0 {
		return errno
	}
	return c.send(o, d, obj, end, m.vec, m.total, flags)
}

// socket is the one that the call is about.
func (c *call) socket() (*description, *object, uint64, uint64) {
	d, obj, end := c.on(c.int32(0))
	switch {
	case obj == nil && c.k.files.use(c.int32(0)) == useClosed:
		return nil, nil, 0, ebadf
	case obj == nil || !obj.isSocket():
		return nil, nil, 0, enotsock
	}
	return d, obj, end, 0
}

func doReceive(c *call, o *kernel.Outcome) uint64 {
	m, flags := c.oneMessage()
	d, obj, end, errno := c.socket()
	if errno = cmp.Or(m.errno, errno); errno != 0 {
		return errno
	}
	truncated := false
	n := c.receive(o, d, obj, end, m.vec, m.total, flags, &truncated)
	if failed(n) || o.Sleep {
		return n
	}
	if c.nr != sysRecvmsg {
		if c.a[5] != 0 && c.a[4] != 0 { // the sender has no address
			return c.result(n, c.k.user.copyOut(c.a[5], make([]byte, 4)))
		}
		return n
	}
	out := uint64(0)
	if truncated {
		out = msgTrunc
	}
	errno = c.k.user.copyOut(m.at+8, make([]byte, 4))
	if errno == 0 {
		errno = c.k.user.copyOut(m.at+40, pair(0, out)[:12])
	}
	return c.result(n, errno)
}

// result is a call's, unless writing what it tells fails.
func (c *call) result(n, errno uint64) uint64 {
	if errno != 0 {
		return errno
	}
	return n
}

func planShutdown(c *call, p *kernel.Plan) {
	if _, obj, end := c.on(c.int32(0)); obj != nil {
		c.event(p, obj.send(obj.writes(end)))
		return
	}
	planFiles(c, p)
}

func doShutdown(c *call, o *kernel.Outcome) uint64 {
	_, obj, end, errno := c.socket()
	how := c.a[1] & 0xffffffff
	if errno != 0 {
		return errno
	}
	if how > 2 {
		return einval
	}
	k := c.k
	if how != 1 { // SHUT_RD
		k.log.Set(&obj.flow[end].readers, 0)
		c.op(obj.send(end))
	}
	if how != 0 { // SHUT_WR
		k.log.Set(&obj.flow[1-end].writers, 0)
		c.op(obj.send(1 - end))
	}
	k.objects.stir(obj, 0, anyEvent)
	k.objects.stir(obj, 1, anyEvent)
	return 0
}

// Options of sockets that programs ask for.
const (
	solSocket  = 1
	soType     = 3
	soError    = 4
	soSndbuf   = 7
	soRcvbuf   = 8
	soDomain   = 39
	soProtocol = 38

	connReset = 104 // ECONNRESET
)

func planGetsockopt(c *call, p *kernel.Plan) {
	switch {
	case c.a[1] == solSocket && (c.a[2] == soType || c.a[2] == soError || c.a[2] == soDomain || c.a[2] == soProtocol || c.a[2] == soSndbuf || c.a[2] == soRcvbuf):
		planRead(c, p)
	default:
		invalid(p, hexReason("getsockopt(%d) is not modelled", c.a[2]))
	}
}

func doGetsockopt(c *call, o *kernel.Outcome) uint64 {
	_, obj, end, errno := c.socket()
	if errno != 0 {
		return errno
	}
	k := c.k
	if !k.user.canRead(c.a[4], 4) {
		return efault
	}
	var v uint32
	switch c.a[2] {
	case soType:
		v = map[uint64]uint32{objStream: sockStream, objDatagram: sockDgram, objSeqpacket: sockSeqpacket}[obj.kind.Peek()]
	case soDomain:
		v = afUnix
	case soSndbuf, soRcvbuf:
		v = sendBuffer
	case soError:
		if k.log.Get(&obj.flow[end].reset) != 0 {
			k.log.Set(&obj.flow[end].reset, 0)
			v = connReset
		}
	}
	n := min(uint64(k.log.Read32(c.a[4])), 4)
	if errno := k.user.copyOut(c.a[3], binary.LittleEndian.AppendUint32(nil, v)[:n]); errno != 0 {
		return errno
	}
	return k.user.copyOut(c.a[4], binary.LittleEndian.AppendUint32(nil, uint32(n)))
}
