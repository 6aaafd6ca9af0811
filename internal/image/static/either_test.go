package static

import "testing"

// TestEitherResult: where it makes no difference whether a result is 0 or -1.
func TestEitherResult(t *testing.T) {
	file, at := labels(t, "either.S")
	for label, want := range map[string]bool{
		"dead": true, "chain": true, "sum": true, "added": true, "signed": true,
		"returned": false, "copied": false, "told": false, "flags": false, "number": false, "loop": false,
	} {
		if at[label] == 0 {
			t.Fatalf("no label %s", label)
		}
		for _, pair := range [][2]uint32{{0, ^uint32(0)}, {^uint32(0), 0}} {
			if got := EitherResult(file, at[label], pair[0], pair[1]); got != want {
				t.Errorf("%s: %v", label, got)
			}
		}
	}
	if EitherResult(file, at["chain"], 0, 1) || EitherResult(file, at["sum"], 0, 1) {
		t.Error("1 is another number")
	}
}
