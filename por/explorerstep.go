package por

import (
	"errors"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// open enters the state in which sys stands; kids are the branches that a
// wakeup tree wants there.
func (x *explorer) open(kids *branch) error {
	n, able := x.arrive()
	if n.depth > 0 {
		x.inherit(n, &x.nodes[n.depth-1])
	}
	if able == 0 {
		x.sets.pool.putAll(kids)
		ending := EndedProcess
		for k := range x.threads {
			if x.threads[k].Status != trace.Exited {
				ending = EndedStuck
			}
		}
		x.end(ending)
		return nil
	}
	if x.opts.Leaves > 0 && int(n.depth) >= x.opts.Leaves {
		x.sets.pool.putAll(kids)
		x.stats.Pruned++
		x.end(EndedPruned)
		return nil
	}
	x.markAt(n, able)
	if err := x.strat.seed(n, kids); err != nil {
		return err
	}
	if n.todo == nil {
		x.end(n.ending)
	}
	return nil
}

// markAt marks the state of n, where sys stands, if there is any choice in it.
func (x *explorer) markAt(n *node, able int) {
	if (able > 1 || len(x.choices) > int(n.choices) || n.depth == 0 && x.needs.refill != nil) && (x.needs.mark == nil || x.needs.mark(int(n.depth))) {
		n.mark, n.marked = x.sys.Mark(), true
	}
}

// comeTo has sys come back to the state of n.
func (x *explorer) comeTo(n *node) {
	x.sys.Rewind(n.mark)
	x.at = int(n.depth)
	x.look()
}

// take removes the next branch to explore from n's, nil if there is none.
func (x *explorer) take(n *node) *branch {
	for n.todo != nil {
		b := n.todo
		n.todo, b.next = b.next, nil
		if b.last != 0 && b.last < x.insns[b.Thread] {
			// An earlier step went beyond this one: what follows it comes now.
			kids := x.sets.pool.below(b)
			add(kids, n.todo)
			leaf := *kids == n.todo
			n.todo, *kids = *kids, nil
			x.sets.pool.put(b)
			if leaf {
				x.sets.addAll(n)
			}
			continue
		}
		if !x.isReady(n.depth, b.Thread) || !x.possible(n, b.Thread, b.Choice) || x.asleep(n, b.Thread, b.Choice) {
			// The reversed step isn't possible after all (a wait that ended for
			// another reason, a choice that isn't there), or turns out redundant.
			// Sequences that were taken for covered by it may not be: explore
			// everything here.
			x.sets.pool.putAll(b)
			x.sets.addAll(n)
			continue
		}
		if x.needs.allow != nil && !x.needs.allow(n, b) {
			b.next, n.over = n.over, b
			continue
		}
		return b
	}
	return nil
}

// step runs branch b from n and enters the state after it.
func (x *explorer) step(n *node, b *branch) error {
	kids, want := *x.sets.pool.below(b), b.last
	b.kids = nil
	t, err := x.perform(n, b)
	if err != nil {
		return err
	}
	x.count(n, b)
	if want > t.Last && want > t.Begin && t.Last > t.Begin {
		// The step ended before its name says: the rest of it comes first.
		rest := x.sets.pool.named(b.Thread, 0)
		rest.last, rest.kids = want, kids
		kids = rest
	}
	n.leads = kids != nil
	x.strat.ran(n.depth)
	if x.finer {
		return x.runOut(t)
	}
	if x.opts.TooLong > 0 && int(n.depth) >= x.opts.TooLong {
		return ErrTooLong
	}
	if t.End == trace.EndProcess || t.End == trace.EndBug {
		x.sets.pool.putAll(kids)
		x.endProcess(t)
		return nil
	}
	return x.open(kids)
}

// perform takes the step of branch b from n, and makes it the event that leads
// on from there.
func (x *explorer) perform(n *node, b *branch) (*trace.Transition, error) {
	if x.at != int(n.depth) {
		if !n.marked {
			panic("por: no mark at a state with a branch left")
		}
		x.comeTo(n)
	}
	var first trace.Op
	if t := x.thread(b.Thread); t != nil {
		if x.meter != nil {
			b.price = x.meter.step(n, b.Thread, b.Choice, t.Yielding)
		}
		if first = t.Pending; t.Expiring {
			first = trace.Op{Kind: trace.OpAdvance}
			x.strat.expire()
		}
	}
	await, late := x.await(b.Thread)
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
	b.Waits = x.spinReads(b.Thread)
	if b.Late = late && b.Global; len(t.Accesses) > 0 {
		b.Await = await
	}
	n.cur, n.kept = b, nil
	if t.Disables && x.needs.mark == nil {
		// That the others come first is a race that no later event shows: a thread
		// that can't run any more comes only after another lets it. (Priorities
		// aren't in any of the papers.)
		x.sets.addAll(n)
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
		if t.Frees != 0 && x.opts.fault != unfreed {
			x.order.Wake(t.Frees)
		}
	}
	if s := x.spin[b.Thread]; s != 0 {
		x.spins = append(x.spins, spin{b.Thread, 0, 0, s})
		x.spin[b.Thread] = 0
	}
	return t, nil
}

// spare has sys spare the search the polls of loops, ends of the process that only cut
// threads off, and the orders of what blends, if all three can.
func (x *explorer) spare() {
	x.next.awaiter = nil
	if s, ok := x.sys.(Blender); ok {
		s.Blend(x.spec.commutes() && x.opts.OneEvent)
	}
	x.counts.from, x.overwriter = nil, nil
	if s, ok := x.sys.(Counter); ok {
		on := x.spec.commutes() && !x.spec.symmetric() && x.opts.OneEvent && x.order != nil
		if s.Count(on); on {
			x.counts.from = s
		}
	}
	if s, ok := x.sys.(Tester); ok {
		s.Test(x.spec.commutes() && !x.spec.symmetric() && x.opts.OneEvent && x.meter == nil)
	}
	if s, ok := x.sys.(Overwriter); ok {
		s.Overwrite(x.spec.Observes())
		on := x.spec.unreads() && x.opts.OneEvent && x.order != nil
		if s.Unread(on); on {
			x.overwriter = s
		}
	}
	if s, ok := x.sys.(Symmetric); ok {
		s.Symmetry(x.spec.symmetric() && x.opts.OneEvent)
	}
	if s, ok := x.sys.(Awaiter); ok {
		on := x.spec.awaits() && x.opts.OneEvent
		s.EndLate(on && x.spec.kind.endsLate && !x.opts.EndsAnywhere)
		if s.Await(on); on {
			x.next.awaiter = s
		}
		if s, ok := x.sys.(Parker); ok {
			s.Park(on && x.spec.kind.parks && x.meter == nil && !x.spec.symmetric() && !x.spec.unreads())
		}
	}
}

// await is the Await of thread t's step, which is next, if it awaits; else nil. late:
// the step is possible only where nothing else is.
func (x *explorer) await(t trace.TID) (a *relation.Await, late bool) {
	th := x.thread(t)
	if x.next.awaiter == nil || th == nil {
		return nil, false
	}
	if th.Awaits {
		a = &relation.Await{Past: x.next.past(th, nil)}
	}
	return a, th.Late && x.opts.fault != racingEnds
}

// count counts a step.
func (x *explorer) count(n *node, b *branch) {
	if b.again || x.needs.retaken || x.meter != nil && x.meter.stale(int(n.depth)+1) {
		x.stats.Replayed++
	} else {
		x.stats.Transitions++
	}
	x.budget.step()
}
