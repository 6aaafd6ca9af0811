package linux

import (
	"testing"

	"landgo/emu"
	"landgo/internal/trace"
)

// BenchmarkCalls measures calls that an execution may make many times.
func BenchmarkCalls(b *testing.B) {
	const stack = 8 << 20
	for _, bb := range []struct {
		name string
		nr   uint64
		args []uint64
	}{
		{"gettid", 186, nil},
		{"wake", nrFutex, []uint64{word, futexWake, 1}},
		{"mprotect", nrMprotect, []uint64{0, stack, 3}},
		{"madvise", nrMadvise, []uint64{0, stack, madvDontneed}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			c := newCaller(b, Config{})
			trap := emu.Trap{Syscall: true, Len: 2}
			c.prepare(0, nrMmap, []uint64{0, stack, 0, anonymous})
			c.k.Do(0, trap, 0, &c.threads[0].regs)
			args := bb.args
			if len(args) > 0 && args[0] == 0 {
				args = append([]uint64{c.threads[0].regs.RAX}, args[1:]...)
			}
			var m trace.Mark = c.m.Mark()
			b.ReportAllocs()
			for range b.N {
				c.prepare(0, bb.nr, args)
				c.k.Plan(0, trap)
				c.k.Do(0, trap, 0, &c.threads[0].regs)
				c.m.Rewind(m)
			}
		})
	}
}
