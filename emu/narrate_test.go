package emu

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told has the acts of runs since ForgetTold, in words: places in data by their offset.
func (g *guest) told() string {
	var out []string
	for _, e := range g.Told() {
		switch e.What {
		case ToldInsn:
			out = append(out, fmt.Sprintf("+%d", e.Addr-g.entry))
		case ToldRead:
			out = append(out, fmt.Sprintf("r%d/%d", e.Addr-dataAt, e.Size))
		case ToldWrite:
			out = append(out, fmt.Sprintf("w%d/%d", e.Addr-dataAt, e.Size))
		}
	}
	g.ForgetTold()
	return strings.Join(out, " ")
}

// TestTold: a run's instructions and accesses are reported once each, in order, in trusted code
// too; of an instruction in parts, the parts; not what was begun only.
func TestTold(t *testing.T) {
	const code = "movq %rax, 8(%rbx)\nmovq 8(%rbx), %rcx\naddq $1, (%rbx)\nnop"
	for _, flags := range []RunFlags{StopShared, Quiet, Solo | RecordAll} {
		g := small(t, code, 0)
		ctx := g.Start(&Regs{RIP: g.entry, RBX: dataAt, RFLAGS: 2})
		s := g.Run(&Run{From: ctx, Flags: flags | Narrate, Allow: 10, StopAt: 5})
		if got, want := g.told(), "+0 w8/8 +4 r8/8 +8 r0/8 w0/8 +12"; got != want || s.Insns != 4 {
			t.Errorf("flags %#x: %q, want %q", flags, got, want)
		}
	}
	g := small(t, code, 0)
	ctx := g.Start(&Regs{RIP: g.entry, RBX: dataAt, RFLAGS: 2})
	var got []string
	for range 4 {
		s := g.Run(&Run{From: ctx, Flags: StopShared | Narrate, Allow: 1, StopAt: 5})
		got = append(got, g.told())
		if ctx = s.Ctx; s.Why == StopInsn {
			break
		}
	}
	if want := []string{"+0 w8/8", "+4 r8/8", "r0/8", "+8 w0/8 +12"}; !slices.Equal(got, want) {
		t.Errorf("in steps: %q, want %q", got, want)
	}
	if g.Run(&Run{From: ctx, Flags: StopShared, Allow: 9, StopAt: 1}); g.told() != "" {
		t.Error("a run without Narrate was told")
	}
}
