package emu

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// modelState is the state that Rewind must bring back.
type modelState struct {
	mark  trace.Mark
	mem   []byte
	perm  []uint8
	words [4]uint64
	log   int
}

// Random writes by host and guest, permissions, words and functions, with marks
// and rewinds to any of them, against copies.
func TestRewindIsExact(t *testing.T) {
	const base, size = dataAt, 3 * abi.PageSize
	g := load(t, "mov %rax, (%rbx)\nmov %ax, 11(%rbx)\nmov %al, 21(%rbx)\nmovups %xmm0, 23(%rbx)\nhlt\n", Config{})
	origin := g.Mark()
	var words [4]uint64
	var log []int
	rapid.Check(t, func(t *rapid.T) {
		g.Rewind(origin)
		words, log = [4]uint64{}, nil
		var stack []modelState
		now := func() modelState {
			return modelState{g.Mark(), bytes.Clone(g.Bytes(base, size)), bytes.Clone(g.perm[base>>abi.PageShift:][:3]), words, len(log)}
		}
		stack = append(stack, now())
		start := g.start(0)
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				p := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
				g.Write(base+uint64(rapid.IntRange(0, size-40).Draw(t, "at")), p)
			},
			"write8": func(t *rapid.T) { g.Write8(base+rapid.Uint64Range(0, size-1).Draw(t, "at"), rapid.Byte().Draw(t, "v")) },
			"write32": func(t *rapid.T) {
				g.Write32(base+rapid.Uint64Range(0, size-4).Draw(t, "at"), rapid.Uint32().Draw(t, "v"))
			},
			"guest": func(t *rapid.T) {
				at := base + rapid.Uint64Range(0, size-64).Draw(t, "at")
				g.Run(&Run{From: start, Set: trace.RAX | trace.RBX, Regs: Regs{RAX: rapid.Uint64().Draw(t, "v"), RBX: at}, Flags: Solo, StopAt: rapid.Uint64Range(0, 5).Draw(t, "stop")})
			},
			"protect": func(t *rapid.T) {
				at := rapid.Uint64Range(0, size-1).Draw(t, "at")
				g.Protect(base+at, rapid.Uint64Range(0, size-at).Draw(t, "size"), Prot(rapid.IntRange(0, 3).Draw(t, "prot")))
			},
			"set": func(t *rapid.T) {
				g.Set(&words[rapid.IntRange(0, 3).Draw(t, "word")], rapid.Uint64().Draw(t, "v"))
			},
			"undo": func(t *rapid.T) {
				log = append(log, len(log))
				g.Undo(func() { log = log[:len(log)-1] })
			},
			"mark": func(t *rapid.T) { stack = append(stack, now()) },
			"rewind": func(t *rapid.T) {
				k := rapid.IntRange(0, len(stack)-1).Draw(t, "to")
				want := stack[k]
				stack = stack[:k+1]
				g.Rewind(want.mark)
				got := now()
				if !bytes.Equal(got.mem, want.mem) || !bytes.Equal(got.perm, want.perm) || got.words != want.words || got.log != want.log {
					t.Fatalf("rewinding to mark %d of %d isn't exact", k, len(stack))
				}
				if k == 0 {
					start = g.start(0)
				}
			},
			"": func(*rapid.T) {},
		})
	})
}

// Rewinding again and again takes no more memory than once.
func TestRewindingTakesNoMemory(t *testing.T) {
	g := load(t, "mix.c", Config{})
	c := g.start(0)
	mark := g.Mark()
	once := func() {
		for range 10 {
			g.Run(&Run{From: c, Flags: Solo, Budget: 5000})
			g.Undo(func() {})
			g.Mark()
		}
		g.Rewind(mark)
	}
	once()
	cap, slots, marks, log := g.c.journal_cap, g.c.slot_cap, len(g.marks), len(g.log)
	for range 50 {
		once()
	}
	if g.c.journal_cap != cap || g.c.slot_cap != slots || len(g.marks) != marks || len(g.log) != log {
		t.Errorf("journal %d was %d, slots %d were %d, marks %d were %d", g.c.journal_cap, cap, g.c.slot_cap, slots, len(g.marks), marks)
	}
}

// Without marks, a long run that says so keeps to one slot.
func TestReuse(t *testing.T) {
	g := small(t, "1: inc %eax\n jmp 1b", 0)
	c := g.start(0)
	for range 100 {
		s := g.Run(&Run{From: c, StopAt: 3, Reuse: true})
		if s.Ctx != c {
			t.Fatalf("slot %d after %d", s.Ctx, c)
		}
	}
	g.Mark()
	s := g.Run(&Run{From: c, StopAt: 3, Reuse: true})
	if s.Ctx == c || g.Regs(c).RAX != 100 || g.Regs(s.Ctx).RAX != 101 {
		t.Errorf("slot %d was given up under a mark", c)
	}
}

func TestForgottenMarkPanics(t *testing.T) {
	g := small(t, "nop", 0)
	first := g.Mark()
	g.Write8(dataAt, 1)
	second := g.Mark()
	g.Rewind(first)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	g.Rewind(second)
}
