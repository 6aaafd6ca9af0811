package emu

import (
	"testing"

	"landgo/internal/trace"
)

// TestBoardRegsKept: control registers are those of the context that is asked for, as it is by now. A run
// after a rewind may have its slot, and slots are exchanged.
func TestBoardRegsKept(t *testing.T) {
	m, ctx := boardMachine(t, 0, 0x0f, 0x22, 0xd0, 0x90) // mov %rax, %cr2; nop
	set := func(from Ctx, v uint64, reuse bool) Ctx {
		r := m.Regs(from)
		r.RAX, r.RIP = v, boardCode
		return m.Run(&Run{From: from, Permit: true, StopAt: 2, Set: trace.AllRegs, Regs: r, Reuse: reuse}).Ctx
	}
	holds := func(what string, c Ctx, v uint64) {
		t.Helper()
		for range 2 {
			if got := m.BoardRegs(c).CR2; got != v {
				t.Errorf("%s: cr2 is %d, not %d", what, got, v)
			}
		}
	}
	holds("at the start", ctx, 0)
	k := m.Mark()
	first := set(ctx, 1, false)
	holds("after a run", first, 1)
	m.Rewind(k)
	again := set(ctx, 2, false)
	if again != first {
		t.Fatalf("the run after a rewind has context %d, the one before had %d", again, first)
	}
	holds("in a slot that was used before", again, 2)
	holds("another one between", ctx, 0)
	holds("and back", again, 2)
	if same := set(again, 3, true); same != again {
		t.Fatalf("context %d wasn't used again, but %d", again, same)
	}
	holds("in place of what was there", again, 3)
	f, err := m.Freeze(again)
	if err != nil {
		t.Fatal(err)
	}
	other, begun := boardMachine(t, 0, 0x90)
	if got := other.BoardRegs(begun).CR2; got != 0 {
		t.Errorf("another machine's cr2 is %d", got)
	}
	thawed, err := other.Thaw(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := other.BoardRegs(thawed).CR2; got != 3 {
		t.Errorf("taken up in another machine: cr2 is %d", got)
	}
}

// BenchmarkBoardRegs reads the control registers of one state, as each look at a kernel's memory does.
func BenchmarkBoardRegs(b *testing.B) {
	m, ctx := boardMachine(b, 0, 0x90)
	for range b.N {
		m.BoardRegs(ctx)
	}
}
