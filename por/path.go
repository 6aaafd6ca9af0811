package por

import (
	"landgo/por/relation"
	"landgo/trace"
)

// What a search knows of a state: who can run, with how many outcomes, and who
// spins on what. Kept per state of the current path, in stacks.

// observe reads the threads' status in the state of n and returns the number
// of those that can run.
func (x *explorer) observe(n *node) (able int) {
	x.threads = x.sys.Threads(x.threads[:0])
	if len(x.threads) > 0 {
		x.widen(int(x.threads[len(x.threads)-1].ID) + 1)
	}
	i := int(n.depth)
	for len(x.ready) < (i+1)*x.words {
		x.ready = append(x.ready, 0)
	}
	set := x.ready[i*x.words : (i+1)*x.words]
	clear(set)
	if i > 0 {
		n.running = x.nodes[i-1].cur.Thread
		n.preemptions = x.nodes[i-1].preemptions
		n.turn = 1
		if x.nodes[i-1].running == n.running {
			n.turn = x.nodes[i-1].turn + 1
		}
		if x.nodes[i-1].preempting(n.running) {
			n.preemptions++
		}
	}
	for k := range x.threads {
		t := &x.threads[k]
		switch t.Status {
		case trace.Ready:
			able++
			if t.Next {
				n.next = t.ID
			}
			set[t.ID/64] |= 1 << (t.ID % 64)
			if t.Outcomes > 1 {
				x.choices = append(x.choices, choice{t.ID, t.Outcomes})
			}
			if t.ID == n.running {
				k := t.Pending.Kind
				n.couldGoOn = !t.Yielding && k != trace.OpExit && k != trace.OpEnd
			}
			x.letOn(n, t)
		case trace.Spinning:
			if x.order != nil && x.spin[t.ID] == 0 {
				lo := int32(len(x.waits))
				x.waits = append(x.waits, t.Waits...)
				x.spins = append(x.spins, spin{t.ID, lo, int32(len(x.waits)), 0})
				x.spin[t.ID] = int32(len(x.spins))
			}
		}
	}
	return able
}

// letOn gives a thread that the last event let go on an edge of the order from
// that event, if it says nothing of it itself: where a thread waits for
// something that isn't disabled again, what enabled it came before.
func (x *explorer) letOn(n *node, t *trace.Thread) {
	i := int(n.depth)
	if x.order == nil || i == 0 || t.ID == n.running || x.order.Last(t.ID) < 0 || x.isReady(i-1, t.ID) {
		return
	}
	if !t.Expiring && t.Pending.Kind != trace.OpAccess && !relation.Acquires(t.Pending.Kind) {
		x.order.Wake(t.ID)
	}
}

func (x *explorer) widen(n int) {
	for len(x.spin) < n {
		x.spin, x.insns = append(x.spin, 0), append(x.insns, 0)
	}
	if x.order != nil {
		x.order.Widen(n)
	}
	w := (n + 63) / 64
	if w <= x.words {
		return
	}
	ready := make([]uint64, len(x.ready)/x.words*w)
	for i := 0; i < len(x.ready)/x.words; i++ {
		copy(ready[i*w:], x.ready[i*x.words:(i+1)*x.words])
	}
	x.ready, x.words = ready, w
}

func (x *explorer) isReady(i int, t trace.TID) bool {
	w := int(t) / 64
	return w < x.words && x.ready[i*x.words+w]>>(uint(t)%64)&1 != 0
}

// outcomes is the number of outcomes of ready thread t's step in the state of
// n.
func (x *explorer) outcomes(n *node, t trace.TID) trace.Choice {
	hi := int32(len(x.choices))
	if int(n.depth)+1 < len(x.nodes) {
		hi = x.nodes[n.depth+1].choices
	}
	for _, c := range x.choices[n.choices:hi] {
		if c.thread == t {
			return trace.Choice(c.outcomes)
		}
	}
	return 1
}

// preempting reports whether running t in the state of n is a preemption.
func (n *node) preempting(t trace.TID) bool { return n.couldGoOn && t != n.running }
