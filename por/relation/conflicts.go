package relation

import (
	"cmp"
	"slices"

	"landgo/internal/trace"
)

// Conflicts appends to dst the events that e depends on and that aren't in base, a
// clock, newest first. These are all of them; gather finds those that e directly
// comes after. If an event is in a base, so is all that it depends on before it. So
// a walk ends where all older events are known to be in base, and costs what it
// finds.
func (o *Order) Conflicts(e *Event, base []int32, dst []int32) []int32 {
	o.found = dst
	o.tick(len(o.ev) + 1)
	if e.Global || e.Wild {
		for i := int32(len(o.ev)) - 1; i >= 0; i-- {
			o.find(e, i, base)
		}
	} else {
		o.conflictsOf(e, base)
	}
	dst, o.found = o.found, nil
	return dst
}

func (o *Order) conflictsOf(e *Event, base []int32) {
	n := len(o.found)
	for k := range e.Accesses {
		o.withAccess(e, &e.Accesses[k], base)
	}
	for k := range e.Waits {
		o.withAccess(e, &e.Waits[k], base)
	}
	for k := range e.Ops {
		op := &e.Ops[k]
		if classOf[op.Kind] == noClass {
			continue
		}
		i := o.object(op)
		o.withOps(e, op, i, base)
		if ob := &o.objs[i]; ob.plain {
			for g := ob.lo &^ 7; g < ob.hi; g += 8 {
				o.withBytes(e, o.granule(g), trace.GranuleMask(g, ob.lo, ob.hi), true, trace.NoBlend, base)
				if ob.ends && o.metBuffers {
					o.withBytes(e, o.granuleOf(g, inBuffers), trace.GranuleMask(g, ob.lo, ob.hi), true, trace.NoBlend, base)
				}
			}
		}
	}
	for a := o.advanced; a > 0 && base[o.ev[a-1].thread] < a; a = o.ev[a-1].advanced {
		o.find(e, a-1, base)
	}
	slices.SortFunc(o.found[n:], func(a, b int32) int { return cmp.Compare(b, a) })
}

func (o *Order) withAccess(e *Event, a *trace.Access, base []int32) {
	hi, at := a.Addr+uint64(a.Size), inMemory
	if a.Flags&trace.Buffered != 0 {
		o.knowBuffers()
		at = inBuffers
	}
	for g := a.Addr &^ 7; g < hi; g += 8 {
		n := o.granuleOf(g, at)
		if at == inMemory {
			o.withBytes(e, n, trace.GranuleMask(g, a.Addr, hi), a.IsWrite(), a.Blends(), base)
		}
		for k := o.grans[n].objs; k >= 0; k = o.objGranules[k+1] {
			if ob := &o.objs[o.objGranules[k]]; a.Addr < ob.hi && ob.lo < hi {
				o.withOps(e, nil, o.objGranules[k], base)
			}
		}
	}
}

// withBytes finds the accesses of granule n that conflict with one to the bytes
// in m. Accesses of a byte that are older than a write of it happen before that
// write.
func (o *Order) withBytes(e *Event, n int32, m uint8, write bool, blend trace.Blend, base []int32) {
	mine := m
	k := o.grans[n].write
	if write {
		k = o.grans[n].head
	}
	for k >= 0 {
		a := &o.accs[k]
		if write && m&a.below == 0 || !write && m&a.written == 0 {
			return
		}
		if a.commutes(mine, blend) {
			a = &o.accs[a.run]
		} else if a.mask&m != 0 {
			if !o.in(a.ev, base) {
				o.find(e, a.ev, base)
			} else if a.write && a.blend == trace.NoBlend {
				m &^= a.mask
			}
		}
		k = a.prev
		if !write {
			k = a.prevWrite
		}
	}
}

// withOps finds the operations on object n that op depends on, all if op is nil.
func (o *Order) withOps(e *Event, op *trace.Op, n int32, base []int32) {
	for r := o.objs[n].head; r >= 0; r = o.ops[r].prev {
		y := &o.ops[r]
		if o.in(y.ev, base) {
			if bars(y, op) {
				return
			}
			continue
		}
		if op == nil || dependentOps[y.kind][op.Kind] && (op.Kind != trace.OpSyscall || y.arg == 1 || op.Arg == 1) {
			o.find(e, y.ev, base)
		}
	}
}

// bars reports whether all older operations on the object that op may depend on
// happen before y.
func bars(y *opRec, op *trace.Op) bool {
	switch y.kind {
	case trace.OpBarrierArrive: // leaving comes before it or after
		return y.stops() && op != nil && (op.Kind == trace.OpBarrierArrive || op.Kind == trace.OpBarrierLeave)
	case trace.OpSyscall:
		return y.arg == 1
	}
	return total[y.kind]
}

// in reports whether event i is in base.
func (o *Order) in(i int32, base []int32) bool { return base[o.ev[i].thread] > i }

// Note puts an event into the indexes only, for Conflicts: without a clock.
func (o *Order) Note(e *Event) {
	for len(o.last) <= int(e.Thread) {
		o.last, o.woken = append(o.last, 0), append(o.woken, -1)
	}
	o.ev = append(o.ev, record{thread: e.Thread, prev: o.last[e.Thread] - 1, woken: -1, accs: int32(len(o.accs)), ops: int32(len(o.ops)), advanced: o.advanced})
	o.enter(e, int32(len(o.ev)-1))
}

// Patched reports whether a byte of a was last written by an event that isn't in
// base, a clock, and that didn't write all bytes of a.
func (o *Order) Patched(a *trace.Access, base []int32) bool {
	lo, hi := a.Addr&^7, a.Addr+uint64(a.Size)
	for g := lo; g < hi; g += 8 {
		m := trace.GranuleMask(g, a.Addr, hi)
		for k := o.grans[o.granule(g)].write; k >= 0 && m&o.accs[k].written != 0; k = o.accs[k].prevWrite {
			w := &o.accs[k]
			if w.mask&m == 0 {
				continue
			}
			if !o.in(w.ev, base) && !o.covers(w.ev, a) {
				return true
			}
			m &^= w.mask
		}
	}
	return false
}

// covers reports whether event i wrote all bytes of a.
func (o *Order) covers(i int32, a *trace.Access) bool {
	end := len(o.accs)
	if int(i)+1 < len(o.ev) {
		end = int(o.ev[i+1].accs)
	}
	accs, hi := o.accs[o.ev[i].accs:end], a.Addr+uint64(a.Size)
	for g := a.Addr &^ 7; g < hi; g += 8 {
		n, m := o.granule(g), trace.GranuleMask(g, a.Addr, hi)
		for k := range accs {
			if accs[k].gran == n && accs[k].write {
				m &^= accs[k].mask
			}
		}
		if m != 0 {
			return false
		}
	}
	return true
}
