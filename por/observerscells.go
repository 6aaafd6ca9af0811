package por

import (
	"slices"

	"landgo/internal/trace"
)

// The bytes whose stores have no order until they are read (observers.go). Any others have
// one: those that an access has together with different bytes, or across granules; and
// those that a step accesses which does something else besides. So have those that an
// operation works on, which may read them without an access, and that a loop waits for,
// since a store of any value may wake it.

// cells says which bytes are in cells.
type cells struct {
	cellAt  map[uint64]*storeCell // by address
	granule map[uint64]granule
}

// granule says of eight bytes which are in cells, and which in none for good.
type granule struct{ cells, ordered uint8 }

// storeCell is a cell, with what the path's steps have stored there.
type storeCell struct {
	size   uint32
	stores []int32 // of each thread the last; never changed in place
	all    []int32
	nodes  []int32 // of a puzzle, scratch
}

func newCells() cells {
	return cells{map[uint64]*storeCell{}, map[uint64]granule{}}
}

// at is the cell of an access, nil if there was none yet.
func (x *cells) at(a *trace.Access) *storeCell { return x.cellAt[a.Addr] }

// isCell reports whether an access is of a cell, or would make one.
func (x *cells) isCell(a *trace.Access) bool {
	at, hi := a.Addr&^7, a.Addr+uint64(a.Size)
	g, m := x.granule[at], trace.GranuleMask(at, a.Addr, hi)
	if hi > at+8 || g.ordered&m != 0 {
		return false
	}
	c := x.cellAt[a.Addr]
	return c == nil && g.cells&m == 0 || c != nil && c.size == a.Size
}

// open is the cell of an access for which isCell holds.
func (x *cells) open(a *trace.Access) *storeCell {
	c := x.cellAt[a.Addr]
	if c == nil {
		c = &storeCell{size: a.Size}
		x.cellAt[a.Addr] = c
		at := a.Addr &^ 7
		g := x.granule[at]
		g.cells |= trace.GranuleMask(at, a.Addr, a.Addr+uint64(a.Size))
		x.granule[at] = g
	}
	return c
}

// giveUp says that stores of these bytes have an order. It reports whether any of them were
// in a cell, which isn't one then.
func (x *cells) giveUp(addr, size uint64) (news bool) {
	hi := addr + size
	for at := addr &^ 7; at < hi; at += 8 {
		g, m := x.granule[at], trace.GranuleMask(at, addr, hi)
		for b := at; b < at+8; b++ {
			if c := x.cellAt[b]; c != nil && b < hi && addr < b+uint64(c.size) {
				m |= trace.GranuleMask(at, b, b+uint64(c.size))
				delete(x.cellAt, b)
				news = true
			}
		}
		g.cells, g.ordered = g.cells&^m, g.ordered|m
		x.granule[at] = g
	}
	return news
}

// pack is the ordered bytes in packed form, for a checkpoint; learned reads it.
func (x *cells) pack() []byte {
	var out packer
	var list []uint64
	for at, g := range x.granule {
		if g.ordered != 0 {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	putList(&out, list, func(at *uint64) { out.put(*at, uint64(x.granule[*at].ordered)) })
	return out.buf
}

func (x *cells) learned(data []byte) error {
	u := &unpacker{buf: data}
	for n := u.length(); n > 0 && !u.bad; n-- {
		x.granule[u.get()] = granule{ordered: uint8(u.below(256))}
	}
	if u.bad || len(u.buf) > 0 {
		return ErrSnapshot
	}
	return nil
}
