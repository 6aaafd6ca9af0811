package emu

import "testing"

// TestAside: a context that was given up can be taken again after something was tried and taken
// back, and while it is tried, none from before is.
func TestAside(t *testing.T) {
	g := load(t, "hlt\n", Config{})
	g.Mark()
	a := g.start(0)
	for i := range 1000 {
		b := g.start(0)
		if b > a+2 {
			t.Fatalf("after %d tries contexts go up to %d, from %d", i, b, a)
		}
		g.Free(b)
		k := g.Aside()
		c := g.start(0)
		if c == a || c == b {
			t.Fatalf("context %d is taken in a try, and was there before", c)
		}
		g.Free(c)
		g.Return(k)
	}
}

// TestGivenUpBefore: a context that was given up before a mark is taken again, at the earliest,
// after the mark is gone back behind.
func TestGivenUpBefore(t *testing.T) {
	g := load(t, "hlt\n", Config{})
	root := g.Mark()
	a := g.start(0)
	b := g.start(0)
	g.Free(a)
	k := g.Mark()
	if c := g.start(0); c == a || c == b {
		t.Fatalf("context %d is taken under a mark, and was given up before it", c)
	}
	g.Rewind(k)
	if c := g.start(0); c == a || c == b {
		t.Fatalf("context %d is taken under a mark that was gone back to", c)
	}
	g.Rewind(root)
	if c := g.start(0); c != a {
		t.Errorf("behind all marks the first context is %d, not %d", c, a)
	}
}
