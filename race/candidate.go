package race

import "landgo/trace"

// Pair is two instructions that race, A at the lower address. They may be one.
type Pair struct{ A, B uint64 }

// Candidate is a pair of instructions that was seen to race. What it says
// doesn't depend on the order in which the executions were watched.
type Candidate struct {
	Pair
	// AFirst, BFirst: it was seen with that instruction's access first. With
	// both it is confirmed: the program lets either come first. Of a pair of
	// one instruction with itself, the thread with the lower number counts as
	// A's.
	AFirst, BFirst bool
	// Shown is one of the times it was seen: the least by threads and address.
	Shown Sighting
}

// Sighting is one pair of racing accesses in an execution.
type Sighting struct {
	Earlier, Later Access
}

// Access is one of them.
type Access struct {
	Thread trace.TID
	PC     uint64
	Addr   uint64 // of the first byte in common
	Size   uint32 // of the whole access, in bytes
	Write  bool
	Step   int32  // of the execution, from 0
	Insn   uint16 // in the step, from 1, modulo 1<<16
}

// less orders sightings of one pair.
func (s *Sighting) less(t *Sighting) bool {
	switch {
	case s.Earlier.PC != t.Earlier.PC:
		return s.Earlier.PC < t.Earlier.PC
	case s.Earlier.Thread != t.Earlier.Thread:
		return s.Earlier.Thread < t.Earlier.Thread
	case s.Later.Thread != t.Later.Thread:
		return s.Later.Thread < t.Later.Thread
	}
	return s.Earlier.Addr < t.Earlier.Addr
}

// BothOrders reports whether the pair is confirmed.
func (c *Candidate) BothOrders() bool { return c.AFirst && c.BFirst }

// Candidates lists what was found, in the order in which it was found. The
// caller must not change it.
func (d *Detector) Candidates() []*Candidate { return d.order }

// Changed lists the candidates whose Shown the last Step, or Add, has set, by
// their place in Candidates.
func (d *Detector) Changed() []int { return d.changed }

func (d *Detector) race(earlier, later *record, addr uint64) {
	p := Pair{earlier.pc, later.pc}
	aFirst := p.A < p.B || p.A == p.B && earlier.thread < later.thread
	if p.A > p.B {
		p.A, p.B = p.B, p.A
	}
	if d.atomic[p] {
		return
	}
	seen := Sighting{earlier.access(addr), later.access(addr)}
	if d.found[p] == nil && d.cfg.Atomic != nil && d.cfg.Atomic(addr) {
		d.atomic[p] = true
		return
	}
	d.add(&Candidate{Pair: p, AFirst: aFirst, BFirst: !aFirst, Shown: seen})
}

// add adds what b says to the candidate of its pair.
func (d *Detector) add(b *Candidate) (changed bool) {
	c := d.found[b.Pair]
	if c == nil {
		c = new(Candidate)
		*c = *b
		d.found[b.Pair] = c
		d.place[c] = len(d.order)
		d.order = append(d.order, c)
		d.changed = append(d.changed, d.place[c])
		return true
	}
	c.AFirst, c.BFirst = c.AFirst || b.AFirst, c.BFirst || b.BFirst
	if !b.Shown.less(&c.Shown) {
		return false
	}
	c.Shown = b.Shown
	d.changed = append(d.changed, d.place[c])
	return true
}

func (r *record) access(addr uint64) Access {
	return Access{Thread: r.thread, PC: r.pc, Addr: addr, Size: r.size, Write: r.write, Step: r.step, Insn: r.insn}
}

// Add adds the candidates of another detector, which has watched other
// executions of the same program. It returns, for each of Changed, the place of
// the candidate among o's.
func (d *Detector) Add(o *Detector) (from []int) {
	d.changed = d.changed[:0]
	for i, b := range o.order {
		if d.add(b) {
			from = append(from, i)
		}
	}
	return from
}

// Restore adds a candidate that another process found.
func (d *Detector) Restore(c Candidate) {
	d.changed = d.changed[:0]
	d.add(&c)
}
