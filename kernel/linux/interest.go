package linux

import (
	"fmt"
	"strings"

	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Sleeps in calls on objects. A thread sleeps for events of the ends of objects. Whatever
// brings one about (stir) wakes the thread. It makes its call again from the beginning,
// with the rest of its time, and for a write with the rest of the bytes. So does a thread
// whose time has run out: it looks once more.

// interest is a thing that a sleeping thread waits for.
type interest struct {
	object, end, events effect.Word
	use                 effect.Word // the description, which stays open meanwhile; 0 for none
}

// interests are a thread's. Its wait says how many of them count. The list grows only.
type interests struct{ list []*interest }

// want is an interest before it is one.
type want struct {
	o      *object
	end    uint64
	events uint64
	use    uint64
}

// retried reports whether the call is one that slept before.
func (c *call) retried() bool { return c.t.wait.retried.On() }

// until is when a call with so much time ends, on the virtual clock; it was settled when the
// call began to sleep.
func (c *call) until(ns uint64) uint64 {
	if c.retried() {
		return c.t.wait.until.Peek()
	}
	if ns == noDeadline {
		return noDeadline
	}
	return saturatingAdd(c.get(&c.k.clock.now), ns)
}

// await puts the caller to sleep until one of the things that it wants may be there, or
// until a time. done counts the bytes that a write has written. held is the description that the call
// is about.
func (c *call) await(o *kernel.Outcome, wants []want, until, held, done uint64) uint64 {
	k, t := c.k, c.t
	w := &t.wait
	init := k.log.Init
	pending := trace.Op{Kind: trace.OpCancel, Obj: uint64(t.id)} // for signals alone
	deadline := until
	for i := range wants {
		x := &wants[i]
		if i >= len(w.interests.list) {
			w.interests.list = append(w.interests.list, new(interest))
		}
		in := w.interests.list[i]
		init(&in.object, x.o.n)
		init(&in.end, x.end)
		init(&in.events, x.events)
		init(&in.use, x.use)
		k.objects.holds(x.use)
		deadline = min(deadline, k.objects.goesOff(x.o))
		if i == 0 {
			pending = x.o.receive(x.o.reads(x.end))
			if x.events&pollIn == 0 {
				pending = x.o.send(x.o.writes(x.end))
			}
		}
	}
	if deadline != noDeadline && c.choice == 1 { // with timeouts at any time
		k.clock.passes(deadline)
		init(&w.until, until)
		init(&w.done, done)
		k.log.Turn(&w.retried, true)
		for i := range wants {
			k.objects.drops(wants[i].use)
		}
		return c.row().do(c, o)
	}
	init(&w.ninterests, uint64(len(wants)))
	init(&w.until, until)
	init(&w.done, done)
	if !c.retried() && held != 0 {
		init(&w.held, held)
		k.objects.holds(held)
	}
	k.log.Turn(&w.retried, true)
	c.op(pending)
	c.sleep(o, waitObjects, 0, 0, deadline, pending)
	return 0
}

// goesOff is when an object changes by itself.
func (b *objects) goesOff(o *object) uint64 {
	switch o.kind.Peek() {
	case objTimer:
		if at := b.log.Get(&o.expiry); at != 0 {
			return at
		}
	case objEpoll:
		first := uint64(noDeadline)
		for _, w := range b.entries(o) {
			if t := w.of; t.kind.Peek() == objTimer && b.log.Get(&w.events)&pollIn != 0 {
				if at := b.log.Get(&t.expiry); at != 0 && b.log.Get(&w.seen) != at {
					first = min(first, at)
				}
			}
		}
		return first
	}
	return noDeadline
}

// stir lets the threads go that sleep for one of these events of an object's end, and has
// the epolls know that watch it.
func (b *objects) stir(o *object, end, events uint64) {
	for i := range b.log.Get(&o.nwatchers[end]) {
		if w := o.watchers[end][i]; w.live.Peek() != 0 {
			b.notice(w, events)
		}
	}
	for _, t := range b.roster.threads {
		if t == nil || t.wait.kind.Peek() != waitObjects {
			continue
		}
		for i := range t.wait.ninterests.Peek() {
			in := t.wait.interests.list[i]
			if b.list[in.object.Peek()] == o && in.end.Peek() == end && (in.events.Peek()|always)&events != 0 {
				b.rouse(t)
				b.now.wakes = append(b.now.wakes, t.id)
				break
			}
		}
	}
}

// rouse has a sleeping thread make its call again.
func (b *objects) rouse(t *thread) {
	regs := *b.now.host.Regs(t.id)
	b.queues.again(t, &regs)
	b.queues.dequeue(t)
	b.now.host.SetRegs(t.id, &regs)
}

// loseInterests is the end of a sleep for objects.
func (b *objects) loseInterests(t *thread) {
	for i := range t.wait.ninterests.Peek() { // which stay on record until the call ends
		b.drops(t.wait.interests.list[i].use.Peek())
	}
}

// finish is the end of a call that slept.
func (b *objects) finish(t *thread) {
	w := &t.wait
	if !w.retried.On() {
		return
	}
	held := w.held.Peek()
	b.log.Turn(&w.retried, false)
	for _, p := range []*effect.Word{&w.held, &w.until, &w.done, &w.ninterests} {
		b.log.Init(p, 0)
	}
	if held != 0 {
		b.drops(held)
	}
}

// waitTimed has the caller sleep for things, for so long at most; noDeadline for ever. It
// returns what a call does whose time is over: 0.
func (c *call) waitTimed(o *kernel.Outcome, wants []want, ns, held uint64) uint64 {
	k := c.k
	until := c.until(ns)
	if ns == 0 && !c.retried() || until != noDeadline && until <= c.get(&k.clock.now) {
		for i := range wants {
			if k.objects.goesOff(wants[i].o) != noDeadline {
				c.look(o) // the time alone may change what is found
				return 0
			}
		}
		o.Idle = ns == 0
		return 0
	}
	return c.await(o, wants, until, held, 0)
}

// planTimed is the plan of a call that may sleep for a time: with timeouts at any time, it
// may be over at once.
func (c *call) planTimed(p *kernel.Plan) {
	k := c.k
	if !k.cfg.TimeoutsAny {
		return
	}
	timed := false
	k.try(func(o *kernel.Outcome) { timed = o.Sleep && c.t.wait.deadline.Peek() != noDeadline })
	if timed {
		p.Outcomes = 2
	}
}

// Sleeper says what a sleeping thread waits for in a call, and at which address that has its
// words; false for other sleeps.
func (k *Kernel) Sleeper(id trace.TID) (what string, at uint64, ok bool) {
	t := k.roster.threads[id]
	if t.wait.kind.Peek() != waitObjects || t.wait.ninterests.Peek() == 0 {
		return "", 0, false
	}
	n := t.wait.ninterests.Peek()
	in := t.wait.interests.list[0]
	o, end := k.objects.list[in.object.Peek()], in.end.Peek()
	reads := in.events.Peek()&pollIn != 0
	switch kind := o.kind.Peek(); {
	case n > 1:
		return fmt.Sprintf("an event of %d descriptors, the first of them", n), o.at[0], true
	case kind == objEpoll:
		return "an event at", o.at[0], true
	case kind == objSignals:
		return "a signal at", o.at[0], true
	case !reads:
		return "room in", o.at[o.writes(end)], true
	case kind == objEvent:
		return "a count in", o.at[0], true
	}
	return "data from", o.at[o.reads(end)], true
}

// Ends names the descriptors that keep an end open: the one to which others would write, for a
// thread that waits to read. The object has its words at the address. "" if it has no such end.
func (k *Kernel) Ends(at uint64) string {
	o := k.objects.madeAt(at)
	if o == nil || o.kind.Peek() != objPipe && !o.isSocket() {
		return ""
	}
	names := [2]string{"its read end", "its write end"}
	if o.isSocket() {
		names = [2]string{"one end", "its other end"}
	}
	var text []string
	for end, name := range names {
		var list []string
		for fd, slot := range k.files.table {
			if use := slot.use.Peek(); use >= useFile {
				if d := k.files.descriptions[use-useFile]; d.object.Peek() == o.n+1 && d.end.Peek() == uint64(end) {
					list = append(list, fmt.Sprint(fd))
				}
			}
		}
		switch len(list) {
		case 0:
			text = append(text, name+" is closed")
		case 1:
			text = append(text, name+" is descriptor "+list[0])
		default:
			text = append(text, name+" is descriptors "+strings.Join(list, ", "))
		}
	}
	return strings.Join(text, ", ")
}
