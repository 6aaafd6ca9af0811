package por

import (
	"encoding/binary"
	"errors"
	"sort"

	"landgo/trace"
)

// A snapshot is a search between two steps, as plain bytes: its counts, and
// every state that has a branch left or in progress, with what is to be done,
// was taken, and sleeps there. Steps are named by thread, choice and the
// thread's instruction number; of those that were taken, what dependence
// compares is kept too. Its length grows with depth, not with executions.
//
// Form: unsigned varints. snapshotVersion; the counts; the number of taken
// steps, and these, each once (states share them); the number of states, and
// these, parents before children.
const snapshotVersion = 1

// errSnapshot is one that can't be read.
var errSnapshot = errors.New("what the checkpoint has of the search is damaged")

type packer struct {
	buf []byte
	ids map[*branch]uint64
	all []*branch
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
	for i, f := range []bool{b.global, b.advance, b.wild, b.again, b.finished} {
		if f {
			flags |= 1 << i
		}
	}
	p.put(uint64(b.thread), uint64(b.choice), b.last, flags)
	p.putAccesses(b.accesses)
	p.put(uint64(len(b.ops)))
	for i := range b.ops {
		o := &b.ops[i]
		p.put(uint64(o.Kind), uint64(o.At), uint64(o.Size), o.Obj, o.Arg)
	}
	p.putAccesses(b.waits)
}

// putTree writes a wakeup tree.
func (p *packer) putTree(b *branch) {
	p.put(uint64(count(b)))
	for ; b != nil; b = b.next {
		p.putStep(b)
		p.putTree(b.kids)
	}
}

func (p *packer) putCounts(s *Stats) {
	p.put(s.Executions, s.Blocked, s.Pruned, s.Transitions, s.Replayed, s.Restarts)
}

// pack makes a snapshot. Preconditions: the lock is held, all members stand
// still, and their paths are published.
func (t *team) pack() []byte {
	var sum Stats
	for _, m := range t.members {
		sum.add(&m.stats)
	}
	sum.Restarts = t.members[0].stats.Restarts
	live := append([]*junction(nil), t.live...)
	sort.SliceStable(live, func(i, j int) bool { return live[i].depth < live[j].depth })
	place := map[*junction]uint64{}
	states := packer{ids: map[*branch]uint64{}}
	for i, j := range live {
		place[j] = uint64(i)
		up := uint64(0)
		if j.up != nil {
			up = place[j.up] + 1
		}
		states.put(up, uint64(j.thread), uint64(j.choice), j.last, uint64(j.strays), uint64(j.over))
		states.putBool(j.ended)
		states.put(uint64(len(j.sleep)))
		for _, b := range j.sleep {
			states.put(states.number(b))
		}
		states.put(uint64(count(j.done)))
		for b := j.done; b != nil; b = b.next {
			states.put(states.number(b))
		}
		states.putTree(j.todo)
	}
	out := packer{}
	out.put(snapshotVersion)
	out.putCounts(&sum)
	out.put(uint64(len(states.all)))
	for _, b := range states.all {
		out.putStep(b)
	}
	out.put(uint64(len(live)))
	return append(out.buf, states.buf...)
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
	b.thread, b.choice, b.last = trace.TID(u.below(threadLimit)), trace.Choice(u.below(1<<32)), u.get()
	flags := u.below(32)
	b.global, b.advance, b.wild, b.again = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	b.finished = flags&16 != 0
	b.ownAccesses = u.accesses()
	for n := u.length(); n > 0 && !u.bad; n-- {
		b.ownOps = append(b.ownOps, trace.Op{Kind: trace.OpKind(u.below(uint64(trace.NumOps))), At: uint16(u.below(1 << 16)),
			Size: uint32(u.below(1 << 32)), Obj: u.get(), Arg: u.get()})
	}
	b.ownWaits = u.accesses()
	b.accesses, b.ops, b.waits = b.ownAccesses, b.ownOps, b.ownWaits
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

// unpack reads a snapshot: its states, parents before children.
func unpack(data []byte) (stats Stats, states []*junction, err error) {
	u := &unpacker{buf: data}
	if u.get() != snapshotVersion {
		return stats, nil, errSnapshot
	}
	for _, field := range []*uint64{&stats.Executions, &stats.Blocked, &stats.Pruned, &stats.Transitions, &stats.Replayed, &stats.Restarts} {
		*field = u.get()
	}
	var taken []*branch
	for n := u.length(); n > 0 && !u.bad; n-- {
		taken = append(taken, u.step())
	}
	listed := map[*branch]bool{}
	for n := u.length(); n > 0 && !u.bad; n-- {
		j := &junction{}
		up := u.below(uint64(len(states)) + 1)
		j.thread, j.choice, j.last = trace.TID(u.below(threadLimit)), trace.Choice(u.below(1<<32)), u.get()
		j.strays, j.over, j.ended = int32(u.below(1<<31)), int(u.below(1<<31)), u.below(2) == 1
		switch {
		case up > 0:
			j.up = states[up-1]
			j.depth = j.up.depth + 1
			j.up.active++
		case len(states) > 0:
			u.bad = true // two roots
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
		j.todo = u.tree(0)
		states = append(states, j)
	}
	if u.bad || len(u.buf) > 0 || len(states) == 0 {
		return stats, nil, errSnapshot
	}
	return stats, states, nil
}
