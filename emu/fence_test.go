package emu

import (
	"slices"
	"testing"

	"landgo/internal/trace"
)

// TestFences: a run tells where its store buffer was emptied: by mfence, cpuid and every
// locked instruction, with memory that others touch or not, and by nothing else.
func TestFences(t *testing.T) {
	g := load(t, `
	movl $1, 0(%rbx)
	lfence
	sfence
	movl 8(%rbx), %eax
	mfence
	mfence
	movl 16(%rbx), %eax
	lock orl $0, -64(%rsp)
	movl $1, 24(%rbx)
	xchgl %ecx, 32(%rbx)
	xchgl %ecx, %edx
	movl $1, 40(%rbx)
	push %rbx
	cpuid
	pop %rbx
	hlt
`, Config{})
	g.DeclareAllShared(true)
	s := g.Run(&Run{From: g.start(0), Flags: IgnoreBreaks, Budget: 1e6, Blind: Range{Lo: stackAt, Hi: stackAt + dataSize}})
	var at []uint64
	for _, a := range s.Accesses {
		at = append(at, a.Addr-dataAt)
	}
	if want := []uint64{0, 8, 16, 24, 32, 40}; !slices.Equal(at, want) {
		t.Fatalf("accesses at %d, want %d", at, want)
	}
	if want := []uint32{2, 3, 4, 6}; !slices.Equal(s.Fences, want) {
		t.Errorf("fences after %d accesses, want %d", s.Fences, want)
	}
	var tr trace.Transition
	for _, f := range s.Fences {
		tr.Fenced(int(f))
	}
	more := trace.Transition{Accesses: make([]trace.Access, 3)}
	more.Append(&tr)
	if want := []uint32{5, 6, 7, 9}; !slices.Equal(more.Fences, want) {
		t.Errorf("appended to three accesses: %d, want %d", more.Fences, want)
	}
}
