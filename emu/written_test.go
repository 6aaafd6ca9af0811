package emu

import (
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/trace"
)

// Clear leaves zeros on every page, whatever was stored there by host and guest, within
// a page or across two, and taken back in between.
func TestClear(t *testing.T) {
	const pages = 64
	g := load(t, "mov %rax, (%rbx)\nmov %al, 4095(%rbx)\nmovups %xmm0, 8186(%rbx)\nhlt\n", Config{})
	for i := range uint64(pages) {
		g.Protect(dataAt+i*pageSize, pageSize, ProtRead|ProtWrite)
	}
	origin := g.Mark()
	rapid.Check(t, func(t *rapid.T) {
		g.Rewind(origin)
		clear(g.written[dataAt>>pageShift:][:pages+1])
		g.c.looked = g.c.njournal
		marks := []trace.Mark{origin}
		start := g.start(0)
		page := rapid.Uint64Range(0, pages-4)
		t.Repeat(map[string]func(*rapid.T){
			"host": func(t *rapid.T) {
				p := rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 40).Draw(t, "bytes")
				g.Write(dataAt+(page.Draw(t, "page")+1)*pageSize-rapid.Uint64Range(0, 60).Draw(t, "before"), p)
			},
			"guest": func(t *rapid.T) {
				at := dataAt + page.Draw(t, "page")*pageSize
				g.Run(&Run{From: start, Set: SetRAX | SetRBX, Regs: Regs{RAX: 1<<64 - 1, RBX: at}, Flags: Solo, StopAt: rapid.Uint64Range(0, 4).Draw(t, "stop")})
			},
			"mark": func(*rapid.T) { marks = append(marks, g.Mark()) },
			"rewind": func(t *rapid.T) {
				k := rapid.IntRange(1, len(marks)).Draw(t, "to")
				marks = marks[:k]
				g.Rewind(marks[k-1])
				if k == 1 {
					start = g.start(0)
				}
			},
			"clear": func(t *rapid.T) {
				lo := page.Draw(t, "page")
				n := rapid.Uint64Range(1, pages-lo).Draw(t, "pages")
				g.Clear(dataAt+lo*pageSize, n*pageSize)
				for i := range n {
					if !g.IsZero(dataAt + (lo+i)*pageSize) {
						t.Fatalf("page %d isn't clear", lo+i)
					}
				}
			},
			"": func(*rapid.T) {},
		})
	})
}
