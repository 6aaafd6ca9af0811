package record

import (
	"testing"

	"landgo/internal/trace"
)

// buffered is a guest whose threads with odd numbers are the store buffers of the ones before.
type buffered struct{ guest }

func (buffered) IsBuffer(t trace.TID) bool { return t%2 == 1 }

// TestDelayedStores: a store is delayed if another step comes before its way to memory. Until then
// another thread doesn't read it, its own does, and a load of other memory overtakes it.
func TestDelayedStores(t *testing.T) {
	store := func(addr uint64) trace.Access {
		a := write(addr)
		a.Flags |= trace.Buffered
		return a
	}
	r := New(buffered{},
		did(2, store(64)), did(3, write(64)), // at once
		did(2, store(128)), did(2, read(192), read(128)), did(4, read(128)), did(3, write(128)), did(4, read(128)),
	)
	for beat, want := range map[int]bool{0: false, 2: true, 3: false} {
		if got := r.Delayed(beat, 0); got != want {
			t.Errorf("beat %d: delayed %v", beat, got)
		}
	}
	if !r.Written(1, 0) || r.Written(5, 0) {
		t.Error("the first store is told with its way to memory, the second apart")
	}
	if !r.Overtakes(2, 0) || r.Overtakes(0, 0) {
		t.Error("the load of 192 overtakes the second store, and no load the first")
	}
	if x, ok := r.ComesBefore(2, 0); !ok || x != (At{4, 0}) {
		t.Errorf("before the store is in memory comes %v, %v", x, ok)
	}
	if x, ok := r.ComesBefore(0, 0); ok {
		t.Errorf("before the first store comes %v", x)
	}
	for x, want := range map[At]bool{{3, 1}: true, {4, 0}: false, {6, 0}: true} {
		if _, _, ok := r.Source(x); ok != want {
			t.Errorf("the write that %v reads: %v", x, ok)
		}
	}
	if r.OwnerOf(3) != 2 || r.OwnerOf(2) != 2 {
		t.Error("thread 3 is the buffer of thread 2")
	}
}
