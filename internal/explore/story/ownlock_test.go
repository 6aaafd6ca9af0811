package story

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
)

// numbered has addresses for names.
type numbered struct{ names }

func (numbered) VariableName(addr uint64) string { return fmt.Sprint(addr) }

// TestOwnLocksInOrder: the guest's own locks that a thread holds are listed in the order in which it took
// them, in each telling.
func TestOwnLocksInOrder(t *testing.T) {
	const locks, first = 8, lowestVariable
	takes := func(n uint64, raw uint64) beat {
		b := did(1, write(first+8*(n%locks)))
		b.values[0].raw = raw
		return b
	}
	var beats []beat
	for n := range uint64(locks) {
		beats = append(beats, takes(n*3, 1))
	}
	beats = append(beats, takes(3, 0), takes(3, 1), did(1, read(64)))
	var want []string
	for _, n := range []uint64{0, 6, 1, 4, 7, 2, 5, 3} {
		want = append(want, fmt.Sprint(first+8*n))
	}
	st := &Story{record: *recorded(beats...)}
	st.Session = &session.Session{Guest: &session.Guest{Told: session.Told{Namer: numbered{}, Roster: names{}}}}
	st.own = map[uint64]bool{}
	for n := range uint64(locks) {
		st.own[first+8*n] = true
	}
	st.useOwn()
	if got := st.held(at{len(beats) - 1, 0}); !slices.Equal(got, want) {
		t.Errorf("held are %v, and not %v", got, want)
	}
	if kinds := st.beats[locks].ops; len(kinds) != 1 || kinds[0].Kind != trace.OpUnlock {
		t.Errorf("what lets a lock go: %+v", kinds)
	}
}
