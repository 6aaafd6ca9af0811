package race

import "landgo/trace"

// Mode Adjacent is the order of all that depends: beside synchronisation, each
// access comes after the conflicting ones before it, whatever the program means
// by them, and each operation after the others on its object. Two conflicting
// accesses race in it if they could be made neighbours in an execution that
// does the same: nothing that came between depends on the first and is depended
// on by the second. Whoever stands before the second could then as well have
// gone first. This is the reversible race of partial-order reduction (Abdulla
// et al., JACM 2017, §4.3), and true whatever the program synchronises by: a
// lock of its own, flags, turns.
//
// It says less than HB (what came between hides a race in one execution, and
// another shows it) and never what isn't so.

// adjacent looks for races of the access under way, whose sites are d.hit, and
// puts it after what it conflicts with.
func (d *Detector) adjacent(t trace.TID, v visit) {
	before := d.slots[d.threads[t].clock]
	clock := before
	for _, h := range d.hit {
		for i := range h.site.rivals {
			r := &h.site.rivals[i]
			e := &d.visits[d.slots[r.site.last]]
			if e.time == 0 {
				continue
			}
			clock = d.joined(clock, e.clock)
			if !r.seen && e.life == h.life && d.clock(before)[r.site.thread] < e.time && d.neighbours(r.site, e) {
				v.life = h.life
				d.race(h.site, r, e, &v)
			}
		}
	}
	d.set(d.threads[t].clock, clock)
	d.tick(t)
}

// neighbours reports whether no other access that the one under way conflicts
// with comes after visit e of site s.
func (d *Detector) neighbours(s *site, e *visit) bool {
	for _, h := range d.hit {
		for i := range h.site.rivals {
			o := h.site.rivals[i].site
			if v := &d.visits[d.slots[o.last]]; v.time != 0 && d.clock(v.clock)[s.thread] >= e.time && (o.thread != s.thread || v.time != e.time) {
				return false
			}
		}
	}
	return true
}

// onObject puts an operation after all others on its object.
func (d *Detector) onObject(t trace.TID, o *trace.Op) {
	switch o.Kind {
	case trace.OpYield, trace.OpSleep, trace.OpTime, trace.OpCreate:
		return
	}
	slot := d.object(anyOperation, o.Obj)
	d.joinClock(t, d.slots[slot])
	d.releaseTo(t, slot)
}
