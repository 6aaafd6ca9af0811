package race

import (
	"landgo/internal/trace"
)

// A watch for triangular races sleeps until an execution has what may be the load of one. That is
// a plain load, or what counts as one, after a store that may still be in the buffer. The store
// doesn't have all of the load's bytes. Up to there no execution had a race, so it only follows
// which store each thread may have in its buffer. Most programs never wake it. When it wakes, it
// looks at the present execution again from the start, and at all that come after. It looks for
// what guards such loads (triangularguard.go), and in full once something doesn't.

// asleep is a sleeping watch's record of the present execution.
type asleep struct {
	sleeps  bool
	guarded bool // it has woken once: all loads that may be of a race are guarded
	path    []*trace.Transition
	marks   []int // by mark, the length of path
}

// doze follows a transition, and reports whether the watch has to wake for it.
func (d *Triangular) doze(t *trace.Transition) (wakes bool) {
	d.stored, d.step = false, t
	if d.guarded && d.unknown(t) {
		return true
	}
	d.ensureAll(t)
	next, fence := 0, 0
	for i := range t.Ops {
		o := &t.Ops[i]
		n := min(int(o.At), len(t.Accesses))
		if next, fence, wakes = d.glance(n, next, fence); wakes {
			return true
		}
		by := t.DidBy(i)
		if d.slots[d.threads[by].store] != 0 && (looksAt(o) || o.Kind == trace.OpCallBegins || o.Kind == trace.OpCallEnds) {
			return true
		}
		if hasObject(o) {
			d.operatedOn(o)
		}
		fence = d.fences(t, fence, next)
		if d.guarded && d.guards(by, o) {
			return true
		}
		d.effect(by, o)
	}
	next, fence, wakes = d.glance(len(t.Accesses), next, fence)
	d.fences(t, fence, next)
	return wakes
}

// glance is until, for doze.
func (d *Triangular) glance(n, next, fence int) (int, int, bool) {
	t := d.step
	for ; next < n; next++ {
		fence = d.fences(t, fence, next)
		if d.mayRace(t.By(next), &t.Accesses[next]) {
			return next, fence, true
		}
	}
	if n == len(t.Accesses) {
		fence = d.fences(t, fence, n)
	}
	return next, fence, false
}

// mayRace follows an access, and reports whether it may be the load of a race.
func (d *Triangular) mayRace(t trace.TID, a *trace.Access) bool {
	lo, hi := a.Counted()
	if d.passes(lo, hi) {
		return false
	}
	slot := d.threads[t].store
	loads := false
	switch last := d.slots[slot]; {
	case d.isLocked(a):
		d.drain(t)
	case !a.IsWrite():
		loads = last != 0 && !(d.covered(&d.visits[last], lo, hi) && !d.besideAny(lo, hi)) && !(d.isWord(lo) && d.changesKernel())
	case !d.isWord(lo):
		d.visits = append(d.visits, triVisit{Access: Access{Thread: t, Addr: lo, Size: uint32(hi - lo), Write: true}})
		d.buffered(slot, int32(len(d.visits)-1), a.PC)
	}
	if d.guarded {
		return d.guardedAccess(t, lo, hi, loads) || loads && d.isWord(lo)
	}
	return loads
}

// covered reports whether a store has all bytes of a range.
func (d *Triangular) covered(s *triVisit, lo, hi uint64) bool {
	return s.Addr <= lo && hi <= s.Addr+uint64(s.Size)
}

// besideAny reports whether operations were made on objects that have bytes of a range.
func (d *Triangular) besideAny(lo, hi uint64) bool {
	for g := lo &^ 7; g < hi; g += 8 {
		if c := d.cells[g]; c != nil && c.object {
			return true
		}
	}
	return false
}

// wake has the watch look at the present execution from the start, up to where it is.
func (d *Triangular) wake() {
	old := d.asleep
	d.asleep = asleep{}
	if !old.guarded && !d.cfg.Coarse {
		d.asleep = asleep{sleeps: true, guarded: true}
	}
	d.order, d.visits = newOrder(false), d.visits[:1]
	d.cells, d.objs = map[uint64]*triCell{}, map[uint64]*triObject{}
	clear(d.recent[:])
	clear(d.lately[:])
	seen := 0
	for _, n := range append(old.marks, len(old.path)) {
		for ; seen < n; seen++ {
			d.Step(old.path[seen])
		}
		if len(d.order.marks) < len(old.marks) {
			d.Mark()
		}
	}
}
