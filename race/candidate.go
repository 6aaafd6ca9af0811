package race

import "landgo/trace"

// Pair is two instructions that race, A at the lower address. They may be one.
type Pair struct{ A, B uint64 }

// Candidate is a pair of instructions that was seen to race.
type Candidate struct {
	Pair
	// AFirst, BFirst: it was seen with that instruction's access first. With
	// both it is confirmed: the program lets either come first. For a pair of
	// one instruction with itself, both are set when each of two threads has
	// come first.
	AFirst, BFirst bool
	// Recycled: each time, the two accesses were to different heap blocks, of
	// which the second was given the first's memory (Blum and Gibson §5.2).
	// The allocator orders what looks like a race.
	Recycled bool
	// Count is how often it was seen.
	Count uint64
	// First is where it was seen first (again where it was first seen not
	// recycled).
	First Sighting

	threads [2]trace.TID // of a pair of one instruction: who came first, and second, at first
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

// BothOrders reports whether the pair is confirmed.
func (c *Candidate) BothOrders() bool { return c.AFirst && c.BFirst }

// Candidates lists what was found, in the order in which it was found. The
// caller must not change it.
func (d *Detector) Candidates() []*Candidate { return d.order }

func (d *Detector) race(earlier, later *record, addr uint64) {
	p := Pair{earlier.pc, later.pc}
	swapped := p.A > p.B
	if swapped {
		p.A, p.B = p.B, p.A
	}
	recycled := earlier.gen != later.gen
	c := d.found[p]
	isNew := c == nil
	if isNew {
		if d.atomic[p] {
			return
		}
		if d.cfg.Atomic != nil && d.cfg.Atomic(addr) {
			d.atomic[p] = true
			return
		}
		c = &Candidate{Pair: p, Recycled: true, threads: [2]trace.TID{earlier.thread, later.thread}}
		d.found[p] = c
		d.order = append(d.order, c)
	}
	c.Count++
	if isNew || c.Recycled && !recycled {
		c.First = Sighting{earlier.access(addr), later.access(addr)}
	}
	c.Recycled = c.Recycled && recycled
	switch {
	case p.A != p.B:
		c.AFirst, c.BFirst = c.AFirst || !swapped, c.BFirst || swapped
	case earlier.thread == c.threads[0]:
		c.AFirst = true
	case later.thread == c.threads[0]:
		c.BFirst = true
	}
}

func (r *record) access(addr uint64) Access {
	return Access{Thread: r.thread, PC: r.pc, Addr: addr, Size: r.size, Write: r.write, Step: r.step, Insn: r.insn}
}

// Add adds the candidates of another detector, which has watched other
// executions of the same program; of a pair that both have, d's First stays.
// It returns the places of those that are new to d among o's.
func (d *Detector) Add(o *Detector) (added []int) {
	for i, b := range o.order {
		a := d.found[b.Pair]
		if a == nil {
			c := *b
			d.found[b.Pair] = &c
			d.order = append(d.order, &c)
			added = append(added, i)
			continue
		}
		first, second := b.AFirst, b.BFirst
		if a.A == a.B && a.threads[0] == b.threads[1] && a.threads[0] != b.threads[0] {
			first, second = second, first
		}
		a.AFirst, a.BFirst = a.AFirst || first, a.BFirst || second
		a.Recycled = a.Recycled && b.Recycled
		a.Count += b.Count
	}
	return added
}
