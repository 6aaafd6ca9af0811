package emu

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Clear leaves zeros on every page, whatever was stored there by host and guest, within
// a page or across two, and taken back in between.
func TestClear(t *testing.T) {
	const pages = 64
	g := load(t, "mov %rax, (%rbx)\nmov %al, 4095(%rbx)\nmovups %xmm0, 8186(%rbx)\nhlt\n", Config{})
	for i := range uint64(pages) {
		g.Protect(dataAt+i*abi.PageSize, abi.PageSize, ProtRead|ProtWrite)
	}
	origin, from := g.Mark(), g.Journal()
	rapid.Check(t, func(t *rapid.T) {
		g.Rewind(origin)
		clear(g.written[dataAt>>abi.PageShift:][:pages+1])
		g.c.looked = g.c.njournal
		marks := []trace.Mark{origin}
		start := g.start(0)
		page := rapid.Uint64Range(0, pages-4)
		t.Repeat(map[string]func(*rapid.T){
			"host": func(t *rapid.T) {
				p := rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 40).Draw(t, "bytes")
				g.Write(dataAt+(page.Draw(t, "page")+1)*abi.PageSize-rapid.Uint64Range(0, 60).Draw(t, "before"), p)
			},
			"guest": func(t *rapid.T) {
				at := dataAt + page.Draw(t, "page")*abi.PageSize
				g.Run(&Run{From: start, Set: trace.RAX | trace.RBX, Regs: Regs{RAX: 1<<64 - 1, RBX: at}, Flags: Solo, StopAt: rapid.Uint64Range(0, 4).Draw(t, "stop")})
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
				g.Clear(dataAt+lo*abi.PageSize, n*abi.PageSize)
				for i := range n {
					if !g.IsZero(dataAt + (lo+i)*abi.PageSize) {
						t.Fatalf("page %d isn't clear", lo+i)
					}
				}
			},
			"": func(t *rapid.T) {
				first, n := map[uint64]byte{}, 0
				for i, f := range g.Firsts(from) {
					if first[f.Addr] = f.Old; len(first) != i+1 {
						t.Fatalf("%#x is there twice", f.Addr)
					}
				}
				for _, r := range g.Written(from) {
					old := make([]byte, r.Hi-r.Lo)
					g.Before(old, from, r.Lo)
					for i, was := range old {
						if b, ok := first[r.Lo+uint64(i)]; !ok || b != was {
							t.Fatalf("at %#x: %d, %t, it was %d", r.Lo+uint64(i), b, ok, was)
						}
					}
					n += int(r.Hi - r.Lo)
				}
				if len(first) > n {
					t.Fatalf("%d bytes of %d that were written", len(first), n)
				}
			},
		})
	})
}

// Overlay leaves these bytes, whatever was on the pages, with few entries in the journal,
// and Rewind takes it back.
func TestOverlay(t *testing.T) {
	const pages = 16
	g := load(t, "hlt\n", Config{})
	g.Protect(dataAt, pages*abi.PageSize, ProtRead|ProtWrite)
	origin := g.Mark()
	rapid.Check(t, func(t *rapid.T) {
		g.Rewind(origin)
		before := make([]byte, pages*abi.PageSize)
		for range rapid.IntRange(0, 3).Draw(t, "stores") {
			at := rapid.Uint64Range(0, pages*abi.PageSize-8).Draw(t, "at")
			g.Write64(dataAt+at, rapid.Uint64().Draw(t, "value"))
		}
		g.Read(dataAt, before)
		digest, err := g.Digest()
		if err != nil {
			t.Fatal(err)
		}
		k := g.Mark()
		lo := rapid.Uint64Range(0, pages-1).Draw(t, "page")
		n := rapid.Uint64Range(1, pages-lo).Draw(t, "pages")
		p := make([]byte, rapid.Uint64Range(0, n*abi.PageSize).Draw(t, "bytes"))
		fill := rapid.SampledFrom([]byte{0, 1}).Draw(t, "fill")
		for i := range p {
			p[i] = fill * byte(i+i>>12+1)
		}
		want := append([]byte(nil), before...)
		clear(want[lo*abi.PageSize:][:n*abi.PageSize])
		copy(want[lo*abi.PageSize:], p)
		for range 2 {
			if !g.Overlay(dataAt+lo*abi.PageSize, n*abi.PageSize, p) || !bytes.Equal(g.Bytes(dataAt, pages*abi.PageSize), want) {
				t.Fatal("it isn't there")
			}
		}
		if now, err := g.Digest(); err != nil || (now == digest) != bytes.Equal(want, before) {
			t.Fatalf("the digest: %v", err)
		}
		g.Rewind(k)
		if again, err := g.Digest(); err != nil || again != digest || !bytes.Equal(g.Bytes(dataAt, pages*abi.PageSize), before) {
			t.Fatalf("it isn't taken back (%v)", err)
		}
	})
	g.Rewind(origin)
	fresh := g.Journal()
	if g.Overlay(dataAt+pages*abi.PageSize, 64*abi.PageSize, bytes.Repeat([]byte{7}, 63*abi.PageSize+1)); g.Journal() != fresh+1 {
		t.Errorf("%d entries for pages that held zeros", g.Journal()-fresh)
	}
}
