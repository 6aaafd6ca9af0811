package por

import (
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
}

const redrawAfter = 256

func newPOS(h handle) strategy {
	s := newSampling(h)
	s.sampler = &pos{s: s}
	return s
}

func (p *pos) begin(uint64) { p.priority, p.steps = p.priority[:0], 0 }

func (p *pos) pick(*node) trace.TID {
	best := trace.NoThread
	for t := range p.s.path.present.Ready.All {
		p.priority = atLeast(p.priority, int(t)+1)
		if p.priority[t] == 0 {
			p.priority[t] = 1 + p.s.rand.Uint64N(1<<63)
		}
		if best == trace.NoThread || p.priority[t] > p.priority[best] {
			best = t
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
	p.priority[e.Thread] = 0
	plain := e.Plain()
	for k := range p.s.path.threads {
		t := &p.s.path.threads[k]
		if t.ID == e.Thread || int(t.ID) >= len(p.priority) || p.priority[t.ID] == 0 {
			continue
		}
		if a := &t.PendingAccess; plain && a.Flags&relation.Special == 0 && t.Pending.Kind == trace.OpAccess && t.Beside.Kind == trace.OpNone && !t.Updates && p.s.path.spin[t.ID] == 0 {
			if e.Conflicts(a) {
				p.priority[t.ID] = 0
			}
			continue
		}
		if p.s.next.beginning(t).Dependent(e) {
			p.priority[t.ID] = 0
		}
	}
}
