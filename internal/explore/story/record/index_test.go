package record

import (
	"math/rand/v2"
	"testing"
	"time"

	"landgo/internal/trace"
)

// TestIndex: the index finds the same conflicts as a walk over all accesses.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	size := []uint32{1, 2, 4, 8, 16, 64, 65, 200}
	draw := func() trace.Access {
		a := trace.Access{Addr: 60 + r.Uint64N(40), Size: size[r.IntN(len(size))]}
		if r.IntN(2) == 0 {
			a.Flags = trace.Write
		}
		return a
	}
	for range 300 {
		var beats []Beat
		for range r.IntN(8) {
			var list []trace.Access
			for range r.IntN(4) {
				list = append(list, draw())
			}
			beats = append(beats, did(trace.TID(r.IntN(3)), list...))
		}
		run := recorded(beats...)
		for range 20 {
			a, by, mid := draw(), trace.TID(r.IntN(3)), At{r.IntN(9), r.IntN(5)}
			var last, first At
			var before, after bool
			for x, o := range run.Backward(by, mid) {
				if o.Conflicts(&a) {
					last, before = x, true
					break
				}
			}
			for x, o := range run.Forward(by, At{Beat: mid.Beat}) {
				if o.Conflicts(&a) {
					first, after = x, true
					break
				}
			}
			if x, ok := run.LastConflict(by, mid, &a); ok != before || ok && x != last {
				t.Fatalf("last of %d before %v with %+v: %v %v, want %v %v", by, mid, a, x, ok, last, before)
			}
			if x, ok := run.FirstConflict(by, mid.Beat, &a); ok != after || ok && x != first {
				t.Fatalf("first of %d from %v with %+v: %v %v, want %v %v", by, mid, a, x, ok, first, after)
			}
		}
	}
}

// TestLongRun: conflicts of 200,000 steps are found in a time that doesn't grow with their square.
func TestLongRun(t *testing.T) {
	const turns = 100_000
	var beats []Beat
	for id := range trace.TID(2) {
		for i := range uint64(turns) {
			beats = append(beats, did(id, write(uint64(id)<<40+64*i)))
		}
	}
	run := recorded(append(beats, did(0, write(64)), did(1, write(64)))...)
	began := time.Now()
	for i := range run.Beats {
		x := At{i, 0}
		before, ok := run.LastConflict(1-run.Beats[i].Step.Thread, x, run.AccessAt(x))
		if want := i == 2*turns+1; ok != want {
			t.Fatalf("step %d: a conflict before: %v", i, ok)
		}
		if run.Between(before, x, trace.OpCreate, 1) || run.Freed(before, x, 64) {
			t.Fatalf("step %d: nothing comes between", i)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
