package por

import (
	"math/bits"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// pos is partial-order sampling (Yuan, Yang and Gu, CAV 2018, POS). Each pending
// event has a random priority, the ready one of the highest runs, and events
// that race with it draw a new priority. So the order of two racing events
// doesn't depend on how either fared against earlier ones, and independent steps
// don't make a trace with few races rare. The probability of a trace is bounded
// by its partial order and not by the number of steps.
//
// Terms: an event is pending from when its thread stands before it. Two events
// race if both are pending, they are dependent, and they are of different
// threads.
//
// Deviations: of a pending event only the beginning is known; a step of several events races,
// when it runs, with all that it does. The outcome of a step with several is drawn uniformly when
// it is picked. Each time redrawAfter steps have been taken, all pending events draw anew.
// Otherwise, beside a thread that spins, an event with a low priority would wait for thousands of
// turns. With store buffers each turn may be a store more.
type pos struct {
	untaught
	s        *sampling
	priority []uint64 // per thread, of its pending event; 0: not drawn yet
	steps    int      // of this execution
	// stands has what the pending events access, by thread, as those of the path that were noted
	// (trace.Present.Noted) say. of is where that was read, nil: nowhere.
	stands []nextBytes
	of     *trace.Present
}

// nextBytes are the bytes that a thread's pending event accesses. A step is compared with those of a hundred
// threads, whose descriptions are far apart in memory.
type nextBytes struct {
	lo, hi uint64
	write  bool
	plain  bool // it conflicts with a plain event if these bytes do, and no more is known of it
}

const redrawAfter = 256

func newPOS(h handle) strategy {
	s := newSampling(h)
	s.sampler = &pos{s: s}
	return s
}

func (p *pos) begin(uint64) { p.priority, p.steps, p.of = p.priority[:0], 0, nil }

func (p *pos) pick(*node) trace.TID {
	best := trace.NoThread
	ready := p.s.path.present.Ready
	p.priority = atLeast(p.priority, 64*len(ready))
	for i, w := range ready {
		for ; w != 0; w &= w - 1 {
			t := trace.TID(i*64 + bits.TrailingZeros64(w))
			if p.priority[t] == 0 {
				p.priority[t] = 1 + p.s.rand.Uint64N(1<<63)
			}
			if best == trace.NoThread || p.priority[t] > p.priority[best] {
				best = t
			}
		}
	}
	return best
}

// ran takes the priority from the event that ran and from those that race with
// it.
func (p *pos) ran(i int32) {
	e := p.s.path.event(i)
	if p.steps++; p.steps%redrawAfter == 0 {
		clear(p.priority)
	}
	if len(p.priority) == 0 {
		return // nothing was pending but this
	}
	p.look()
	p.priority = atLeast(p.priority, int(e.Thread)+1)
	p.priority[e.Thread] = 0
	plain := e.Plain()
	for t, drawn := range p.priority {
		if drawn == 0 || t >= len(p.stands) {
			continue
		}
		if at := &p.stands[t]; plain && at.plain && p.s.path.spin[t] == 0 {
			if at.meets(e) {
				p.priority[t] = 0
			}
			continue
		}
		if t := p.s.path.thread(trace.TID(t)); t != nil && p.dependent(t, e, plain) {
			p.priority[t.ID] = 0
		}
	}
}

// meets reports whether an event accesses the same bytes, and one of the two writes.
func (s *nextBytes) meets(e *relation.Event) bool {
	for i := range e.Accesses {
		if a := &e.Accesses[i]; s.lo < a.Addr+uint64(a.Size) && a.Addr < s.hi && (s.write || a.IsWrite()) {
			return true
		}
	}
	return false
}

// dependent reports whether a thread's pending event races with one that ran.
func (p *pos) dependent(t *trace.Thread, e *relation.Event, plain bool) bool {
	if a := &t.PendingAccess; plain && accesses(t) && p.s.path.spin[t.ID] == 0 {
		return e.Conflicts(a)
	}
	return p.s.next.beginning(t).Dependent(e)
}

// accesses reports whether a thread's pending event is an access that depends on plain events by
// conflicts alone.
func accesses(t *trace.Thread) bool {
	return t.PendingAccess.Flags&relation.Special == 0 && t.Pending.Kind == trace.OpAccess && t.Beside.Kind == trace.OpNone && !t.Updates
}

// look reads what has changed of the threads.
func (p *pos) look() {
	now := p.s.path.present
	if p.of != now {
		p.of = now
		for i := range now.Threads {
			now.Noted.Put(now.Threads[i].ID, true)
		}
	}
	for i, w := range now.Noted {
		for ; w != 0; w &= w - 1 {
			id := trace.TID(i*64 + bits.TrailingZeros64(w))
			p.stands = atLeast(p.stands, int(id)+1)
			if t := now.Thread(id); t != nil {
				a := &t.PendingAccess
				p.stands[id] = nextBytes{lo: a.Addr, hi: a.Addr + uint64(a.Size), write: a.IsWrite(), plain: accesses(t) && a.Blends() == trace.NoBlend}
			}
		}
		now.Noted[i] = 0
	}
}
