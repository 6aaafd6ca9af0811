package trace

import "math/bits"

// Digest is a 128-bit hash: of a state, of a trace. The zero value is that of
// nothing, a sum to which others are added in any order.
type Digest [2]uint64

// Add adds a part, Sub takes one away.
func (d *Digest) Add(part Digest) {
	var carry uint64
	d[0], carry = bits.Add64(d[0], part[0], 0)
	d[1], _ = bits.Add64(d[1], part[1], carry)
}

// Sub undoes Add.
func (d *Digest) Sub(part Digest) {
	var borrow uint64
	d[0], borrow = bits.Sub64(d[0], part[0], 0)
	d[1], _ = bits.Sub64(d[1], part[1], borrow)
}

// Hash makes a Digest of a sequence of words, the same on every machine: two
// lanes that are mixed with each word and with each other. For a given word
// each step is a bijection of the two lanes, so no earlier information is lost.
type Hash struct{ a, b uint64 }

// NewHash begins with the first digits of pi.
func NewHash() Hash { return Hash{0x243f6a8885a308d3, 0x13198a2e03707344} }

// Word adds a word.
func (h *Hash) Word(v uint64) {
	h.a = (h.a ^ v) * 0x9e3779b97f4a7c15
	h.a = bits.RotateLeft64(h.a, 29) + h.b
	h.b = (h.b ^ bits.RotateLeft64(v, 32)) * 0xa4093822299f31d1
	h.b = bits.RotateLeft64(h.b, 37) ^ h.a
}

// Words adds several.
func (h *Hash) Words(vs ...uint64) {
	for _, v := range vs {
		h.Word(v)
	}
}

// Sum is the digest of all words added so far.
func (h Hash) Sum() Digest {
	for range 4 {
		h.Word(0x082efa98ec4e6c89)
	}
	return Digest{h.a, h.b}
}

// Text adds a text and its length.
func (h *Hash) Text(text string) {
	h.Word(uint64(len(text)))
	for i := range len(text) {
		h.Word(uint64(text[i]))
	}
}

// Bit is a truth value as a word to hash.
func Bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
