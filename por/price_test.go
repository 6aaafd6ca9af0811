package por

import (
	"math"

	"landgo/trace"
)

// price is what an execution costs by each measure. It is worked out here from
// what the system said of each state, beside the searches' own meter, on
// purpose.
type price struct {
	preempt, fair, delay, switches int
	// joint[c] is the preemptions where leaving a thread that a fair bound of c
	// blocks is free; dear where the execution exceeds that bound.
	joint [maxFair + 1]int
	last  trace.TID
	yield map[trace.TID]int
}

const (
	maxFair = 1
	dear    = math.MaxInt32
)

// least takes the lesser of each measure.
func (p price) least(q price) price {
	p.preempt, p.fair = min(p.preempt, q.preempt), min(p.fair, q.fair)
	p.delay, p.switches = min(p.delay, q.delay), min(p.switches, q.switches)
	for c := range p.joint {
		p.joint[c] = min(p.joint[c], q.joint[c])
	}
	return p
}

// of is the price by the bounds' measure; by preemptions where that and a fair
// bound are given.
func (p price) of(bounds Bounds) int {
	if c, fair := bounds.Limit(Fair); fair {
		if _, joint := bounds.Limit(Preempt); joint {
			return p.joint[c]
		}
		return p.fair
	}
	return map[Measure]int{Preempt: p.preempt, Delay: p.delay, Switches: p.switches}[bounds[0].Measure]
}

// plus is the price with one more step: of thread t in a state with the given
// threads.
func (p price) plus(threads []trace.Thread, t trace.TID) price {
	lead := func(u trace.TID) (most int) {
		for i := range threads {
			if v := threads[i].ID; threads[i].Status == trace.Ready {
				most = max(most, p.yield[u]-p.yield[v])
			}
		}
		return most
	}
	var goesOn, yields, stands bool // of the last thread; of t; the last is ready
	for i := range threads {
		th := &threads[i]
		yields = yields || th.ID == t && th.Yielding
		if th.ID == p.last && th.Status == trace.Ready {
			stands = !th.Yielding
			goesOn = stands && th.Pending.Kind != trace.OpExit && th.Pending.Kind != trace.OpEnd
		}
	}
	first := p.last == trace.NoThread
	if !first && p.last != t {
		p.switches++
	}
	if goesOn && p.last != t {
		p.preempt++
	}
	for c := range p.joint {
		if lead(t) > c {
			p.joint[c] = dear
		}
		if goesOn && p.last != t && lead(p.last) <= c && p.joint[c] != dear {
			p.joint[c]++
		}
	}
	p.fair = max(p.fair, lead(t))
	// The queue of the scheduler that is delayed: who runs, then who comes after
	// him in order, then who comes before him.
	var queue []trace.TID
	turn := func(from, to trace.TID) {
		for i := range threads {
			if v := threads[i].ID; v >= from && v < to && threads[i].Status == trace.Ready {
				queue = append(queue, v)
			}
		}
	}
	switch {
	case first:
		turn(0, math.MaxInt32)
	case stands:
		turn(p.last, math.MaxInt32)
		turn(0, p.last)
	default:
		turn(p.last+1, math.MaxInt32)
		turn(0, p.last+1)
	}
	for _, v := range queue {
		if v == t {
			break
		}
		p.delay++
	}
	if p.last = t; yields {
		counts := map[trace.TID]int{t: p.yield[t] + 1}
		for u, n := range p.yield {
			if u != t {
				counts[u] = n
			}
		}
		p.yield = counts
	}
	return p
}
