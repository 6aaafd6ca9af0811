package por

import (
	"cmp"

	"landgo/trace"
)

// TruSt divided: a part is the subtree of a graph, or what is left of one. A
// walk that rests between two graphs is its graph with the steps that made it,
// for all else can be made again from that (guided, in trust.go); and how deep
// it is in its subtree. Where there is room for further parts, one is divided in
// two: the subtree of the graph that its outermost revisit has made, as far as
// that is still to do, and the rest, which goes on as if that revisit was done.
//
// Nothing depends on who works on what, or when: where a walk rests is a matter
// of its steps alone. So all counts are the same for any number of workers, and
// after an interruption. Executions, Blocked and Pruned are those of the search
// that isn't divided, for each graph is visited once, by whomever.

// bough is a part of the search: a walk at rest.
type bough struct {
	of            *boughs
	steps         []grown
	top           []*branch // held in the last state
	floor, nested int
	scale         scale
	// done: the newest event is a revisit that is done with.
	done bool
	// fork: it is to be divided at the end of its stint.
	fork bool

	// What the stint came to.
	over  bool
	other *bough
	stats Stats
	cut   bool
}

// grown is an event of a bough, and what was held in the state before it.
type grown struct {
	thread      trace.TID
	choice      trace.Choice
	last        uint64
	added       how
	group, redo int32
	displaced   *branch
	held        []*branch
}

// boughs is a division, and the search before it is divided.
type boughs struct {
	spec  Spec
	opts  Options
	root  trace.Mark
	walk  *trust // the search's own
	walks []*trust
	crew  []Worker
	stats Stats
	cut   bool
	share float64 // done, when the last lap began or was merged
	parts []*bough
	// whole: a search that isn't divided yet and has used so many steps.
	whole bool
	used  uint64
}

// once makes the search, up to its end or to a step that teaches finer points.
func (b *boughs) once(from []byte) error {
	w := b.walk
	w.reset()
	w.floor, w.nested, w.used, w.scale = 0, 0, 0, newScale()
	b.whole = true
	if from != nil {
		if err := b.unpack(from); err != nil {
			return err
		}
		if !b.whole {
			return b.divide()
		}
		w.stats, w.cut = b.stats, b.cut
		if err := w.regrow(b.parts[0]); err != nil || w.halted() {
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
		b.stats, b.cut, b.used, b.parts = w.stats, w.cut, w.used, []*bough{w.rest(b)}
		return false, b.opts.save(b.pack())
	})
	if err != nil || w.halted() {
		return err
	}
	if over {
		w.stats.Complete = true
		return nil
	}
	b.whole, b.stats, b.cut, b.parts = false, w.stats, w.cut, []*bough{w.rest(b)}
	return b.divide()
}

// divide makes what is left of the search in laps.
func (b *boughs) divide() error {
	w := b.walk
	sys, obs, crew := w.sys, w.obs, b.opts.Crew
	b.crew = []Worker{{Begin: func() System { sys.Rewind(b.root); return sys }, Obs: obs}}
	if crew != nil {
		hired, err := crew.Hire()
		if err != nil {
			return err
		}
		b.crew = hired
	}
	b.walks = []*trust{w}
	for _, c := range b.crew[1:] {
		b.walks = append(b.walks, newTrust(nil, c.Obs, b.spec, b.opts))
	}
	end, worker, err := divide(b, b.crew, &b.opts, obs)
	w.sys, w.obs, w.lap = sys, obs, nil
	w.stats, w.cut, w.finer = b.stats, b.cut, end == learned
	w.stopped = end == enough || end == gaveUp
	w.stats.Complete = end == rests && err == nil
	switch {
	case crew == nil:
	case end == failed:
		crew.Failed(worker)
	case end == learned && err == nil:
		if w.sys, err = crew.Restart(worker); err == nil {
			b.root = w.sys.Mark()
		}
	}
	return err
}

// deal implements division.
func (b *boughs) deal() (parts []part, err error) {
	b.weigh()
	room := cmp.Or(b.opts.lapParts, lapParts) - len(b.parts)
	for i, p := range b.parts {
		p.fork = i < room
		parts = append(parts, p)
	}
	return parts, nil
}

// work implements part.
func (p *bough) work(i, index int, l *lap) (ending, error) {
	w, c := p.of.walks[i], &p.of.crew[i]
	w.sys, w.obs = c.Begin(), c.Obs
	w.stats, w.cut, w.stopped, w.finer, w.gaveUp = Stats{}, false, false, false, false
	w.lap, w.index = l, index
	w.forget()
	w.reset()
	err := w.taught(w.stint(p))
	p.stats, p.cut = w.stats, w.cut
	w.lap = nil
	switch {
	case err != nil:
		return failed, err
	case w.finer:
		return learned, nil
	case w.gaveUp:
		return gaveUp, nil
	case w.stopped:
		return enough, nil
	}
	return rests, nil
}

// stint goes on with p, and leaves in it what it came to.
func (w *trust) stint(p *bough) (err error) {
	if err := w.regrow(p); err != nil || w.halted() {
		return err
	}
	w.used, w.quota = 0, p.of.opts.stint(len(p.steps), w.index, len(w.lap.parts))
	p.over, err = w.explore(p.done, func() (bool, error) { return w.used >= w.quota, nil })
	if err != nil || w.halted() || p.over {
		return err
	}
	q := w.rest(p.of)
	p.done = false
	if p.fork && w.nested > 0 {
		if err := w.outermost(); err != nil || w.halted() {
			return err
		}
		q.floor, q.nested = w.size(), q.nested-1
		q.scale.outermost()
		p.other, q = q, w.rest(p.of)
		p.done = true
	}
	p.steps, p.top, p.floor, p.nested, p.scale = q.steps, q.top, q.floor, q.nested, q.scale
	return nil
}

// rest is the walk at rest.
func (w *trust) rest(of *boughs) *bough {
	p := &bough{of: of, floor: w.floor, nested: w.nested, scale: w.scale.clone()}
	for i := range w.steps[:w.size()] {
		s := &w.steps[i]
		e := grown{thread: s.Thread, choice: s.Choice, last: s.last, added: s.added, group: s.group, redo: s.redo,
			held: w.heldAt(s.holds, w.steps[i+1].holds)}
		if s.added == revisits {
			e.displaced = new(pool).copy(&s.displaced.Event, 0)
		}
		p.steps = append(p.steps, e)
	}
	p.top = w.heldAt(w.tip().holds, int32(len(w.holds)))
	return p
}

func (w *trust) heldAt(lo, hi int32) (held []*branch) {
	for _, h := range w.holds[lo:hi] {
		held = append(held, new(pool).copy(&h.what.Event, 0))
	}
	return held
}

// regrow builds the graph of p.
func (w *trust) regrow(p *bough) error {
	w.floor, w.nested, w.scale = p.floor, p.nested, p.scale.clone()
	for i := range p.steps {
		e := &p.steps[i]
		w.holdAll(e.held)
		turn := e.thread
		switch e.added {
		case alongside:
			turn = trace.NoThread
		case revisits:
			turn = e.displaced.Thread
		}
		if err := w.step(e.thread, e.choice, turn, false); err != nil || w.halted() {
			return err
		}
		s := &w.steps[i]
		if s.last != e.last {
			return errAway
		}
		switch e.added {
		case alongside:
			s.added, s.group = alongside, e.group
		case revisits:
			w.turns(e.group, e.redo, w.pool.copy(&e.displaced.Event, 0))
		}
	}
	w.holdAll(p.top)
	return nil
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
			w.scale.settle(w.size())
			return nil
		}
		s := w.pop()
		w.nested--
		w.scale.ascend()
		t, r, displaced := s.Thread, s.group, s.displaced
		s.displaced = nil
		err := w.remake(t, r, -1)
		w.pool.put(displaced)
		w.guide.empty(&w.pool)
		if err != nil || w.halted() {
			return err
		}
	}
}

// count implements division.
func (b *boughs) count(i int) {
	b.stats.add(b.parts[i].stats)
	b.cut = b.cut || b.parts[i].cut
}

// merge implements division.
func (b *boughs) merge() error {
	var parts []*bough
	for _, p := range b.parts {
		if !p.over {
			parts = append(parts, p)
		}
		if p.other != nil {
			parts = append(parts, p.other)
			p.other = nil
		}
	}
	b.parts = parts
	b.weigh()
	return nil
}

// weigh notes how much is done. In a lap that ends early, parts that don't count may
// have gone anywhere.
func (b *boughs) weigh() {
	left := 0.0
	for _, p := range b.parts {
		left += p.scale.left()
	}
	b.share = max(0, 1-left)
}

// progress implements division.
func (b *boughs) progress() Progress {
	if b.whole {
		return b.walk.progress()
	}
	return Progress{Stats: b.stats, Share: b.share}
}
