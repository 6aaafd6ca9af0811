package por

import (
	"cmp"
	"math"

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
	parts []*bough
	// whole: a search that isn't divided yet and has used so many steps.
	whole bool
	used  uint64
}

// boughsVersion is that of what boughs pack.
const boughsVersion = snapshotVersion + 1

// boughLimit is the number of steps after which a part rests.
const boughLimit = 1 << 13

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
	w.used, w.quota = 0, cmp.Or(p.of.opts.Stint, max(boughLimit, 16*uint64(len(p.steps))))
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
		e := grown{thread: s.thread, choice: s.choice, last: s.last, added: s.added, group: s.group, redo: s.redo,
			held: w.heldAt(s.holds, w.steps[i+1].holds)}
		if s.added == revisits {
			e.displaced = new(pool).copy(&s.displaced.event, 0)
		}
		p.steps = append(p.steps, e)
	}
	p.top = w.heldAt(w.tip().holds, int32(len(w.holds)))
	return p
}

func (w *trust) heldAt(lo, hi int32) (held []*branch) {
	for _, h := range w.holds[lo:hi] {
		held = append(held, new(pool).copy(&h.what.event, 0))
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
			turn = e.displaced.thread
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
			w.turns(e.group, e.redo, w.pool.copy(&e.displaced.event, 0))
		}
	}
	w.holdAll(p.top)
	return nil
}

func (w *trust) holdAll(held []*branch) {
	for _, b := range held {
		w.hold(w.pool.copy(&b.event, 0))
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
		t, r, displaced := s.thread, s.group, s.displaced
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
	return nil
}

// progress implements division.
func (b *boughs) progress() Progress {
	if b.whole {
		return b.walk.progress()
	}
	left := 0.0
	for _, p := range b.parts {
		left += p.scale.left()
	}
	return Progress{Stats: b.stats, Share: max(0, 1-left)}
}

// pack implements division.
func (b *boughs) pack() ([]byte, error) {
	p := packer{}
	p.put(boughsVersion)
	p.putCounts(&b.stats)
	p.putBool(b.cut)
	p.putBool(b.whole)
	p.put(b.used, uint64(len(b.parts)))
	for _, g := range b.parts {
		p.put(uint64(g.floor), uint64(g.nested))
		p.putBool(g.done)
		p.put(uint64(len(g.steps)))
		for i := range g.steps {
			e := &g.steps[i]
			p.put(uint64(e.thread), uint64(e.choice), e.last, uint64(e.added), uint64(e.group), uint64(e.redo+1))
			if e.added == revisits {
				p.putStep(e.displaced)
			}
			p.putHeld(e.held)
		}
		p.putHeld(g.top)
		p.putScale(&g.scale)
	}
	return p.buf, p.failed
}

func (p *packer) putScale(s *scale) {
	p.putFloats(s.done, s.lifted)
	p.put(uint64(s.light), uint64(len(s.runs)))
	for i := range s.runs {
		r := &s.runs[i]
		p.putFloats(r.before, r.weight)
		p.put(uint64(r.floor), uint64(len(r.joints)))
		for _, j := range r.joints {
			p.putFloats(j.before, j.weight, j.size)
			p.putBool(j.known)
			p.put(uint64(j.next), uint64(len(j.reaches)))
			for _, q := range j.reaches {
				p.put(uint64(q.r))
				p.putFloats(q.size)
			}
		}
	}
}

func (p *packer) putFloats(all ...float64) {
	for _, f := range all {
		p.put(math.Float64bits(f))
	}
}

func (p *packer) putHeld(held []*branch) {
	p.put(uint64(len(held)))
	for _, b := range held {
		p.putStep(b)
	}
}

// unpack goes on from a snapshot.
func (b *boughs) unpack(data []byte) error {
	u := &unpacker{buf: data}
	if u.get() != boughsVersion {
		return errSnapshot
	}
	u.counts(&b.stats)
	b.cut, b.whole, b.used, b.parts = u.below(2) == 1, u.below(2) == 1, u.get(), nil
	for n := u.length(); n > 0 && !u.bad; n-- {
		g := &bough{of: b, floor: int(u.below(1 << 31)), nested: int(u.below(1 << 31)), done: u.below(2) == 1}
		for k := u.length(); k > 0 && !u.bad; k-- {
			e := grown{thread: trace.TID(u.below(threadLimit)), choice: trace.Choice(u.below(1 << 32)), last: u.get(), added: how(u.below(uint64(revisits) + 1)),
				group: int32(u.below(1 << 31)), redo: int32(u.below(1<<31)) - 1}
			if e.added == revisits {
				e.displaced = u.step()
			}
			e.held = u.held()
			g.steps = append(g.steps, e)
		}
		g.top, g.scale = u.held(), u.scale()
		b.parts = append(b.parts, g)
	}
	if u.bad || len(u.buf) > 0 || b.whole && len(b.parts) != 1 {
		return errSnapshot
	}
	return nil
}

func (u *unpacker) scale() (s scale) {
	s.done, s.lifted, s.light = u.float(), u.float(), int(u.below(1<<31))
	for n := u.length(); n > 0 && !u.bad; n-- {
		r := limb{before: u.float(), weight: u.float(), floor: int(u.below(1 << 31))}
		for k := u.length(); k > 0 && !u.bad; k-- {
			j := joint{before: u.float(), weight: u.float(), size: u.float(), known: u.below(2) == 1, next: int(u.below(1 << 31))}
			for m := u.length(); m > 0 && !u.bad; m-- {
				j.reaches = append(j.reaches, reach{int32(u.below(1 << 31)), u.float()})
			}
			r.joints = append(r.joints, j)
		}
		u.bad = u.bad || len(r.joints) == 0
		s.runs = append(s.runs, r)
	}
	return s
}

func (u *unpacker) float() float64 { return math.Float64frombits(u.get()) }

func (u *unpacker) held() (held []*branch) {
	for n := u.length(); n > 0 && !u.bad; n-- {
		held = append(held, u.step())
	}
	return held
}
