package race

import "landgo/internal/trace"

// siteKey tells sites apart.
type siteKey struct {
	pc      uint64
	granule uint64 // its address, of 8 bytes
	thread  trace.TID
	locks   int32
	mask    uint8 // the bytes of the granule
	write   bool
	locked  bool // by a locked instruction, or as good as that (trace.Library)
	free    bool // no access: the end of the life of the block
	bare    bool // without a preemption point right before
}

// site is an instruction of a thread as it touches bytes of one granule, with
// certain locks held. A program has few, so they are kept for good, each with
// the sites that it could race with. An execution adds only the last visit of
// each, which is a slot.
type site struct {
	siteKey
	declared bool // of an object declared as atomic
	library  bool // by the C library's own synchronisation

	last   int32 // slot: its last visit
	life   int32 // slot: that of its cell
	rivals []rival
	unseen []int32 // those of rivals that weren't seen when it was looked last, in order; nil: most weren't
	open   int     // rivals that it may still be seen to race with, as the later one
}

// rival is a site that could race with the one that holds it. A site among a hundred threads has
// hundreds, and they are looked at one after the other: so it is small.
type rival struct {
	last int32 // the slot of its last visit, which it owns
	is   rivalIs
}

// rivalIs is what is known of a rival, and its thread.
type rivalIs uint32

const (
	// syncs: both are atomic, so that the C standard calls it no race.
	syncs rivalIs = 1 << iota
	// seen, recycled: a race with it was seen, this site's access the later; a
	// race between two lives of the memory was.
	seen
	recycled
	// early, landed: it was seen while the other site's store was in its buffer; when it wasn't.
	early
	landed

	ofThread = iota // how far the thread is shifted
)

func (r *rival) thread() trace.TID     { return trace.TID(r.is >> ofThread) }
func (r *rival) has(what rivalIs) bool { return r.is&what != 0 }

// see notes a race, and reports whether one like it was noted. With store buffers there are two
// with a site that writes.
func (r *rival) see(inBuffer, buffers, writes bool) (known bool) {
	how := landed
	if inBuffer {
		how = early
	}
	known = r.has(how)
	r.is |= how
	if r.has(landed) && (r.has(early) || !buffers || !writes) {
		r.is |= seen
	}
	return known
}

// visit is one access from a site. Number 0 is none.
type visit struct {
	time  uint32 // epoch: its thread's time
	step  int32  // of the execution, from 0
	size  uint32
	life  int32 // of the granule's block
	clock int32 // of its thread, after it; mode Adjacent only
	insn  uint16
	polls bool // see Detector.Poll
}

// cell is the knowledge of a granule.
type cell struct {
	sites []*site
	life  int32 // a slot: how often its memory was given back
}

func (d *Detector) cell(granule uint64) *cell {
	c := d.cells[granule]
	if c == nil {
		c = &cell{life: d.newSlots(1)}
		d.cells[granule] = c
	}
	return c
}

// is reports whether two keys are one. The compiler makes a call of ==.
func (k *siteKey) is(o *siteKey) bool {
	return k.pc == o.pc && k.granule == o.granule && k.thread == o.thread && k.locks == o.locks && k.mask == o.mask &&
		k.write == o.write && k.locked == o.locked && k.free == o.free && k.bare == o.bare
}

// site is the site of an access that has these properties.
func (d *Detector) site(is *siteKey) *site {
	recent := &d.recentSites[(is.pc*0x9e3779b97f4a7c15^is.granule*0xa4093822299f31d1^uint64(is.thread)*0xc2b2ae3d27d4eb4f)>>(64-mostRecent)&uint64(len(d.recentSites)-1)]
	if s := *recent; s != nil && s.is(is) {
		return s
	}
	s := d.known[*is]
	if s == nil {
		s = d.newSite(is)
		d.known[*is] = s
		if n := len(d.recentSites); len(d.known) > n/4 && n < 1<<mostRecent {
			d.recentSites = make([]*site, 4*n)
			return s
		}
	}
	*recent = s
	return s
}

// newSite makes the site of an access that is the first of its kind.
func (d *Detector) newSite(is *siteKey) *site {
	c := d.cell(is.granule)
	s := &site{siteKey: *is, life: c.life}
	s.last = d.newSlots(1)
	for len(d.owners) <= int(s.last) {
		d.owners = append(d.owners, nil)
	}
	d.owners[s.last] = s
	if d.cfg.Atomic != nil && !s.free {
		// A byte tells for the whole access: variables don't overlap.
		s.declared = d.cfg.Atomic(s.pc, s.first(s.mask)) == Declared
	}
	s.library = d.cfg.Library != nil && !s.free && d.cfg.Library(s.pc, s.first(s.mask))
	for _, o := range c.sites {
		if !d.compete(s, o) {
			continue
		}
		sync := s.atomic() && o.atomic()
		s.meet(o, sync)
		o.meet(s, sync)
	}
	c.sites = append(c.sites, s)
	d.sites = append(d.sites, s)
	return s
}

// meet makes o a rival of s.
func (s *site) meet(o *site, sync bool) {
	if s.unseen != nil {
		s.unseen = append(s.unseen, int32(len(s.rivals)))
	}
	r := rival{last: o.last, is: rivalIs(o.thread) << ofThread}
	if sync {
		r.is |= syncs
	}
	s.rivals = append(s.rivals, r)
	s.open++
}

// compete reports whether two sites' accesses would race if nothing but their
// locks could order them.
func (d *Detector) compete(s, o *site) bool {
	return s.thread != o.thread && s.mask&o.mask != 0 && (s.write || o.write) && !(s.free && o.free) &&
		(d.cfg.Mode == Adjacent || !d.sets.exclude(s.locks, o.locks))
}

func (s *site) atomic() bool { return s.locked || s.declared || s.library }

// first is the address of the first byte of a mask.
func (s *site) first(mask uint8) uint64 {
	a := s.granule
	for ; mask&1 == 0; mask >>= 1 {
		a++
	}
	return a
}

// forget forgets the origins of its candidates.
func (s *site) forget() {
	s.open, s.unseen = len(s.rivals), nil
	for i := range s.rivals {
		s.rivals[i].is &^= seen | recycled | early | landed
	}
}
