package por

import (
	"encoding/binary"

	"landgo/internal/trace"
)

// Sampling, divided. Run r is the same whichever worker makes it: its generator
// depends on the seed and on r only, and what the first runs teach is taught
// before. So a unit is a range of runs.

// pilots is the number of runs that teach others.
const pilots = 16

// longRuns is the number of runs of a unit where one has more steps than a unit should. What a
// unit sets up, and learns of what it watches, grows with its longest run.
const longRuns = 8

// sampleDivision is a division: runs that are left to make.
type sampleDivision struct {
	s       *sampling // of the search's own walk: what was done so far
	walks   []*explorer
	workers []Worker
	stats   Stats
	taught  int    // by the first runs
	each    uint64 // runs of a unit
	room    int    // units of a batch
	units   []*sampleUnit
}

// sampleUnit is a range of runs.
type sampleUnit struct {
	all      *sampleDivision
	from, to uint64
	stats    Stats
	seen     map[trace.Digest]struct{}
}

// divide makes the runs that are left.
func (s *sampling) divide() (err error) {
	x := s.x
	d := &sampleDivision{s: s, stats: x.stats, taught: s.sampler.taught()}
	steps := max(1, x.stats.Transitions/s.done)
	d.each, d.room = x.opts.unitSteps(0, 0, batchUnits)/steps, x.opts.room()
	if d.each == 0 {
		d.each, d.room = longRuns, max(d.room/longRuns, 1)
	}
	if d.workers, d.walks, err = x.hire(); err != nil {
		return err
	}
	// The first walk samples for its units, and s keeps what all have done.
	own := *s
	d.s = &own
	return x.inBatches(d, d.workers)
}

// deal implements division.
func (d *sampleDivision) deal() (units []unit, err error) {
	d.units = d.units[:0]
	for from := d.s.done; from < d.s.runs && len(units) < d.room; from += d.each {
		p := &sampleUnit{all: d, from: from, to: min(d.s.runs, from+d.each)}
		d.units, units = append(d.units, p), append(units, p)
	}
	return units, nil
}

// work implements unit.
func (p *sampleUnit) work(w, i int, b *batch) (unitEnding, error) {
	x := p.all.walks[w]
	s := samplingOf(x)
	x.beginUnit(&p.all.workers[w], b, i)
	x.unwind()
	s.root, s.done = x.root, p.from
	s.sampler.teach(p.all.taught)
	err := s.lead()
	for s.done < p.to && err == nil && !x.over() {
		err = s.run()
	}
	p.stats, p.seen = x.stats, s.distinct.seen
	return x.endUnit(x.finer, err)
}

// count implements division.
func (d *sampleDivision) count(i int) {
	p := d.units[i]
	d.stats.add(p.stats)
	for t := range p.seen {
		d.s.distinct.seen[t] = struct{}{}
	}
	d.stats.Distinct = uint64(len(d.s.distinct.seen))
}

// merge implements division.
func (d *sampleDivision) merge() error {
	d.s.done = d.units[len(d.units)-1].to
	return nil
}

// progress implements division.
func (d *sampleDivision) progress() Progress {
	return Progress{Stats: d.stats, Share: float64(d.s.done) / float64(d.s.runs)}
}

// pack implements division.
func (d *sampleDivision) pack() ([]byte, error) {
	return d.s.packed(&d.stats, d.taught)
}

// pack is a snapshot between two runs: snapshotVersion, the counts, how many
// runs were made, what they taught, and the traces seen.
func (s *sampling) pack() ([]byte, error) { return s.packed(s.stats, s.sampler.taught()) }

func (s *sampling) packed(stats *Stats, taught int) ([]byte, error) {
	p := packer{}
	p.put(snapshotVersion)
	p.putCounts(stats)
	p.put(s.done, uint64(taught), uint64(len(s.distinct.seen)))
	for d := range s.distinct.seen {
		for _, word := range d {
			p.buf = binary.LittleEndian.AppendUint64(p.buf, word)
		}
	}
	return p.buf, nil
}

// unpack goes on from a snapshot.
func (s *sampling) unpack(data []byte) error {
	u := &unpacker{buf: data}
	if u.get() != snapshotVersion {
		return ErrSnapshot
	}
	u.counts(s.stats)
	s.done = u.below(s.runs + 1)
	s.sampler.teach(int(u.below(1 << 31)))
	n := u.length()
	if u.bad || len(u.buf) != 16*n {
		return ErrSnapshot
	}
	for ; len(u.buf) > 0; u.buf = u.buf[16:] {
		s.distinct.seen[trace.Digest{binary.LittleEndian.Uint64(u.buf), binary.LittleEndian.Uint64(u.buf[8:])}] = struct{}{}
	}
	s.stats.Distinct = uint64(n)
	return nil
}
