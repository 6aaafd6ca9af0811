package por

import (
	"errors"
	"slices"
)

// How a walk works on a unit of a divided search (treedivision.go).

// ErrAway is a path that leads elsewhere on another system, or than a checkpoint says.
var ErrAway = errors.New("a step ends elsewhere when another worker repeats it")

// work implements unit.
func (p *treeUnit) work(w, i int, b *batch) (unitEnding, error) {
	x := p.tree.explorers[w]
	x.beginUnit(&p.tree.workers[w], b, i)
	x.quota = x.opts.unitSteps(int(p.tip.depth), i, len(b.units))
	p.start = p.tip
	err := p.workOn(x)
	p.stats = x.stats
	return x.endUnit(x.finer, err)
}

// workOn goes on with p, and leaves the results in p.
func (p *treeUnit) workOn(x *explorer) error {
	if p.chunk != nil {
		p.tip.todo, p.chunk = p.chunk.tree(&x.sets.pool), nil
	}
	if err := p.visit(x); err != nil || x.finer {
		return err
	}
	p.old = nil
	if x.rising != nil {
		x.rising.limitTo(p.tree.iteration.level)
	}
	if p.takes {
		i := len(x.nodes) - 1
		n := &x.nodes[i]
		x.sets.own(n)
		b := x.take(n)
		if p.todo = x.sets.pool.copies(n.todo); b == nil {
			p.over = true
			return nil
		}
		if err := x.step(n, b); err != nil || x.finer {
			return err
		}
		n = &x.nodes[i]
		p.taken = x.sets.pool.copy(&n.cur.Event, n.last)
	}
	if err := x.explore(); err != nil || x.over() {
		return err
	}
	p.collect(x)
	return nil
}

// visit builds the path to where p goes on.
func (p *treeUnit) visit(x *explorer) error {
	x.unwind()
	if m := x.meter; x.needs.late && p.old != nil && x.opts.Iterate {
		m.limits[m.first], m.fresh = p.old.limit, p.old.fresh // before the path is built
	}
	if x.observers != nil && p.old != nil {
		if err := x.observers.learned(p.old.own); err != nil {
			return err
		}
	}
	path := make([]*sharedState, p.tip.depth+1)
	shared := -1 // the deepest state below which others are too
	for j := p.tip; j != nil; j = j.up {
		path[j.depth] = j
		if shared < 0 && (j.active > 1 || p.takes) {
			shared = int(j.depth)
		}
	}
	for k, j := range path {
		n, able := x.arrive()
		n.strays, n.ended = j.strays, j.ended
		x.sleep = append(x.sleep, j.sleep...)
		n.slept = int32(len(x.sleep))
		x.markAt(n, able)
		n.todo, n.done, n.over = j.todo, j.done, j.over
		var b *branch
		if k <= shared {
			n.shared = j
		} else {
			j.todo, j.done, j.over = nil, nil, nil
		}
		if k+1 == len(path) {
			break
		}
		next := path[k+1]
		if k <= shared {
			b = x.sets.pool.named(next.thread, next.choice)
		} else {
			b = remove(&n.done, next.thread, next.choice)
		}
		if !x.isReady(int32(k), next.thread) {
			return ErrAway
		}
		if t, err := x.perform(n, b); err != nil {
			return err
		} else if x.finer {
			return x.runOut(t)
		} else if t.Last != next.last {
			return ErrAway
		}
	}
	if r, ok := x.strat.(resumer); ok {
		return r.resumed(p.old)
	}
	return nil
}

// collect leaves in p the results of the walk, at the end of its quota.
func (p *treeUnit) collect(x *explorer) {
	var up *sharedState
	last := len(x.nodes) - 1
	for i := range x.nodes {
		n := &x.nodes[i]
		if n.shared == nil {
			break
		}
		up = n.shared
		if n.copied {
			base := n.shared.todo
			if p.takes && n.shared == p.start {
				base = p.todo
			}
			p.planned(&x.sets.pool, n.shared, nil, base, n.todo)
			x.sets.pool.putAll(n.todo)
			n.todo, n.copied = n.shared.todo, false
		}
	}
	if x.rising != nil {
		p.cutOff = x.rising.giveUp()
	}
	if n := &x.nodes[last]; n.shared != nil || x.stats.Complete {
		p.over, p.from, p.thread, p.choice = true, up, x.exit.thread, x.exit.choice
		return
	}
	if r, ok := x.strat.(resumer); ok {
		p.old = r.remember()
	}
	for i := range x.nodes {
		if n := &x.nodes[i]; n.shared == nil {
			x.sets.pool.unfold(n.todo)
		}
	}
	p.tip = x.freeze()
	for i := range x.nodes {
		if n := &x.nodes[i]; n.shared == nil {
			n.todo, n.done = nil, nil
		}
	}
}

// planned notes the sequences that list has, of the branches planned in j below
// those of way, and base hasn't: what this walk has added.
func (p *treeUnit) planned(pool *pool, j *sharedState, way []*branch, base, list *branch) {
	for ; list != nil; list = list.next {
		way := append(way, list)
		below := *pool.below(list)
		switch {
		case base != nil:
			p.planned(pool, j, way, base.kids, below)
			base = base.next
		case below != nil:
			p.planned(pool, j, way, nil, below)
		default:
			chain := make([]*branch, len(way))
			for i, b := range way {
				chain[i] = pool.copy(&b.Event, b.last)
			}
			p.plans = append(p.plans, plan{j, chain})
		}
	}
}

// divisible reports whether the search can be divided.
func (x *explorer) divisible() bool {
	return x.spec.Whole() == "" && x.opts.MaxExecutions == 0
}

// divideTree makes a tree of the search that this walk has made so far.
func (x *explorer) divideTree() *treeDivision {
	t := &treeDivision{x: x, stats: x.stats}
	if x.rising != nil {
		t.iteration = x.rising.takeAway()
	}
	p := &treeUnit{tree: t}
	p.collect(x)
	if !p.over {
		t.units = append(t.units, p)
	}
	return t
}

// hire returns the workers of a divided search, and a walk for each: x for the
// first.
func (x *explorer) hire() (workers []Worker, walks []*explorer, err error) {
	workers, err = x.opts.hire(Worker{Begin: func() System { x.sys.Rewind(x.root); return x.sys }, Obs: x.obs})
	if err != nil {
		return nil, nil, err
	}
	walks = []*explorer{x}
	for _, w := range workers[1:] {
		m := newExplorer(nil, w.Obs, x.spec, x.opts)
		m.reset()
		walks = append(walks, m)
	}
	return workers, walks, nil
}

// inBatches makes a division's search.
func (x *explorer) inBatches(d division, workers []Worker) (err error) {
	sys, root, obs := x.sys, x.root, x.obs
	end, again, err := divide(d, workers, &x.opts, obs)
	x.sys, x.root, x.obs, x.stats = sys, root, obs, d.progress().Stats
	x.budget.begin(nil, 0)
	x.divided = false
	x.finer, x.stopped = end == learned, end == enough || end == gaveUp
	x.stats.Complete = end == rests && err == nil
	x.spare()
	if again != nil {
		x.sys = again
		x.spare()
		x.root = again.Mark()
	}
	return err
}

// beginUnit has a walk begin a unit of a batch with worker w.
func (x *explorer) beginUnit(w *Worker, b *batch, index int) {
	x.sys, x.obs = w.Begin(), w.Obs
	x.spare()
	x.root = x.sys.Mark()
	x.stats, x.finer, x.divided = Stats{}, false, true
	x.budget.begin(b, index)
}

// freeze makes shared states of the states of the path from the first that is only
// this walk's, and returns the last. They have the nodes' lists.
func (x *explorer) freeze() (tip *sharedState) {
	for i := range x.nodes {
		n := &x.nodes[i]
		if n.shared != nil {
			tip = n.shared
			continue
		}
		j := &sharedState{up: tip, depth: n.depth, strays: n.strays, sleep: slices.Clone(x.sleepers(n)),
			todo: n.todo, done: n.done, over: n.over, ended: n.ended}
		for b := j.done; b != nil; b = b.next {
			b.finished = true
			if n.cur == nil && n.todo == nil && !x.needs.late {
				b.Accesses, b.Ops, b.Waits = nil, nil, nil // never looked at again, and gone with their steps
			}
		}
		if i > 0 {
			before := &x.nodes[i-1]
			j.thread, j.choice, j.last = before.cur.Thread, before.cur.Choice, before.last
		}
		if n.cur != nil {
			b := x.sets.pool.copy(&n.cur.Event, n.last)
			b.price, b.cut, b.changes, b.conservative = n.cur.price, n.cur.cut, n.cur.changes, n.cur.conservative
			b.next, j.done = j.done, b
			j.active = 1
		}
		tip = j
	}
	return tip
}
