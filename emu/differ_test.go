package emu

import (
	"fmt"
	"testing"
)

// TestDiffer: each register beyond the general ones that an instruction changes shows in Differ, and none
// does where an instruction changes none.
func TestDiffer(t *testing.T) {
	type row struct {
		insn     string
		sse, x87 bool
	}
	for mode, xmm := range map[Mode]int{X86_64: 16, I386: 8} {
		base := map[Mode]string{X86_64: "%rbx", I386: "%ebx"}[mode]
		rows := []row{
			{"nop", false, false},
			{"ldmxcsr (" + base + ")", true, false},
			{"fldz", false, true},    // a value, the top of the stack, a tag
			{"fincstp", false, true}, // the top alone
			{"ftst", false, true},    // the status
			{"fldcw 4(" + base + ")", false, true},
		}
		for i := range xmm {
			rows = append(rows, row{fmt.Sprintf("pcmpeqb %%xmm%d, %%xmm%d", i, i), true, false}, row{fmt.Sprintf("movlps (%s), %%xmm%d", base, i), true, false}, row{fmt.Sprintf("movhps (%s), %%xmm%d", base, i), true, false})
		}
		for _, r := range rows {
			g := load(t, "\tnop\n\t"+r.insn+"\n\thlt\n", Config{Mode: mode})
			g.Write64(dataAt, 0x027f_0000_1fa0)
			before := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt, RSP: stackAt + 0x1000, RFLAGS: 2}), StopAt: 2}).Ctx
			after := g.Run(&Run{From: before, StopAt: 2}).Ctx
			again := g.Run(&Run{From: before, StopAt: 2}).Ctx
			if d := g.Differ(before, after); d.SSE != r.sse || d.X87 != r.x87 {
				t.Errorf("mode %d, %s: SSE %v, X87 %v", mode, r.insn, d.SSE, d.X87)
			}
			if !g.SameCPU(after, again) {
				t.Errorf("mode %d, %s: twice from one state: %+v", mode, r.insn, g.Differ(after, again))
			}
		}
	}
}
