package linux

import (
	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// Objects of the kernel's that threads talk through: pipes, socket pairs, counters
// (eventfd), timers, signal descriptors, lists of descriptors (epoll). A description
// (files.go) refers to one, and to the side of it that it is.
//
// A call that has to wait sleeps (interest.go). Whatever changes an object lets all threads go
// that sleep for such a change, and each makes its call again. So an attempt that has to
// wait is a step of its own, as a wait on a futex is.
//
// Words tell what a call depends on. Those of each side of an object share an address, so
// two calls on one direction of a pipe depend on each other, and calls on different objects
// don't.

// Kinds of objects.
const (
	objNone = iota
	objPipe
	objStream    // a socket pair without bounds of messages
	objDatagram  // one with
	objSeqpacket // one with, and an end
	objEvent
	objTimer
	objSignals
	objEpoll
)

var objectNames = [...]string{
	objPipe: "the pipe", objStream: "the socket pair", objDatagram: "the socket pair", objSeqpacket: "the socket pair",
	objEvent: "the eventfd", objTimer: "the timerfd", objSignals: "the signalfd", objEpoll: "the epoll descriptor",
}

// object is one of them. Objects are numbered in the order of their creation, which is the
// order of calls that all depend on each other.
type object struct {
	n    uint64
	kind effect.Word
	at   [3]uint64 // the addresses of the words of each flow, and of what epolls watch
	made []uint64  // the stack of the call that made it: program counters, innermost first

	// flow[i] is the flow that end i of a socket pair reads. A pipe has one.
	flow [2]*flow

	count effect.Word // of an eventfd
	flags effect.Word // of an eventfd: EFD_SEMAPHORE

	clock, expiry, interval effect.Word // of a timer: when it goes off next, 0 for never
	mask                    effect.Word // of a signal descriptor

	list *epoll // of an epoll
	// watchers are the entries of epolls that have it, see epoll.go. Grows only; n counts.
	watchers  [2][]*watcher
	nwatchers [2]effect.Word
}

// objects are those made so far in this execution, and what is left of others.
type objects struct {
	now     *doing
	log     *effect.Log
	roster  *roster
	queues  *queues
	signals *signals
	clock   *clocks
	files   *files

	list []*object
	n    effect.Word
}

// make gives an object of a kind.
func (c *call) make(kind uint64) (*object, uint64) {
	all := &c.k.objects
	n := c.get(&all.n)
	for int(n) >= len(all.list) {
		all.list = append(all.list, newObject(uint64(len(all.list))))
	}
	o := all.list[n]
	o.made = c.k.host.Stack(c.t.id)
	init := c.k.log.Init
	init(&o.kind, kind)
	init(&o.count, 0)
	init(&o.flags, 0)
	init(&o.clock, 0)
	init(&o.expiry, 0)
	init(&o.interval, 0)
	init(&o.mask, 0)
	for i := range o.flow {
		o.flow[i].open(&c.k.log)
		init(&o.nwatchers[i], 0)
	}
	if kind == objEpoll {
		init(&o.list.n, 0)
		init(&o.list.next, 0)
	}
	c.set(&all.n, n+1)
	return o, n
}

func newObject(n uint64) *object {
	o := &object{n: n, at: [3]uint64{objectWord(n, 0), objectWord(n, 1), objectWord(n, 2)}}
	for i := range o.flow {
		o.flow[i] = newFlow(o.at[i])
		o.nwatchers[i] = effect.At(o.at[2], 0)
	}
	at := o.at[0]
	o.kind, o.count, o.flags = effect.At(at, 0), effect.At(at, 0), effect.At(at, 0)
	o.clock, o.expiry, o.interval, o.mask = effect.At(at, 0), effect.At(at, 0), effect.At(at, 0), effect.At(at, 0)
	o.list = &epoll{n: effect.At(at, 0), next: effect.At(at, 0)}
	return o
}

// isSocket reports whether it is a socket pair, which has a flow for each end.
func (o *object) isSocket() bool {
	k := o.kind.Peek()
	return k == objStream || k == objDatagram || k == objSeqpacket
}

// reads and writes are the numbers of the flows that an end reads and writes.
func (o *object) reads(end uint64) uint64 {
	if o.isSocket() {
		return end
	}
	return 0
}

func (o *object) writes(end uint64) uint64 {
	if o.isSocket() {
		return 1 - end
	}
	return 0
}

// receive and send are operations on the words of a flow.
func (o *object) receive(flow uint64) trace.Op {
	return trace.Op{Kind: trace.OpReceive, Obj: o.at[flow], Size: objectWordSize}
}

func (o *object) send(flow uint64) trace.Op {
	return trace.Op{Kind: trace.OpSend, Obj: o.at[flow], Size: objectWordSize}
}

const objectWordSize = 8

// Ends of a pipe.
const (
	readEnd = iota
	writeEnd
)

// object is the one that a use of a descriptor refers to, and its end; nil for none.
func (c *call) object(use uint64) (*object, uint64) {
	if use < useFile {
		return nil, 0
	}
	d := c.k.files.descriptions[use-useFile]
	n := c.get(&d.object)
	if n == 0 {
		return nil, 0
	}
	return c.k.objects.list[n-1], c.get(&d.end)
}

// on is the object of the descriptor that the call is about. A call that is made again has
// the one that it slept for, whatever the descriptor means by now.
func (c *call) on(fd int32) (d *description, o *object, end uint64) {
	use := c.subject(fd)
	if use < useFile {
		return nil, nil, 0
	}
	o, end = c.object(use)
	return c.k.files.descriptions[use-useFile], o, end
}

// subject is the use of the descriptor that a call is about.
func (c *call) subject(fd int32) uint64 {
	if held := c.t.wait.held.Peek(); c.retried() && held != 0 {
		return held
	}
	return c.k.files.use(fd)
}

// describe opens a description of an object's end.
func (c *call) describe(o uint64, end, status uint64) uint64 {
	use := c.k.files.newDescription()
	d := c.k.files.descriptions[use-useFile]
	c.k.log.Init(&d.object, o+1)
	c.k.log.Init(&d.end, end)
	c.k.log.Init(&d.status, status)
	return use
}

// nonblocking reports whether calls on a description don't wait.
func (f *files) nonblocking(d *description) bool { return f.log.Get(&d.status)&oNonblock != 0 }

// holds and drops count the descriptors and sleeping calls that have a description. The last
// one closes its end of an object.
func (b *objects) holds(use uint64) {
	if use >= useFile {
		d := b.files.descriptions[use-useFile]
		b.log.Set(&d.refs, b.log.Get(&d.refs)+1)
	}
}

func (b *objects) drops(use uint64) {
	if use < useFile {
		return
	}
	d := b.files.descriptions[use-useFile]
	refs := b.log.Get(&d.refs) - 1
	b.log.Set(&d.refs, refs)
	n := b.log.Get(&d.object)
	if refs != 0 || n == 0 {
		return
	}
	o, end := b.list[n-1], b.log.Get(&d.end)
	b.forget(o, use)
	switch {
	case o.kind.Peek() == objPipe:
		f := o.flow[0]
		if end == readEnd {
			b.log.Set(&f.readers, 0)
		} else {
			b.log.Set(&f.writers, 0)
		}
		b.now.call.op(o.send(0))
		b.stir(o, 1-end, anyEvent)
	case o.isSocket():
		if in := o.flow[end]; o.kind.Peek() != objDatagram && b.log.Get(&in.head) != b.log.Get(&in.tail) {
			b.log.Set(&o.flow[1-end].reset, 1)
		}
		b.log.Set(&o.flow[end].readers, 0)
		b.log.Set(&o.flow[end].used, 0) // what it never read is gone, and the other end has room
		b.log.Set(&o.flow[end].gone, isClosed)
		b.log.Set(&o.flow[1-end].writers, 0)
		b.now.call.op(o.send(0))
		b.now.call.op(o.send(1))
		b.stir(o, 1-end, anyEvent)
	case o.kind.Peek() == objEpoll:
		b.unwatch(o)
	}
}

// events are those that an end of an object has at the moment.
func (b *objects) events(o *object, end uint64) (e uint64) {
	get := b.log.Get
	switch o.kind.Peek() {
	case objPipe:
		f := o.flow[0]
		if end == readEnd {
			if get(&f.head) != get(&f.tail) {
				e |= pollIn | pollRdnorm
			}
			if get(&f.writers) == 0 {
				e |= pollHup
			}
			return e
		}
		if f.parts(b.log) < get(&f.room) {
			e |= pollOut | pollWrnorm
		}
		if get(&f.readers) == 0 {
			e |= pollErr
		}
	case objStream, objDatagram, objSeqpacket:
		in, out := o.flow[end], o.flow[1-end]
		shut := get(&in.writers) == 0
		if get(&in.first) != get(&in.last) || shut && o.kind.Peek() != objDatagram || get(&in.readers) == 0 {
			e |= pollIn | pollRdnorm
		}
		if get(&in.reset) != 0 {
			e |= pollErr
		}
		if o.kind.Peek() != objDatagram {
			if shut {
				e |= pollRdhup
			}
			if shut && (get(&out.writers) == 0 || get(&out.readers) == 0) {
				e |= pollHup
			}
		}
		if b.writable(out) {
			e |= pollOut | pollWrnorm
		}
	case objEvent:
		switch n := get(&o.count); {
		case n == mostCount+1:
			e |= pollIn | pollErr
		case n > 0:
			e |= pollIn
			fallthrough
		default:
			if n < mostCount {
				e |= pollOut
			}
		}
	case objTimer:
		if b.expirations(o, get(&b.clock.now)) > 0 {
			e |= pollIn
		}
	case objSignals:
		if b.readySignals(b.now.call.t, o) != 0 {
			e |= pollIn
		}
	case objEpoll:
		if b.hasEvents(o) {
			e |= pollIn | pollRdnorm
		}
	}
	return e
}
