package pebbles

import (
	"testing"

	"pgregory.net/rapid"
)

func TestThreadNumbers(t *testing.T) {
	for _, c := range []struct {
		path   []uint64
		number uint64
	}{
		{nil, 1},
		{[]uint64{1}, 3},
		{[]uint64{2}, 10},
		{[]uint64{3}, 11},
		{[]uint64{4}, 36},
		{[]uint64{5}, 37},
		{[]uint64{1, 1}, 7},
		{[]uint64{1, 2}, 26},
		{[]uint64{2, 1}, 21},
		{[]uint64{32767}, 1<<29 | 32767},
	} {
		number, ok := uint64(rootNumber), true
		for _, n := range c.path {
			var good bool
			number, good = childNumber(number, n)
			ok = ok && good
		}
		if !ok || number != c.number {
			t.Errorf("thread %v has number %d, %v; want %d", c.path, number, ok, c.number)
		}
	}
	if n, ok := childNumber(rootNumber, 1<<15); ok {
		t.Errorf("child %d of the first thread has number %#x, too large", 1<<15, n)
	}
}

// TestThreadNumbersAreNames: a number says whose child it is, the how manieth,
// and nothing else is a number.
func TestThreadNumbersAreNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parent := uint64(rootNumber)
		for _, n := range rapid.SliceOfN(rapid.Uint64Range(1, 300), 0, 4).Draw(t, "path") {
			number, ok := childNumber(parent, n)
			if !ok {
				break
			}
			p, m, ok := parse(number)
			if !ok || p != parent || m != n {
				t.Fatalf("%#x, child %d of %#x, is taken for child %d of %#x (%v)", number, n, parent, m, p, ok)
			}
			parent = number
		}
		number := rapid.Uint64Range(0, 1<<33).Draw(t, "number")
		p, n, ok := parse(number)
		if !ok {
			return
		}
		if again, fits := childNumber(p, n); !fits || again != number || n == 0 {
			t.Fatalf("%#x is taken for child %d of %#x, which is %#x", number, n, p, again)
		}
	})
}
