package relation

import (
	"iter"

	"landgo/internal/trace"
)

// index finds the accesses of a byte and the operations on an object, newest
// first (see Order).
type index struct {
	granules    table
	grans       []granule
	accs        []accRec
	objects     table
	objs        []object
	objGranules []int32 // linked: object number, next
	ops         []opRec
	metBuffers  bool // a store buffer was met, in this execution or an earlier one
}

// place is where a granule is.
type place uint32

const (
	inMemory  place = iota
	inBuffers       // what store buffers have taken, or answered
)

type granule struct {
	head, write int32 // newest access, newest write
	objs        int32 // head in objGranules of the objects that have bytes here
	plain       bool  // was ever accessed
}

type accRec struct {
	ev, gran  int32
	prev      int32 // the granule's access before
	prevWrite int32 // the granule's write before
	other     int32 // the last write before that has other bytes: a read passes over a thousand of its neighbour
	mask      uint8
	write     bool
	blend     trace.Blend
	blended   int32 // the access before whose order with this one doesn't count, -1 for none
	run       int32 // the first of those accesses, this one if there are none: a walk passes over all at once
	// The bytes of the granule that this access or one before it has, and those
	// that one of them writes: a walk for others ends here.
	below, written uint8
}

type object struct {
	head   int32
	lo, hi uint64 // its bytes; lo == hi if it has none
	plain  bool   // an access touched its bytes, in this execution or an earlier one
	ends   bool   // its operations end the life of its bytes, or begin it
}

type opRec struct {
	ev, obj, prev int32
	other         int32 // the last before that isn't alike
	held          int32 // how often a mutex is locked behind it
	kind          trace.OpKind
	arg           uint64
}

// holds is how often a mutex is locked behind operation kind, where it was held that often before.
func holds(held int32, kind trace.OpKind) int32 {
	switch kind {
	case trace.OpLock, trace.OpTryLock:
		return held + 1
	case trace.OpUnlock:
		return max(held-1, 0)
	case trace.OpMutexInit, trace.OpMutexDestroy:
		return 0
	}
	return held
}

// changes: a system call changes its resource, and doesn't only read it.
func (r *opRec) changes() bool { return r.arg == 1 }

// alike: all that depends on r depends on op, and the other way round.
func (r *opRec) alike(op *trace.Op) bool {
	return dependentOps[r.kind] == dependentOps[op.Kind] && r.kind != trace.OpBarrierArrive && (classOf[op.Kind] != syscallClass || r.changes() == (op.Arg == 1))
}

// total: r depends on everything on its object, so that what came before is ordered with
// what comes after.
func (r *opRec) total() bool { return r.stops() || classOf[r.kind] == syscallClass && r.changes() }

// stops: what came before r on its object happens before it.
func (r *opRec) stops() bool {
	return total[r.kind] && (r.kind != trace.OpBarrierArrive || r.arg&trace.Gathers == 0)
}

// History are the operations on op's object, newest first: events and kinds.
func (x *index) History(op *trace.Op) iter.Seq2[int32, trace.OpKind] {
	r := x.objs[x.object(op)].head
	return func(yield func(int32, trace.OpKind) bool) {
		for ; r >= 0 && yield(x.ops[r].ev, x.ops[r].kind); r = x.ops[r].prev {
		}
	}
}

// enter puts an event's accesses and operations into the indexes.
func (x *index) enter(e *Event, i int32) {
	for k := range e.Accesses {
		if e.Accesses[k].Flags&trace.Buffered == 0 {
			x.enterAccess(&e.Accesses[k], i)
		} else {
			x.enterBuffered(&e.Accesses[k], i)
		}
	}
	for k := range e.Waits {
		x.enterAccess(&e.Waits[k], i)
	}
	for k := range e.Ops {
		op := &e.Ops[k]
		if classOf[op.Kind] == noClass {
			continue
		}
		n := x.object(op)
		ob := &x.objs[n]
		other, held := ob.head, int32(0)
		if other >= 0 {
			last := &x.ops[other]
			if held = last.held; last.alike(op) {
				other = last.other
			}
		}
		x.ops = append(x.ops, opRec{i, n, ob.head, other, holds(held, op.Kind), op.Kind, op.Arg})
		ob.head = int32(len(x.ops) - 1)
	}
}

// leave shortens the indexes to this many accesses and operations.
func (x *index) leave(accs, ops int) {
	for k := len(x.accs) - 1; k >= accs; k-- {
		a := &x.accs[k]
		g := &x.grans[a.gran]
		g.head = a.prev
		if a.write {
			g.write = a.prevWrite
		}
	}
	x.accs = x.accs[:accs]
	for k := len(x.ops) - 1; k >= ops; k-- {
		x.objs[x.ops[k].obj].head = x.ops[k].prev
	}
	x.ops = x.ops[:ops]
}

// granule numbers a granule of memory, or of what buffers have of it (inBuffers).
func (x *index) granule(g uint64) int32 { return x.granuleOf(g, inMemory) }

func (x *index) granuleOf(g uint64, at place) int32 {
	n := x.granules.number(g, uint32(at))
	if int(n) == len(x.grans) {
		x.grans = append(x.grans, granule{-1, -1, -1, false})
	}
	return n
}

func (x *index) enterAccess(a *trace.Access, i int32) { x.enterAt(a, inMemory, i) }

// enterBuffered enters what event i does with a buffer. It is no access to memory, and no
// access depends on it; only the end of the bytes' life does (ends).
func (x *index) enterBuffered(a *trace.Access, i int32) {
	x.knowBuffers()
	b := trace.Access{Addr: a.Addr, Size: a.Size}
	x.enterAt(&b, inBuffers, i)
}

// knowBuffers has the objects whose bytes' life ends be found by what buffers do with them,
// from the first time on that a buffer is met.
func (x *index) knowBuffers() {
	if x.metBuffers {
		return
	}
	x.metBuffers = true
	for n := range x.objs {
		if x.objs[n].ends {
			x.place(int32(n), inBuffers)
		}
	}
}

func (x *index) enterAt(a *trace.Access, at place, i int32) {
	hi := a.Addr + uint64(a.Size)
	for g := a.Addr &^ 7; g < hi; g += 8 {
		n := x.granuleOf(g, at)
		gr := &x.grans[n]
		if !gr.plain {
			gr.plain = true
			for k := gr.objs; k >= 0; k = x.objGranules[k+1] {
				x.objs[x.objGranules[k]].plain = true
			}
		}
		r := accRec{ev: i, gran: n, prev: gr.head, prevWrite: gr.write, other: gr.write, mask: trace.GranuleMask(g, a.Addr, hi), write: a.IsWrite()}
		if r.blended, r.run = x.blends(n, &r, a), int32(len(x.accs)); r.blended >= 0 {
			r.run = x.accs[r.blended].run
		}
		r.below = r.mask
		if r.prev >= 0 {
			r.below |= x.accs[r.prev].below
		}
		if r.write {
			r.written = r.mask
		}
		if r.prevWrite >= 0 {
			before := &x.accs[r.prevWrite]
			r.written |= before.written
			if before.mask == r.mask {
				r.other = before.other
			}
		}
		x.accs = append(x.accs, r)
		gr.head = int32(len(x.accs) - 1)
		if a.IsWrite() {
			gr.write = gr.head
		}
	}
}

// plain reports whether bytes of an operation's object were accessed as memory.
func (x *index) plain(op *trace.Op) bool {
	return classOf[op.Kind] != noClass && x.objs[x.object(op)].plain
}

// object numbers an operation's object and, when it is new, notes where its
// bytes are.
func (x *index) object(op *trace.Op) int32 {
	n := x.objects.number(op.Obj, uint32(classOf[op.Kind]))
	if int(n) < len(x.objs) {
		return n
	}
	ob := object{head: -1}
	if op.Size > 0 {
		ob.lo, ob.hi = op.Obj, op.Obj+uint64(op.Size)
	}
	ob.ends = ends[op.Kind]
	x.objs = append(x.objs, ob)
	x.place(n, inMemory)
	if ob.ends && x.metBuffers {
		x.place(n, inBuffers)
	}
	return n
}

// place has an object be found by its bytes.
func (x *index) place(n int32, at place) {
	ob := &x.objs[n]
	for g := ob.lo &^ 7; g < ob.hi; g += 8 {
		gr := x.granuleOf(g, at)
		x.objGranules = append(x.objGranules, n, x.grans[gr].objs)
		x.grans[gr].objs = int32(len(x.objGranules) - 2)
		ob.plain = ob.plain || x.grans[gr].plain
	}
}
