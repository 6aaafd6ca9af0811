package por

import (
	"errors"
	"slices"

	"landgo/internal/trace"
)

// A snapshot is a search at rest as plain bytes. It has the counts, and every state on the way to
// a unit, with its planned, taken and sleeping steps. Steps are named by thread, choice and the
// thread's instruction number. What dependence compares of those that were taken is kept too.
// Its length grows with depth, not with executions. With a bound that is raised it also has the
// steps that wait for the raise. For a search that stores states it has the states.
//
// Form: unsigned varints, in this order: snapshotVersion, the counts, whether the
// search is undivided, and if so its steps. Then the taken steps, each once, for
// states share them, and the states, those before a state before it. Then the
// units, the orphans, and the steps that wait for greater bounds. Lists begin with
// their length.
//
// Each batch begins by going on from one. So what was argued for
// batches holds for a search that was interrupted, and all its counts are those
// of one that wasn't.
const snapshotVersion = 8

// ErrSnapshot is one that can't be read.
var ErrSnapshot = errors.New("the checkpoint's search is damaged")

// number numbers a taken step.
func (p *packer) number(b *branch) uint64 {
	id, ok := p.ids[b]
	if !ok {
		id = p.first + uint64(len(p.all))
		p.ids[b] = id
		p.all = append(p.all, b)
	}
	return id
}

func (p *packer) putStep(b *branch) {
	flags := uint64(0)
	for i, f := range []bool{b.Global, b.Advance, b.Wild, b.again, b.finished, b.cut, b.changes, b.conservative} {
		if f {
			flags |= 1 << i
		}
	}
	of := uint64(0) // whose store buffer it is
	if b.OfBuffer() {
		of = uint64(b.Of) + 1
	}
	p.put(uint64(b.Thread), uint64(b.Choice), b.last, flags, uint64(b.price), of, uint64(b.Flushed), uint64(b.More))
	putList(p, b.Accesses, p.putAccess)
	putList(p, b.Ops, func(o *trace.Op) { p.put(uint64(o.Kind), uint64(o.At), uint64(o.Size), o.Obj, o.Arg) })
	putList(p, b.Waits, p.putAccess)
}

// putTree writes a wakeup tree.
func (p *packer) putTree(b *branch) {
	p.put(uint64(count(b)))
	for ; b != nil; b = b.next {
		p.putStep(b)
		for _, c := range b.chain {
			p.put(1)
			p.putStep(c)
		}
		p.putTree(b.kids)
	}
}

func (p *packer) putCounts(s *Stats) {
	p.put(s.Executions, s.Assumed, s.Blocked, s.Pruned, s.Transitions, s.Replayed, s.Restarts, s.Levels, s.Longest, s.Weighed)
}

// pack implements division.
func (t *treeDivision) pack() ([]byte, error) {
	states := packer{ids: map[*branch]uint64{}}
	place := map[*sharedState]uint64{}
	for _, p := range t.units {
		states.putWay(p.tip, place)
	}
	for _, j := range t.orphans {
		states.putWay(j, place)
	}
	out := packer{}
	out.put(snapshotVersion)
	out.putCounts(&t.stats)
	out.putBool(t.whole)
	out.put(t.used)
	putList(&out, states.all, func(b **branch) { out.putStep(*b) })
	out.put(uint64(len(place)))
	out.buf = append(out.buf, states.buf...)
	putList(&out, t.units, func(p **treeUnit) {
		out.put(place[(*p).tip])
		out.putMemory((*p).old)
	})
	putList(&out, t.orphans, func(j **sharedState) { out.put(place[*j]) })
	out.putBool(t.iteration != nil)
	if t.iteration != nil {
		out.putIteration(t.iteration)
	}
	return out.buf, out.failed
}

// pack is a snapshot of a search that isn't divided.
func (x *explorer) pack() ([]byte, error) {
	p := &treeUnit{tip: x.freeze()}
	if r, ok := x.strat.(resumer); ok {
		p.old = r.remember()
	}
	t := &treeDivision{stats: x.stats, whole: true, used: x.used, units: []*treeUnit{p}}
	if x.rising != nil {
		t.iteration = x.rising.iteration
	}
	return t.pack()
}

// putWay writes the states on the way to one that weren't written yet, and returns them.
func (p *packer) putWay(tip *sharedState, place map[*sharedState]uint64) (way []*sharedState) {
	for j := tip; j != nil; j = j.up {
		if _, ok := place[j]; ok {
			break
		}
		way = append(way, j)
	}
	slices.Reverse(way)
	for _, j := range way {
		place[j] = uint64(len(place))
		p.putState(j, place)
	}
	return way
}

func (p *packer) putState(j *sharedState, place map[*sharedState]uint64) {
	up := uint64(0)
	if j.up != nil {
		up = place[j.up] + 1
	}
	p.put(up, uint64(j.thread), uint64(j.choice), j.last, uint64(j.strays), uint64(j.active))
	p.putBool(j.ended)
	putList(p, j.sleep, func(b **branch) { p.put(p.number(*b)) })
	p.put(uint64(count(j.done)))
	for b := j.done; b != nil; b = b.next {
		p.put(p.number(b))
	}
	p.putTree(j.todo)
	p.putTree(j.over)
}

func (p *packer) putMemory(m *resumeState) {
	p.putBool(m != nil)
	if m == nil {
		return
	}
	p.put(uint64(m.settled))
	putList(p, m.open, func(r *int32) { p.put(uint64(*r)) })
	p.put(uint64(m.limit), uint64(m.fresh))
	p.putBytes(m.own)
}

func (p *packer) putIteration(a *iteration) {
	p.put(uint64(a.level))
	p.putBool(a.source != nil)
	if a.source != nil {
		p.putFrontier(a.source)
	}
	p.put(uint64(len(a.waiting)))
	for v := int32(0); v <= a.limit; v++ {
		if f := a.waiting[v]; f != nil {
			p.put(uint64(v))
			p.putFrontier(f)
		}
	}
}

// putFrontier writes what is left of f.
func (p *packer) putFrontier(f *frontier) {
	p.put(uint64(f.entries), uint64(f.read), uint64(f.shared))
	putList(p, f.path, func(s *frontierStep) { p.put(uint64(s.thread), uint64(s.choice)) })
	left, err := f.left()
	p.failed = errors.Join(p.failed, err)
	p.putBytes(left)
}

func (u *unpacker) step() *branch {
	b := &branch{}
	b.Thread, b.Choice, b.last = u.thread(), u.choice(), u.get()
	flags := u.below(256)
	for i, f := range []*bool{&b.Global, &b.Advance, &b.Wild, &b.again, &b.finished, &b.cut, &b.changes, &b.conservative} {
		*f = flags>>i&1 != 0
	}
	b.price = int32(u.number())
	if of := u.below(threadLimit + 1); of > 0 {
		b.Update, b.Of = true, trace.TID(of-1)
	}
	b.Flushed, b.More = uint32(u.below(1<<32)), uint8(u.below(1<<8))
	b.Accesses, b.Ops, b.Waits = getList(u, u.access), getList(u, u.op), getList(u, u.access)
	b.TellDrains()
	return b
}

func (u *unpacker) tree(depth int) (list *branch) {
	tail := &list
	if depth > 1<<24 {
		u.bad = true
	}
	for n := u.length(); n > 0 && !u.bad; n-- {
		b := u.step()
		b.kids = u.tree(depth + 1)
		*tail = b
		tail = &b.next
	}
	return list
}

func (u *unpacker) counts(s *Stats) {
	for _, field := range []*uint64{&s.Executions, &s.Assumed, &s.Blocked, &s.Pruned, &s.Transitions, &s.Replayed, &s.Restarts, &s.Levels, &s.Longest, &s.Weighed} {
		*field = u.get()
	}
}

// memory reads what putMemory wrote.
func (u *unpacker) memory() *resumeState {
	if !u.bool() {
		return nil
	}
	m := &resumeState{settled: u.number()}
	m.open = getList(u, func() int32 { return int32(u.number()) })
	m.limit, m.fresh, m.own = int32(u.number()), int32(u.number()), u.bytes()
	return m
}

func (u *unpacker) iteration(limit int32) *iteration {
	a := &iteration{limit: limit, level: int32(u.below(uint64(limit) + 1))}
	if u.bool() {
		a.source = u.frontier()
	}
	for n := u.length(); n > 0 && !u.bad; n-- {
		v := int32(u.below(uint64(limit) + 1))
		*a.frontier(v) = *u.frontier()
	}
	return a
}

func (u *unpacker) frontier() *frontier {
	f := &frontier{entries: int(u.below(1 << 62)), read: int(u.below(1 << 62)), shared: u.number()}
	f.path = getList(u, func() frontierStep { return frontierStep{u.thread(), u.choice()} })
	f.buf = u.bytes()
	return f
}

// unpack reads a snapshot of a search like x's.
func (x *explorer) unpack(data []byte) (*treeDivision, error) {
	t := &treeDivision{x: x}
	limit := int32(-1)
	if x.rising != nil {
		limit = x.rising.limit
	}
	if err := t.unpack(data, limit); err != nil {
		return nil, err
	}
	if x.stats = t.stats; t.whole {
		x.used = t.used
	}
	return t, nil
}

// unpack reads a snapshot; limit is that of a bound that is raised, -1 if there
// is none.
func (t *treeDivision) unpack(data []byte, limit int32) error {
	u := &unpacker{buf: data}
	if u.get() != snapshotVersion {
		return ErrSnapshot
	}
	u.counts(&t.stats)
	t.whole, t.used = u.bool(), u.get()
	taken := getList(u, u.step)
	listed := map[*branch]bool{}
	var states []*sharedState
	for n := u.length(); n > 0 && !u.bad; n-- {
		states = append(states, u.state(states, taken, listed))
	}
	t.units = getList(u, func() *treeUnit { return &treeUnit{tree: t, tip: oneOf(u, states), old: u.memory()} })
	t.orphans = getList(u, func() *sharedState { return oneOf(u, states) })
	if u.bool() {
		if t.iteration = u.iteration(max(limit, 0)); limit < 0 {
			u.bad = true
		}
	} else if limit >= 0 {
		u.bad = true
	}
	if u.bad || len(u.buf) > 0 || t.whole && len(t.units) != 1 {
		return ErrSnapshot
	}
	return nil
}

// state reads a state. The states before it and the taken steps are known.
func (u *unpacker) state(states []*sharedState, taken []*branch, listed map[*branch]bool) *sharedState {
	j := &sharedState{}
	up := u.below(uint64(len(states)) + 1)
	j.thread, j.choice, j.last = u.thread(), u.choice(), u.get()
	j.strays, j.active, j.ended = int32(u.number()), u.number(), u.bool()
	if up > 0 && !u.bad {
		j.up = states[up-1]
		j.depth = j.up.depth + 1
	}
	j.sleep = getList(u, func() *branch { return oneOf(u, taken) })
	u.bad = u.bad || int(j.strays) > len(j.sleep)
	tail := &j.done
	for k := u.length(); k > 0 && !u.bad; k-- {
		b := oneOf(u, taken)
		if u.bad || listed[b] {
			u.bad = true
			break
		}
		listed[b] = true
		*tail = b
		tail = &b.next
	}
	j.todo, j.over = u.tree(0), u.tree(0)
	return j
}
