package emu

import (
	"slices"
	"testing"
)

// TestLearnWindows: sharing bytes mean the same parties in a machine that has learned another's windows,
// in whatever order it meets them.
func TestLearnWindows(t *testing.T) {
	const a, b = stackAt + 0x1000, stackAt + 0x4000
	first, second, other := small(t, "nop", 0), small(t, "nop", 0), small(t, "nop", 0)
	for _, m := range []*guest{second, other} {
		m.DeclareAllShared(false)
	}
	ofA, ofB := first.Party(a), first.Party(b)
	first.Party(b - 256) // it has grown
	second.LearnWindows(first.Windows())
	if second.Party(b-256) != ofB || second.Party(a) != ofA || second.Parties() != 2 {
		t.Errorf("windows %v are %v in a machine that has learned them", first.Windows(), second.Windows())
	}
	if second.LearnWindows(first.Windows()); !slices.Equal(second.Windows(), first.Windows()) {
		t.Errorf("learned again: %v, and not %v", second.Windows(), first.Windows())
	}
	if bool(second.c.all_shared) {
		t.Error("all memory is shared where the windows are the same")
	}
	many := make([]Window, 1000)
	for i := range many {
		many[i] = Window{uint64(i) << 12, uint64(i)<<12 + 8}
	}
	for what, list := range map[string][]Window{"too many": many, "two in one place": {{a, b}, {a + 8, a + 16}}} {
		g := small(t, "nop", 0)
		g.DeclareAllShared(false)
		if g.LearnWindows(list); !bool(g.c.all_shared) {
			t.Errorf("%s: the sharing bytes count", what)
		}
	}
	other.Party(b)
	if other.LearnWindows(first.Windows()); !bool(other.c.all_shared) {
		t.Error("a machine that numbers parties in another way goes by the sharing bytes")
	}
}
