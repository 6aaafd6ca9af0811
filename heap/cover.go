package heap

// Cover says of addresses to which block they belong: disjoint ranges, each
// with a number. It is a value: setting makes a new one, and the old one stays.
// So to go back is to take the old one. The zero value covers nothing. Setting
// and asking take a time that grows with the logarithm of the number of ranges.
//
// It is a treap (Seidel and Aragon, Algorithmica 1996) by first addresses. The
// priorities are a hash of these, so that its form depends on its contents only.
type Cover struct{ root *covered }

// covered is a range [lo, hi) of a number. It never changes.
type covered struct {
	lo, hi      uint64
	number      int32
	left, right *covered
}

// priority is the hash by which a range is above others: splitmix64's.
func (c *covered) priority() uint64 {
	x := (c.lo + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (c *covered) with(left, right *covered) *covered {
	return &covered{c.lo, c.hi, c.number, left, right}
}

// join makes one of two; all of a lies below all of b.
func join(a, b *covered) *covered {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority() > b.priority() || a.priority() == b.priority() && a.lo < b.lo:
		return a.with(a.left, join(a.right, b))
	}
	return b.with(join(a, b.left), b.right)
}

// cut divides the part below an address from the rest.
func cut(c *covered, at uint64) (below, above *covered) {
	switch {
	case c == nil:
		return nil, nil
	case c.hi <= at:
		mid, above := cut(c.right, at)
		return c.with(c.left, mid), above
	case c.lo >= at:
		below, mid := cut(c.left, at)
		return below, c.with(mid, c.right)
	}
	low, high := &covered{lo: c.lo, hi: at, number: c.number}, &covered{lo: at, hi: c.hi, number: c.number}
	return join(c.left, low), join(high, c.right)
}

// Set has the addresses from lo to hi belong to a block.
func (c Cover) Set(lo, hi uint64, number int32) Cover {
	below, rest := cut(c.root, lo)
	_, above := cut(rest, hi)
	return Cover{join(join(below, &covered{lo: lo, hi: hi, number: number}), above)}
}

// Clear has the addresses from lo to hi belong to none.
func (c Cover) Clear(lo, hi uint64) Cover {
	below, rest := cut(c.root, lo)
	_, above := cut(rest, hi)
	return Cover{join(below, above)}
}

// At is the block to which an address belongs.
func (c Cover) At(addr uint64) (number int32, ok bool) {
	p, number, ok := c.From(addr)
	return number, ok && p.Addr <= addr
}

// From is the first range that ends behind an address, and the block that it
// belongs to.
func (c Cover) From(addr uint64) (p Piece, number int32, ok bool) {
	for at := c.root; at != nil; {
		if at.hi <= addr {
			at = at.right
			continue
		}
		p, number, ok = Piece{at.lo, at.hi - at.lo}, at.number, true
		at = at.left
	}
	return p, number, ok
}
