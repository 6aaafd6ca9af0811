package spins

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// list is how leftovers are compared.
func list(l Leftovers) (out []string) {
	for _, o := range l {
		s := fmt.Sprintf("%x-%x %d", o.Lo, o.Hi, o.Look)
		if o.Saved != nil {
			s += fmt.Sprintf(" r%d=%d", o.Saved.Number, o.Saved.Value)
		}
		out = append(out, s)
	}
	return out
}

// TestAfter: what a thread overwrites tells nothing any more, and a read tells how often it has looked.
func TestAfter(t *testing.T) {
	l := append(LeftBy(7, []trace.Range{{Lo: 0x10, Hi: 0x18}}), LeftBy(8, []trace.Range{{Lo: 0x20, Hi: 0x28}})...)
	was := list(l)
	for _, tc := range []struct {
		what string
		a    trace.Access
		rest []string
		told []uint64
	}{
		{"a read elsewhere", trace.Access{Addr: 0x18, Size: 8}, was, nil},
		{"a read", trace.Access{Addr: 0x17, Size: 1}, was[1:], []uint64{7}},
		{"a read of both", trace.Access{Addr: 0x10, Size: 0x20}, nil, []uint64{7, 8}},
		{"a store", trace.Access{Addr: 0x20, Size: 8, Flags: trace.Write}, was[:1], nil},
		{"a store within", trace.Access{Addr: 0x22, Size: 2, Flags: trace.Write}, []string{was[0], "20-22 8", "24-28 8"}, nil},
		{"an addition", trace.Access{Addr: 0x20, Size: 4, Flags: trace.Write | trace.RMW}, was[:1], []uint64{8}},
	} {
		rest, told := l.After(&tc.a)
		if !slices.Equal(list(rest), tc.rest) || !slices.Equal(told, tc.told) {
			t.Errorf("%s: %v, told %v", tc.what, list(rest), told)
		}
		if !slices.Equal(list(l), was) {
			t.Fatalf("%s has changed the list: %v", tc.what, list(l))
		}
	}
}

// TestPushes: a register that was pushed is given back by a pop into the same one. A push of a function
// that has returned is a value as any other.
func TestPushes(t *testing.T) {
	counts, other := LeftReg{3, 5, 7}, LeftReg{12, 6, 7}
	l := Leftovers{}.Pushed(counts, 0x100).Pushed(other, 0xf8)
	if !l.HasSaved(0x100) || l.HasSaved(0x104) || !l.SavedBelow(0x100) || l.SavedBelow(0xf8) {
		t.Errorf("pushed: %v", list(l))
	}
	for _, tc := range []struct {
		at  uint64
		set trace.RegSet
		ok  bool
		n   int
	}{{0x100, 1 << 3, true, 1}, {0x100, 1 << 12, false, 0}, {0xf8, 1 << 12, true, 1}, {0xfc, 1 << 3, false, 0}, {0x108, 1 << 3, true, 0}} {
		if regs, ok := l.Popped(tc.at, tc.set, nil); ok != tc.ok || len(regs) != tc.n {
			t.Errorf("a pop at %#x into %#x: %v, %v", tc.at, tc.set, regs, ok)
		}
	}
	if regs, ok := l.Popped(0x100, 1<<3, []LeftReg{counts}); !ok || len(regs) != 1 {
		t.Errorf("one that is there already: %v", regs)
	}
	gone := l.Unwound(0x100)
	if !gone.HasSaved(0x100) || gone.HasSaved(0xf8) || !l.HasSaved(0xf8) {
		t.Errorf("unwound: %v of %v", list(gone), list(l))
	}
	if _, ok := gone.Popped(0xf8, 1<<12, nil); ok {
		t.Error("a pop of what belongs to no function")
	}
	// Another value was written to 0x100, by what wasn't watched.
	left := gone.Settled(func(addr uint64) uint64 { return 6 })
	if !slices.Equal(list(left), []string{"f8-100 7"}) {
		t.Errorf("settled: %v", list(left))
	}
}
