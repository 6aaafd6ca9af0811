package por

import (
	"landgo/internal/trace"
	"landgo/por/trust"
)

// TruSt divided: a unit is the subtree of a graph, or what is left of one. A walk rests between
// two graphs. It is then its graph with the steps that made it, because all else can be made
// again from that (package trust), and how deep it is in its subtree. Where there is room for
// further units, one is divided in two. The first is the subtree of the graph that its outermost
// revisit has made, as far as that is still to do. The other is the rest, which goes on as if
// that revisit was done.
//
// Nothing depends on which worker takes what, or when: where a walk rests is a
// matter of its steps alone. So all counts are the same for any number of
// workers, and after an interruption. Executions, Blocked and Pruned are those
// of the search that isn't divided, for each graph is visited once.

// graphUnit is a part of the search: a walk at rest.
type graphUnit struct {
	*trust.Rest
	division *graphDivision
	// divides: it is to be divided at the end of its quota.
	divides bool

	// The results of a batch.
	over  bool
	other *graphUnit
	stats Stats
	cut   bool
}

// graphDivision is a division, and the search before it is divided.
type graphDivision struct {
	spec  Spec
	opts  Options
	root  trace.Mark
	own   *graphWalk // the search's own
	walks []*graphWalk
	crew  []Worker
	stats Stats
	cut   bool
	share float64 // done, when the last batch began or was merged
	units []*graphUnit
	// whole: a search that isn't divided yet and has used this many steps.
	whole bool
	used  uint64
}

// once makes the search, up to its end or to a step that teaches finer points.
func (b *graphDivision) once(from []byte) error {
	w, before := b.own, b.own.ends
	w.begin()
	w.setCounts(before, 0)
	b.whole = true
	if from != nil {
		if err := b.unpack(from); err != nil {
			return err
		}
		if !b.whole {
			return b.divide()
		}
		if err := w.Resume(b.units[0].Rest); err != nil || w.Over() {
			return err
		}
		w.setCounts(b.stats, b.used)
		w.Cut = b.cut
	}
	alone := b.spec.warmUp(&b.opts)
	divisible := b.spec.Whole() == "" && b.opts.MaxExecutions == 0
	over, err := w.Explore(false, func() (bool, error) {
		if divisible && w.Used >= alone {
			return true, nil
		}
		if b.opts.SaveNow == nil || !b.opts.SaveNow() {
			return false, nil
		}
		b.note(w)
		return false, b.opts.save(b.pack())
	})
	if err != nil || w.Over() {
		return err
	}
	if over {
		w.ends.Complete = true
		return nil
	}
	b.note(w)
	b.whole = false
	return b.divide()
}

// note takes over how far the search is that isn't divided yet.
func (b *graphDivision) note(w *graphWalk) {
	b.stats, b.cut, b.used, b.units = w.counts(), w.Cut, w.Used, []*graphUnit{{division: b, Rest: w.Suspend()}}
}

// divide makes what is left of the search in batches.
func (b *graphDivision) divide() (err error) {
	w := b.own
	sys, obs := w.sys, w.obs
	b.crew, err = b.opts.hire(Worker{Begin: func() System { sys.Rewind(b.root); return sys }, Obs: obs})
	if err != nil {
		return err
	}
	b.walks = []*graphWalk{w}
	for _, c := range b.crew[1:] {
		b.walks = append(b.walks, newGraphWalk(nil, c.Obs, b.spec, &b.opts))
	}
	end, again, err := divide(b, b.crew, &b.opts, obs)
	w.sys, w.obs = sys, obs
	w.budget.begin(nil, 0)
	w.setCounts(b.stats, 0)
	w.Cut, w.finer, w.stopped = b.cut, end == learned, end == enough || end == gaveUp
	w.ends.Complete = end == rests && err == nil
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
	w.sys, w.obs, w.finer = c.Begin(), c.Obs, false
	w.budget.begin(of, index)
	w.begin()
	w.setCounts(Stats{}, 0)
	err := w.taught(w.workOn(p))
	p.stats, p.cut = w.counts(), w.Cut
	return w.endUnit(w.finer, err)
}

// workOn goes on with p, and leaves the results in p.
func (w *graphWalk) workOn(p *graphUnit) (err error) {
	if err := w.Resume(p.Rest); err != nil || w.Over() {
		return err
	}
	w.Used, w.quota = 0, p.division.opts.unitSteps(p.Len(), w.index, len(w.batch.units))
	p.over, err = w.Explore(p.Done, func() (bool, error) { return w.Used >= w.quota, nil })
	if err != nil || w.Over() || p.over {
		return err
	}
	if !p.divides || !w.Divisible() {
		p.Rest = w.Suspend()
		return nil
	}
	inner, rest, err := w.Divide()
	if err != nil || w.Over() {
		return err
	}
	p.other, p.Rest = &graphUnit{division: p.division, Rest: inner}, rest
	return nil
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
		left += p.Left()
	}
	b.share = max(0, 1-left)
}

// progress implements division.
func (b *graphDivision) progress() Progress {
	if b.whole {
		return b.own.progress()
	}
	return Progress{Stats: b.stats, Share: b.share}
}

// A search of graphs as plain bytes (snapshot.go): the counts, and each unit.

// graphsVersion is that of what graphDivision pack.
const graphsVersion = snapshotVersion + 3

// pack implements division.
func (b *graphDivision) pack() ([]byte, error) {
	p := packer{}
	p.put(graphsVersion)
	p.putCounts(&b.stats)
	p.putBool(b.cut)
	p.putBool(b.whole)
	p.put(b.used)
	putList(&p, b.units, func(u **graphUnit) { (*u).Write(&p) })
	return p.buf, p.failed
}

// unpack goes on from a snapshot.
func (b *graphDivision) unpack(data []byte) error {
	u := &unpacker{buf: data}
	if u.get() != graphsVersion {
		return ErrSnapshot
	}
	u.counts(&b.stats)
	b.cut, b.whole, b.used = u.bool(), u.bool(), u.get()
	b.units = getList(u, func() *graphUnit { return &graphUnit{division: b, Rest: trust.Read(u)} })
	if u.bad || len(u.buf) > 0 || b.whole && len(b.units) != 1 {
		return ErrSnapshot
	}
	return nil
}
