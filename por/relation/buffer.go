package relation

import (
	"slices"

	"landgo/internal/trace"
)

// Store buffers (x86-TSO: Sewell, Sarkar, Owens, Zappa Nardelli and Myreen, CACM
// 2010). A thread's store goes into its buffer; its *update*, which writes the oldest
// store of the buffer to memory, is an event of another thread, one for each buffer.
// Events are ordered as in the chronological traces of Abdulla, Aronis, Atig, Jonsson,
// Leonardsson and Sagonas (Stateless Model Checking for TSO and PSO, Acta Informatica
// 2017, §3):
//
//   - a store comes before its update (su), and updates of one buffer in their order;
//   - updates of the same bytes in their order (uu);
//   - an update by another thread's buffer before a load that finds it in memory (src);
//   - a load before the update that overwrites what it found (cf);
//   - the updates that a fence waits for before that (uf).
//
// A fence for all threads (membarrier) is several events, as each buffer is empty at a moment of
// its own while the call runs. The call begins, and wakes a thread for each buffer. This finds
// the buffer empty (trace.OpDrained) and wakes the caller. It depends on the buffer's stores and
// updates as on those that take and release a lock.
//
// There is no edge between a load and the update of its own thread's store: the load
// finds the same before it, in the buffer, and after it, in memory. So a load that the
// buffer answers comes before an update by others only if that overwrites the store
// which it found: it enters the index with its store's update.
//
// A load may find some bytes in one store, some in another, some in memory. It is an access for each
// then (trace.Thread.Pieces), and the edges are those of each: the paper's loads and stores are of words,
// x86-TSO's of bytes. How it is cut follows from its thread's own past, so it is cut alike in all orders.

// buffers is an Order's part for them.
type buffers struct {
	buffered bool        // there was an update
	owner    []trace.TID // by buffer's thread: whose it is; NoThread for other threads
	flusher  []trace.TID // by thread: its buffer's
	pushes   [][]int32   // by thread: the positions of its buffered stores
	queue    []*Event    // scratch
}

// Buffers reports whether e is an update of f's thread's buffer.
func (e *Event) Buffers(f *Event) bool { return e.Update && e.Of == f.Thread }

// TellDrains tells the step that finds a buffer empty from an update.
func (e *Event) TellDrains() {
	if e.Update && len(e.Ops) > 0 && e.Ops[0].Kind == trace.OpDrained {
		e.Update, e.Drains = false, true
	}
}

// Beside reports whether e is a step of no thread of the guest: of a store buffer, or of a signal on
// its way.
func (e *Event) Beside() bool {
	return e.OfBuffer() || len(e.Ops) > 0 && e.Ops[0].Kind == trace.OpCancel && e.Ops[0].Arg&trace.Arrives != 0
}

// OfBuffer reports whether e is a step of a store buffer, and of no thread of the guest.
func (e *Event) OfBuffer() bool { return e.Update || e.Drains }

// pushes reports whether a store of e goes into the buffer.
func (e *Event) pushes() bool {
	for i := range e.Accesses {
		if a := &e.Accesses[i]; a.Flags&(trace.Buffered|trace.Write) == trace.Buffered|trace.Write {
			return true
		}
	}
	return false
}

// phase is a step as it is from the position after on: there a store that answered a load of it is in
// memory.
type phase struct {
	after int32
	event *Event
}

// answered is for step e, of a wakeup tree or asleep, which is to come before what is left of v. It
// has e as it is there, and as it is behind the updates of v. In e's own execution, the update of a
// store that e loads may have come before e, or behind it. Here it hasn't come unless it is in the
// prefix or was taken from v. Then the buffer answers until the first of v's updates of these bytes.
func (s *Sequence) answered(e *Event) (here *Event, later []phase) {
	here, some := e.inFrontOf(s.queue(e.Thread))
	if !some || s.o.flusher[e.Thread] == trace.NoThread {
		return here, nil
	}
	at := here
	for _, i := range s.o.eventsAfter(s.From, s.o.flusher[e.Thread]) {
		if s.o.dropped(i) {
			continue
		}
		if next := at.behind(s.o.ev[i].event); next != nil {
			at, later = next, append(later, phase{i, next})
		}
	}
	return here, later
}

// inFrontOf is e with the loads as its thread's buffer answers them where that is queue. some: it answers
// one at least. Mostly e is as it is there, and no copy is made.
func (e *Event) inFrontOf(queue []*Event) (here *Event, some bool) {
	here = e
	for k := range e.Accesses {
		a := &e.Accesses[k]
		if a.IsWrite() {
			continue
		}
		is := a.Flags &^ trace.Buffered
		if a.Flags&(trace.Atomic|trace.Library) == 0 && answers(queue, a) {
			is |= trace.Buffered
			some = true
		}
		if is == a.Flags {
			continue
		}
		if here == e {
			here = e.apart()
		}
		here.Accesses[k].Flags = is
	}
	return here, some
}

// apart is a copy of e with accesses of its own.
func (e *Event) apart() *Event {
	f := *e
	f.Accesses = slices.Clone(e.Accesses)
	return &f
}

// behind is e where update u has been made: the loads that found its bytes in the buffer find them in
// memory. nil: there are none.
func (e *Event) behind(u *Event) (f *Event) {
	for i := range e.Accesses {
		a := &e.Accesses[i]
		if a.Flags&(trace.Buffered|trace.Write) != trace.Buffered || !u.Writes(a) {
			continue
		}
		if f == nil {
			f = e.apart()
		}
		f.Accesses[i].Flags &^= trace.Buffered
	}
	return f
}

// queue lists the steps whose stores are in a thread's buffer where the rest of v begins, oldest
// first. It holds until the next call.
func (s *Sequence) queue(t trace.TID) []*Event {
	o := s.o
	queue := o.queue[:0]
	if int(t) >= len(o.pushes) {
		return nil
	}
	for _, i := range o.pushes[t] {
		if i < s.From {
			queue = append(queue, o.ev[i].event)
		}
	}
	gone := 0
	if b := o.flusher[t]; b != trace.NoThread {
		for _, i := range o.own[b] {
			if i < s.From {
				gone++
			}
		}
	}
	for _, b := range s.taken {
		switch e := &b.Event; {
		case e.Update && e.Of == t:
			gone++
		case e.Thread == t && e.pushes():
			queue = append(queue, e)
		}
	}
	o.queue = queue
	return queue[min(gone, len(queue)):]
}

// answers reports whether the newest of a buffer's stores with some bytes of a load has all.
func answers(queue []*Event, a *trace.Access) bool {
	for k := len(queue) - 1; k >= 0; k-- {
		stores := queue[k].Accesses
		for i := len(stores) - 1; i >= 0; i-- {
			w := &stores[i]
			if w.Flags&(trace.Buffered|trace.Write) == trace.Buffered|trace.Write && w.Overlaps(a) {
				return w.Addr <= a.Addr && a.Addr+uint64(a.Size) <= w.Addr+uint64(w.Size)
			}
		}
	}
	return false
}

// After is s as it is behind event e, an update of its thread's buffer: a load that found that store
// finds memory. now are the pieces of it as they are there, if there are any: of what e wrote, a newer
// store in the buffer may still answer some.
func (s *Step) After(e *Event, now []trace.Access) *Event {
	f := s.behind(e)
	if f == nil {
		return nil
	}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if slices.ContainsFunc(now, func(p trace.Access) bool {
			return p.Flags&trace.Buffered != 0 && p.Addr == a.Addr && p.Size == a.Size && p.PC == a.PC
		}) {
			a.Flags |= trace.Buffered
		}
	}
	return f
}

// ownPair reports whether e and event c are of one thread and its buffer.
func (o *Order) ownPair(e *Event, c int32) bool {
	t := o.ev[c].thread
	return e.Update && e.Of == t || int(t) < len(o.owner) && o.owner[t] == e.Thread
}

// afterBuffer joins what e comes after because of its thread's buffer.
func (o *Order) afterBuffer(row []int32, e *Event) {
	o.beforeBuffer(e, func(c int32) { join(row, o.Clock(c)) })
}

// beforeBuffer calls f for the events that e comes after because of its thread's buffer.
func (o *Order) beforeBuffer(e *Event, f func(c int32)) {
	if e.Update {
		n := 0
		if int(e.Thread) < len(o.own) {
			n = len(o.own[e.Thread])
		}
		f(o.pushes[e.Of][n])
	}
	if e.Flushed > 0 {
		f(o.own[o.flusher[e.Thread]][e.Flushed-1])
	}
}

// waitsForUpdate reports whether e, which hasn't been made, comes after updates that
// haven't been made either.
func (o *Order) waitsForUpdate(e *Event) bool {
	if e.Flushed == 0 {
		return false
	}
	if int(e.Thread) >= len(o.flusher) || o.flusher[e.Thread] == trace.NoThread {
		return true
	}
	return len(o.own[o.flusher[e.Thread]]) < int(e.Flushed)
}

// allStored reports whether a buffer is empty, without what is dropped: the update of a store
// that is dropped is, too.
func (o *Order) allStored(op *trace.Op, end int32) bool {
	buffered := 0
	for r := o.objs[o.object(op)].head; r >= 0; r = o.ops[r].prev {
		y := &o.ops[r]
		if y.ev >= end || o.dropped(y.ev) {
			continue
		}
		switch y.kind {
		case trace.OpStores:
			buffered++
		case trace.OpStored:
			buffered--
		}
	}
	return buffered == 0
}

// known makes room for buffers of threads up to t.
func (b *buffers) known(t trace.TID) {
	for int(t) >= len(b.owner) {
		b.owner, b.flusher, b.pushes = append(b.owner, trace.NoThread), append(b.flusher, trace.NoThread), append(b.pushes, nil)
	}
}

// enterBuffer notes what e, event i, does to a buffer.
func (o *Order) enterBuffer(e *Event, i int32) {
	if e.pushes() {
		o.known(e.Thread)
		o.pushes[e.Thread] = append(o.pushes[e.Thread], i)
		o.ev[i].pushed = true
	}
	if !e.Update {
		return
	}
	o.known(max(e.Thread, e.Of))
	o.buffered, o.owner[e.Thread], o.flusher[e.Of] = true, e.Of, e.Thread
	if !o.clocksOnly {
		o.enterAnswered(e, i)
	}
}

// enterAnswered enters the loads that the buffer answered with a store. Event i, e, is its
// update. The loads come before what overwrites it.
func (o *Order) enterAnswered(e *Event, i int32) {
	n := len(o.own[e.Thread])
	store := o.pushes[e.Of][n]
	later := o.pushes[e.Of][n+1:]
	for _, j := range o.eventsAfter(store-1, e.Of) {
		l := o.ev[j].event
		for k := range l.Accesses {
			a := &l.Accesses[k]
			if a.Flags&(trace.Buffered|trace.Write) != trace.Buffered || !e.Writes(a) {
				continue
			}
			newer := false // it found a later store
			for _, p := range later {
				newer = newer || p < j && o.ev[p].event.Stores(a)
			}
			if !newer {
				o.enterAccess(a, j)
			}
		}
	}
}

// Stores reports whether e puts a byte of a into its buffer.
func (e *Event) Stores(a *trace.Access) bool {
	for i := range e.Accesses {
		if b := &e.Accesses[i]; b.Flags&(trace.Buffered|trace.Write) == trace.Buffered|trace.Write && b.Overlaps(a) {
			return true
		}
	}
	return false
}

// leaveBuffer takes back what an event has done to a buffer.
func (o *Order) leaveBuffer(r *record) {
	if r.pushed {
		o.pushes[r.thread] = o.pushes[r.thread][:len(o.pushes[r.thread])-1]
	}
}
