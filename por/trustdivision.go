package por

import "landgo/internal/trace"

// TruSt divided: a unit is the subtree of a graph, or what is left of one. A
// walk rests between two graphs. It is then its graph with the steps that made
// it, for all else can be made again from that (guided, in trust.go), and how
// deep it is in its subtree. Where there is room for further units, one is
// divided in two. The first is the subtree of the graph that its outermost
// revisit has made, as far as that is still to do. The other is the rest, which
// goes on as if that revisit was done.
//
// Nothing depends on which worker takes what, or when: where a walk rests is a
// matter of its steps alone. So all counts are the same for any number of
// workers, and after an interruption. Executions, Blocked and Pruned are those
// of the search that isn't divided, for each graph is visited once.

// graphUnit is a part of the search: a walk at rest.
type graphUnit struct {
	division      *graphDivision
	steps         []unitEvent
	top           []*branch // held in the last state
	marked        bool      // the last state is
	floor, nested int
	estimate      graphEstimate
	// done: the newest event is a revisit that is done with.
	done bool
	// divides: it is to be divided at the end of its quota.
	divides bool

	// The results of a batch.
	over  bool
	other *graphUnit
	stats Stats
	cut   bool
}

// unitEvent is an event of a graphUnit, and what was held in the state before it.
type unitEvent struct {
	thread      trace.TID
	choice      trace.Choice
	last        uint64
	added       origin
	group, redo int32
	displaced   *branch
	held        []*branch
	marked      bool // the state before it
}

// graphDivision is a division, and the search before it is divided.
type graphDivision struct {
	spec  Spec
	opts  Options
	root  trace.Mark
	walk  *trust // the search's own
	walks []*trust
	crew  []Worker
	stats Stats
	cut   bool
	share float64 // done, when the last batch began or was merged
	units []*graphUnit
	// whole: a search that isn't divided yet and has used so many steps.
	whole bool
	used  uint64
}

// once makes the search, up to its end or to a step that teaches finer points.
func (b *graphDivision) once(from []byte) error {
	w := b.walk
	w.reset()
	w.floor, w.nested, w.used, w.estimate = 0, 0, 0, newGraphEstimate()
	b.whole = true
	if from != nil {
		if err := b.unpack(from); err != nil {
			return err
		}
		if !b.whole {
			return b.divide()
		}
		w.stats, w.cut = b.stats, b.cut
		if err := w.rebuild(b.units[0]); err != nil || w.over() {
			return err
		}
		w.stats, w.used = b.stats, b.used
	}
	alone := b.spec.warmUp(&b.opts)
	divisible := b.spec.Whole() == "" && b.opts.MaxExecutions == 0
	over, err := w.explore(false, func() (bool, error) {
		if divisible && w.used >= alone {
			return true, nil
		}
		if b.opts.SaveNow == nil || !b.opts.SaveNow() {
			return false, nil
		}
		b.stats, b.cut, b.used, b.units = w.stats, w.cut, w.used, []*graphUnit{w.suspend(b)}
		return false, b.opts.save(b.pack())
	})
	if err != nil || w.over() {
		return err
	}
	if over {
		w.stats.Complete = true
		return nil
	}
	b.whole, b.stats, b.cut, b.units = false, w.stats, w.cut, []*graphUnit{w.suspend(b)}
	return b.divide()
}

// divide makes what is left of the search in batches.
func (b *graphDivision) divide() (err error) {
	w := b.walk
	sys, obs := w.sys, w.obs
	b.crew, err = b.opts.hire(Worker{Begin: func() System { sys.Rewind(b.root); return sys }, Obs: obs})
	if err != nil {
		return err
	}
	b.walks = []*trust{w}
	for _, c := range b.crew[1:] {
		b.walks = append(b.walks, newTrust(nil, c.Obs, b.spec, b.opts))
	}
	end, again, err := divide(b, b.crew, &b.opts, obs)
	w.sys, w.obs = sys, obs
	w.budget.begin(nil, 0)
	w.stats, w.cut, w.finer, w.stopped = b.stats, b.cut, end == learned, end == enough || end == gaveUp
	w.stats.Complete = end == rests && err == nil
	if again != nil {
		w.sys, b.root = again, again.Mark()
	}
	return err
}

// deal implements division.
func (b *graphDivision) deal() (units []unit, err error) {
	b.weigh()
	room := b.opts.room() - len(b.units)
	for i, p := range b.units {
		p.divides = i < room
		units = append(units, p)
	}
	return units, nil
}

// work implements unit.
func (p *graphUnit) work(i, index int, of *batch) (unitEnding, error) {
	w, c := p.division.walks[i], &p.division.crew[i]
	w.sys, w.obs = c.Begin(), c.Obs
	w.stats, w.cut, w.finer = Stats{}, false, false
	w.budget.begin(of, index)
	w.forget()
	w.reset()
	err := w.taught(w.workOn(p))
	p.stats, p.cut = w.stats, w.cut
	return w.endUnit(w.finer, err)
}

// workOn goes on with p, and leaves the results in p.
func (w *trust) workOn(p *graphUnit) (err error) {
	if err := w.rebuild(p); err != nil || w.over() {
		return err
	}
	w.used, w.quota = 0, p.division.opts.unitSteps(len(p.steps), w.index, len(w.batch.units))
	p.over, err = w.explore(p.done, func() (bool, error) { return w.used >= w.quota, nil })
	if err != nil || w.over() || p.over {
		return err
	}
	q := w.suspend(p.division)
	p.done = false
	if p.divides && w.nested > 0 {
		if err := w.outermost(); err != nil || w.over() {
			return err
		}
		q.floor, q.nested = w.size(), q.nested-1
		q.estimate.outermost()
		p.other, q = q, w.suspend(p.division)
		p.done = true
	}
	p.steps, p.top, p.marked, p.floor, p.nested, p.estimate = q.steps, q.top, q.marked, q.floor, q.nested, q.estimate
	return nil
}

// suspend is the walk at rest.
func (w *trust) suspend(of *graphDivision) *graphUnit {
	p := &graphUnit{division: of, floor: w.floor, nested: w.nested, estimate: w.estimate.clone()}
	for i := range w.steps[:w.size()] {
		s := &w.steps[i]
		e := unitEvent{thread: s.Thread, choice: s.Choice, last: s.last, added: s.added, group: s.group, redo: s.redo, marked: s.marked,
			held: w.heldAt(s.holds, w.steps[i+1].holds)}
		if s.added == revisits {
			e.displaced = new(pool).copy(&s.displaced.Event, 0)
		}
		p.steps = append(p.steps, e)
	}
	p.top, p.marked = w.heldAt(w.tip().holds, int32(len(w.holds))), w.tip().marked
	return p
}

func (w *trust) heldAt(lo, hi int32) (held []*branch) {
	for _, h := range w.holds[lo:hi] {
		held = append(held, new(pool).copy(&h.what.Event, 0))
	}
	return held
}

// rebuild builds the graph of p.
func (w *trust) rebuild(p *graphUnit) error {
	w.floor, w.nested, w.estimate = p.floor, p.nested, p.estimate.clone()
	for i := range p.steps {
		e := &p.steps[i]
		w.holdAll(e.held)
		w.marks(e.marked)
		turn := e.thread
		switch e.added {
		case alongside:
			turn = trace.NoThread
		case revisits:
			turn = e.displaced.Thread
		}
		if err := w.step(e.thread, e.choice, turn, false); err != nil || w.over() {
			return err
		}
		s := &w.steps[i]
		if s.last != e.last {
			return ErrAway
		}
		switch e.added {
		case alongside:
			s.added, s.group = alongside, e.group
		case revisits:
			w.turns(e.group, e.redo, w.pool.copy(&e.displaced.Event, 0))
		}
	}
	w.holdAll(p.top)
	w.marks(p.marked)
	return nil
}

// marks has the newest state marked or not, as it was in the walk that was
// suspended: how many steps lead back to a state depends on it.
func (w *trust) marks(marked bool) {
	if s := w.tip(); s.marked != marked && w.size() > 0 {
		if s.marked = marked; marked {
			s.mark = w.sys.Mark()
		}
	}
}

func (w *trust) holdAll(held []*branch) {
	for _, b := range held {
		w.hold(w.pool.copy(&b.Event, 0))
	}
}

// outermost takes the walk back to the graph that its outermost revisit has
// made: it leaves those within as if they were done.
func (w *trust) outermost() error {
	for {
		for w.steps[w.size()-1].added != revisits {
			w.drop(w.pop())
		}
		if w.nested == 1 {
			w.estimate.settle(w.size())
			return nil
		}
		s := w.pop()
		w.nested--
		w.estimate.ascend()
		t, r, displaced, k := s.Thread, s.group, s.displaced, s.kept
		s.displaced, s.kept = nil, nil
		w.pool.put(displaced)
		if err := w.regain(t, r, k); err != nil || w.over() {
			return err
		}
		w.forget()
	}
}

// count implements division.
func (b *graphDivision) count(i int) {
	b.stats.add(b.units[i].stats)
	b.cut = b.cut || b.units[i].cut
}

// merge implements division.
func (b *graphDivision) merge() error {
	var units []*graphUnit
	for _, p := range b.units {
		if !p.over {
			units = append(units, p)
		}
		if p.other != nil {
			units = append(units, p.other)
			p.other = nil
		}
	}
	b.units = units
	b.weigh()
	return nil
}

// weigh notes how much is done. In a batch that ends early, units that don't count may
// have gone anywhere.
func (b *graphDivision) weigh() {
	left := 0.0
	for _, p := range b.units {
		left += p.estimate.left()
	}
	b.share = max(0, 1-left)
}

// progress implements division.
func (b *graphDivision) progress() Progress {
	if b.whole {
		return b.walk.progress()
	}
	return Progress{Stats: b.stats, Share: b.share}
}
