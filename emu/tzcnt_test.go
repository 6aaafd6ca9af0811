package emu

import (
	"math/bits"
	"testing"

	"landgo/internal/abi"
)

// TestTzcnt: tzcnt isn't bsf: of zero it is the operand's size, and it sets carry and zero
// by its own rule. Compilers emit it for bsf too, where both agree.
func TestTzcnt(t *testing.T) {
	for _, mode := range []Mode{X86_64, I386} {
		for _, size := range []int{16, 32, 64} {
			reg := map[int]string{16: "%cx", 32: "%ecx", 64: "%rcx"}[size]
			if size == 64 && mode == I386 {
				continue
			}
			for _, source := range []string{map[int]string{16: "%ax", 32: "%eax", 64: "%rax"}[size], map[Mode]string{X86_64: "(%rbx)", I386: "(%ebx)"}[mode]} {
				g := load(t, "tzcnt "+source+", "+reg+"\nhlt\n", Config{Mode: mode})
				g.Protect(dataAt, abi.PageSize, ProtRead|ProtWrite)
				for _, v := range []uint64{0, 1, 8, 1 << 15, 1 << 16, 1 << 31, 1 << 40, 1<<64 - 1} {
					g.Write64(dataAt, v)
					c := g.Start(&Regs{RIP: g.entry, RSP: stackAt + 0x4000, RAX: v, RBX: dataAt, RCX: 0x55555555_5555_5555, RFLAGS: 0x202})
					s := g.Run(&Run{From: c, StopAt: 2, Flags: StopShared, Allow: 9})
					if s.Why != StopInsn {
						t.Fatalf("%s of %s: %+v", reg, source, *s)
					}
					r := g.Regs(s.Ctx)
					mask := uint64(1)<<(size-1)<<1 - 1
					want := uint64(min(bits.TrailingZeros64(v&mask), size))
					carry, zero := r.RFLAGS&1 != 0, r.RFLAGS&0x40 != 0
					if r.RCX&mask != want || carry != (v&mask == 0) || zero != (want == 0) {
						t.Errorf("%s of %s, %#x, mode %v: %#x, carry %v, zero %v, want %d", reg, source, v, mode, r.RCX, carry, zero, want)
					}
				}
			}
		}
	}
}
