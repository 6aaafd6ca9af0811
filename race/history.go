package race

import (
	"slices"

	"landgo/internal/trace"
)

// access checks an access against those before it and keeps it. fresh: it is
// its step's first event, so that a preemption point is right before it.
func (d *Detector) access(t trace.TID, a *trace.Access, fresh bool) {
	is := siteKey{thread: t, pc: a.PC, locks: d.slots[d.threads[t].locks], write: a.IsWrite(), locked: a.Flags&(trace.Atomic|trace.Library) != 0, bare: !fresh && !d.cfg.Fine}
	d.hit = d.hit[:0]
	declared, locked := false, is.locked
	lo, hi := a.Addr, a.Addr+uint64(a.Size)
	if d.cfg.Mode == Adjacent {
		if lo, hi = a.Counted(); lo == hi {
			return
		}
	}
	for g := lo &^ 7; g < hi; g += 8 {
		is.granule, is.mask = g, trace.GranuleMask(g, lo, hi)
		s := d.site(&is)
		declared, locked = declared || s.declared, locked || s.library
		d.hit = append(d.hit, touched{s, d.slots[s.life]})
	}
	v := visit{step: d.steps, size: a.Size, insn: a.Insn, polls: d.polls != nil}
	if v.polls {
		v.step, v.insn = d.steps-1, 0 // behind the last step
	}
	before := d.slots[d.threads[t].clock]
	switch {
	case d.cfg.Mode == Adjacent:
		d.adjacent(t, v)
	case locked || declared && !is.write:
		d.acquireWord(t, a)
	}
	v.time, v.clock = d.now(t), d.slots[d.threads[t].clock]
	for _, h := range d.hit {
		v.life = h.life
		if h.site.open > 0 && d.cfg.Mode != Adjacent {
			d.check(h.site, v, before)
		}
		if d.polls != nil && d.past {
			continue
		}
		if last := &d.visits[d.slots[h.site.last]]; last.time != v.time || last.life != v.life {
			d.visits = append(roomy(d.visits, 1), v)
			d.set(h.site.last, int32(len(d.visits)-1))
		}
	}
	if is.write && d.polls == nil && (locked || d.cfg.Stores && (declared || d.lockedWord(a))) {
		d.releaseWord(t, a)
	}
}

// touched is a site of the access under way.
type touched struct {
	site *site
	life int32
}

// check looks for races of a visit to site s with earlier ones. The last visit
// of a site stands for all before it. An event after the last is after those
// too. So an access that races with one of them races with the last, and makes
// the same pair. before is the thread's clock without the access's acquisitions:
// two atomic accesses aren't ordered by their own meeting.
func (d *Detector) check(s *site, v visit, before int32) {
	after := d.slots[d.threads[s.thread].clock]
	if s.unseen == nil {
		for i := range s.rivals {
			if r := &s.rivals[i]; !r.has(seen) {
				d.meets(s, r, &v, before, after)
			}
		}
		if 2*s.open < len(s.rivals) {
			s.unseen = make([]int32, 0, s.open)
			for i := range s.rivals {
				if !s.rivals[i].has(seen) {
					s.unseen = append(s.unseen, int32(i))
				}
			}
		}
		return
	}
	kept := 0
	for i, n := range s.unseen {
		r := &s.rivals[n]
		if d.meets(s, r, &v, before, after); r.has(seen) {
			continue
		}
		if kept != i {
			s.unseen[kept] = n
		}
		kept++
	}
	s.unseen = s.unseen[:kept]
}

// meets looks for a race of a visit to site s with a rival's last one. Most are ordered by what the
// thread knew before, and then by all that it knows after.
func (d *Detector) meets(s *site, r *rival, v *visit, before, after int32) {
	e := &d.visits[d.slots[r.last]]
	if t := r.thread(); e.time > d.at(before, t) && (r.has(syncs) || e.time > d.at(after, t)) {
		d.race(s, r, e, v)
	}
}

// free ends the life of a block: it conflicts with each access to it. Accesses
// after it are errors, or those of another life.
func (d *Detector) free(t trace.TID, o *trace.Op, fresh bool) {
	lo, hi := o.Obj, o.Obj+uint64(o.Size)
	if o.Size == 0 || d.cfg.Mode == Adjacent {
		return
	}
	// PC is where the call returns to.
	is := siteKey{thread: t, pc: o.PC - 1, locks: d.slots[d.threads[t].locks], write: true, mask: 0xff, free: true, bare: !fresh && !d.cfg.Fine}
	v := visit{time: d.now(t), step: d.steps, size: o.Size}
	d.eachCell(lo, hi, func(g uint64, _ *cell) {
		is.granule = g
		s := d.site(&is)
		v.life = d.slots[s.life]
		if s.open > 0 {
			d.check(s, v, d.slots[d.threads[t].clock])
		}
	})
}

// reuse begins another life of a block's memory.
func (d *Detector) reuse(o *trace.Op) {
	d.eachCell(o.Obj, o.Obj+uint64(o.Size), func(_ uint64, c *cell) { d.set(c.life, d.slots[c.life]+1) })
}

// eachCell calls f for the granules from lo to hi that were ever accessed, by
// address.
func (d *Detector) eachCell(lo, hi uint64, f func(granule uint64, c *cell)) {
	lo &^= 7
	if (hi-lo)/8 <= uint64(len(d.cells)) {
		for g := lo; g < hi; g += 8 {
			if c := d.cells[g]; c != nil {
				f(g, c)
			}
		}
		return
	}
	var some []uint64
	for g := range d.cells {
		if g >= lo && g < hi {
			some = append(some, g)
		}
	}
	slices.Sort(some)
	for _, g := range some {
		f(g, d.cells[g])
	}
}
