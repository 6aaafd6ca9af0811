package emu

import (
	"fmt"
	"testing"

	"landgo/internal/trace"
)

// TestContextsEnd: a program's contexts leave out what no program changes, a kernel's don't.
func TestContextsEnd(t *testing.T) {
	for _, mode := range []Mode{X86_64, I386} {
		g := load(t, "\thlt\n", Config{Mode: mode})
		if n := g.c.part; n == 0 || n > 3000 || n < g.c.fpu_end {
			t.Errorf("mode %d: contexts of a program have %d bytes, x87 and SSE lie in [%d, %d)", mode, n, g.c.fpu_at, g.c.fpu_end)
		}
	}
	if m, _ := boardMachine(t, 0, 0xf4); m.c.part != 0 {
		t.Errorf("contexts of a kernel have only %d bytes", m.c.part)
	}
}

// TestEachItsException: an exception of one thread's is none of another's, which would have a double
// fault then. So it is after a run that goes on with the same context.
func TestEachItsException(t *testing.T) {
	for _, mode := range []Mode{X86_64, I386} {
		g := load(t, "\txor %ecx, %ecx\n\tdiv %ecx\n\thlt\n", Config{Mode: mode})
		for i := range 3 {
			s := g.Run(&Run{From: g.start(uint64(i)), Thread: trace.TID(i)})
			for range 2 {
				if s.Why != StopFault || s.Fault.Kind != FaultDivide || !s.Raised || s.Trap.Vector != 0 || s.ErrorCode != 0 {
					t.Fatalf("mode %d, thread %d divides by 0: %+v", mode, i, s)
				}
				s = g.Run(&Run{From: s.Ctx, Thread: trace.TID(i)})
			}
		}
	}
}

// BenchmarkSwitch is a run of two instructions, each time of another thread.
func BenchmarkSwitch(b *testing.B) {
	for _, threads := range []int{1, 2, 100, 10_000} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			g := load(b, "again:\n\tinc %eax\n\tjmp again\n", Config{})
			var at []Ctx
			for i := range threads {
				at = append(at, g.start(uint64(i%8)))
			}
			b.ResetTimer()
			begun := processorTime()
			for i := range b.N {
				t := i % threads
				at[t] = g.Run(&Run{From: at[t], Flags: Solo, StopAt: 3, Reuse: true}).Ctx
			}
			b.ReportMetric(float64((processorTime()-begun).Nanoseconds())/float64(b.N), "cpu-ns/run")
		})
	}
}
