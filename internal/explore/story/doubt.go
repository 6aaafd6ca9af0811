package story

import (
	"math"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
)

// The type that a block's size suggests is doubted where an access can't be to it.

// fit is an access as far as it may be to a block of a type. It has the call for the block, and its size.
// It has the bytes in it, and whether the value can be an address.
type fit struct {
	call, size, offset uint64
	width              uint32
	address            bool
}

// doubt takes in an access of the user's code, with its value, that can't be to a block of the type that
// the block's size suggests. Then other blocks of the same call aren't of that type either.
func (n *namer) doubt(s *session.Session, a *trace.Access, value uint64) {
	b := n.around(a.Addr)
	if b == nil || b.inner || b.untyped || b.as != nil || a.Size == 0 || a.Size > 8 || standsInLibrary(s, a.PC) {
		return
	}
	f := fit{b.Given.PC, b.Size, a.Addr - b.Addr, a.Size, isAddress(value, a.Size)}
	if n.fits[f] {
		return
	}
	calls := []uint64{b.Given.PC - 1}
	if b.call != 0 {
		calls = append(calls, b.call)
	}
	for _, at := range calls {
		if s.Image.Contradicts(at, b.Size, f.offset, uint64(f.width), f.address) {
			if n.untyped == nil {
				n.untyped = map[uint64]bool{}
			}
			b.untyped, n.untyped[b.Given.PC] = true, true
			return
		}
	}
	if n.fits == nil {
		n.fits = map[fit]bool{}
	}
	n.fits[f] = true
}

// isAddress reports whether a number of some bytes can be an address of a program's, or is one that stands for
// none: 0, or one near its end. A page at 0 has nothing, and programs have the lower half.
func isAddress(v uint64, size uint32) bool {
	const page, half = 4096, 1 << 47
	end := uint64(math.MaxUint64) >> (64 - 8*size)
	return v == 0 || v >= page && (size < 8 || v < half) || v > end-page
}
