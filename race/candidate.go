package race

import "landgo/internal/trace"

// Pair is two instructions that race, A at the lower address. They may be one.
type Pair struct{ A, B uint64 }

// Kind classifies two accesses without an order between them.
type Kind uint8

const (
	// Data: a data race.
	Data Kind = iota
	// Unclear: a data race, unless the memory is of a type that is atomic: it is a
	// block of the heap, and which type its program means isn't known.
	Unclear
	// Sync: both accesses are atomic, by a locked instruction or because the
	// variable is declared so. The standards call it no race, but its order
	// matters as that of a data race does.
	Sync
	// Recycled: the second access was to another heap block, which was given
	// the first one's memory (Blum and Gibson §5.2). The allocator orders what
	// looks like a race; if it is one, another execution shows it without the
	// recycling (Theorem 2), so that it needs no preemption point.
	Recycled
)

func (k Kind) String() string { return [...]string{"data", "unclear", "sync", "recycled"}[k] }

// Candidate is a pair of instructions that was seen to race. Its result doesn't
// depend on the order in which the executions were watched.
type Candidate struct {
	Pair
	// Kind is the least of those as which it was seen; the rest is about the
	// times when it was seen as that.
	Kind Kind
	// AFirst, BFirst: it was seen with that instruction's access first. With
	// both it is both-order, else single-order (Kasikci et al., ASPLOS 2012). Of
	// a pair of one instruction with itself, the thread with the lower number
	// counts as A's.
	AFirst, BFirst bool
	// Bare: one of the two was made without a preemption point right before it,
	// so that not all of their orders were tried. Never of a Recycled one.
	Bare bool
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
	Free   bool   // no access: the end of the life of the block, of Size bytes; PC is its caller's
	Step   int32  // of the execution, from 0
	Polls  bool   // no step: the thread waits with it, behind Step
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

// BothOrders reports whether each of the two was seen to come first.
func (c *Candidate) BothOrders() bool { return c.AFirst && c.BFirst }

// Candidates lists the findings, in their order. The caller must not change it.
// It grows at its end; an entry changes only towards the lesser Kind, more
// orders, and Bare.
func (d *Detector) Candidates() []*Candidate { return d.listed }

// Changed lists the candidates whose Shown the last Step, or Add, has set, by
// their place in Candidates.
func (d *Detector) Changed() []int { return d.changed }

// News lists the candidates that the last Step, or Add, has found, or whose
// Kind or orders it has changed, by their place in Candidates. One may be there
// twice.
func (d *Detector) News() []int { return d.news }

// mostCandidates is how many pairs are distinguished. A program with a thousand instructions that
// all race with each other has a million pairs, and their tables would take minutes and
// gigabytes. Candidates choose points, and are listed; no proof rests on them. Where races are
// bugs, all are distinguished (Adjacent).
const mostCandidates = 20_000

// race adds the findings of one visit e to a rival r of s, and one to s after it.
func (d *Detector) race(s *site, r *rival, e, v *visit) {
	o := d.owners[r.last]
	at := s.first(s.mask & o.mask)
	kind := Recycled
	if v.polls && d.past && !d.polls.Before(int(d.steps-1-e.step)) {
		return
	}
	inBuffer := d.cfg.Held != nil && o.write && !o.free && d.cfg.Held(o.thread, o.pc, at)
	switch {
	case e.life == v.life:
		if r.see(inBuffer, d.cfg.Held != nil, o.write) {
			return
		}
		kind = d.kind(s, o, at)
		if r.has(seen) {
			s.open--
		}
	case r.has(recycled):
		return
	default:
		r.is |= recycled
	}
	p := Pair{o.pc, s.pc}
	aFirst := p.A < p.B || p.A == p.B && o.thread < s.thread
	if p.A > p.B {
		p.A, p.B = p.B, p.A
	}
	if d.cfg.Mode != Adjacent && len(d.listed) >= mostCandidates && d.found[p] == nil {
		return
	}
	bFirst := !aFirst
	if v.polls && d.past {
		aFirst, bFirst = true, true
	}
	if inBuffer { // in memory the earlier store comes later
		aFirst, bFirst = bFirst, aFirst
	}
	if inBuffer && s.write && !s.locked { // or the other way round, as the two buffers have it
		aFirst, bFirst = true, true
	}
	d.add(&Candidate{Pair: p, Kind: kind, AFirst: aFirst, BFirst: bFirst, Bare: kind != Recycled && (s.bare || o.bare),
		Shown: Sighting{o.access(e, at), s.access(v, at)}})
}

// kind is the kind of a race of two sites at an address.
func (d *Detector) kind(s, o *site, at uint64) Kind {
	switch min(d.atomic(s, at), d.atomic(o, at)) {
	case Declared:
		return Sync
	case Perhaps:
		return Unclear
	}
	return Data
}

// atomic says whether the access from a site is atomic. It asks again for the
// kind of memory at an address, because now another thread uses it as well.
func (d *Detector) atomic(s *site, at uint64) Atomicity {
	switch {
	case s.atomic():
		return Declared
	case s.free || d.cfg.Atomic == nil:
		return Plain
	}
	return d.cfg.Atomic(s.pc, at)
}

func (s *site) access(v *visit, at uint64) Access {
	return Access{Thread: s.thread, PC: s.pc, Addr: at, Size: v.size, Write: s.write, Free: s.free, Step: v.step, Polls: v.polls, Insn: v.insn}
}

// add adds b to the candidate of its pair.
func (d *Detector) add(b *Candidate) {
	c := d.found[b.Pair]
	if c == nil {
		c = new(Candidate)
		*c = *b
		d.found[b.Pair] = c
		d.place[c] = len(d.listed)
		d.news = append(d.news, len(d.listed))
		d.changed = append(d.changed, len(d.listed))
		d.listed = append(d.listed, c)
		return
	}
	switch {
	case b.Kind > c.Kind:
		c.Bare = c.Bare || b.Bare
		return
	case b.Kind < c.Kind:
		bare := c.Bare || b.Bare
		*c = *b
		c.Bare = bare
		d.news = append(d.news, d.place[c])
		d.changed = append(d.changed, d.place[c])
		return
	}
	if b.AFirst && !c.AFirst || b.BFirst && !c.BFirst {
		d.news = append(d.news, d.place[c])
	}
	c.AFirst, c.BFirst, c.Bare = c.AFirst || b.AFirst, c.BFirst || b.BFirst, c.Bare || b.Bare
	if b.Shown.less(&c.Shown) {
		c.Shown = b.Shown
		d.changed = append(d.changed, d.place[c])
	}
}

// Cross notes that the other order of two stores, which the search doesn't run, is as possible
// as the one that was seen.
func (d *Detector) Cross(p Pair) {
	if c := d.found[p]; c != nil && c.Kind != Recycled && !c.BothOrders() {
		c.AFirst, c.BFirst = true, true
		d.news = append(d.news, d.place[c])
	}
}

// begin begins to collect changes.
func (d *Detector) begin() { d.changed, d.news = d.changed[:0], d.news[:0] }

// Add adds the candidates of another detector, which has watched other
// executions of the same program. It returns, for each of Changed, the place of
// the candidate among o's.
func (d *Detector) Add(o *Detector) (from []int) {
	d.begin()
	for i, b := range o.listed {
		n := len(d.changed)
		d.add(b)
		if len(d.changed) > n {
			from = append(from, i)
		}
	}
	return from
}

// Restore adds a candidate that another process found.
func (d *Detector) Restore(c Candidate) {
	d.begin()
	d.add(&c)
}
