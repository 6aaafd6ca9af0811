package por

import "landgo/trace"

// The happens-before order of the current execution: a clock vector for each
// event, as in Flanagan and Godefroid §4.1, computed from indexes instead of
// by a search through the stack (their §4.2, with reads and writes told apart
// and any number of objects in a transition).
//
// Positions: event i is the i-th of the execution, from 0. A clock holds
// positions+1, so that i happens before j iff clock(j)[thread(i)] > i.
//
// Besides dependence (dependence.go), a step happens before the next step of
// each thread that it let go on (Transition.Wakes): an order that no search
// ever reverses. So a step's *base* is the clock of what came before it
// without fail: its thread's last event and what woke the thread since.
//
// Indexes, all stacks that shrink as the search backtracks:
//   - for each 8-byte granule, its accesses, newest first, and among them the
//     writes, newest first, with the bytes that each covers. A write of a byte
//     is after all earlier accesses of that byte, so a walk ends where all its
//     bytes were written;
//   - for each object, its operations, newest first. A walk ends at one that
//     depends on all others of its class ("total").
type order struct {
	width  int     // threads
	clocks []int32 // width per event
	ev     []record
	last   []int32 // per thread: position+1 of its last event, 0 for none
	woken  []int32 // per thread: the newest of its wakes since its last event, -1 for none
	wakes  []wake

	granules    table
	grans       []granule
	accs        []accRec
	objects     table
	objs        []object
	objGranules []int32 // linked: object number, next
	ops         []opRec

	races []race
	needs []int32
	// lets are pairs of a release and the operation that it let in, for bounds
	// (bpor.go).
	lets     []race
	keepLets bool
	kept     int // races below this index are those of the last time that somebody asked
	// advanced is the position+1 of the newest advance of the clock.
	advanced int32
	// raceless: clocks only, no races.
	raceless bool

	found   []int32 // the direct predecessors of the event under way, see gather
	cover   []int32 // scratch clock
	row     []int32 // scratch clock
	scratch []int32 // scratch clock
	stamp   []uint32
	now     uint32
	drops   []int32
}

// record is what the order keeps of an event.
type record struct {
	thread trace.TID
	prev   int32 // position of the thread's previous event, -1
	woken  int32 // o.woken of the thread before the event
	// Lengths of the stacks before the event.
	wakes, accs, ops, races, needs, lets int32

	first    trace.Op // what the step began with
	advanced int32    // o.advanced before the event
}

type wake struct {
	ev, next int32
	thread   trace.TID
}

type granule struct {
	head, write int32 // newest access, newest write
	objs        int32 // head in objGranules of the objects that have bytes here
	plain       bool  // was ever accessed
}

type accRec struct {
	ev, gran  int32
	prev      int32 // the granule's access before
	prevWrite int32 // the granule's write before
	other     int32 // the last write before that has other bytes than it: a read passes over a thousand of its neighbour
	mask      uint8
	write     bool
	// The bytes of the granule that this access or one before it has, and those
	// that one of them writes: a walk for others ends here.
	below, written uint8
}

type object struct {
	head   int32
	lo, hi uint64 // its bytes; lo == hi if it has none
	// plain: some access touched its bytes, in this execution or an earlier
	// one.
	plain bool
}

type opRec struct {
	ev, obj, prev int32
	other         int32 // before prev, the last that depends on other kinds than this
	kind          trace.OpKind
	arg           uint64
}

// race is a pair of events in a reversible race: dependent, none ordering them
// between, and the second could have come first. need is where in o.needs the
// clock begins of what the second needs to have before it if it comes first,
// -1 if that is its own clock. The two differ where a release let it in that
// wouldn't be needed then, nor what came before that release.
type race struct{ first, second, need int32 }

func newOrder() *order { return &order{now: 1} }

func (o *order) clock(i int32) []int32 {
	return o.clocks[int(i)*o.width : (int(i)+1)*o.width]
}

// before reports whether event i happens before event j (i != j).
func (o *order) before(i, j int32) bool {
	return o.clocks[int(j)*o.width+int(o.ev[i].thread)] > i
}

func join(dst, src []int32) {
	for i, v := range src {
		if v > dst[i] {
			dst[i] = v
		}
	}
}

// widen makes room for n threads.
func (o *order) widen(n int) {
	if n <= o.width {
		return
	}
	w := max(n, 2*o.width, 4)
	clocks := make([]int32, len(o.ev)*w, (len(o.ev)+64)*w)
	for i := range o.ev {
		copy(clocks[i*w:], o.clocks[i*o.width:(i+1)*o.width])
	}
	needs := make([]int32, len(o.needs)/max(o.width, 1)*w)
	for i := 0; i < len(o.needs)/max(o.width, 1); i++ {
		copy(needs[i*w:], o.needs[i*o.width:(i+1)*o.width])
	}
	for i := range o.races {
		if r := &o.races[i]; r.need >= 0 {
			r.need = r.need / int32(o.width) * int32(w)
		}
	}
	for i := range o.ev {
		o.ev[i].needs = o.ev[i].needs / int32(max(o.width, 1)) * int32(w)
	}
	o.clocks, o.needs, o.width = clocks, needs, w
	for len(o.last) < w {
		o.last, o.woken = append(o.last, 0), append(o.woken, -1)
	}
	o.cover, o.row, o.scratch = make([]int32, w), make([]int32, w), make([]int32, w)
}

// base writes the clock of what is before thread t's next event without fail.
func (o *order) base(dst []int32, t trace.TID) {
	if l := o.last[t]; l > 0 {
		copy(dst, o.clock(l-1))
	} else {
		clear(dst)
	}
	for k := o.woken[t]; k >= 0; k = o.wakes[k].next {
		join(dst, o.clock(o.wakes[k].ev))
	}
}

// baseOf is the base that event i had.
func (o *order) baseOf(dst []int32, i int32) {
	r := &o.ev[i]
	if r.prev >= 0 {
		copy(dst, o.clock(r.prev))
	} else {
		clear(dst)
	}
	for k := r.woken; k >= 0; k = o.wakes[k].next {
		join(dst, o.clock(o.wakes[k].ev))
	}
}

// push appends an event and adds the reversible races in which it is the
// second to o.races. first is what the step began with.
func (o *order) push(e *event, first trace.Op, ready readiness) {
	i := int32(len(o.ev))
	o.ev = append(o.ev, record{thread: e.thread, prev: o.last[e.thread] - 1, woken: o.woken[e.thread], first: first,
		wakes: int32(len(o.wakes)), accs: int32(len(o.accs)), ops: int32(len(o.ops)), races: int32(len(o.races)),
		needs: int32(len(o.needs)), lets: int32(len(o.lets)), advanced: o.advanced})
	n := len(o.clocks)
	if n+o.width > cap(o.clocks) {
		o.clocks = append(make([]int32, 0, 2*cap(o.clocks)+o.width), o.clocks...)
	}
	o.clocks = o.clocks[:n+o.width]
	row := o.clocks[n:]
	o.base(row, e.thread)
	o.gather(e, first, row, ready)
	switch {
	case o.raceless:
		for _, c := range o.found {
			join(row, o.clock(c))
		}
	case len(o.found) > 0:
		o.race(e, first, i, row, ready)
	}
	row[e.thread] = i + 1
	o.enter(e, i)
	o.last[e.thread], o.woken[e.thread] = i+1, -1
	if e.advance {
		o.advanced = i + 1
	}
}

// race finds the races of event i among its direct predecessors and joins their
// clocks into row, its own, which is its base so far.
func (o *order) race(e *event, first trace.Op, i int32, row []int32, ready readiness) {
	copy(o.cover, row)
	released := false // some predecessor let e in
	for _, c := range o.found {
		if e.advance || c+1 == o.advanced || o.cover[o.ev[c].thread] > c {
			continue
		}
		if !o.possible(c, e, first, i, ready) {
			if released = true; o.keepLets {
				o.lets = append(o.lets, race{c, i, -1})
			}
			continue
		}
		need := int32(-1)
		if released {
			need = int32(len(o.needs))
			o.needs = append(o.needs, row...)
			o.need(c, o.needs[need:])
		}
		o.races = append(o.races, race{c, i, need})
		join(o.cover, o.clock(c))
	}
	for _, c := range o.found {
		join(row, o.clock(c))
	}
}

// need joins into row, a base, the clocks of the direct predecessors that
// remain if c and what comes with it (o.drops) are left out.
func (o *order) need(c int32, row []int32) {
	for _, y := range o.found {
		if y > c && !o.dropped(y) {
			join(row, o.clock(y))
		}
	}
}

// pending calls f for each event that thread t's blocked operation races with,
// as if it came next. row is a clock of what the operation needs to come
// first; o.drops is what would have to come later.
func (o *order) pending(e *event, first trace.Op, ready readiness, f func(c int32, row []int32)) {
	end := int32(len(o.ev))
	base := o.scratch
	o.base(base, e.thread)
	o.gather(e, first, base, ready)
	copy(o.cover, base)
	for _, c := range o.found {
		if c+1 == o.advanced || o.cover[o.ev[c].thread] > c || !o.possible(c, e, first, end, ready) {
			continue
		}
		join(o.cover, o.clock(c))
		copy(o.row, base)
		o.need(c, o.row)
		f(c, o.row)
	}
}

// wakesUp notes that the newest event let t go on.
func (o *order) wakesUp(t trace.TID) {
	o.widen(int(t) + 1)
	o.wakes = append(o.wakes, wake{int32(len(o.ev) - 1), o.woken[t], t})
	o.woken[t] = int32(len(o.wakes) - 1)
}

// pop takes the newest event back.
func (o *order) pop() {
	i := len(o.ev) - 1
	r := &o.ev[i]
	for k := len(o.wakes) - 1; k >= int(r.wakes); k-- {
		o.woken[o.wakes[k].thread] = o.wakes[k].next
	}
	o.wakes = o.wakes[:r.wakes]
	for k := len(o.accs) - 1; k >= int(r.accs); k-- {
		a := &o.accs[k]
		g := &o.grans[a.gran]
		g.head = a.prev
		if a.write {
			g.write = a.prevWrite
		}
	}
	o.accs = o.accs[:r.accs]
	for k := len(o.ops) - 1; k >= int(r.ops); k-- {
		o.objs[o.ops[k].obj].head = o.ops[k].prev
	}
	o.ops = o.ops[:r.ops]
	o.races, o.needs, o.lets = o.races[:r.races], o.needs[:r.needs], o.lets[:r.lets]
	o.kept = min(o.kept, len(o.races))
	o.advanced = r.advanced
	o.last[r.thread], o.woken[r.thread] = r.prev+1, r.woken
	o.ev = o.ev[:i]
	o.clocks = o.clocks[:i*o.width]
}

// enter puts an event's accesses and operations into the indexes.
func (o *order) enter(e *event, i int32) {
	for k := range e.accesses {
		o.enterAccess(&e.accesses[k], i)
	}
	for k := range e.waits {
		o.enterAccess(&e.waits[k], i)
	}
	for k := range e.ops {
		op := &e.ops[k]
		if classOf[op.Kind] == noClass {
			continue
		}
		n := o.object(op)
		ob := &o.objs[n]
		other := ob.head
		if other >= 0 && dependentOps[o.ops[other].kind] == dependentOps[op.Kind] {
			other = o.ops[other].other
		}
		o.ops = append(o.ops, opRec{i, n, ob.head, other, op.Kind, op.Arg})
		ob.head = int32(len(o.ops) - 1)
	}
}

// mask has a bit for each byte of granule g that [lo, hi) has.
func mask(g, lo, hi uint64) uint8 {
	m := uint8(0xff)
	if lo > g {
		m <<= lo - g
	}
	if hi < g+8 {
		m &= 0xff >> (g + 8 - hi)
	}
	return m
}

func (o *order) granule(g uint64) int32 {
	n := o.granules.number(g, 0)
	if int(n) == len(o.grans) {
		o.grans = append(o.grans, granule{-1, -1, -1, false})
	}
	return n
}

func (o *order) enterAccess(a *trace.Access, i int32) {
	hi := a.Addr + uint64(a.Size)
	for g := a.Addr &^ 7; g < hi; g += 8 {
		n := o.granule(g)
		gr := &o.grans[n]
		if !gr.plain {
			gr.plain = true
			for k := gr.objs; k >= 0; k = o.objGranules[k+1] {
				o.objs[o.objGranules[k]].plain = true
			}
		}
		r := accRec{ev: i, gran: n, prev: gr.head, prevWrite: gr.write, other: gr.write, mask: mask(g, a.Addr, hi), write: a.IsWrite()}
		r.below = r.mask
		if r.prev >= 0 {
			r.below |= o.accs[r.prev].below
		}
		if r.write {
			r.written = r.mask
		}
		if r.prevWrite >= 0 {
			before := &o.accs[r.prevWrite]
			r.written |= before.written
			if before.mask == r.mask {
				r.other = before.other
			}
		}
		o.accs = append(o.accs, r)
		gr.head = int32(len(o.accs) - 1)
		if a.IsWrite() {
			gr.write = gr.head
		}
	}
}

// plain reports whether bytes of an operation's object were accessed as memory.
func (o *order) plain(op *trace.Op) bool {
	return classOf[op.Kind] != noClass && o.objs[o.object(op)].plain
}

// object numbers an operation's object and, when it is new, notes where its
// bytes are.
func (o *order) object(op *trace.Op) int32 {
	n := o.objects.number(op.Obj, uint32(classOf[op.Kind]))
	if int(n) < len(o.objs) {
		return n
	}
	ob := object{head: -1}
	if op.Size > 0 {
		ob.lo, ob.hi = op.Obj, op.Obj+uint64(op.Size)
	}
	for g := ob.lo &^ 7; g < ob.hi; g += 8 {
		gr := o.granule(g)
		o.objGranules = append(o.objGranules, n, o.grans[gr].objs)
		o.grans[gr].objs = int32(len(o.objGranules) - 2)
		ob.plain = ob.plain || o.grans[gr].plain
	}
	o.objs = append(o.objs, ob)
	return n
}
