package spins

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// TestChoose: which numbers are on one side of an addition, by what the thread does with each.
func TestChoose(t *testing.T) {
	at := func(stand uint64) *Poise { return &Poise{Effects: stand} }
	below := func(n int64) func(int64) *Poise {
		return func(v int64) *Poise {
			if v < n {
				return at(1)
			}
			return at(2)
		}
	}
	for _, tc := range []struct {
		what          string
		before, added int64
		way           func(v int64) *Poise
		want          Choice
	}{
		{"it does the same with all", 2, 1, func(int64) *Poise { return at(1) }, Choice{Is: true, Added: 1, Pivot: NoPivot}},
		{"the fourth arrival goes another way", 1, 1, func(v int64) *Poise { return at(map[bool]uint64{true: 1}[v == 3]) }, Choice{Is: true, Added: 1, Pivot: 3}},
		{"the last reference frees", 2, -1, func(v int64) *Poise { return at(map[bool]uint64{true: 1}[v == 1]) }, Choice{Is: true, Added: -1, Pivot: 1}},
		{"the first goes another way", 2, 1, func(v int64) *Poise { return at(map[bool]uint64{true: 1}[v == 0]) }, Choice{Is: true, Added: 1, Pivot: 0, Behind: true}},
		{"it found a number behind the pivot, where all are alike", 7, 1, below(4), Choice{Is: true, Added: 1, Pivot: 4, Behind: true}},
		{"each number leads elsewhere, as a ticket does", 2, 1, func(v int64) *Poise { return at(uint64(v)) }, Choice{Added: 1, Pivot: 1, Apart: true}},
		{"the pivot is too large to be said anything of", 2, 1, below(LastTried), Choice{Added: 1, Pivot: LastTried}},
		{"a state that can't be compared ends a side", 1, 1, func(v int64) *Poise {
			if v > 5 {
				return nil
			}
			return at(1)
		}, Choice{Is: true, Added: 1, Pivot: 6}},
		{"it keeps the number on its stack", 2, 1, func(v int64) *Poise { return &Poise{Memory: memory(byte(v + 1))} },
			Choice{Is: true, Added: 1, Pivot: NoPivot, Left: []trace.Range{{Lo: 0x100, Hi: 0x101}}}},
		{"a register that is only pushed has it", 2, 1, func(v int64) *Poise { return &Poise{Pushed: [trace.NumGeneral]uint64{3: uint64(v)}} },
			Choice{Is: true, Added: 1, Pivot: NoPivot, Regs: 1 << 3}},
	} {
		got := Choose(tc.before, tc.added, tc.way, func(at uint64) bool { return at >= 0x100 })
		if fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%s: %+v, want %+v", tc.what, got, tc.want)
		}
	}
	// Another thread's memory tells the numbers apart.
	if got := Choose(2, 1, func(v int64) *Poise { return &Poise{Memory: memory(byte(v + 1))} }, func(uint64) bool { return false }); got.Is || !got.Apart {
		t.Errorf("%+v", got)
	}
}

// TestChoiceAt: a choice says something of the numbers up to its pivot, and of those behind if they are alike.
func TestChoiceAt(t *testing.T) {
	for _, tc := range []struct {
		c    Choice
		says []bool // of 0, 1, 2, 3
	}{
		{Choice{Is: true, Added: 1, Pivot: 2}, []bool{true, true, true, false}},
		{Choice{Is: true, Added: -1, Pivot: 2}, []bool{false, false, true, true}},
		{Choice{Is: true, Added: 1, Pivot: 2, Behind: true}, []bool{true, true, true, true}},
		{Choice{Is: true, Added: 1, Pivot: NoPivot}, []bool{true, true, true, true}},
		{Choice{Added: 1, Pivot: 2}, []bool{false, false, false, false}},
	} {
		var says []bool
		for n := range int64(len(tc.says)) {
			says = append(says, tc.c.At(n))
		}
		if !slices.Equal(says, tc.says) {
			t.Errorf("%+v: %v", tc.c, says)
		}
	}
}
