package heap

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

func at(t trace.TID, step int32) Event {
	return Event{Thread: t, Step: step, PC: 0x400000 + uint64(step)}
}

// TestAccess: the classes of accesses, by hand. There are a live block of 24
// bytes at 0x1000, a freed one of 8 at 0x1030, a live one of 4 at 0x1100. One
// of 100 at 0x2000 had a block of a pool, which took it back.
func TestAccess(t *testing.T) {
	h := New()
	for _, b := range []Block{{Addr: 0x1000, Size: 24}, {Addr: 0x1030, Size: 8}, {Addr: 0x1100, Size: 4},
		{Addr: 0x2000, Size: 100}, {Addr: 0x2010, Size: 16, Family: 1}} {
		h.Give(b)
	}
	h.Take(0, 0x1030, at(1, 7))
	h.Take(1, 0x2010, at(1, 7))
	for _, c := range []struct {
		addr  uint64
		kind  trace.BugKind
		text  string
		block uint64
	}{
		{0x1014, trace.HeapOverflow, "reads 8 bytes at offset 20 of a block of 24 bytes: beyond its end", 0x1000},
		{0x1018, trace.HeapOverflow, "reads 8 bytes, 0 bytes after the end of a block of 24 bytes", 0x1000},
		{0x1020, trace.HeapOverflow, "reads 8 bytes, 8 bytes after the end of a block of 24 bytes", 0x1000},
		{0x1030, trace.UseAfterFree, "reads 8 bytes at offset 0 of a block of 8 bytes that has been freed", 0x1030},
		{0x1037, trace.UseAfterFree, "reads 8 bytes at offset 7 of a block of 8 bytes that has been freed", 0x1030},
		{0x2014, trace.UseAfterFree, "reads 8 bytes at offset 4 of a block of 16 bytes that has been freed", 0x2010},
		{0x2060, trace.HeapOverflow, "reads 8 bytes at offset 96 of a block of 100 bytes: beyond its end", 0x2000},
		{0x10f8, trace.HeapOverflow, "reads 8 bytes, 8 bytes before the start of a block of 4 bytes", 0x1100},
		{0xfff, trace.HeapOverflow, "reads 8 bytes, 1 byte before the start of a block of 24 bytes", 0x1000},
		{0x40000000, trace.HeapOverflow, "reads 8 bytes at 0x40000000, in memory for the heap that was never allocated", 0},
		{0x1104, trace.HeapOverflow, "reads 8 bytes, 0 bytes after the end of a block of 4 bytes", 0x1100},
	} {
		w := h.Access(c.addr, "reads 8 bytes")
		if w.Kind != c.kind || w.Message != c.text || w.Block.Addr != c.block {
			t.Errorf("at %#x: %s: %s (block at %#x)", c.addr, w.Kind, w.Message, w.Block.Addr)
		}
	}
	if w := New().Access(0x1000, "reads 1 byte"); w.Kind != trace.HeapOverflow || w.Block.Addr != 0 {
		t.Errorf("without a block: %+v", w)
	}
}

// TestAccessGenerations: memory that is used again is about the block that is
// there now, freed or not.
func TestAccessGenerations(t *testing.T) {
	h := New()
	h.Give(Block{Addr: 0x1000, Size: 16, Given: at(0, 1)})
	h.Take(0, 0x1000, at(1, 2))
	h.Give(Block{Addr: 0x1000, Size: 8, Given: at(2, 3)})
	if w := h.Access(0x1008, "reads 1 byte"); w.Kind != trace.UseAfterFree || w.Block.Generation != 1 || w.Block.Back != at(1, 2) {
		t.Errorf("behind the second block, in what was the first: %+v", w)
	}
	h.Take(0, 0x1000, at(3, 4))
	if w := h.Access(0x1000, "reads 1 byte"); w.Block.Generation != 2 || w.Block.Given != at(2, 3) || w.Block.Back != at(3, 4) {
		t.Errorf("after both: %+v", w)
	}
}

// TestAccessCut: what realloc cut off a block in place is behind its end as long
// as the block lives, and was in it once it is freed.
func TestAccessCut(t *testing.T) {
	h := New()
	a := h.NewArena(0x10000, 0x20000, 0x8000)
	old, _ := a.Allocate(Block{Size: 200}, 0)
	p := old.Addr
	h.Resize(p, 150, at(0, 2))
	a.Release(p, at(0, 3))
	h.Give(Block{Addr: p, Size: 100})
	for _, n := range []uint64{60, 70, 33} {
		h.Extend(0, p, n, at(0, 4))
	}
	for _, c := range []struct {
		offset uint64
		kind   trace.BugKind
		gen    uint32
	}{{33, trace.HeapOverflow, 6}, {65, trace.HeapOverflow, 6}, {99, trace.HeapOverflow, 6}, {100, trace.UseAfterFree, 2}, {160, trace.UseAfterFree, 1}} {
		if w := h.Access(p+c.offset, "reads 1 byte"); w.Kind != c.kind || w.Block.Generation != c.gen {
			t.Errorf("offset %d: %s of generation %d (%s), want %s of %d", c.offset, w.Kind, w.Block.Generation, w.Message, c.kind, c.gen)
		}
	}
	h.Take(0, p, at(0, 9))
	if w := h.Access(p+65, "reads 1 byte"); w.Kind != trace.UseAfterFree {
		t.Errorf("after the free: %s (%s)", w.Kind, w.Message)
	}
}

// TestFree: every wrong free by its kind.
func TestFree(t *testing.T) {
	h := New()
	h.Give(Block{Addr: 0x1000, Size: 24})
	h.Give(Block{Addr: 0x1030, Size: 8})
	h.Give(Block{Addr: 0x1100, Size: 8, Family: 1})
	h.Take(0, 0x1030, at(1, 7))
	for _, c := range []struct {
		p    uint64
		what string
		kind trace.BugKind
		text string
	}{
		{0x1000, "", "", ""},
		{0x1030, "", trace.DoubleFree, "free of a block that is free already"},
		{0x1008, "", trace.InvalidFree, "free of a pointer 8 bytes into a block of 24 bytes, not of its start"},
		{0x1031, "", trace.InvalidFree, "free of a pointer 1 byte into a block that has been freed"},
		{0x1100, "", trace.InvalidFree, "free of a block that another allocator gave out"},
		{0x9000, "", trace.InvalidFree, "free of 0x9000, which no allocator gave out"},
		{0x9000, "the variable x", trace.InvalidFree, "free of the variable x, which no allocator gave out"},
	} {
		if w, ok := h.Free(c.p, 0, "free", c.what); ok != (c.kind == "") || w.Kind != c.kind || w.Message != c.text {
			t.Errorf("%#x: %v %s %s", c.p, ok, w.Kind, w.Message)
		}
	}
}

// TestArena: blocks lie one behind the other with gaps, a freed room goes to
// the freeing thread and is used youngest first, and only for its size.
func TestArena(t *testing.T) {
	h := New()
	a, b := h.NewArena(0x10000, 0x20000, 0x8000), h.NewArena(0x20000, 0x30000, 0x8000)
	give := func(a *Arena, n, align uint64) uint64 {
		p, _ := a.Allocate(Block{Size: n}, align)
		if p == nil {
			return 0
		}
		return p.Addr
	}
	p, q := give(a, 1, 0), give(a, 17, 0)
	if p != 0x10000+Gap || q != p+16+Gap {
		t.Fatalf("%#x %#x", p, q)
	}
	b.Release(p, at(1, 1))
	if r := a.Reuse(16, 0); r.Addr != 0 {
		t.Errorf("the room is another thread's: %+v", r)
	}
	if r := b.Reuse(16, 0); r != (Piece{p, 16}) {
		t.Errorf("the room of the thread that freed: %+v", r)
	}
	if r := give(b, 17, 0); r != 0x20000+Gap {
		t.Errorf("of another size: %#x", r)
	}
	if r := give(b, 9, 0); r != p || h.At(0, p).Generation != 2 {
		t.Errorf("used again: %#x, %+v", r, h.At(0, p))
	}
	if r := give(a, 100, 256); r%256 != 0 || h.Room(r).Addr > r || r+100 > h.Room(r).Addr+h.Room(r).Size {
		t.Errorf("aligned: %#x in %+v", r, h.Room(r))
	}
	if r := give(a, 0x8001, 0); r != 0 {
		t.Errorf("larger than the largest: %#x", r)
	}
	if give(a, 0x8000, 0) == 0 || give(a, 0x8000, 0) != 0 {
		t.Error("the arena ends after one block of half of it")
	}
}

// model is the heap as a child would write it: whole states, kept.
type model struct {
	live  map[uint64]Block
	freed map[uint64]Block
	gens  map[uint64]uint32
}

func (m model) clone() model {
	c := model{map[uint64]Block{}, map[uint64]Block{}, map[uint64]uint32{}}
	for a, b := range m.live {
		c.live[a] = b
	}
	for a, b := range m.freed {
		c.freed[a] = b
	}
	for a, g := range m.gens {
		c.gens[a] = g
	}
	return c
}

// TestRandom: any sequence of allocations, frees, marks and rewinds agrees with
// the model. No two live blocks touch, each free is judged right, each byte is
// in its block, and a rewound heap hands out the same addresses again.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := New()
		arenas := []*Arena{h.NewArena(0x10000, 0x18000, 0x1000), h.NewArena(0x18000, 0x20000, 0x1000)}
		m := model{map[uint64]Block{}, map[uint64]Block{}, map[uint64]uint32{}}
		type saved struct {
			mark Mark
			m    model
			sum  trace.Digest
		}
		var marks []saved
		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			a := arenas[rapid.IntRange(0, 1).Draw(t, "arena")]
			switch rapid.SampledFrom([]string{"give", "give", "give", "take", "take", "resize", "mark", "rewind"}).Draw(t, "what") {
			case "give":
				n, align := rapid.Uint64Range(0, 600).Draw(t, "size"), rapid.SampledFrom([]uint64{0, 16, 64, 256}).Draw(t, "align")
				want := a.Reuse(n, align)
				b, fresh := a.Allocate(Block{Size: n, Given: at(0, int32(step))}, align)
				if b == nil {
					continue
				}
				if (want.Size > 0) == (fresh.Size > 0) || want.Size > 0 && h.Room(b.Addr) != want {
					t.Fatalf("%d bytes: Reuse said %+v, fresh is %+v", n, want, fresh)
				}
				for _, o := range m.live {
					if b.Addr < o.Addr+o.Size+Gap && o.Addr < b.Addr+n+Gap {
						t.Fatalf("%#x+%d touches %#x+%d", b.Addr, n, o.Addr, o.Size)
					}
				}
				m.gens[b.Addr]++
				if b.Generation != m.gens[b.Addr] || align > 0 && b.Addr%align != 0 {
					t.Fatalf("%+v, want generation %d and a multiple of %d", b, m.gens[b.Addr], align)
				}
				m.live[b.Addr] = *b
				delete(m.freed, b.Addr)
			case "take", "resize":
				p := rapid.Uint64Range(0x10000/8, 0x11000/8).Draw(t, "pointer") * 8
				if k := len(h.Blocks()); k > 0 && rapid.Bool().Draw(t, "one that was given out") {
					p = h.Blocks()[rapid.IntRange(0, k-1).Draw(t, "which")].Addr
				}
				w, ok := h.Free(p, 0, "free", "")
				b, live := m.live[p]
				_, freed := m.freed[p]
				if ok != live || freed != (w.Kind == trace.DoubleFree) {
					t.Fatalf("free of %#x: %v %v; in the model: live %v, freed %v", p, ok, w, live, freed)
				}
				if !ok {
					continue
				}
				if n := b.Size / 2; rapid.Bool().Draw(t, "by resize") && h.Resize(p, n, at(1, int32(step))) {
					m.gens[p]++
					m.live[p] = *h.At(0, p)
					continue
				}
				a.Release(p, at(1, int32(step)))
				delete(m.live, p)
				m.freed[p] = b
			case "mark":
				marks = append(marks, saved{h.Mark(), m.clone(), h.Digest()})
			case "rewind":
				if len(marks) == 0 {
					continue
				}
				k := rapid.IntRange(0, len(marks)-1).Draw(t, "mark")
				h.Rewind(marks[k].mark)
				m = marks[k].m.clone()
				if h.Digest() != marks[k].sum {
					t.Fatal("the digest isn't what it was")
				}
				marks = marks[:k+1]
			}
			check(t, h, m)
		}
	})
}

func check(t *rapid.T, h *Heap, m model) {
	live := 0
	for i := range h.Blocks() {
		if b := &h.Blocks()[i]; !b.Freed {
			live++
			if fmt.Sprint(m.live[b.Addr]) != fmt.Sprint(*b) {
				t.Fatalf("%+v, in the model %+v", *b, m.live[b.Addr])
			}
		}
	}
	if live != len(m.live) {
		t.Fatalf("%d live blocks, in the model %d", live, len(m.live))
	}
	for p := range m.freed {
		if b := h.At(0, p); b == nil || !b.Freed {
			t.Fatalf("%#x is freed, and %+v", p, b)
		}
	}
}

// TestDigest: the allocating thread and the time aren't in it, the next block's
// place is.
func TestDigest(t *testing.T) {
	run := func(steps ...func(h *Heap, a *Arena)) trace.Digest {
		h := New()
		a := h.NewArena(0x10000, 0x20000, 0x8000)
		for _, s := range steps {
			s(h, a)
		}
		return h.Digest()
	}
	give := func(h *Heap, a *Arena) { a.Allocate(Block{Size: 8, Given: at(0, int32(len(h.blocks)))}, 0) }
	free := func(p uint64) func(*Heap, *Arena) {
		return func(h *Heap, a *Arena) { a.Release(p, at(2, 9)) }
	}
	const p, q = 0x10000 + Gap, 0x10000 + Gap + 16 + Gap
	if run(give, give, free(p), free(q)) == run(give, give, free(q), free(p)) {
		t.Error("the lists are in another order, and the digest is the same")
	}
	if run(give, give, free(p)) == run(give, give) || run(give) == run(give, give) {
		t.Error("other blocks live, and the digest is the same")
	}
	if run(give, free(p), give) != run(give) {
		t.Error("the same blocks and lists, and another digest")
	}
}

// TestLost: a chain of blocks lives as long as its first is pointed to; a ring
// that nothing outside points to is lost.
func TestLost(t *testing.T) {
	memory := map[uint64]uint64{}
	words := func(p Piece, found func(uint64)) {
		for a := p.Addr &^ 7; a < p.Addr+p.Size; a += 8 {
			found(memory[a])
		}
	}
	h := New()
	for _, a := range []uint64{0x1000, 0x1100, 0x1200, 0x1300, 0x1400} {
		h.Give(Block{Addr: a, Size: 16, Library: a == 0x1400})
	}
	var registers []uint64
	root := []Piece{{0x500, 8}}
	memory[0x500] = 0x1000           // a root points to the first,
	memory[0x1008] = 0x1110          // it behind the last byte of the second;
	memory[0x1200] = 0x1300          // these two point to each other
	memory[0x1300] = 0x1200          // and to nothing else;
	lost := func() (list []uint64) { // the last is the library's
		for _, b := range h.Lost(registers, root, words) {
			list = append(list, b.Addr)
		}
		return list
	}
	if got := fmt.Sprintf("%x", lost()); got != "[1200 1300]" {
		t.Errorf("lost: %s", got)
	}
	memory[0x1400] = 0x1208
	if got := lost(); got != nil {
		t.Errorf("with a pointer from the library's block into one: %x", got)
	}
	memory[0x500] = 0x1000 - 1
	if got := fmt.Sprintf("%x", lost()); got != "[1000 1100]" {
		t.Errorf("with a root that points before the first: %s", got)
	}
	registers = []uint64{0x1004}
	if got := lost(); got != nil {
		t.Errorf("with a register that points into the first: %x", got)
	}
	registers = nil
	h.Take(0, 0x1100, at(0, 1))
	if got := fmt.Sprintf("%x", lost()); got != "[1000]" {
		t.Errorf("with the second freed: %s", got)
	}
	if n := len(h.Unfreed()); n != 3 {
		t.Errorf("%d unfreed, want 3: the library's isn't the program's to free", n)
	}
}

// TestOverlapping: what is kept page by page answers as a walk over all blocks does,
// also after it went back.
func TestOverlapping(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := New()
	var marks []Mark
	next := func() Block {
		size := []uint64{0, 1, 40, abi.PageSize, 3 * abi.PageSize, largeBlock, largeBlock + 1}[r.IntN(7)]
		return Block{Addr: 1 + r.Uint64N(100*abi.PageSize), Size: size, Family: Family(r.IntN(3))}
	}
	hits := 0
	for range 5000 {
		switch b := next(); r.IntN(8) {
		case 0:
			marks = append(marks, h.Mark())
		case 1:
			if n := len(marks); n > 0 {
				h.Rewind(marks[n-1])
				marks = marks[:n-1+r.IntN(2)]
			}
		case 2, 3, 4:
			if h.Live(b.Family, b.Addr) == nil {
				h.Give(b)
			}
		case 5, 6:
			if live := h.LiveOf(b.Family); len(live) > 0 {
				h.Take(b.Family, live[r.IntN(len(live))].Addr, Event{})
			}
		default:
			if b.Family == 0 {
				b.Family = 1
			}
			var want *Block
			for i := range h.blocks {
				if o := &h.blocks[i]; !o.Freed && o.Family == b.Family && o.Addr < b.Addr+b.Size && b.Addr < o.Addr+o.Size {
					want = o
				}
			}
			if got := h.Overlapping(&b); got != want {
				t.Fatalf("%+v overlaps %v, want %v", b, got, want)
			}
			if want != nil {
				hits++
			}
		}
	}
	if hits < 50 {
		t.Errorf("only %d blocks overlapped", hits)
	}
}
