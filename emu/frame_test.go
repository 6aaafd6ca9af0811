package emu

import (
	"bytes"
	"testing"
)

// TestFilledFrame: a function finds the fill below its stack pointer and nowhere else, and
// what was there comes back when the machine goes back.
func TestFilledFrame(t *testing.T) {
	g := load(t, `
	push %rbp
	sub $32, %rsp
	mov (%rsp), %rax
	int3
`, Config{})
	fill := [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
	g.FillFrames(fill, []Frame{{g.entry + 100, 8}, {g.entry, 40}})
	sp := uint64(dataAt + 256)
	was := bytes.Repeat([]byte{0xee}, 512)
	g.Write(dataAt, was)
	k := g.Mark()
	s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RSP: sp, RBP: 0x77}), Flags: Solo})
	if s.Regs.RAX != 0x0807060504030201 {
		t.Fatalf("%v, %#x", s.Why, s.Regs.RAX)
	}
	got := make([]byte, 512)
	g.Read(dataAt, got)
	want := bytes.Clone(was)
	copy(want[256-40:], bytes.Repeat(fill[:], 4))
	copy(want[256-8:], []byte{0x77, 0, 0, 0, 0, 0, 0, 0}) // pushed over it
	if !bytes.Equal(got, want) {
		t.Errorf("%x", got[200:264])
	}
	g.Rewind(k)
	if g.Read(dataAt, got); !bytes.Equal(got, was) {
		t.Error("the fill is still there")
	}

	// Where the stack ends the fill does.
	low := uint64(dataAt + 4096)
	g.Protect(dataAt, 4096, 0)
	s = g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RSP: low + 16}), Flags: Solo, StopAt: 2})
	if s.Why != StopInsn {
		t.Fatalf("%v %+v", s.Why, s.Fault)
	}
	g.Protect(dataAt, 4096, ProtRead|ProtWrite)
	if g.Read(dataAt+4096-16, got[:16]); !bytes.Equal(got[:16], was[:16]) && !bytes.Equal(got[:16], make([]byte, 16)) {
		t.Errorf("below the stack's end: %x", got[:16])
	}
}
