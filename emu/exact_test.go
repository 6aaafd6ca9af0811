package emu

import (
	"fmt"
	"math/rand"
	"testing"

	"landgo/internal/trace"
)

// The whole of the machine's promise on a guest that does a bit of everything:
// wherever a run is stopped, whatever ran in between, the end is the same.

var modes = map[string]Mode{"x86-64": X86_64, "i386": I386}

// eachMode runs a test in every mode.
func eachMode(t *testing.T, f func(t *testing.T, cfg Config)) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) { f(t, Config{Mode: mode}) })
	}
}

// straight runs the guest in one go.
func straight(t *testing.T, cfg Config) (hash string, insns uint64) {
	g := load(t, "mix.c", cfg)
	s := g.finish(t, g.start(0), 0)
	if g.Read32(g.symbols["result"]) == 0 {
		t.Fatal("the guest left no result")
	}
	return g.hash(s.Ctx), s.Insns
}

// disturb runs another context, so that the engine's registers are lost.
func (g *guest) disturb(junk Ctx) {
	g.Run(&Run{From: junk, Thread: 7, Flags: Solo, StopAt: 2})
}

func TestStopAtEveryInstruction(t *testing.T) {
	eachMode(t, func(t *testing.T, cfg Config) {
		want, insns := straight(t, cfg)
		g := load(t, "mix.c", cfg)
		junk := g.Start(&Regs{RIP: g.entry, RSP: stackAt + 0xf000, RFLAGS: 0x8d7, RAX: ^uint64(0)})
		c, n := g.start(0), uint64(0)
		mark := g.Mark()
		for {
			s := g.Run(&Run{From: c, Flags: Solo, StopAt: 2, Reuse: true})
			if s.Why == StopPrivileged {
				break
			}
			if s.Why != StopInsn || s.Insns != 1 {
				t.Fatalf("after %d instructions: %+v", n, *s)
			}
			c = s.Ctx
			n++
			if n%3 == 0 {
				inner := g.Mark()
				g.disturb(junk)
				g.Rewind(inner)
			}
		}
		if n != insns {
			t.Errorf("%d instructions, want %d", n, insns)
		}
		if got := g.hash(c); got != want {
			t.Errorf("hash %s, want %s", got, want)
		}
		g.Rewind(mark)
	})
}

// eventsOf runs the guest with a stop before every event, another thread in
// between, and returns the hash of the end and the events.
func eventsOf(t *testing.T, g *guest) (string, []trace.Access) {
	g.DeclareAllShared(true)
	junk := g.Start(&Regs{RIP: g.entry, RSP: stackAt + 0xf000, RFLAGS: 0x8d7, RAX: ^uint64(0)})
	c := g.start(0)
	g.Mark()
	var all []trace.Access
	var poised trace.Access
	insns := uint64(0)
	for n := 0; ; n++ {
		allow := uint32(1)
		if n == 0 {
			allow = 0
		}
		s := g.Run(&Run{From: c, Flags: StopShared, Allow: allow, Budget: 1e6})
		for _, a := range s.Accesses {
			if n > 0 && (a.PC != poised.PC || a.Addr < poised.Addr || a.Addr+uint64(a.Size) > poised.Addr+uint64(poised.Size) || a.IsWrite() && !poised.IsWrite()) {
				t.Fatalf("poised at %+v, but did %+v", poised, a)
			}
			a.Insn += uint16(insns)
			all = append(all, a)
		}
		insns += s.Insns
		if s.Why == StopPrivileged {
			return g.hash(s.Ctx), all
		}
		if s.Why != StopAccess {
			t.Fatalf("event %d: %+v", n, *s)
		}
		poised = s.Access
		c = s.Ctx
		if n%3 == 0 {
			inner := g.Mark()
			g.disturb(junk)
			g.Rewind(inner)
		}
	}
}

// recorded runs the guest in one go with every access an event.
func recorded(g *guest) []trace.Access {
	g.DeclareAllShared(true)
	s := g.Run(&Run{From: g.start(0), Flags: StopShared, Allow: 1 << 31})
	return append([]trace.Access(nil), s.Accesses...)
}

func TestStopAtEveryEvent(t *testing.T) {
	for _, up := range []bool{false, true} {
		eachMode(t, func(t *testing.T, cfg Config) {
			cfg.Uniprocessor = up
			want, _ := straight(t, cfg)
			wantEvents := recorded(load(t, "mix.c", cfg))
			g := load(t, "mix.c", cfg)
			hash, events := eventsOf(t, g)
			if hash != want {
				t.Errorf("hash %s, want %s", hash, want)
			}
			compareEvents(t, events, wantEvents)
			t.Logf("%d events, %d late stops", len(events), g.Late())
			if g.Late() == 0 {
				t.Error("the guest made no late stop")
			}
		})
	}
}

func compareEvents(t *testing.T, got, want []trace.Access) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d events, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("event %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

// Runs of random length, each made twice with a rewind between, end like one.
func TestRandomRunsAndRewinds(t *testing.T) {
	eachMode(t, func(t *testing.T, cfg Config) {
		want, _ := straight(t, cfg)
		g := load(t, "mix.c", cfg)
		g.DeclareAllShared(true)
		rnd := rand.New(rand.NewSource(1))
		c := g.start(0)
		for {
			r := Run{From: c, Flags: StopShared, Allow: uint32(rnd.Intn(9)), StopAt: uint64(1 + rnd.Intn(200))}
			mark := g.Mark()
			s := g.Run(&r)
			first := summary(g, s)
			if rnd.Intn(2) == 0 {
				g.Run(&Run{From: s.Ctx, Thread: 1, StopAt: uint64(1 + rnd.Intn(50))})
			}
			g.Rewind(mark)
			s = g.Run(&r)
			if second := summary(g, s); second != first {
				t.Fatalf("the same run twice:\n%s\n%s", first, second)
			}
			c = s.Ctx
			if s.Why == StopPrivileged {
				break
			}
		}
		if got := g.hash(c); got != want {
			t.Errorf("hash %s, want %s", got, want)
		}
	})
}

func summary(g *guest, s *Stop) string {
	why, half, accesses := *s, s.Half, fmt.Sprint(s.Accesses)
	why.Accesses = nil
	return fmt.Sprint(why, half, accesses, g.hash(s.Ctx), g.c.njournal)
}

// Registers read from a saved context are those that the engine would tell.
func TestRegistersAreFound(t *testing.T) {
	eachMode(t, func(t *testing.T, cfg Config) {
		g := load(t, "mix.c", cfg)
		for i, at := range g.c.reg_at {
			wide := cfg.Mode == I386 && i >= 8
			if want := i != 16 && i != 17 && !wide; want != (at >= 0) {
				t.Errorf("register %d is at %d", i, at)
			}
		}
		want := Regs{RAX: 1, RBX: 2, RCX: 3, RDX: 4, RSI: 5, RDI: 6, RBP: 7, RSP: 8, R8: 9, R9: 10, R10: 11, R11: 12, R12: 13, R13: 14, R14: 15, R15: 16, RIP: g.entry, RFLAGS: 0x8d7, FSBase: 19, GSBase: 20}
		if cfg.Mode == I386 {
			want = Regs{RAX: 1, RBX: 2, RCX: 3, RDX: 4, RSI: 5, RDI: 6, RBP: 7, RSP: 8, RIP: g.entry, RFLAGS: 0x8d7}
		}
		if got := g.Regs(g.Start(&want)); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}
