package emu

import (
	"testing"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// TestConstant: reads of a word that was declared constant are no events in any thread. A
// write, and what changes its page, makes it shared, which is news.
func TestConstant(t *testing.T) {
	for name, change := range map[string]func(g *guest) bool{
		"store": func(g *guest) bool {
			s := g.Run(&Run{From: g.start(0), Thread: 1, Set: trace.RBX | trace.RIP, Regs: Regs{RBX: dataAt, RIP: g.symbols["store"]}, Flags: StopShared, Allow: 9, StopAt: 2})
			return s.Learned && len(s.Accesses) == 1
		},
		"page": func(g *guest) bool { return g.Vary(dataAt&^(abi.PageSize-1), abi.PageSize) },
		"call": func(g *guest) bool { shared, learned := g.Touch(1, dataAt, 8, true); return shared && learned },
		"another machine": func(g *guest) bool {
			o := load(t, "hlt\n", Config{})
			o.TouchWord(0, dataAt, 8)
			o.TouchWord(1, dataAt, 8)
			news, err := g.LearnSharing(o.SharingPages())
			return news && err == nil
		},
	} {
		g := load(t, "mov (%rbx), %rax\nhlt\nstore: mov %rax, (%rbx)\nhlt\n", Config{})
		g.Protect(dataAt, abi.PageSize, ProtRead|ProtWrite)
		g.DeclareConstant([]Range{{Lo: dataAt - 7, Hi: dataAt + 15}})
		reads := func(t trace.TID) *Stop {
			return g.Run(&Run{From: g.start(0), Thread: t, Set: trace.RBX, Regs: Regs{RBX: dataAt}, Flags: StopShared, StopAt: 2})
		}
		for _, id := range []trace.TID{0, 1, 0} {
			if s := reads(id); s.Why != StopInsn || s.Learned || len(s.Accesses) > 0 {
				t.Fatalf("thread %d reads: %+v", id, *s)
			}
		}
		if !change(g) {
			t.Errorf("%s: no news", name)
		}
		for _, id := range []trace.TID{0, 1} {
			if s := reads(id); s.Why != StopAccess {
				t.Errorf("%s: thread %d reads what is shared: %+v", name, id, *s)
			}
		}
		if g.Vary(dataAt, 8) {
			t.Errorf("%s: news twice", name)
		}
	}
}
