package emu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"landgo/internal/trace"
)

// Accesses that a processor tears: more than eight bytes, and across a cache
// line. A stop between the parts of a store: the memory then, another thread's
// writes in between, and their rest after the store.

func TestTornStores(t *testing.T) {
	for _, c := range []struct {
		insn  string
		parts []int  // bytes from dataAt on that are new after each step: their numbers
		at    uint64 // where the store is
	}{
		{"movups %xmm0, (%rbx)", []int{8, 16}, 0},
		{"movaps %xmm0, (%rbx)", []int{8, 16}, 0},
		{"movdqu %xmm0, 4(%rbx)", []int{8, 16}, 4},
		{"mov %rax, 61(%rbx)", []int{3, 8}, 61},
		{"mov %eax, 62(%rbx)", []int{2, 4}, 62},
		{"fstpt (%rbx)", []int{8, 10}, 0},
		{"fstpt 58(%rbx)", []int{6, 8, 10}, 58},
		{"movups %xmm0, 62(%rbx)", []int{2, 8, 16}, 62},
		{"mov %rax, 4093(%rbx)", []int{3, 8}, 4093},
		{"fnstenv 64(%rbx)", []int{4, 8, 12, 16, 20, 24, 28}, 64},
	} {
		// The whole store, to compare with.
		whole := load(t, "movups 512(%rbx), %xmm0\nfldt 512(%rbx)\n"+c.insn+"\nhlt", Config{})
		start := func(g *guest) Ctx {
			for i := range uint64(64) {
				g.Write8(dataAt+512+i, uint8(0x41+i))
			}
			ctx := g.Start(&Regs{RIP: g.entry, RBX: dataAt, RAX: 0x4847464544434241, RFLAGS: 2})
			return g.Run(&Run{From: ctx, Flags: Quiet, StopAt: 3}).Ctx
		}
		whole.Run(&Run{From: start(whole), Flags: Solo})
		n := uint64(c.parts[len(c.parts)-1])
		want := bytes.Clone(whole.Bytes(dataAt+c.at, n))

		g := load(t, "movups 512(%rbx), %xmm0\nfldt 512(%rbx)\n"+c.insn+"\nhlt", Config{})
		g.DeclareAllShared(true)
		ctx := start(g)
		root := g.Mark()
		for _, overwrite := range []int{-1, 0, len(c.parts) - 1} {
			s := g.Run(&Run{From: ctx, Flags: StopShared})
			for i, done := range c.parts {
				last := i == len(c.parts)-1
				if s = g.Run(&Run{From: s.Ctx, Flags: StopShared, Allow: 1}); s.Half == last || !last && s.Parts != uint32(i+1) || len(s.Accesses) != 1 {
					t.Fatalf("%s: part %d: %+v", c.insn, i, *s)
				}
				got := g.Bytes(dataAt+c.at, n)
				if overwrite < 0 && (!bytes.Equal(got[:done], want[:done]) || !bytes.Equal(got[done:], make([]byte, n-uint64(done)))) {
					t.Fatalf("%s: after part %d: % x, of % x", c.insn, i, got, want)
				}
				if i == overwrite { // all of it, by another thread
					for k := range n {
						g.Write8(dataAt+c.at+k, 0xee)
					}
				}
			}
			expected := bytes.Clone(want)
			if overwrite >= 0 {
				for k := range c.parts[overwrite] {
					expected[k] = 0xee
				}
			}
			if got := g.Bytes(dataAt+c.at, n); !bytes.Equal(got, expected) {
				t.Errorf("%s, overwritten after part %d: % x, want % x", c.insn, overwrite, got, expected)
			}
			g.Rewind(root)
			if !bytes.Equal(g.Bytes(dataAt+c.at, n), make([]byte, n)) {
				t.Errorf("%s: not rewound", c.insn)
			}
		}
	}
}

// Two threads whose every part is a step see the memory that a model of bytes sees,
// whatever the schedule.
func TestRandomTornSchedules(t *testing.T) {
	rnd := rand.New(rand.NewSource(3))
	for range 60 {
		var programs [2][]tornOp
		source := ""
		for i := range programs {
			source += fmt.Sprintf("thread%d:\n", i)
			for range 1 + rnd.Intn(4) {
				op := tornOp{kind: rnd.Intn(3), from: uint64(rnd.Intn(128)), to: uint64(rnd.Intn(128))}
				programs[i] = append(programs[i], op)
				source += op.text()
			}
			source += "hlt\n"
		}
		g := small(t, source, 0)
		var ctx [2]Ctx
		for i := range ctx {
			ctx[i] = g.Start(&Regs{RIP: g.symbols[fmt.Sprintf("thread%d", i)], RBX: dataAt, RFLAGS: 2})
		}
		for i := range uint64(256) {
			g.Write8(dataAt+i, uint8(rnd.Intn(256)))
		}
		start := g.Mark()
		for range 20 {
			tornSchedule(t, g, rnd, programs, ctx)
			g.Rewind(start)
		}
	}
}

// tornOp copies 16 or 8 bytes, or adds to 8.
type tornOp struct {
	kind     int
	from, to uint64
}

func (o tornOp) text() string {
	return []string{
		fmt.Sprintf("movups %d(%%rbx), %%xmm0\nmovups %%xmm0, %d(%%rbx)\n", o.from, o.to),
		fmt.Sprintf("mov %d(%%rbx), %%rax\nmov %%rax, %d(%%rbx)\n", o.from, o.to),
		fmt.Sprintf("addq $0x01010101, %d(%%rbx)\n", o.to),
	}[o.kind]
}

// tornPart is one event of a model: bytes from or to its register.
type tornPart struct {
	addr, size, at uint64
	write, adds    bool
}

func (o tornOp) parts() (all []tornPart) {
	access := func(addr uint64, write, adds bool) {
		size := uint64(8)
		if o.kind == 0 {
			size = 16
		}
		for at := uint64(0); at < size; at += 8 {
			first := min(8, 64-(addr+at)%64)
			all = append(all, tornPart{addr + at, first, at, write, adds})
			if first < 8 {
				all = append(all, tornPart{addr + at + first, 8 - first, at + first, write, false})
			}
		}
	}
	if o.kind == 2 {
		access(o.to, false, false)
		access(o.to, true, true)
		return all
	}
	access(o.from, false, false)
	access(o.to, true, false)
	return all
}

func tornSchedule(t *testing.T, g *guest, rnd *rand.Rand, programs [2][]tornOp, ctx [2]Ctx) {
	t.Helper()
	memory := bytes.Clone(g.Bytes(dataAt, 256))
	var parts [2][]tornPart
	var register [2][16]byte
	for i := range ctx {
		for _, op := range programs[i] {
			parts[i] = append(parts[i], op.parts()...)
		}
		ctx[i] = g.Run(&Run{From: ctx[i], Thread: trace.TID(i), Flags: StopShared}).Ctx
	}
	for len(parts[0])+len(parts[1]) > 0 {
		i := rnd.Intn(2)
		if len(parts[i]) == 0 {
			continue
		}
		p := parts[i][0]
		parts[i] = parts[i][1:]
		switch r := &register[i]; {
		case !p.write:
			copy(r[p.at:p.at+p.size], memory[p.addr:])
		case p.adds:
			binary.LittleEndian.PutUint64(r[:], binary.LittleEndian.Uint64(r[:])+0x01010101)
			fallthrough
		default:
			copy(memory[p.addr:p.addr+p.size], r[p.at:])
		}
		s := g.Run(&Run{From: ctx[i], Thread: trace.TID(i), Flags: StopShared, Allow: 1})
		if len(s.Accesses) != 1 || s.Accesses[0].Addr != dataAt+p.addr || uint64(s.Accesses[0].Size) != p.size || s.Accesses[0].IsWrite() != p.write {
			t.Fatalf("%+v: %+v, want %+v", programs[i], *s, p)
		}
		ctx[i] = s.Ctx
		if got := g.Bytes(dataAt, 256); !bytes.Equal(got, memory) {
			t.Fatalf("%+v after %+v: % x, want % x", programs, p, got, memory)
		}
	}
}
