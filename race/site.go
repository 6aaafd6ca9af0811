package race

import "landgo/internal/trace"

// site is an instruction of a thread as it touches bytes of one granule, with
// certain locks held. A program has few, so they are kept for good, each with
// the sites that it could race with. An execution adds only the last visit of
// each, which is a slot.
type site struct {
	thread   trace.TID
	pc       uint64
	granule  uint64 // its address, of 8 bytes
	locks    int32
	mask     uint8 // the bytes of the granule
	write    bool
	locked   bool // by a locked instruction, or as good as that (trace.Library)
	declared bool // of an object declared as atomic
	library  bool // by the C library's own synchronisation
	free     bool // no access: the end of the life of the block

	bare bool // without a preemption point right before

	last   int32 // slot: its last visit
	rivals []rival
	unseen []int32 // those of rivals that weren't seen when it was looked last, in order
	open   int     // rivals that it may still be seen to race with, as the later one
}

// rival is a site that could race with the one that holds it.
type rival struct {
	site *site
	// sync: both are atomic, so that the C standard calls it no race.
	sync bool
	// seen, recycled: a race with it was seen, this site's access the later; a
	// race between two lives of the memory was.
	seen, recycled bool
	// held, landed: it was seen while the other site's store was in its buffer; when it wasn't.
	held, landed bool
}

// see notes a race, and reports whether one like it was noted. With store buffers there are two.
func (r *rival) see(held, buffers bool) (known bool) {
	known = held && r.held || !held && r.landed
	r.held, r.landed = r.held || held, r.landed || !held
	r.seen = r.landed && (r.held || !buffers || !r.site.write)
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

// like reports whether two sites of a granule are one.
func (s *site) like(o *site) bool {
	return s.pc == o.pc && s.thread == o.thread && s.locks == o.locks && s.mask == o.mask &&
		s.write == o.write && s.locked == o.locked && s.free == o.free && s.bare == o.bare
}

// site is the site of an access that has these properties.
func (d *Detector) site(c *cell, is site) *site {
	recent := &d.recentSites[(is.pc^is.granule>>3^uint64(is.thread)*37)%uint64(len(d.recentSites))]
	if s := *recent; s != nil && s.granule == is.granule && s.like(&is) {
		return s
	}
	for _, s := range c.sites {
		if s.like(&is) {
			*recent = s
			return s
		}
	}
	s := new(site) // not &is: that would allocate for sites that are known, too
	*s = is
	s.last = d.newSlots(1)
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
	s.unseen = append(s.unseen, int32(len(s.rivals)))
	s.rivals = append(s.rivals, rival{site: o, sync: sync})
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
	s.open, s.unseen = len(s.rivals), s.unseen[:0]
	for i := range s.rivals {
		s.unseen = append(s.unseen, int32(i))
		r := &s.rivals[i]
		r.seen, r.recycled, r.held, r.landed = false, false, false, false
	}
}
