package por

import (
	"math/bits"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// How the explorer makes the path longer and shorter by a state.

// arrive makes the node of the state in which sys stands, and says how many
// threads can run there.
func (x *explorer) arrive() (n *node, able int) {
	n = x.extend()
	n.running, n.ending = trace.NoThread, EndedBlocked
	x.at = int(n.depth)
	able = x.observe(n)
	if x.meter != nil {
		x.meter.enter(n)
	}
	return n, able
}

// extend adds a node about which nothing is known yet.
func (x *explorer) extend() *node {
	i := len(x.nodes)
	if i < cap(x.nodes) {
		x.nodes = x.nodes[:i+1]
	} else {
		x.nodes = append(x.nodes, node{})
	}
	n := &x.nodes[i]
	*n = node{depth: int32(i), next: trace.NoThread, sleeps: int32(len(x.sleep)), slept: int32(len(x.sleep)),
		choices: int32(len(x.choices)), spins: int32(len(x.spins)), seen: int32(len(x.waits))}
	x.ready = atLeast(x.ready, (i+1)*x.words)
	return n
}

// observe reads the threads' status in the state of n and returns the number
// of those that can run.
func (x *explorer) observe(n *node) (able int) {
	x.look()
	if len(x.threads) > 0 {
		x.widen(int(x.threads[len(x.threads)-1].ID) + 1)
	}
	now, i, set := x.present, int(n.depth), x.readySet(n)
	clear(set[copy(set, now.Ready):])
	able, n.next = now.Ready.Len(), now.Next
	if i > 0 {
		p := &x.nodes[i-1]
		n.running, n.preemptions, n.turn = p.cur.Thread, p.preemptions, 1
		if p.cur.Beside() { // no thread was switched away from
			n.running = p.running
		}
		if p.running == n.running {
			n.turn = p.turn + 1
		}
		if p.preempts() {
			n.preemptions++
		}
	}
	if now.Ready.Has(n.running) {
		n.couldGoOn = x.thread(n.running).Preempted()
	}
	for t := range now.Several.All {
		c := choice{thread: t, outcomes: x.thread(t).Outcomes}
		if x.thread(t).Named {
			c.ways = x.observers.named[t]
		}
		switch {
		case x.opts.fault != oneOutcome:
		case !x.spec.kind.sources:
			continue
		default:
			c.outcomes = 1 // each step has a name
		}
		x.choices = append(x.choices, c)
	}
	if x.order == nil {
		return able
	}
	if i > 0 {
		x.letOn(n, set)
	}
	for t := range now.Spinning.All {
		if x.spin[t] == 0 && !x.thread(t).Awaits {
			lo := int32(len(x.waits))
			x.waits = append(x.waits, x.thread(t).Waits...)
			x.spins = append(x.spins, spin{t, lo, int32(len(x.waits)), 0})
			x.spin[t] = int32(len(x.spins))
		}
	}
	return able
}

// look reads the threads of the state in which sys stands.
func (x *explorer) look() {
	if sys, keeps := x.sys.(Census); keeps { // a worker's changes with its unit
		x.present = sys.Present()
	} else {
		x.present = &x.counted
		x.counted.Take(x.sys.Threads(x.counted.Threads[:0]))
	}
	x.threads = x.present.Threads
}

// letOn adds an edge to the order, from the last event to each thread that it let
// go on, if the event doesn't say so itself. Where a thread waits for something
// that isn't disabled again, what enabled it came before. set has the threads that can run
// in the state of n.
func (x *explorer) letOn(n *node, set []uint64) {
	before := x.readySet(&x.nodes[n.depth-1])
	for i, w := range set {
		for w &^= before[i]; w != 0; w &= w - 1 {
			id := trace.TID(i*64 + bits.TrailingZeros64(w))
			if id == n.running || x.order.Last(id) < 0 {
				continue
			}
			if t := x.thread(id); !t.Expiring && t.Pending.Kind != trace.OpAccess && !relation.Acquires(t.Pending.Kind) {
				x.order.Wake(id)
			}
		}
	}
}

// widen makes room for n threads.
func (x *explorer) widen(n int) {
	x.spin, x.insns = atLeast(x.spin, n), atLeast(x.insns, n)
	if x.order != nil {
		x.order.Widen(n)
	}
	x.ready, x.words = widened(x.ready, x.words, n)
}

// widened makes room for n threads in bit sets of this many words each.
func widened(sets []uint64, words, n int) ([]uint64, int) {
	w := (n + 63) / 64
	if w <= words {
		return sets, words
	}
	wide := make([]uint64, len(sets)/words*w)
	for i := range len(sets) / words {
		copy(wide[i*w:], sets[i*words:(i+1)*words])
	}
	return wide, w
}

// close leaves the current state, which is wholly explored, and with it the event that led
// there.
func (x *explorer) close() {
	n := &x.nodes[len(x.nodes)-1]
	if n.shared == nil {
		x.sets.pool.putAll(n.done)
	}
	x.sets.pool.putAll(n.over)
	n.done, n.over = nil, nil
	x.sleep, x.choices = x.sleep[:n.sleeps], x.choices[:n.choices]
	x.nodes = x.nodes[:len(x.nodes)-1]
	if x.needs.left != nil {
		x.needs.left(x.depth())
	}
	p := &x.nodes[len(x.nodes)-1]
	b := p.cur
	if x.meter != nil {
		x.meter.back(p, b.Thread)
	}
	for k := len(x.spins) - 1; k >= int(n.spins); k-- {
		x.spin[x.spins[k].thread] = x.spins[k].old
	}
	x.spins, x.waits = x.spins[:n.spins], x.waits[:n.seen]
	if k := len(x.spins) - 1; k >= int(p.spins) && x.spins[k].old != 0 {
		x.spin[b.Thread] = x.spins[k].old
		x.spins = x.spins[:k]
	}
	x.insns[b.Thread] = p.begin
	if x.order != nil {
		x.order.Pop()
	}
	p.cur = nil
	if p.shared != nil {
		// Others have a copy of it, in p.shared.done.
		x.exit = frontierStep{b.Thread, b.Choice}
		x.sets.pool.put(b)
		return
	}
	if p.todo != nil || x.needs.refill != nil { // else nothing will run from p that b could sleep in
		b.Keep()
	}
	b.next, p.done = p.done, b
}

// clear leaves all states.
func (x *explorer) clear() {
	for i := range x.nodes {
		n := &x.nodes[i]
		if n.shared == nil { // else others may have them
			x.sets.pool.putAll(n.todo)
			x.sets.pool.putAll(n.done)
		}
		x.sets.pool.putAll(n.over)
		x.sets.pool.putAll(n.cur)
		*n = node{}
	}
	x.nodes, x.ready, x.sleep, x.choices = x.nodes[:0], x.ready[:0], x.sleep[:0], x.choices[:0]
	x.spins, x.waits = x.spins[:0], x.waits[:0]
	clear(x.spin)
	clear(x.insns)
}
