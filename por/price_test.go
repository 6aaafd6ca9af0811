package por

import (
	"math"

	"landgo/internal/trace"
)

// price is an execution's cost by each measure. It is worked out here from
// what the system said of each state, beside the searches' own meter, on
// purpose.
type price struct {
	preempt, fair, delay, switches int32
	// joint[c] is the preemptions where leaving a thread that a fair bound of c
	// blocks is free; dear where the execution exceeds that bound.
	joint [maxFair + 1]int32
	last  trace.TID
	yield [maxThreads]int8
}

const (
	maxFair    = 1
	maxThreads = 8 // of a program that is recorded
	dear       = math.MaxInt32
)

// least takes the lesser of each measure.
func (p *price) least(q *price) {
	p.preempt, p.fair = min(p.preempt, q.preempt), min(p.fair, q.fair)
	p.delay, p.switches = min(p.delay, q.delay), min(p.switches, q.switches)
	for c := range p.joint {
		p.joint[c] = min(p.joint[c], q.joint[c])
	}
}

// most takes the greater of each.
func (p *price) most(q *price) {
	p.preempt, p.fair = max(p.preempt, q.preempt), max(p.fair, q.fair)
	p.delay, p.switches = max(p.delay, q.delay), max(p.switches, q.switches)
	for c := range p.joint {
		p.joint[c] = max(p.joint[c], q.joint[c])
	}
}

// of is the price by the bounds' measure; by preemptions where that and a fair
// bound are given.
func (p *price) of(bounds Bounds) int {
	if c, fair := bounds.Limit(Fair); fair {
		if _, joint := bounds.Limit(Preempt); joint {
			return int(p.joint[c])
		}
		return int(p.fair)
	}
	switch bounds[0].Measure {
	case Delay:
		return int(p.delay)
	case Switches:
		return int(p.switches)
	}
	return int(p.preempt)
}

// lead is by how much thread t leads in yields at most.
func (p *price) lead(threads []standing, t trace.TID) (most int32) {
	for i := range threads {
		if v := &threads[i]; v.ready {
			most = max(most, int32(p.yield[t]-p.yield[v.id]))
		}
	}
	return most
}

// plus is the price with one more step: of thread t, with an outcome, in a
// state with the given threads.
func (p price) plus(threads []standing, t trace.TID, c trace.Choice) price {
	for i := range threads {
		if threads[i].id == t && threads[i].wakes {
			p.delay += int32(c)
		}
	}
	var goesOn, yields, stands bool // of the last thread; of t; the last is ready
	for i := range threads {
		th := &threads[i]
		yields = yields || th.id == t && th.yield
		if th.id == p.last && th.ready {
			stands = !th.yield
			goesOn = stands && !th.ends
		}
	}
	first := p.last == trace.NoThread
	if !first && p.last != t {
		p.switches++
	}
	if goesOn && p.last != t {
		p.preempt++
	}
	lead := p.lead(threads, t)
	for c := range p.joint {
		if lead > int32(c) {
			p.joint[c] = dear
		}
		if goesOn && p.last != t && p.joint[c] != dear && p.lead(threads, p.last) <= int32(c) {
			p.joint[c]++
		}
	}
	p.fair = max(p.fair, lead)
	// The scheduler that is delayed has the running thread first in its queue, then
	// those after it in order, then those before it.
	front := p.last
	if !first && !stands {
		front++
	}
	turn := func(from, to trace.TID) (found bool) {
		for i := range threads {
			if v := &threads[i]; v.id >= from && v.id < to && v.ready {
				if v.id == t {
					return true
				}
				p.delay++
			}
		}
		return false
	}
	switch {
	case first:
		turn(0, math.MaxInt32)
	case !turn(front, math.MaxInt32):
		turn(0, front)
	}
	p.last = t
	if yields {
		p.yield[t]++
	}
	return p
}
