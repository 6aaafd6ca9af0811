package por

import "math"

// A search of graphs as plain bytes (snapshot.go): the counts, and each unit's
// steps and what they displaced, what is held, and its estimate.

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
	putList(&p, b.units, func(u **graphUnit) { p.putGraph(*u) })
	return p.buf, p.failed
}

// putGraph writes a walk at rest.
func (p *packer) putGraph(g *graphUnit) {
	p.put(uint64(g.floor), uint64(g.nested))
	p.putBool(g.done)
	putList(p, g.steps, func(e *unitEvent) {
		p.put(uint64(e.thread), uint64(e.choice), e.last, uint64(e.added), uint64(e.group), uint64(e.redo+1))
		p.putBool(e.marked)
		if e.added == revisits {
			p.putStep(e.displaced)
		}
		p.putHeld(e.held)
	})
	p.putHeld(g.top)
	p.putBool(g.marked)
	p.putEstimate(&g.estimate)
}

// graph reads what putGraph wrote.
func (u *unpacker) graph(of *graphDivision) *graphUnit {
	g := &graphUnit{division: of, floor: u.number(), nested: u.number(), done: u.bool()}
	g.steps, g.top, g.marked, g.estimate = getList(u, u.event), getList(u, u.step), u.bool(), u.estimate()
	return g
}

func (p *packer) putEstimate(s *graphEstimate) {
	p.putFloats(s.done, s.untrackedWeight)
	p.put(uint64(s.untracked))
	putList(p, s.descents, func(d *descent) {
		p.putFloats(d.before, d.weight)
		p.put(uint64(d.floor+1), uint64(d.effort))
		putList(p, d.graphs, func(j *graphWeight) {
			p.putFloats(j.before, j.weight, j.size, j.stay)
			p.putBool(j.known)
			p.put(uint64(j.next))
			putList(p, j.revisits, func(q *revisitWeight) {
				p.put(uint64(q.r))
				p.putFloats(q.size)
			})
		})
	})
}

func (p *packer) putFloats(all ...float64) {
	for _, f := range all {
		p.put(math.Float64bits(f))
	}
}

func (p *packer) putHeld(held []*branch) {
	putList(p, held, func(b **branch) { p.putStep(*b) })
}

// unpack goes on from a snapshot.
func (b *graphDivision) unpack(data []byte) error {
	u := &unpacker{buf: data}
	if u.get() != graphsVersion {
		return ErrSnapshot
	}
	u.counts(&b.stats)
	b.cut, b.whole, b.used = u.bool(), u.bool(), u.get()
	b.units = getList(u, func() *graphUnit { return u.graph(b) })
	if u.bad || len(u.buf) > 0 || b.whole && len(b.units) != 1 {
		return ErrSnapshot
	}
	return nil
}

func (u *unpacker) event() unitEvent {
	e := unitEvent{thread: u.thread(), choice: u.choice(), last: u.get(), added: origin(u.below(uint64(revisits) + 1)), group: int32(u.number()), redo: int32(u.number()) - 1, marked: u.bool()}
	if e.added == revisits {
		e.displaced = u.step()
	}
	e.held = getList(u, u.step)
	return e
}

func (u *unpacker) estimate() (s graphEstimate) {
	s.done, s.untrackedWeight, s.untracked = u.float(), u.float(), u.number()
	s.descents = getList(u, func() descent {
		d := descent{before: u.float(), weight: u.float(), floor: u.number() - 1, effort: int(u.below(mostEffort + 1))}
		d.graphs = getList(u, func() graphWeight {
			j := graphWeight{before: u.float(), weight: u.float(), size: u.float(), stay: u.float(), known: u.bool(), next: u.number()}
			j.revisits = getList(u, func() revisitWeight { return revisitWeight{int32(u.number()), u.float()} })
			u.bad = u.bad || j.size <= 0 && len(j.revisits) > 0
			return j
		})
		u.bad = u.bad || len(d.graphs) == 0 && d.floor >= 0 || len(d.graphs) > 0 && !d.graphs[0].known
		return d
	})
	return s
}

func (u *unpacker) float() float64 { return math.Float64frombits(u.get()) }
