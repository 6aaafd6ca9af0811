package linux

import (
	"encoding/binary"

	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// epoll, as fs/eventpoll.c has it. An entry is put at the end of a list of ready ones when
// its object tells of an event that it watches, if it isn't there. A wait takes the list in
// order, looks what events each entry really has, and leaves those out that have none. One
// that isn't edge-triggered goes back to the end, a one-shot one is put to rest.

const (
	sysEpollCreate = 213
	sysEpollWait   = 232
	sysEpollPwait  = 281
	sysEpollPwait2 = 441

	epollAdd = 1
	epollDel = 2
	epollMod = 3

	epollExclusive = 1 << 28
	epollWakeup    = 1 << 29
	epollOneshot   = 1 << 30
	epollEdge      = 1 << 31
	epollPrivate   = epollExclusive | epollWakeup | epollOneshot | epollEdge
	// With EPOLLEXCLUSIVE a descriptor may be added for nothing else.
	epollShareable = epollExclusive | epollWakeup | epollEdge | pollIn | pollOut | pollErr | pollHup

	epollEventSize = 12
)

// epoll is a list of descriptors that are watched.
type epoll struct {
	entries []*watcher // grows only
	n       effect.Word
	next    effect.Word // the place of the next entry that becomes ready
}

// watcher is an entry. Its words are the epoll's, but for live, which the object watched
// has too.
type watcher struct {
	epoll  *object
	of     *object
	end    uint64
	live   effect.Word
	use    effect.Word // of the description
	fd     effect.Word
	events effect.Word
	data   effect.Word
	ready  effect.Word // its place in the list of ready ones, from 1 on; 0: it isn't there
	seen   effect.Word // of a timer: the expiry that it was put there for
}

func doEpollCreate(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	flags := c.a[0]
	if c.nr == sysEpollCreate {
		if c.int32(0) <= 0 {
			return einval
		}
		flags = 0
	}
	if flags&^oCloexec != 0 {
		return einval
	}
	return c.openOne(objEpoll, flags, nil)
}

// entries are an epoll's that count.
func (b *objects) entries(e *object) []*watcher {
	var list []*watcher
	for i := range b.log.Get(&e.list.n) {
		if w := e.list.entries[i]; b.log.Get(&w.live) != 0 {
			list = append(list, w)
		}
	}
	return list
}

// epollOf is the epoll that a call is about.
func (c *call) epollOf() (d *description, e *object, errno uint64) {
	d, e, _ = c.on(c.int32(0))
	switch {
	case e == nil && c.k.files.use(c.int32(0)) == useClosed:
		return nil, nil, ebadf
	case e == nil || e.kind.Peek() != objEpoll:
		return nil, nil, einval
	}
	return d, e, 0
}

func planEpollCtl(c *call, p *kernel.Plan) {
	_, e, errno := c.epollOf()
	if errno != 0 {
		planFiles(c, p)
		return
	}
	if obj, _ := c.object(c.k.files.use(c.int32(2))); obj != nil && obj.kind.Peek() == objEpoll && obj != e {
		invalid(p, "an epoll descriptor in another one is not modelled")
		return
	}
	c.event(p, e.send(0))
}

func doEpollCtl(c *call, o *kernel.Outcome) uint64 {
	k, op := c.k, c.a[1]
	var events, data uint64
	if op != epollDel {
		if !k.user.canRead(c.a[3], epollEventSize) {
			return efault
		}
		events, data = uint64(k.log.Read32(c.a[3])), k.log.Read64(c.a[3]+4)
	}
	use := c.k.files.use(c.int32(2))
	if use == useClosed || c.k.files.use(c.int32(0)) == useClosed {
		return ebadf
	}
	obj, end := c.object(use)
	if obj == nil {
		return eperm // a file, or what counts as one
	}
	_, e, errno := c.epollOf()
	if errno != 0 || obj == e {
		return einval
	}
	if op != epollDel && events&epollExclusive != 0 && (op != epollAdd || events&^epollShareable != 0) {
		return einval
	}
	var w *watcher
	for _, x := range k.objects.entries(e) {
		if x.use.Peek() == use && int32(x.fd.Peek()) == c.int32(2) {
			w = x
		}
	}
	c.op(e.send(0))
	switch op {
	case epollAdd:
		if w != nil {
			return eexist
		}
		w = k.objects.watch(e, obj, end, use)
		k.log.Set(&w.fd, c.a[2]&0xffffffff)
	case epollMod:
		if w == nil {
			return enoent
		}
		if w.events.Peek()&epollExclusive != 0 {
			return einval
		}
	case epollDel:
		if w == nil {
			return enoent
		}
		k.objects.unwatchOne(w)
		return 0
	default:
		return einval
	}
	k.log.Set(&w.events, events|always)
	k.log.Set(&w.data, data)
	k.log.Set(&w.seen, 0)
	if k.objects.events(obj, end)&(events|always) != 0 {
		k.objects.enlist(w)
	}
	k.objects.stir(e, 0, pollOut) // a wait that others sleep in may have another time now
	return 0
}

// always are the events that are reported unasked.
const always = pollErr | pollHup

// watch makes an entry.
func (b *objects) watch(e, obj *object, end, use uint64) *watcher {
	l := e.list
	n := b.log.Get(&l.n)
	for int(n) >= len(l.entries) {
		l.entries = append(l.entries, nil)
	}
	at := e.at[0]
	w := &watcher{epoll: e, of: obj, end: end, live: effect.At(obj.at[2], 0), use: effect.At(at, use), fd: effect.At(at, 0),
		events: effect.At(at, 0), data: effect.At(at, 0), ready: effect.At(at, 0), seen: effect.At(at, 0)}
	l.entries[n] = w
	b.log.Set(&w.live, 1)
	b.log.Set(&l.n, n+1)
	m := b.log.Get(&obj.nwatchers[end])
	for int(m) >= len(obj.watchers[end]) {
		obj.watchers[end] = append(obj.watchers[end], nil)
	}
	obj.watchers[end][m] = w
	b.log.Set(&obj.nwatchers[end], m+1)
	return w
}

func (b *objects) unwatchOne(w *watcher) {
	b.log.Set(&w.live, 0)
	b.log.Set(&w.ready, 0)
}

// unwatch is the end of an epoll, forget that of a description that epolls may watch.
func (b *objects) unwatch(e *object) {
	for _, w := range b.entries(e) {
		b.unwatchOne(w)
	}
}

func (b *objects) forget(o *object, use uint64) {
	for end := range uint64(2) {
		for i := range b.log.Get(&o.nwatchers[end]) {
			if w := o.watchers[end][i]; b.log.Get(&w.live) != 0 && w.use.Peek() == use {
				b.unwatchOne(w)
			}
		}
	}
}

// notice reports events of an object to its entry.
func (b *objects) notice(w *watcher, events uint64) {
	if want := b.log.Get(&w.events); events == anyEvent && want&^epollPrivate != 0 || want&events&^epollPrivate != 0 {
		b.enlist(w)
	}
}

// enlist puts an entry at the end of the ready ones.
func (b *objects) enlist(w *watcher) {
	if b.log.Get(&w.ready) != 0 {
		return
	}
	e := w.epoll
	n := b.log.Get(&e.list.next) + 1
	b.log.Set(&e.list.next, n)
	b.log.Set(&w.ready, n)
	b.now.call.op(e.send(0))
	b.stir(e, 0, pollIn|pollRdnorm)
}

// readyOnes are an epoll's ready entries in order. Timers that have gone off are among them.
func (b *objects) readyOnes(e *object) []*watcher {
	var list []*watcher
	all := b.entries(e)
	for _, w := range all {
		if w.of.kind.Peek() != objTimer || b.log.Get(&w.events)&pollIn == 0 {
			continue
		}
		if at := b.log.Get(&w.of.expiry); at != 0 && at <= b.log.Get(&b.clock.now) && b.log.Get(&w.seen) != at {
			b.log.Set(&w.seen, at)
			if b.log.Get(&w.ready) == 0 {
				n := b.log.Get(&e.list.next) + 1
				b.log.Set(&e.list.next, n)
				b.log.Set(&w.ready, n)
			}
		}
	}
	for _, w := range all {
		place := b.log.Get(&w.ready)
		if place == 0 {
			continue
		}
		i := len(list)
		list = append(list, w)
		for ; i > 0 && list[i-1].ready.Peek() > place; i-- {
			list[i] = list[i-1]
		}
		list[i] = w
	}
	return list
}

// has is the events that an entry has and wants.
func (b *objects) has(w *watcher) uint64 {
	return b.events(w.of, w.end) & b.log.Get(&w.events) &^ epollPrivate
}

// hasEvents reports whether a wait would return at once.
func (b *objects) hasEvents(e *object) bool {
	for _, w := range b.readyOnes(e) {
		if b.has(w) != 0 {
			return true
		}
	}
	return false
}

func isEpollWait(nr uint64) bool {
	return nr == sysEpollWait || nr == sysEpollPwait || nr == sysEpollPwait2
}

// epollTime is how long a wait may be, noDeadline for ever.
func (c *call) epollTime() (ns, errno uint64) {
	if c.nr == sysEpollPwait2 {
		if c.a[3] == 0 {
			return noDeadline, 0
		}
		return c.k.user.timespec(c.a[3])
	}
	if ms := c.int32(3); ms >= 0 {
		return uint64(ms) * 1_000_000, 0
	}
	return noDeadline, 0
}

func planEpollWait(c *call, p *kernel.Plan) {
	_, e, errno := c.epollOf()
	if errno != 0 {
		planFiles(c, p)
		return
	}
	c.event(p, e.receive(0))
	c.planTimed(p)
	c.planOwnMask(p)
}

func doEpollWait(c *call, o *kernel.Outcome) uint64 { return c.withMask(o, (*call).epollWait) }

func (c *call) epollWait(o *kernel.Outcome) uint64 {
	k, most := c.k, int64(c.int32(2))
	if most <= 0 || most > 1<<20 {
		return einval
	}
	d, e, errno := c.epollOf()
	if errno != 0 {
		return errno
	}
	ns, errno := c.epollTime()
	if errno != 0 {
		return errno
	}
	if c.a[1] >= kernelHalf || c.a[1]+uint64(most)*epollEventSize > kernelHalf {
		return efault // other addresses are looked at only if there is an event
	}
	roused := c.t.wait.roused.On()
	k.log.Turn(&c.t.wait.roused, false)
	var out []byte
	var back []*watcher
	for _, w := range k.objects.readyOnes(e) {
		if int64(len(out)/epollEventSize) == most {
			break
		}
		events := k.objects.has(w)
		if events != 0 && !k.user.canWrite(c.a[1]+uint64(len(out)), epollEventSize) {
			if len(out) == 0 {
				return efault
			}
			break
		}
		k.log.Set(&w.ready, 0)
		if events == 0 {
			continue
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(events))
		out = binary.LittleEndian.AppendUint64(out, k.log.Get(&w.data))
		switch want := k.log.Get(&w.events); {
		case want&epollOneshot != 0:
			k.log.Set(&w.events, want&epollPrivate)
		case want&epollEdge == 0:
			back = append(back, w)
		}
	}
	for _, w := range back {
		n := k.log.Get(&e.list.next) + 1
		k.log.Set(&e.list.next, n)
		k.log.Set(&w.ready, n)
	}
	if len(out) > 0 {
		c.op(e.receive(0))
		if errno := k.user.copyOut(c.a[1], out); errno != 0 {
			return errno
		}
		return uint64(len(out) / epollEventSize)
	}
	result := c.waitTimed(o, []want{{o: e, end: 0, events: pollIn | pollOut}}, ns, d.use)
	if o.Sleep && (roused || k.signals.looks(c.t)) {
		o.Sleep, o.Pending = false, trace.Op{}
		k.queues.dequeue(c.t)
		return eintr // also if another thread takes the signal
	}
	return result
}
