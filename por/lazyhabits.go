package por

import (
	"maps"
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// habits has the granules of memory that threads were ever seen to touch, and how late, by
// the number of the thread's event. A step whose bytes no other thread touches any more
// is *private*: every trace from there can begin with it.
//
// That is learned, and may turn out wrong. So what was relied on is kept, and an event that
// contradicts it begins the search again. None that does is overlooked. Let T be a trace within
// the bound that was left out because of private steps. Let d be its first event that contradicts
// one, and P the part of T before d. All that P has was explored, with the private steps put
// first. These add nothing to what is unavoidable in T: P with them has no order that T hasn't.
// So where that path ends d was run, or is its thread's next event; what is said to be
// private there has to hold for both (learnPending).
//
// Both need that what a thread does next tells all of the step. So this is off where a
// step may be several events.
type habits struct {
	path   *path
	on     bool
	nth    []int32 // per event: how many of its thread's were before it
	seen   map[touch]int32
	relied map[uint64][]reliance // by granule
	base   []int32               // scratch
}

// touch names a granule, a thread, and whether it writes.
type touch struct {
	granule uint64
	thread  trace.TID
	writes  bool
}

// reliance: from its now[t]-th event on thread t doesn't touch a granule, or doesn't
// write it where owner's own step only reads it.
type reliance struct {
	owner  trace.TID
	writes bool
	now    []int32
}

// enter notes event i of the path.
func (h *habits) enter(i int32) {
	n := int32(0)
	if last := h.path.order.Prev(i); last >= 0 {
		n = h.nth[last] + 1
	}
	h.nth = append(h.nth[:i], n)
}

// learn notes what event i touched, and reports whether all that was relied on still
// holds.
func (h *habits) learn(i int32) bool {
	if !h.on {
		return true
	}
	e, o := h.path.event(i), h.path.order
	h.base = atLeast(h.base, o.Width())
	if e.Global {
		o.BaseOf(h.base, i)
	}
	return h.note(e, h.nth[i])
}

// learnPending does so for what the threads would do next.
func (h *habits) learnPending(next *pending) bool {
	if !h.on {
		return true
	}
	holds := true
	for k := range h.path.threads {
		t := &h.path.threads[k]
		if t.Status != trace.Ready && t.Status != trace.Blocked {
			continue
		}
		n, o := int32(0), h.path.order
		if last := o.Last(t.ID); last >= 0 {
			n = h.nth[last] + 1
		}
		h.base = atLeast(h.base, o.Width())
		o.Base(h.base, t.ID)
		holds = h.note(next.beginning(t), n) && holds
	}
	return holds
}

// note notes what e, its thread's n-th event, touches. If e is Global, base has what comes
// before it without fail.
func (h *habits) note(e *relation.Event, n int32) bool {
	holds := true
	if h.seen == nil {
		h.seen = map[touch]int32{}
	}
	note := func(g uint64, writes bool) {
		k := touch{g, e.Thread, writes}
		if last, ok := h.seen[k]; !ok || last < n {
			h.seen[k] = n
		}
		for _, r := range h.relied[g] {
			if r.owner != e.Thread && (r.writes || writes) && n >= at(r.now, e.Thread) {
				holds = false
			}
		}
	}
	granules(e, note)
	if e.Global { // it comes before all that others do, unless it is known to come after their end
		for t := range h.path.order.Width() {
			last := h.path.order.Last(trace.TID(t))
			if trace.TID(t) != e.Thread && (last < 0 || h.base[t] <= last || !h.path.event(last).Ends()) {
				note(life(trace.TID(t)), true)
			}
		}
	}
	return holds
}

// private reports whether step b, known from the newest state or one before it, can come
// first in every trace from there, as far as is known. It then relies on that.
func (h *habits) private(b *branch) bool {
	if !h.on || b.Global || b.Advance || b.Wild || b.Loose || len(b.Waits) > 0 {
		return false
	}
	now := make([]int32, h.path.order.Width())
	for t := range now {
		if last := h.path.order.Last(trace.TID(t)); last >= 0 {
			now[t] = h.nth[last] + 1
		}
	}
	private := true
	look := func(g uint64, writes bool) {
		for t := trace.TID(0); private && int(t) < h.path.order.Width(); t++ {
			if t == b.Thread {
				continue
			}
			last, ok := h.seen[touch{g, t, true}]
			private = !ok || last < now[t]
			if last, ok = h.seen[touch{g, t, false}]; writes && private {
				private = !ok || last < now[t]
			}
		}
	}
	granules(&b.Event, look)
	look(life(b.Thread), false)
	if private {
		rely := func(g uint64, writes bool) { h.rely(g, b.Thread, writes, now) }
		granules(&b.Event, rely)
		rely(life(b.Thread), false)
	}
	return private
}

// rely notes what private relies on.
func (h *habits) rely(g uint64, owner trace.TID, writes bool, now []int32) {
	if h.relied == nil {
		h.relied = map[uint64][]reliance{}
	}
	for k := range h.relied[g] {
		r := &h.relied[g][k]
		if r.owner != owner || r.writes != writes {
			continue
		}
		r.now = r.now[:min(len(r.now), len(now))] // of a thread that isn't there: from its first event on
		for t := range r.now {
			r.now[t] = min(r.now[t], now[t])
		}
		return
	}
	h.relied[g] = append(h.relied[g], reliance{owner, writes, slices.Clone(now)})
}

// life stands for a thread's being alive, which the end of the process takes away.
func life(t trace.TID) uint64 { return 1<<63 + uint64(t) }

// granules calls f for each granule of 8 bytes that e touches: an operation is a write
// of its object.
func granules(e *relation.Event, f func(g uint64, writes bool)) {
	each := func(lo, size uint64, writes bool) {
		for g := lo >> 3; g <= (lo+max(size, 1)-1)>>3; g++ {
			f(g, writes)
		}
	}
	for k := range e.Accesses {
		a := &e.Accesses[k]
		each(a.Addr, uint64(a.Size), a.IsWrite())
	}
	for k := range e.Ops {
		op := &e.Ops[k]
		each(op.Obj, uint64(op.Size), true)
	}
}

// at is list[t], 0 beyond its end.
func at(list []int32, t trace.TID) int32 {
	if int(t) < len(list) {
		return list[t]
	}
	return 0
}

// pack and unpack are for checkpoints.
func (h *habits) pack(p *packer) {
	order := func(a, b touch) int {
		switch {
		case a.granule != b.granule:
			return int(min(max(int64(a.granule)-int64(b.granule), -1), 1))
		case a.thread != b.thread:
			return int(a.thread - b.thread)
		case a.writes == b.writes:
			return 0
		case a.writes:
			return 1
		}
		return -1
	}
	seen := slices.SortedFunc(maps.Keys(h.seen), order)
	putList(p, seen, func(k *touch) {
		p.put(k.granule)
		p.put(uint64(k.thread))
		p.putBool(k.writes)
		p.put(uint64(h.seen[*k]))
	})
	putList(p, slices.Sorted(maps.Keys(h.relied)), func(g *uint64) {
		p.put(*g)
		putList(p, h.relied[*g], func(r *reliance) {
			p.put(uint64(r.owner))
			p.putBool(r.writes)
			putList(p, r.now, func(n *int32) { p.put(uint64(*n)) })
		})
	})
}

func (h *habits) unpack(u *unpacker) {
	h.seen, h.relied = map[touch]int32{}, map[uint64][]reliance{}
	getList(u, func() struct{} {
		k := touch{granule: u.get(), thread: u.thread(), writes: u.bool()}
		h.seen[k] = int32(u.get())
		return struct{}{}
	})
	getList(u, func() struct{} {
		g := u.get()
		h.relied[g] = getList(u, func() reliance {
			return reliance{owner: u.thread(), writes: u.bool(), now: getList(u, func() int32 { return int32(u.get()) })}
		})
		return struct{}{}
	})
}
