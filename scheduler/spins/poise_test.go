package spins

import (
	"slices"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// memory is a list of bytes, by address from 0x100 on.
func memory(bytes ...byte) Memory {
	var text []byte
	for i, b := range bytes {
		if b != 0 {
			text = With(text, 0x100+uint64(i), b)
		}
	}
	return Memory(text)
}

// TestUnequal: bytes that are in one list only differ, and those that have two values.
func TestUnequal(t *testing.T) {
	for _, tc := range []struct {
		a, b Memory
		want []uint64
	}{
		{memory(), memory(), nil},
		{memory(1, 2, 3), memory(1, 2, 3), nil},
		{memory(1, 2, 3), memory(1, 4, 3), []uint64{0x101}},
		{memory(1, 0, 3), memory(0, 2, 3), []uint64{0x100, 0x101}},
		{memory(), memory(0, 0, 3), []uint64{0x102}},
	} {
		var got, back []uint64
		tc.a.Unequal(tc.b, func(at uint64) bool { got = append(got, at); return true })
		tc.b.Unequal(tc.a, func(at uint64) bool { back = append(back, at); return true })
		if !slices.Equal(got, tc.want) || !slices.Equal(back, tc.want) {
			t.Errorf("%q, %q: %x, %x", tc.a, tc.b, got, back)
		}
	}
	n := 0
	if memory(1, 2).Unequal(memory(), func(uint64) bool { n++; return false }) || n != 1 {
		t.Errorf("it went on: %d", n)
	}
}

// TestApart: states may differ in bytes that their thread owns, which are noted, and in nothing else.
func TestApart(t *testing.T) {
	a := Apart{}
	p, q := Poise{Memory: memory(1, 2, 3, 4)}, Poise{Memory: memory(1, 9, 9)}
	if !a.Same(&p, &q, func(uint64) bool { return true }) {
		t.Error("its own bytes differ")
	}
	if got := a.Ranges(); !slices.Equal(got, []trace.Range{{Lo: 0x101, Hi: 0x104}}) {
		t.Errorf("apart: %x", got)
	}
	if p.Memory = a.Without(p.Memory); p.Memory != memory(1) {
		t.Errorf("without these: %q", p.Memory)
	}
	if a.Same(&Poise{}, &Poise{Memory: memory(1)}, func(at uint64) bool { return at != 0x100 }) {
		t.Error("a byte of another's differs")
	}
	if a.Same(&Poise{Effects: 1}, &Poise{}, func(uint64) bool { return true }) {
		t.Error("it did something in the kernel")
	}
	if p, q := (Poise{Pushed: [trace.NumGeneral]uint64{3: 5}}), (Poise{}); !a.Same(&p, &q, nil) || p.OtherPushed(&q) != 1<<3 {
		t.Errorf("a register that is only pushed: %#x", p.OtherPushed(&q))
	}
	a.Add([]x86.GrownWord{{Addr: 0x200, Size: 4}})
	if got := a.Ranges(); len(got) != 2 || got[1] != (trace.Range{Lo: 0x200, Hi: 0x204}) {
		t.Errorf("with a word: %x", got)
	}
}

// TestHide: of registers that are dead nothing is compared, and of those that are only pushed the value is kept
// apart.
func TestHide(t *testing.T) {
	p := Poise{Regs: [trace.NumGeneral + 2]uint64{0: 1, 3: 2, 5: 3, 16: 4}, Flags: abi.Arithmetic | 1<<9}
	p.Hide(1<<0, 1<<3, true)
	want := Poise{Regs: [trace.NumGeneral + 2]uint64{5: 3, 16: 4}, Flags: 1 << 9, Saved: 1 << 3, Pushed: [trace.NumGeneral]uint64{3: 2}}
	if p != want {
		t.Errorf("%+v", p)
	}
	var seen Poises
	for i := range 3 {
		seen = append(seen, Poise{Effects: uint64(i)})
	}
	if seen.Turn(&Poise{Effects: 1}) != 2 || seen.Turn(&p) != 0 {
		t.Error("turns are found wrongly")
	}
}

// TestGrowth: a count is a register that grows by little; what else changes may be anything, and the stack pointer
// may not.
func TestGrowth(t *testing.T) {
	from := Poise{Regs: [trace.NumGeneral + 2]uint64{0: 5, 1: 100, 7: 7}, Memory: memory(1)}
	to := from
	to.Regs[0], to.Regs[1], to.Memory = 6, 50, memory(2)
	if g, ok := GrownRegs(&from, &to); !ok || g.Regs != 1 || g.Loose != 2 {
		t.Errorf("%+v, %v", g, ok)
	}
	flags, stack := from, from
	flags.Flags, stack.Regs[7] = 1, 8
	if _, ok := GrownRegs(&from, &flags); ok {
		t.Error("flags differ")
	}
	if _, ok := GrownRegs(&from, &stack); ok {
		t.Error("the stack grows")
	}
	for _, tc := range []struct {
		a, b uint64
		want bool
	}{{1, 2, true}, {2, 2, false}, {3, 2, false}, {1, 1 + mostGrowth, true}, {1, 2 + mostGrowth, false}, {x86.Grows/2 - 1, x86.Grows / 2, true}, {x86.Grows / 2, x86.Grows/2 + 1, false}} {
		if Growth(tc.a, tc.b) != tc.want {
			t.Errorf("from %d to %d", tc.a, tc.b)
		}
	}
	for n, want := range map[uint32]bool{4: false, 8: true, 12: false, 16: true, 64: true} {
		if TriesGrown(n) != want {
			t.Errorf("turn %d", n)
		}
	}
}

// TestRefine: what may be anything after a turn is so before the next one, until nothing new comes.
func TestRefine(t *testing.T) {
	g := x86.Grown{Regs: 1, Words: []x86.GrownWord{{Addr: 0x10, Size: 4}}}
	end := x86.Grown{Regs: 1 | 2, Words: []x86.GrownWord{{Addr: 0x10, Size: 8}}}
	if !Refine(&g, &end) || g.Regs != 1 || g.Loose != 2 || len(g.Words) != 1 || g.Words[0] != (x86.GrownWord{Addr: 0x10, Size: 8, Loose: true}) {
		t.Errorf("%+v", g)
	}
	if Refine(&g, &end) {
		t.Errorf("the same again: %+v", g)
	}
	if end.Loose = 1; !Refine(&g, &end) || g.Regs != 0 || g.Loose != 3 {
		t.Errorf("a count that may be anything: %+v", g)
	}
}
