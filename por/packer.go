package por

import (
	"encoding/binary"
	"landgo/internal/trace"
	"slices"
)

// The numbers, lists and events that snapshots (snapshot.go, trustdivision.go) consist of. An
// unpacker checks its input against limits, because a file may be damaged: it goes on with zeros
// then, and is bad.

// packer writes a snapshot. ids numbers the taken steps; all lists those from number
// first on.
type packer struct {
	buf    []byte
	failed error
	ids    map[*branch]uint64
	first  uint64
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

// putList writes a list's length and, by put, what is in it.
func putList[T any](p *packer, list []T, put func(*T)) {
	p.put(uint64(len(list)))
	for i := range list {
		put(&list[i])
	}
}

func (p *packer) putBytes(b []byte) {
	p.put(uint64(len(b)))
	p.buf = append(p.buf, b...)
}

func (p *packer) putAccess(a *trace.Access) {
	p.put(a.Addr, uint64(a.Size), uint64(a.Flags), uint64(a.Ahead))
}

// unpacker reads one.
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

// getList reads a list, each of it by get.
func getList[T any](u *unpacker, get func() T) (list []T) {
	for n := u.length(); n > 0 && !u.bad; n-- {
		list = append(list, get())
	}
	return list
}

// oneOf reads a place in a list, and returns what is there.
func oneOf[T any](u *unpacker, list []T) (v T) {
	if i := u.below(uint64(len(list))); !u.bad {
		v = list[i]
	}
	return v
}

func (u *unpacker) bytes() (b []byte) {
	n := u.length()
	b, u.buf = slices.Clone(u.buf[:n]), u.buf[n:]
	return b
}

func (u *unpacker) bool() bool { return u.below(2) == 1 }

// number is one that fits 31 bits.
func (u *unpacker) number() int { return int(u.below(1 << 31)) }

// threadLimit is more than any number of threads.
const threadLimit = 1 << 20

func (u *unpacker) thread() trace.TID { return trace.TID(u.below(threadLimit)) }

func (u *unpacker) choice() trace.Choice { return trace.Choice(u.below(1 << 32)) }

func (u *unpacker) access() trace.Access {
	return trace.Access{Addr: u.get(), Size: uint32(u.below(1 << 32)), Flags: trace.AccessFlags(u.below(256)), Ahead: trace.Ahead(u.below(256))}
}

func (u *unpacker) op() trace.Op {
	return trace.Op{Kind: trace.OpKind(u.below(uint64(trace.NumOps))), At: uint32(u.below(1 << 32)), Size: uint32(u.below(1 << 32)), Obj: u.get(), Arg: u.get()}
}
