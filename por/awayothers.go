package por

import (
	"encoding/binary"

	"landgo/internal/trace"
	"landgo/por/trust"
)

// Units of the other divided searches, worked on away (away.go): subtrees of graphs, as
// a snapshot has them (trustdivision.go), and ranges of runs.

// part implements lends.
func (b *graphDivision) part(p *packer, lo, hi int) {
	for _, g := range b.units[lo:hi] {
		g.Write(p)
		p.putBool(g.divides)
	}
}

// borrowGraphs reads units of TruSt's.
func borrowGraphs(spec Spec, opts Options, w Worker, u *unpacker, n int) borrowed {
	b := &graphDivision{spec: spec, opts: opts, crew: []Worker{w}}
	b.walks = []*graphWalk{newGraphWalk(nil, w.Obs, spec, &b.opts)}
	for ; n > 0 && !u.bad; n-- {
		g := &graphUnit{division: b, Rest: trust.Read(u)}
		g.divides = u.bool()
		b.units = append(b.units, g)
	}
	return b
}

// lentUnits implements borrowed.
func (b *graphDivision) lentUnits() []unit { return unitsOf(b.units) }

// result implements borrowed.
func (b *graphDivision) result(p *packer, k int) {
	g := b.units[k]
	p.putBool(g.over)
	p.putBool(g.cut)
	p.putCounts(&g.stats)
	g.Write(p)
	p.putBool(g.other != nil)
	if g.other != nil {
		g.other.Write(p)
	}
}

// take implements lends.
func (b *graphDivision) take(i int, u *unpacker) bool {
	g := b.units[i]
	over, cut := u.bool(), u.bool()
	var stats Stats
	u.counts(&stats)
	now := trust.Read(u)
	var other *graphUnit
	if u.bool() {
		other = &graphUnit{division: b, Rest: trust.Read(u)}
	}
	if u.bad || len(u.buf) > 0 {
		return false
	}
	*g = graphUnit{division: b, Rest: now, over: over, cut: cut, stats: stats, other: other}
	return true
}

// part implements lends.
func (d *sampleDivision) part(p *packer, lo, hi int) {
	p.put(uint64(d.taught))
	for _, s := range d.units[lo:hi] {
		p.put(s.from, s.to)
	}
}

// borrowSamples reads ranges of runs.
func borrowSamples(spec Spec, opts Options, w Worker, u *unpacker, n int) borrowed {
	x := newExplorer(nil, w.Obs, spec, opts)
	x.reset()
	d := &sampleDivision{s: samplingOf(x), walks: []*explorer{x}, workers: []Worker{w}, taught: u.number()}
	for ; n > 0 && !u.bad; n-- {
		d.units = append(d.units, &sampleUnit{all: d, from: u.get(), to: u.get()})
	}
	return d
}

// lentUnits implements borrowed.
func (d *sampleDivision) lentUnits() []unit { return unitsOf(d.units) }

// result implements borrowed.
func (d *sampleDivision) result(p *packer, k int) {
	s := d.units[k]
	p.putCounts(&s.stats)
	p.put(uint64(len(s.seen)))
	for t := range s.seen {
		for _, word := range t {
			p.buf = binary.LittleEndian.AppendUint64(p.buf, word)
		}
	}
}

// take implements lends.
func (d *sampleDivision) take(i int, u *unpacker) bool {
	var stats Stats
	u.counts(&stats)
	n := u.length()
	if u.bad || len(u.buf) != 16*n {
		return false
	}
	s := d.units[i]
	s.stats, s.seen = stats, map[trace.Digest]struct{}{}
	for ; len(u.buf) > 0; u.buf = u.buf[16:] {
		s.seen[trace.Digest{binary.LittleEndian.Uint64(u.buf), binary.LittleEndian.Uint64(u.buf[8:])}] = struct{}{}
	}
	return true
}
