package relation

import (
	"slices"

	"landgo/internal/trace"
)

// gather fills o.found with the events that e directly depends on, newest first,
// each once: those by other threads that aren't in e's base. Those that it leaves
// out happen before one that it has.
//
// For an operation that can block, the release that let it in is no race:
// reversed, the operation would still be impossible. But it hides the acquire
// before, which is one. So the walk goes on behind the release until it meets an
// operation that could have come second.
func (o *Order) gather(e *Event, first trace.Op, base []int32) {
	o.found = o.found[:0]
	o.tick(len(o.ev) + 1)
	if e.Global {
		o.gatherAll(e, base)
		return
	}
	for k := range e.Accesses {
		if k == 0 && e.Await != nil {
			o.gatherAwait(e, base)
		}
		switch {
		case e.Accesses[k].Flags&trace.Buffered != 0:
			o.gatherBuffered(e, &e.Accesses[k], base)
		case e.Loads():
			o.gatherSource(e, base)
		default:
			o.gatherAccess(e, &e.Accesses[k], base)
		}
	}
	for k := range e.Waits {
		o.gatherAccess(e, &e.Waits[k], base)
	}
	long := len(e.Ops) > manyOps
	if long {
		clear(o.asked)
	}
	for k := range e.Ops {
		op := &e.Ops[k]
		if classOf[op.Kind] == noClass {
			continue
		}
		n := o.object(op)
		if long && !o.asks(n, op) {
			continue
		}
		o.gatherOps(e, op, n, first, base)
		if ob := &o.objs[n]; ob.plain {
			for g := ob.lo &^ 7; g < ob.hi; g += 8 {
				o.walk(e, o.granule(g), trace.GranuleMask(g, ob.lo, ob.hi), true, trace.NoBlend, base)
				if ob.ends && o.metBuffers {
					o.walk(e, o.granuleOf(g, inBuffers), trace.GranuleMask(g, ob.lo, ob.hi), true, trace.NoBlend, base)
				}
			}
		}
	}
	o.gatherAdvance(e, base)
	sortDown(o.found)
}

// manyOps is from how many operations in a step on it is worth while to ask for those alike once.
const manyOps = 32

// asking is what the operations that an event's operation depends on are found by.
type asking struct {
	object int32
	kind   trace.OpKind
	arg    uint64
}

// asks reports whether op is the first of its event that is to be asked for. A step that goes past points may lock a
// mutex a hundred thousand times.
func (o *Order) asks(object int32, op *trace.Op) bool {
	a := asking{object: object, kind: op.Kind}
	if c := classOf[op.Kind]; c == syscallClass || c == barrierClass {
		a.arg = op.Arg
	}
	if _, ok := o.asked[a]; ok {
		return false
	}
	o.asked[a] = struct{}{}
	return true
}

// sortDown sorts positions, newest first. There are few, except where a thread
// polled a thousand times what another now writes.
func sortDown(p []int32) {
	if len(p) > 16 {
		slices.Sort(p)
		slices.Reverse(p)
		return
	}
	for i := 1; i < len(p); i++ {
		for j := i; j > 0 && p[j-1] < p[j]; j-- {
			p[j-1], p[j] = p[j], p[j-1]
		}
	}
}

// tick starts a new generation of marks on events 0..n-1.
func (o *Order) tick(n int) {
	for len(o.stamp) < n {
		o.stamp = append(o.stamp, make([]uint32, n+64)...)
	}
	o.now++
	if o.now == 0 {
		clear(o.stamp)
		o.now = 1
	}
}

// find adds position c to o.found unless it is there, is e's own thread's or
// in base.
func (o *Order) find(e *Event, c int32, base []int32) {
	t := o.ev[c].thread
	if t == e.Thread || base[t] > c || o.stamp[c] == o.now || o.buffered && o.ownPair(e, c) {
		return
	}
	o.stamp[c] = o.now
	o.found = append(o.found, c)
}

// gatherAll: the end of the process comes after everything.
func (o *Order) gatherAll(e *Event, base []int32) {
	for t := range o.last {
		if l := o.last[t]; l > 0 {
			o.find(e, l-1, base)
		}
	}
	sortDown(o.found)
}

// gatherAdvance: an advance of the clock comes before everything later.
func (o *Order) gatherAdvance(e *Event, base []int32) {
	if o.advanced > 0 {
		o.find(e, o.advanced-1, base)
	}
}

func (o *Order) gatherAccess(e *Event, a *trace.Access, base []int32) {
	hi := a.Addr + uint64(a.Size)
	for g := a.Addr &^ 7; g < hi; g += 8 {
		n := o.granule(g)
		o.walk(e, n, trace.GranuleMask(g, a.Addr, hi), a.IsWrite(), a.Blends(), base)
		o.gatherObjects(e, n, a, base)
	}
}

// gatherObjects finds the operations on objects that have bytes of an access in granule n.
func (o *Order) gatherObjects(e *Event, n int32, a *trace.Access, base []int32) {
	for k := o.grans[n].objs; k >= 0; k = o.objGranules[k+1] {
		ob := &o.objs[o.objGranules[k]]
		if a.Addr >= ob.hi || ob.lo >= a.Addr+uint64(a.Size) {
			continue
		}
		for r := ob.head; r >= 0; r = o.ops[r].prev {
			o.find(e, o.ops[r].ev, base)
			if o.ops[r].stops() {
				break
			}
		}
	}
}

// gatherBuffered: a buffer takes or answers a only where its bytes may be accessed.
func (o *Order) gatherBuffered(e *Event, a *trace.Access, base []int32) {
	o.knowBuffers()
	for g := a.Addr &^ 7; g < a.Addr+uint64(a.Size); g += 8 {
		o.gatherObjects(e, o.granuleOf(g, inBuffers), a, base)
	}
}

// walk finds the accesses of granule n that an access to the bytes in m, which blends,
// conflicts with.
func (o *Order) walk(e *Event, n int32, m uint8, write bool, blend trace.Blend, base []int32) {
	if !write {
		for k := o.grans[n].write; k >= 0 && m&o.accs[k].written != 0; k = o.accs[k].other {
			if a := &o.accs[k]; a.mask&m != 0 {
				o.findBlended(e, k, base)
				m &^= a.mask
			}
		}
		return
	}
	mine := m
	for k := o.grans[n].head; k >= 0 && m&o.accs[k].below != 0; k = o.accs[k].prev {
		a := &o.accs[k]
		if a.commutes(mine, blend) {
			k = a.run
			continue
		}
		if a.mask&m == 0 {
			continue
		}
		o.findBlended(e, k, base)
		if a.write {
			m &^= a.mask
		}
	}
}

// gatherOps finds the operations on object n that op depends on.
func (o *Order) gatherOps(e *Event, op *trace.Op, n int32, first trace.Op, base []int32) {
	blocks := acquires[op.Kind] && op.Obj == first.Obj && (op.Kind == first.Kind || op.Kind == trace.OpOncePass && first.Kind == trace.OpOnce)
	refused := int32(-1) // the last event that couldn't have come second
	for r, next := o.objs[n].head, int32(0); r >= 0; r = next {
		y := &o.ops[r]
		if next = y.prev; !dependentOps[y.kind][op.Kind] {
			next = y.other // a thousand tries that fail, one after the other
			continue
		}
		if classOf[op.Kind] == syscallClass && y.arg != 1 && op.Arg != 1 {
			next = y.other // readers of the resource commute with each other
			continue
		}
		if op.Kind == trace.OpBarrierArrive && y.kind == trace.OpBarrierArrive && op.Arg&y.arg&trace.Gathers != 0 {
			if o.arrived(e, r, base) {
				return
			}
			continue
		}
		o.find(e, y.ev, base)
		if !y.total() {
			continue
		}
		if y.ev == refused {
			continue
		}
		if t := o.ev[y.ev].thread; !blocks || o.digests.on || t == e.Thread || base[t] > y.ev || o.possible(y.ev, e, first, int32(len(o.ev))) {
			return
		}
		refused = y.ev
	}
}
