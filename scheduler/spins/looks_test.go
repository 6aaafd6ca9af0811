package spins

import (
	"slices"
	"testing"

	"landgo/internal/trace"
)

// TestLookPlaces: by which instructions a thread looks in its loop, as its turns show them.
func TestLookPlaces(t *testing.T) {
	const loop, store = 0, 1 << 63 // where a list of turns begins again, and what a place has that writes
	for _, tc := range []struct {
		what  string
		turns []uint64 // where it looks: once, and what is behind loop again and again
		more  int      // so many turns of the loop; 0: without an end
		want  []uint64
	}{
		{"by one", []uint64{loop, 1}, 0, []uint64{1}},
		{"a first look before the loop", []uint64{1, loop, 2}, 0, []uint64{2}},
		{"two a turn", []uint64{loop, 1, 2}, 0, []uint64{1, 2}},
		{"it never looks again", []uint64{1, 2, 3, 4, 5, loop, 6}, 0, nil},
		{"a loop of two turns", []uint64{loop, 1}, 2, nil},
		{"it pauses five times, and then yields", []uint64{1, 1, 1, 1, 1, loop, 2}, 0, []uint64{1, 2}},
		{"a look elsewhere that comes once", []uint64{1, 1, 1, 2, loop, 1}, 0, []uint64{1}},
		{"a store behind its looks", []uint64{1, 1, 1, 1, loop, store | 2}, 0, []uint64{1}},
	} {
		begins := slices.Index(tc.turns, loop)
		all := slices.Clone(tc.turns[:begins])
		for n := 0; n <= MostTurns && (tc.more == 0 || n < tc.more); n++ {
			all = append(all, tc.turns[begins+1:]...)
		}
		access := func(n int) trace.Access {
			a := trace.Access{PC: all[n] &^ store}
			if all[n]&store != 0 {
				a.Flags = trace.Write
			}
			return a
		}
		n := 0
		got := LookPlaces(access(0), func() (trace.Access, bool) {
			if n++; n == len(all) {
				return trace.Access{}, false
			}
			return access(n), true
		})
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.what, got, tc.want)
		}
	}
}
