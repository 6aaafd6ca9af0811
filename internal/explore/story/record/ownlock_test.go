package record

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// numbered has addresses for names.
type numbered struct{ guest }

func (numbered) VariableName(addr uint64) string { return fmt.Sprint(addr) }

// TestOwnLocksInOrder: the guest's own locks that a thread holds are listed in the order in which it took
// them, in each telling.
func TestOwnLocksInOrder(t *testing.T) {
	const locks, first = 8, LowestVariable
	takes := func(n uint64, raw uint64) Beat {
		b := did(1, write(first+8*(n%locks)))
		b.Values[0].Raw = raw
		return b
	}
	var beats []Beat
	for n := range uint64(locks) {
		beats = append(beats, takes(n*3, 1))
	}
	beats = append(beats, takes(3, 0), takes(3, 1), did(1, read(64)))
	var want []string
	for _, n := range []uint64{0, 6, 1, 4, 7, 2, 5, 3} {
		want = append(want, fmt.Sprint(first+8*n))
	}
	r := New(numbered{}, beats...)
	r.own = map[uint64]bool{}
	for n := range uint64(locks) {
		r.own[first+8*n] = true
	}
	r.useOwn()
	if got := r.Held(At{len(beats) - 1, 0}); !slices.Equal(got, want) {
		t.Errorf("held are %v, and not %v", got, want)
	}
	if kinds := r.Beats[locks].Ops; len(kinds) != 1 || kinds[0].Kind != trace.OpUnlock {
		t.Errorf("what lets a lock go: %+v", kinds)
	}
}
