package record

import (
	"slices"
	"testing"

	"landgo/internal/trace"
)

// TestSections: a thread's sections of a lock begin where it takes it and end where it releases it;
// the last one is open. A wait on a condition variable within leaves none.
func TestSections(t *testing.T) {
	takes, gives := trace.Op{Kind: trace.OpLock, Obj: lock, At: 1}, trace.Op{Kind: trace.OpUnlock, Obj: lock, At: 2}
	beats := []Beat{
		did(1, read(64), write(64), write(128)).with(takes, gives),
		did(2, write(64)).with(trace.Op{Kind: trace.OpLock, Obj: lock, At: 0}, trace.Op{Kind: trace.OpUnlock, Obj: lock, At: 1}),
		did(1, read(64), read(64)).with(takes),
		did(1, write(128)),
	}
	r := recorded(beats...)
	list := r.Sections(1, lock)
	if want := []Section{{At{0, 1}, At{0, 2}}, {At{2, 1}, r.End()}}; !slices.Equal(list, want) {
		t.Fatalf("sections %v, and not %v", list, want)
	}
	if got := r.Sections(1, lock+8); got != nil {
		t.Errorf("of another lock: %v", got)
	}
	at64, at128 := r.AccessAt(At{1, 0}), r.AccessAt(At{3, 0})
	for n, want := range []struct{ touched, writes, other bool }{{true, true, false}, {true, false, true}} {
		if s := list[n]; r.TouchedIn(1, s, at64) != want.touched || r.WritesIn(1, s, at64) != want.writes || r.WritesIn(1, s, at128) != want.other {
			t.Errorf("section %d: not %+v", n, want)
		}
	}
	var within []At
	for x := range r.Within(1, list[1]) {
		within = append(within, x)
	}
	if want := []At{{2, 1}, {3, 0}}; !slices.Equal(within, want) {
		t.Errorf("within are %v, and not %v", within, want)
	}
	beats[3] = beats[3].with(trace.Op{Kind: trace.OpCondWait, Obj: cond, At: 0})
	if got := recorded(beats...).Sections(1, lock); got != nil {
		t.Errorf("with a wait: %v", got)
	}
}
