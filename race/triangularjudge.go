package race

import "landgo/internal/trace"

// judge looks for triangular races of an access with those that it has met. v isn't in
// the buffer itself yet.
func (d *Triangular) judge(v *triVisit) {
	for _, m := range d.contacts {
		o := &d.visits[m.visit]
		switch {
		case !v.Write && v.store != 0 && (o.Write || o.failed):
			d.triangle(v, o, m)
		case !o.Write && o.store != 0 && (v.Write || v.failed):
			d.triangle(o, v, m)
		}
	}
}

// triangle adds the race of load r and store w, if it is one. One of the two is under way.
func (d *Triangular) triangle(r, w *triVisit, m contact) {
	s := &d.visits[r.store]
	before := w.before
	if d.cfg.fault == lookAhead {
		before = w.clock
	}
	switch {
	case d.at(before, r.Thread) >= s.time:
		return
	case d.covers(r, s, m):
		return
	case w.failed && (d.cfg.fault == failedLoads || !d.finds(w, r.store)):
		return
	case !d.neighbours(m.visit):
		return
	}
	load, racing := r.Access, w.Access
	d.Add(Triangle{Store: s.Access, Load: load, Racing: racing})
}

// finds reports whether a compare-and-exchange reads a byte of a store that may be buffered
// with the one at visit n, or of that.
func (d *Triangular) finds(w *triVisit, n int32) bool {
	for ; n != 0; n = d.visits[n].store {
		if s := &d.visits[n]; w.Addr < s.Addr+uint64(s.Size) && s.Addr < w.Addr+uint64(w.Size) {
			return true
		}
		if d.cfg.fault == lastFound {
			return false
		}
	}
	return false
}

// covers reports whether store s has all the bytes of a contact.
func (d *Triangular) covers(r, s *triVisit, m contact) bool {
	if d.cfg.fault == anyCover {
		// The newest store of the thread to just these bytes, drained or not.
		for i := r.store; i > 0; i-- {
			if v := &d.visits[i]; v.Thread == r.Thread && v.Write && v.covers(m) {
				return true
			}
		}
		return false
	}
	return s.covers(m)
}

func (v *triVisit) covers(m contact) bool {
	lo, hi := v.Addr, v.Addr+uint64(v.Size)
	return lo < m.granule+8 && m.granule < hi && m.mask&^trace.GranuleMask(m.granule, max(lo, m.granule), min(hi, m.granule+8)) == 0
}

// neighbours reports whether nothing that the access under way conflicts with comes after
// visit n: then the two are adjacent in an equivalent execution.
func (d *Triangular) neighbours(n int32) bool {
	e := &d.visits[n]
	for _, m := range d.contacts {
		if m.visit == n || !d.visits[m.visit].Write && !d.visits[len(d.visits)-1].Write {
			continue
		}
		if o := &d.visits[m.visit]; o.Thread == e.Thread && m.visit > n || o.Thread != e.Thread && d.at(o.clock, e.Thread) >= e.time {
			return false
		}
	}
	return true
}
