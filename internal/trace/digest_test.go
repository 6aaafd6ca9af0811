package trace

import "testing"

// TestDigest: a sum doesn't depend on the order of its parts, a part taken back
// leaves nothing, and short sequences of small words have different digests in
// each half.
func TestDigest(t *testing.T) {
	of := func(words ...uint64) Digest {
		h := NewHash()
		h.Words(words...)
		return h.Sum()
	}
	var x, y Digest
	x.Add(of(1))
	x.Add(of(2, 3))
	y.Add(of(2, 3))
	y.Add(of(4))
	y.Add(of(1))
	y.Sub(of(4))
	if x != y || x == (Digest{}) {
		t.Errorf("%x, %x", x, y)
	}
	low, high := map[uint64]bool{}, map[uint64]bool{}
	n := 0
	for a := uint64(0); a < 200; a++ {
		for b := uint64(0); b < 200; b++ {
			for _, d := range []Digest{of(a, b), of(a<<32, b), of(a, b, 0)} {
				low[d[0]], high[d[1]] = true, true
				n++
			}
		}
	}
	// of(0<<32, b) is of(0, b): 200 of them are twice there.
	if len(low) != n-200 || len(high) != n-200 {
		t.Errorf("of %d digests %d and %d are different, want %d", n, len(low), len(high), n-200)
	}
}
