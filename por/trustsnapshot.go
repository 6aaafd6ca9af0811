package por

import (
	"math"

	"landgo/trace"
)

// A search of graphs as plain bytes (snapshot.go): the counts, and each unit's
// steps and what they displaced, what is held, and its graphEstimate.

// graphsVersion is that of what graphDivision pack.
const graphsVersion = snapshotVersion + 1

// pack implements division.
func (b *graphDivision) pack() ([]byte, error) {
	p := packer{}
	p.put(graphsVersion)
	p.putCounts(&b.stats)
	p.putBool(b.cut)
	p.putBool(b.whole)
	p.put(b.used, uint64(len(b.units)))
	for _, g := range b.units {
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
		p.putEstimate(&g.estimate)
	}
	return p.buf, p.failed
}

func (p *packer) putEstimate(s *graphEstimate) {
	p.putFloats(s.done, s.untrackedWeight)
	p.put(uint64(s.untracked), uint64(len(s.descents)))
	for i := range s.descents {
		r := &s.descents[i]
		p.putFloats(r.before, r.weight)
		p.put(uint64(r.floor+1), uint64(r.effort), uint64(len(r.graphs)))
		for _, j := range r.graphs {
			p.putFloats(j.before, j.weight, j.size, j.stay)
			p.putBool(j.known)
			p.put(uint64(j.next), uint64(len(j.revisits)))
			for _, q := range j.revisits {
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
func (b *graphDivision) unpack(data []byte) error {
	u := &unpacker{buf: data}
	if u.get() != graphsVersion {
		return ErrSnapshot
	}
	u.counts(&b.stats)
	b.cut, b.whole, b.used, b.units = u.below(2) == 1, u.below(2) == 1, u.get(), nil
	for n := u.length(); n > 0 && !u.bad; n-- {
		g := &graphUnit{division: b, floor: int(u.below(1 << 31)), nested: int(u.below(1 << 31)), done: u.below(2) == 1}
		for k := u.length(); k > 0 && !u.bad; k-- {
			e := unitEvent{thread: trace.TID(u.below(threadLimit)), choice: trace.Choice(u.below(1 << 32)), last: u.get(), added: origin(u.below(uint64(revisits) + 1)),
				group: int32(u.below(1 << 31)), redo: int32(u.below(1<<31)) - 1}
			if e.added == revisits {
				e.displaced = u.step()
			}
			e.held = u.held()
			g.steps = append(g.steps, e)
		}
		g.top, g.estimate = u.held(), u.estimate()
		b.units = append(b.units, g)
	}
	if u.bad || len(u.buf) > 0 || b.whole && len(b.units) != 1 {
		return ErrSnapshot
	}
	return nil
}

func (u *unpacker) estimate() (s graphEstimate) {
	s.done, s.untrackedWeight, s.untracked = u.float(), u.float(), int(u.below(1<<31))
	for n := u.length(); n > 0 && !u.bad; n-- {
		r := descent{before: u.float(), weight: u.float(), floor: int(u.below(1<<31)) - 1, effort: int(u.below(effort + 1))}
		for k := u.length(); k > 0 && !u.bad; k-- {
			j := graphWeight{before: u.float(), weight: u.float(), size: u.float(), stay: u.float(), known: u.below(2) == 1, next: int(u.below(1 << 31))}
			for m := u.length(); m > 0 && !u.bad; m-- {
				j.revisits = append(j.revisits, revisitWeight{int32(u.below(1 << 31)), u.float()})
			}
			u.bad = u.bad || j.size <= 0 && len(j.revisits) > 0
			r.graphs = append(r.graphs, j)
		}
		u.bad = u.bad || len(r.graphs) == 0 && r.floor >= 0 || len(r.graphs) > 0 && !r.graphs[0].known
		s.descents = append(s.descents, r)
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
