package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// pending tells the next step of each thread. Operations still to come at the end of
// an execution take part in races too. Values that its methods return or hand to f
// are valid until the next call.
type pending struct {
	path  *path
	opts  *Options
	step  relation.Step
	stuck relation.Event
	// awaiter is the System, if it spares the search polls; else nil.
	awaiter Awaiter
	await   relation.Await
}

// races calls f for each race of an event c with an operation that is blocked at
// the end of the execution, as if it came next. e is the
// step that could have come before c, and row the clock of what it needs before it.
// (A spinning thread has none, unless it awaits: all writes of what it read came
// before.)
func (p *pending) races(f func(c int32, e *relation.Step, row []int32)) {
	for k := range p.path.threads {
		switch t := &p.path.threads[k]; {
		case t.Status == trace.Blocked:
			p.racesOf(t, f)
		case t.Status == trace.Spinning && t.Awaits && p.awaiter != nil && p.opts.fault != noAwaiting:
			e := p.upcoming(t)
			p.await.Past = p.past(t, p.await.Past[:0])
			e.Await = &p.await
			p.path.order.Pending(&e.Event, t.Pending, func(c int32, row []int32) { f(c, e, row) })
		}
	}
}

// foresees reports whether points became finer in what threads that wait at the end of an execution
// could have done.
func (p *pending) foresees() bool {
	asked := false
	for k := range p.path.threads {
		if t := &p.path.threads[k]; p.awaiter != nil && t.Status == trace.Spinning && t.Awaits {
			p.await.Past, asked = p.past(t, p.await.Past[:0]), true
		}
	}
	return asked && p.awaiter.News()
}

// expiring does the same for a wait that is about to run out. The event that it
// waits for in vain could have come earlier, and no end of the execution will see
// it pending. It is called in the state in which no thread can run.
func (p *pending) expiring(f func(c int32, e *relation.Step, row []int32)) {
	for k := range p.path.threads {
		if t := &p.path.threads[k]; t.Expiring {
			p.racesOf(t, f)
		}
	}
}

func (p *pending) racesOf(t *trace.Thread, f func(c int32, e *relation.Step, row []int32)) {
	if relation.Acquires(t.Pending.Kind) && p.opts.fault != noPending {
		e := p.upcoming(t)
		p.path.order.Pending(&e.Event, t.Pending, func(c int32, row []int32) { f(c, e, row) })
	}
}

// cutOff calls f for each step that the end of the process, event c, kept from
// being taken.
func (p *pending) cutOff(e Ending, f func(c int32, e *relation.Step)) {
	if e != EndedProcess && e != EndedBug || p.path.at >= 0 || p.opts.fault == noProcessEnd {
		return
	}
	c := int32(p.path.depth() - 1)
	for k := range p.path.threads {
		if t := &p.path.threads[k]; t.Status == trace.Ready && t.ID != p.path.event(c).Thread {
			f(c, p.upcoming(t))
		}
	}
}

// upcoming is the next step of thread t, as far as it is known.
func (p *pending) upcoming(t *trace.Thread) *relation.Step {
	p.step.Begin(t)
	p.step.Blur(p.opts.OneEvent && (p.opts.Unmerged || t.Pending.Kind != trace.OpLock))
	return &p.step
}

// beginning is the known part of thread t's next transition.
func (p *pending) beginning(t *trace.Thread) *relation.Event {
	e := p.upcoming(t)
	e.Wild, e.Waits = false, p.path.spinReads(t.ID)
	return &e.Event
}

// waitsFor is thread t's wait in the newest state, nil if it doesn't wait.
func (p *pending) waitsFor(t *trace.Thread) *relation.Event {
	switch t.Status {
	case trace.Blocked:
		p.stuck = relation.Event{Thread: t.ID, Ops: append(p.stuck.Ops[:0], t.Pending)}
		return &p.stuck
	case trace.Spinning:
		p.stuck = relation.Event{Thread: t.ID, Ops: p.stuck.Ops[:0], Waits: t.Waits}
		return &p.stuck
	}
	return nil
}

// past appends to dst what the next step of thread t, which awaits, comes after. These are
// the writes since the newest update of the thread's own store buffer: before that the buffer
// has the store, and answers. It comes after none, either, where the buffer answers now.
func (p *pending) past(t *trace.Thread, dst []relation.Past) []relation.Past {
	if t.PendingAccess.Flags&trace.Buffered != 0 {
		return dst
	}
	depth, own := p.path.depth(), false
	p.awaiter.WouldGo(t.ID, func(back int, goes bool) {
		at := depth - 1 - back
		if at < 0 {
			return
		}
		e := p.path.event(int32(at))
		own = own || e.Update && e.Of == t.ID
		if !own {
			dst = append(dst, relation.Past{At: int32(at), Goes: goes || p.opts.fault == nearAwait})
		}
	})
	return dst
}
