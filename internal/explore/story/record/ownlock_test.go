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
	r.useOwn(r.wordUses())
	if got := r.Held(At{len(beats) - 1, 0}); !slices.Equal(got, want) {
		t.Errorf("held are %v, and not %v", got, want)
	}
	if kinds := r.Beats[locks].Ops; len(kinds) != 1 || kinds[0].Kind != trace.OpUnlock {
		t.Errorf("what lets a lock go: %+v", kinds)
	}
}

// TestOwnPairs: two words are a lock with tickets, or of two flags, if all that is done to them fits.
func TestOwnPairs(t *testing.T) {
	const next, now, data = LowestVariable, LowestVariable + 8, LowestVariable + 16
	does := func(by trace.TID, addr, raw uint64, flags trace.AccessFlags) Beat {
		b := did(by, trace.Access{Addr: addr, Size: 8, Flags: flags})
		b.Values[0].Raw = raw
		return b
	}
	draws := func(by trace.TID, n uint64) Beat { return does(by, next, n+1, trace.Write|trace.RMW|trace.Atomic) }
	sees := func(by trace.TID, addr, raw uint64) Beat { return does(by, addr, raw, 0) }
	sets := func(by trace.TID, addr, raw uint64) Beat { return does(by, addr, raw, trace.Write) }
	for _, c := range []struct {
		name  string
		beats []Beat
		held  []int // the beats in which a lock is held when they end
	}{
		{"tickets", []Beat{draws(1, 0), draws(2, 1), sees(2, now, 0), sees(1, now, 0), sees(1, data, 0), sets(1, now, 1), sees(2, now, 1), sees(2, data, 0), sets(2, now, 2)}, []int{3, 4, 6, 7}},
		{"numbers without a look", []Beat{draws(1, 0), draws(2, 1), sets(1, now, 1), sets(2, now, 2)}, nil},
		{"another's turn ended", []Beat{draws(1, 0), draws(2, 1), sees(1, now, 0), sets(2, now, 1), sees(2, now, 1), sets(2, now, 2)}, nil},
		{"flags", []Beat{sets(1, next, 1), sees(1, now, 0), sees(1, data, 0), sets(2, now, 1), sees(2, next, 1), sets(1, next, 0), sees(2, next, 0), sets(2, now, 0)}, []int{1, 2, 3, 4, 6}},
		{"flags that let both in", []Beat{sets(1, next, 1), sees(1, now, 0), sets(2, now, 1), sees(2, next, 1), sees(2, next, 0), sees(1, data, 0), sets(1, next, 0), sets(2, now, 0)}, nil},
		{"a turn that another one gives", []Beat{sets(1, next, 1), sets(1, data, 2), sees(1, now, 0), sets(2, now, 1), sets(2, data, 1), sees(2, next, 1), sees(2, data, 1), sets(1, next, 0), sees(2, next, 0), sets(2, now, 0)}, []int{2, 3, 4, 5, 6, 8}},
		{"flags that wait for each other", []Beat{sets(1, next, 1), sets(2, now, 1), sees(1, now, 1), sees(2, next, 1), sets(1, next, 0), sets(2, now, 0)}, nil},
	} {
		r := New(numbered{}, c.beats...)
		r.OwnLocks(func(At) bool { return false })
		var held []int
		for i := range r.Beats {
			if r.holds(i) {
				held = append(held, i)
			}
		}
		if !slices.Equal(held, c.held) {
			t.Errorf("%s: held after %v, and not %v", c.name, held, c.held)
		}
	}
}

// holds reports whether any thread holds one of the guest's own locks after a beat.
func (r *Run) holds(beat int) bool {
	n := 0
	for i := range r.Beats[:beat+1] {
		for k := range r.Beats[i].Ops {
			switch o := &r.Beats[i].Ops[k]; {
			case Takes(o):
				n++
			case Unlocks(o):
				n--
			}
		}
	}
	return n > 0
}
