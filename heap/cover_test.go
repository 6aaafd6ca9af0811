package heap

import (
	"math/rand/v2"
	"testing"
)

// TestCover: a Cover says of each address what an array says that is written address
// by address, older ones stay as they are, and its depth stays small.
func TestCover(t *testing.T) {
	const size = 200
	type version struct {
		c Cover
		a [size]int32
	}
	r := rand.New(rand.NewPCG(1, 2))
	var all []version
	var now version
	for n := int32(1); n <= 3000; n++ {
		lo := r.Uint64N(size - 1)
		hi := lo + 1 + r.Uint64N(min(20, size-lo-1)+1)
		hi = min(hi, size)
		set := n
		if r.IntN(3) == 0 {
			set = 0
			now.c = now.c.Clear(lo, hi)
		} else {
			now.c = now.c.Set(lo, hi, n)
		}
		for i := lo; i < hi; i++ {
			now.a[i] = set
		}
		if n%100 == 0 {
			all = append(all, now)
		}
		if n%500 == 0 && len(all) > 2 {
			now = all[len(all)/2]
		}
	}
	for k, v := range append(all, now) {
		for i := range uint64(size) {
			n, ok := v.c.At(i)
			if ok != (v.a[i] != 0) || ok && n != v.a[i] {
				t.Fatalf("version %d, at %d: %d, want %d", k, i, n, v.a[i])
			}
			p, from, ok := v.c.From(i)
			j := i
			for j < size && v.a[j] == 0 {
				j++
			}
			if ok != (j < size) || ok && (from != v.a[j] || p.Addr > j || p.Addr+p.Size <= j) {
				t.Fatalf("version %d, from %d: %+v of %d, want %d at %d", k, i, p, from, v.a[min(j, size-1)], j)
			}
		}
	}
	var many Cover
	for i := range uint64(1 << 16) {
		many = many.Set(i<<13, i<<13+4096, int32(i))
	}
	if d := depth(many.root); d > 64 {
		t.Errorf("65,536 ranges lie %d deep", d)
	}
}

func depth(c *covered) int {
	if c == nil {
		return 0
	}
	return 1 + max(depth(c.left), depth(c.right))
}
