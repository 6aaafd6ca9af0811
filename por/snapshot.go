package por

import (
	"encoding/binary"
	"errors"
	"slices"

	"landgo/trace"
)

// A snapshot is a tree at rest as plain bytes: its counts, and every state on
// the way to one of its units, with what is to be done, was taken, and sleeps
// there. Steps are named by thread, choice and the thread's instruction number;
// of those that were taken, what dependence compares is kept too. Its length
// grows with depth, not with executions; with a bound that is raised, with what
// waits for that too, and with the states that were stored by a search that does.
//
// Form: unsigned varints. snapshotVersion; the counts; whether the search is
// undivided, and if so its steps; the number of taken steps, and these, each
// once (states share them); the number of states, and these, those before a
// state before it; the units, the orphans; what waits for greater bounds.
//
// To go on from one is what each batch begins with. So what was argued for batches
// holds for a search that was interrupted, and all its counts are those of one
// that wasn't.
const snapshotVersion = 3

// ErrSnapshot is one that can't be read.
var ErrSnapshot = errors.New("the checkpoint's search is damaged")

type packer struct {
	buf    []byte
	failed error
	ids    map[*branch]uint64
	all    []*branch
}

func (p *packer) put(vs ...uint64) {
	for _, v := range vs {
		p.buf = binary.AppendUvarint(p.buf, v)
	}
}

func (p *packer) putBool(b bool) {
	v := uint64(0)
	if b {
		v = 1
	}
	p.put(v)
}

// number numbers a taken step.
func (p *packer) number(b *branch) uint64 {
	id, ok := p.ids[b]
	if !ok {
		id = uint64(len(p.all))
		p.ids[b] = id
		p.all = append(p.all, b)
	}
	return id
}

func (p *packer) putAccesses(list []trace.Access) {
	p.put(uint64(len(list)))
	for i := range list {
		p.put(list[i].Addr, uint64(list[i].Size), uint64(list[i].Flags))
	}
}

func (p *packer) putStep(b *branch) {
	flags := uint64(0)
	for i, f := range []bool{b.Global, b.Advance, b.Wild, b.again, b.finished, b.cut, b.changes, b.conservative} {
		if f {
			flags |= 1 << i
		}
	}
	p.put(uint64(b.Thread), uint64(b.Choice), b.last, flags, uint64(b.price))
	p.putAccesses(b.Accesses)
	p.put(uint64(len(b.Ops)))
	for i := range b.Ops {
		o := &b.Ops[i]
		p.put(uint64(o.Kind), uint64(o.At), uint64(o.Size), o.Obj, o.Arg)
	}
	p.putAccesses(b.Waits)
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
	p.put(s.Executions, s.Blocked, s.Pruned, s.Transitions, s.Replayed, s.Restarts)
}

// pack implements division.
func (t *treeDivision) pack() ([]byte, error) {
	states := packer{ids: map[*branch]uint64{}}
	place := map[*sharedState]uint64{}
	put := func(tip *sharedState) {
		var way []*sharedState
		for j := tip; j != nil; j = j.up {
			if _, ok := place[j]; ok {
				break
			}
			way = append(way, j)
		}
		for _, j := range slices.Backward(way) {
			place[j] = uint64(len(place))
			states.putState(j, place)
		}
	}
	for _, p := range t.units {
		put(p.tip)
	}
	for _, j := range t.orphans {
		put(j)
	}
	out := packer{}
	out.put(snapshotVersion)
	out.putCounts(&t.stats)
	out.putBool(t.whole)
	out.put(t.used, uint64(len(states.all)))
	for _, b := range states.all {
		out.putStep(b)
	}
	out.put(uint64(len(place)))
	out.buf = append(out.buf, states.buf...)
	out.put(uint64(len(t.units)))
	for _, p := range t.units {
		out.put(place[p.tip])
		out.putMemory(p.old)
	}
	out.put(uint64(len(t.orphans)))
	for _, j := range t.orphans {
		out.put(place[j])
	}
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

func (p *packer) putState(j *sharedState, place map[*sharedState]uint64) {
	up := uint64(0)
	if j.up != nil {
		up = place[j.up] + 1
	}
	p.put(up, uint64(j.thread), uint64(j.choice), j.last, uint64(j.strays), uint64(j.active))
	p.putBool(j.ended)
	p.put(uint64(len(j.sleep)))
	for _, b := range j.sleep {
		p.put(p.number(b))
	}
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
	p.put(uint64(m.settled), uint64(len(m.open)))
	for _, r := range m.open {
		p.put(uint64(r))
	}
	p.put(uint64(m.limit), uint64(m.fresh), uint64(len(m.own)))
	p.buf = append(p.buf, m.own...)
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
	p.put(uint64(f.entries), uint64(f.read), uint64(f.shared), uint64(len(f.path)))
	for _, s := range f.path {
		p.put(uint64(s.thread), uint64(s.choice))
	}
	left, err := f.left()
	p.failed = errors.Join(p.failed, err)
	p.put(uint64(len(left)))
	p.buf = append(p.buf, left...)
}

type unpacker struct {
	buf []byte
	bad bool
}

func (u *unpacker) get() uint64 {
	v, n := binary.Uvarint(u.buf)
	if n <= 0 {
		u.bad, u.buf = true, nil
		return 0
	}
	u.buf = u.buf[n:]
	return v
}

// below reads a number that has to be below limit.
func (u *unpacker) below(limit uint64) uint64 {
	v := u.get()
	if v >= limit {
		u.bad, u.buf = true, nil
		return 0
	}
	return v
}

// length reads the number of things to come, each a byte or more.
func (u *unpacker) length() int { return int(u.below(uint64(len(u.buf)) + 1)) }

func (u *unpacker) accesses() (list []trace.Access) {
	for n := u.length(); n > 0 && !u.bad; n-- {
		list = append(list, trace.Access{Addr: u.get(), Size: uint32(u.below(1 << 32)), Flags: trace.AccessFlags(u.below(256))})
	}
	return list
}

// threadLimit is more than any number of threads.
const threadLimit = 1 << 20

func (u *unpacker) step() *branch {
	b := &branch{}
	b.Thread, b.Choice, b.last = trace.TID(u.below(threadLimit)), trace.Choice(u.below(1<<32)), u.get()
	flags := u.below(256)
	b.Global, b.Advance, b.Wild, b.again = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	b.finished, b.cut, b.changes, b.conservative = flags&16 != 0, flags&32 != 0, flags&64 != 0, flags&128 != 0
	b.price = int32(u.below(1 << 31))
	b.Accesses = u.accesses()
	for n := u.length(); n > 0 && !u.bad; n-- {
		b.Ops = append(b.Ops, trace.Op{Kind: trace.OpKind(u.below(uint64(trace.NumOps))), At: uint16(u.below(1 << 16)),
			Size: uint32(u.below(1 << 32)), Obj: u.get(), Arg: u.get()})
	}
	b.Waits = u.accesses()
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
	for _, field := range []*uint64{&s.Executions, &s.Blocked, &s.Pruned, &s.Transitions, &s.Replayed, &s.Restarts} {
		*field = u.get()
	}
}

// memory reads what putMemory wrote.
func (u *unpacker) memory() *resumeState {
	if u.below(2) == 0 {
		return nil
	}
	m := &resumeState{settled: int(u.below(1 << 31))}
	for n := u.length(); n > 0 && !u.bad; n-- {
		m.open = append(m.open, int32(u.below(1<<31)))
	}
	m.limit, m.fresh = int32(u.below(1<<31)), int32(u.below(1<<31))
	n := u.length()
	m.own, u.buf = append([]byte(nil), u.buf[:n]...), u.buf[n:]
	return m
}

func (u *unpacker) iteration(limit int32) *iteration {
	a := &iteration{limit: limit, level: int32(u.below(uint64(limit) + 1))}
	if u.below(2) == 1 {
		a.source = u.frontier()
	}
	for n := u.length(); n > 0 && !u.bad; n-- {
		v := int32(u.below(uint64(limit) + 1))
		*a.frontier(v) = *u.frontier()
	}
	return a
}

func (u *unpacker) frontier() *frontier {
	f := &frontier{entries: int(u.below(1 << 62)), read: int(u.below(1 << 62)), shared: int(u.below(1 << 31))}
	for n := u.length(); n > 0 && !u.bad; n-- {
		f.path = append(f.path, frontierStep{trace.TID(u.below(threadLimit)), trace.Choice(u.below(1 << 32))})
	}
	n := u.length()
	f.buf, u.buf = append([]byte(nil), u.buf[:n]...), u.buf[n:]
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
	t.whole, t.used = u.below(2) == 1, u.get()
	var taken []*branch
	for n := u.length(); n > 0 && !u.bad; n-- {
		taken = append(taken, u.step())
	}
	listed := map[*branch]bool{}
	var states []*sharedState
	for n := u.length(); n > 0 && !u.bad; n-- {
		states = append(states, u.state(states, taken, listed))
	}
	for n := u.length(); n > 0 && !u.bad; n-- {
		i := u.below(uint64(len(states)))
		m := u.memory()
		if !u.bad {
			t.units = append(t.units, &treeUnit{tree: t, tip: states[i], old: m})
		}
	}
	for n := u.length(); n > 0 && !u.bad; n-- {
		if i := u.below(uint64(len(states))); !u.bad {
			t.orphans = append(t.orphans, states[i])
		}
	}
	if u.below(2) == 1 {
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

// state reads a state, of which those before and the taken steps are known.
func (u *unpacker) state(states []*sharedState, taken []*branch, listed map[*branch]bool) *sharedState {
	j := &sharedState{}
	up := u.below(uint64(len(states)) + 1)
	j.thread, j.choice, j.last = trace.TID(u.below(threadLimit)), trace.Choice(u.below(1<<32)), u.get()
	j.strays, j.active, j.ended = int32(u.below(1<<31)), int(u.below(1<<31)), u.below(2) == 1
	if up > 0 && !u.bad {
		j.up = states[up-1]
		j.depth = j.up.depth + 1
	}
	for k := u.length(); k > 0 && !u.bad; k-- {
		if i := u.below(uint64(len(taken))); !u.bad {
			j.sleep = append(j.sleep, taken[i])
		}
	}
	u.bad = u.bad || int(j.strays) > len(j.sleep)
	tail := &j.done
	for k := u.length(); k > 0 && !u.bad; k-- {
		i := u.below(uint64(len(taken)))
		if u.bad || listed[taken[i]] {
			u.bad = true
			break
		}
		listed[taken[i]] = true
		*tail = taken[i]
		tail = &taken[i].next
	}
	j.todo, j.over = u.tree(0), u.tree(0)
	return j
}
