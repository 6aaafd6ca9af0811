package emu

import (
	"fmt"
	"testing"

	"landgo/internal/trace"
)

// heaped is a machine whose data is a heap with one block of size bytes at
// offset at; code from entry+ahead on may read beyond it.
func heaped(t *testing.T, source string, at, size uint64, ahead uint64) *guest {
	cfg := Config{Heap: Range{Lo: dataAt, Hi: dataAt + dataSize/2}}
	if ahead > 0 {
		cfg.Ahead = []Range{{Lo: codeAt + ahead, Hi: codeAt + codeSize}}
	}
	g := load(t, source+"\n\thlt\n", cfg)
	g.Alive(dataAt+at, size, true)
	return g
}

// once runs one instruction with %rbx at an offset of the heap.
func (g *guest) once(offset uint64, flags RunFlags) Stop {
	return *g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt + offset}), Flags: flags, Allow: 9, StopAt: 2})
}

// TestBlockBounds: each byte outside of the block is a fault, to the byte.
func TestBlockBounds(t *testing.T) {
	for _, c := range []struct {
		insn  string
		size  uint64
		write bool
	}{
		{"movb (%rbx), %al", 1, false}, {"movw (%rbx), %ax", 2, false}, {"movl (%rbx), %eax", 4, false},
		{"mov (%rbx), %rax", 8, false}, {"movups (%rbx), %xmm0", 16, false},
		{"movb %al, (%rbx)", 1, true}, {"mov %rax, (%rbx)", 8, true}, {"lock incl (%rbx)", 4, true},
	} {
		for _, block := range []uint64{1, 4, 7, 8, 9, 24, 100} {
			g := heaped(t, c.insn, 64, block, 0)
			for off := uint64(40); off < 64+block+24; off++ {
				k := g.Mark()
				s := g.once(off, Solo)
				inside := off >= 64 && off+c.size <= 64+block
				if inside && s.Why != StopInsn {
					t.Errorf("%s at %d of a block of %d at 64: %v %+v", c.insn, off, block, s.Why, s.Fault)
				}
				kind := FaultBlockRead
				if c.write && c.insn != "lock incl (%rbx)" {
					kind = FaultBlockWrite
				}
				if !inside && (s.Why != StopFault || s.Fault.Kind != kind || s.PC != g.entry || s.Insns != 0) {
					t.Errorf("%s at %d of a block of %d at 64: %v %+v", c.insn, off, block, s.Why, s.Fault)
				}
				g.Rewind(k)
			}
		}
	}
}

// TestBlockLife: a rewind takes a block's life back, a fault leaves
// memory as it was, and trusted code isn't checked.
func TestBlockLife(t *testing.T) {
	g := heaped(t, "movl $5, (%rbx)", 64, 20, 0)
	k := g.Mark()
	g.Alive(dataAt+64, 20, false)
	for _, off := range []uint64{64, 72, 80} {
		if s := g.once(off, Solo); s.Why != StopFault || g.Read32(dataAt+off) != 0 {
			t.Errorf("at %d of a dead block: %v, and %d in memory", off, s.Why, g.Read32(dataAt+off))
		}
	}
	if s := g.once(72, Quiet); s.Why != StopInsn {
		t.Errorf("trusted code: %v", s.Why)
	}
	g.Rewind(k)
	if s := g.once(80, Solo); s.Why != StopInsn {
		t.Errorf("after going back: %v %+v", s.Why, s.Fault)
	}
}

// TestBlockEvent: an access to a shared block is an event before it is a fault:
// the thread stands before it, and what it finds is seen when it goes on.
func TestBlockEvent(t *testing.T) {
	g := heaped(t, "movl (%rbx), %eax", 64, 4, 0)
	g.DeclareAllShared(true)
	g.Alive(dataAt+64, 4, false)
	s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt + 64}), Flags: StopShared})
	if s.Why != StopAccess || s.Access.Addr != dataAt+64 {
		t.Fatalf("%v %+v", s.Why, s.Access)
	}
	at := s.Ctx
	k := g.Mark()
	s = g.Run(&Run{From: at, Flags: StopShared, Allow: 1})
	if s.Why != StopFault || s.Fault != (Fault{FaultBlockRead, dataAt + 64, 4}) || len(s.Accesses) != 1 {
		t.Errorf("dead: %v %+v, %d records", s.Why, s.Fault, len(s.Accesses))
	}
	g.Rewind(k)
	g.Alive(dataAt+64, 4, true)
	s = g.Run(&Run{From: at, Flags: StopShared, Allow: 1, StopAt: 2})
	if s.Why != StopInsn || len(s.Accesses) != 1 {
		t.Errorf("alive: %v %+v, %d records", s.Why, s.Fault, len(s.Accesses))
	}
}

// TestReadsAhead: code that reads whole vectors may read near a block, and
// nothing else may; it may not write there.
func TestReadsAhead(t *testing.T) {
	for _, c := range []struct {
		insn   string
		ahead  bool
		offset uint64
		fine   bool
	}{
		{"movups (%rbx), %xmm0", true, 90, true},   // begins in the block
		{"movups (%rbx), %xmm0", true, 112, true},  // begins behind it
		{"movups (%rbx), %xmm0", true, 300, false}, // far from it
		{"movups (%rbx), %xmm0", true, 50, true},   // begins before it
		{"movups (%rbx), %xmm0", true, 1, true},    // as strlen does near the end of a page
		{"movups (%rbx), %xmm0", false, 90, false},
		{"movups %xmm0, (%rbx)", true, 90, false},
	} {
		ahead := uint64(0)
		source := c.insn
		if c.ahead {
			ahead, source = 1, "nop\n\t"+c.insn
		}
		g := heaped(t, source, 64, 36, ahead)
		s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt + c.offset}), Flags: Solo, StopAt: 3})
		if fine := s.Why != StopFault; fine != c.fine {
			t.Errorf("%+v: %v %+v", c, s.Why, s.Fault)
		}
	}
}

// TestHeapConfig: a heap without room for its map is refused.
func TestHeapConfig(t *testing.T) {
	for _, h := range []Range{{Lo: dataAt, Hi: dataAt}, {Lo: dataAt + 8, Hi: dataAt + 128}, {Lo: 1 << 36, Hi: 1 << 37}} {
		if m, err := New(Config{Code: []Range{{Lo: codeAt, Hi: codeAt + codeSize}}, Heap: h}); err == nil {
			m.Close()
			t.Errorf("a heap at %x is accepted", h)
		}
	}
}

// BenchmarkBlocks measures the check of an access.
func BenchmarkBlocks(b *testing.B) {
	for _, in := range []bool{false, true} {
		b.Run(fmt.Sprint("heap ", in), func(b *testing.B) {
			cfg := Config{}
			if in {
				cfg.Heap = Range{Lo: dataAt, Hi: dataAt + dataSize/2}
			}
			g := load(b, "1:\tmov (%rbx), %rax\n\tmov %rax, 8(%rbx)\n\tjmp 1b\n", cfg)
			if in {
				g.Alive(dataAt, 64, true)
			}
			c := g.Start(&Regs{RIP: g.entry, RBX: dataAt})
			k := g.Mark()
			for range b.N {
				g.Run(&Run{From: c, Thread: trace.TID(0), StopAt: 3000})
				g.Rewind(k)
			}
		})
	}
}
