package por

import (
	"errors"

	"landgo/por/relation"
	"landgo/trace"
)

// open enters the state in which sys stands; kids are the branches that a
// wakeup tree wants there.
func (x *explorer) open(kids *branch) {
	n, able := x.arrive()
	if n.depth > 0 {
		x.inherit(n, &x.nodes[n.depth-1])
	}
	if able == 0 {
		x.pool.putAll(kids)
		ending := EndedProcess
		for k := range x.threads {
			if x.threads[k].Status != trace.Exited {
				ending = EndedStuck
			}
		}
		x.end(ending)
		return
	}
	x.markAt(n, able)
	x.strat.seed(n, kids)
	if n.todo == nil {
		x.end(n.ending)
	}
}

// markAt marks the state of n, where sys stands, if there is any choice in it.
func (x *explorer) markAt(n *node, able int) {
	if (able > 1 || len(x.choices) > int(n.choices) || n.depth == 0 && x.refill != nil) && (x.sampling == nil || x.sampling.mark(int(n.depth))) {
		n.mark, n.marked = x.sys.Mark(), true
	}
}

// arrive makes the node of the state in which sys stands, and says how many
// threads can run there.
func (x *explorer) arrive() (n *node, able int) {
	i := len(x.nodes)
	if i < cap(x.nodes) {
		x.nodes = x.nodes[:i+1]
	} else {
		x.nodes = append(x.nodes, node{})
	}
	n = &x.nodes[i]
	*n = node{depth: int32(i), running: trace.NoThread, next: trace.NoThread, ending: EndedBlocked, sleeps: int32(len(x.sleep)), slept: int32(len(x.sleep)),
		choices: int32(len(x.choices)), spins: int32(len(x.spins)), seen: int32(len(x.waits))}
	x.at = i
	able = x.observe(n)
	if x.meter != nil {
		x.meter.enter(n)
	}
	return n, able
}

// step runs branch b from n and enters the state after it.
func (x *explorer) step(n *node, b *branch) error {
	kids, want := *x.pool.below(b), b.last
	b.kids = nil
	t, err := x.perform(n, b)
	if err != nil {
		return err
	}
	x.count(n, b)
	if want > t.Last && want > t.Begin && t.Last > t.Begin {
		// The step ended before its name says: the rest of it comes first.
		rest := x.pool.named(b.Thread, 0)
		rest.last, rest.kids = want, kids
		kids = rest
	}
	x.strat.ran(n.depth)
	if x.finer {
		return x.runOut(t)
	}
	if t.End == trace.EndProcess || t.End == trace.EndBug {
		x.pool.putAll(kids)
		x.endProcess(t)
		return nil
	}
	x.open(kids)
	return x.failed
}

// perform takes the step of branch b from n, and makes it the event that leads
// on from there.
func (x *explorer) perform(n *node, b *branch) (*trace.Transition, error) {
	i := int(n.depth)
	if x.at != i {
		if !n.marked {
			panic("por: no mark at a state with a branch left")
		}
		x.sys.Rewind(n.mark)
		x.at = i
		x.threads = x.sys.Threads(x.threads[:0])
	}
	var first trace.Op
	for k := range x.threads {
		if t := &x.threads[k]; t.ID == b.Thread {
			if x.meter != nil {
				b.price = x.meter.step(n, b.Thread, t.Yielding)
			}
			if first = t.Pending; t.Expiring {
				first = trace.Op{Kind: trace.OpAdvance}
				x.strat.expire()
			}
		}
	}
	t, err := x.sys.Step(b.Thread, b.Choice)
	if err != nil {
		if !errors.Is(err, ErrFiner) || t == nil {
			return nil, err
		}
		x.finer = true
	}
	b.last = t.Last
	n.begin, n.last = t.Begin, t.Last
	b.Event = relation.NewEvent(t)
	if s := x.spin[b.Thread]; s != 0 {
		b.Event.Waits = x.waits[x.spins[s-1].lo:x.spins[s-1].hi]
	}
	n.cur, n.kept = b, nil
	if t.Disables && x.sampling == nil {
		// That the others come first is a race that no later event shows: those who
		// can't run any more come only after whoever lets them. (Priorities aren't
		// in any of the papers.)
		x.addAll(n)
	}
	x.ended.Last = t
	x.insns[b.Thread] = t.Last
	if x.order != nil {
		if len(t.Ops) > 0 && t.Ops[0].Kind == first.Kind {
			first = t.Ops[0]
		}
		x.order.Push(&b.Event, first)
		for _, w := range t.Wakes {
			x.order.Wake(w)
		}
	}
	if s := x.spin[b.Thread]; s != 0 {
		x.spins = append(x.spins, spin{b.Thread, 0, 0, s})
		x.spin[b.Thread] = 0
	}
	return t, nil
}

// count counts a step.
func (x *explorer) count(n *node, b *branch) {
	if b.again || x.retaken || x.meter != nil && x.meter.stale(int(n.depth)+1) {
		x.stats.Replayed++
	} else {
		x.stats.Transitions++
	}
	x.used++
	if x.polled++; x.polled&x.look == 0 || x.used >= x.quota {
		x.due = true
	}
}
