package emu

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"landgo/internal/trace"
)

// TestIdle: the machine of a guest that was closed is the next one's of a guest with its code in
// the same places. It is as a new one, and runs the code that it is given.
func TestIdle(t *testing.T) {
	const long = "1: inc %eax\n movl %eax, (%rbx)\n cmp $100, %eax\n jne 1b\n"
	other := strings.Replace(long, "inc %eax", "dec %eax", 1)
	other = strings.Replace(other, "$100", "$-100", 1)
	run := func(source string, want uint32) (engine unsafe.Pointer) {
		g := small(t, source+"hlt", 0)
		engine = unsafe.Pointer(g.c.uc)
		if g.Ran(codeAt, codeAt+codeSize) || len(g.SharingPages()) > 0 || g.Breaks(g.entry) || g.point[g.entry-codeAt] != 0 {
			t.Errorf("something is known of a guest that hasn't run")
		}
		for _, at := range []uint64{dataAt, stackAt} {
			if len(bytes.Trim(g.Bytes(at, dataSize), "\x00")) > 0 || g.Prot(at) != ProtRead|ProtWrite || g.Prot(at+dataSize) != 0 {
				t.Errorf("memory at %#x is another guest's", at)
			}
		}
		k := g.Mark()
		for _, thread := range []trace.TID{0, 1} { // so that memory is shared
			s := g.Run(&Run{From: g.start(0), Thread: thread, Budget: 1e6})
			if s.Why != StopPrivileged || g.Read32(dataAt) != want {
				t.Errorf("%v at %#x, %d is stored, not %d", s.Why, s.PC, int32(g.Read32(dataAt)), int32(want))
			}
		}
		g.Rewind(k)
		g.Write8(dataAt+8, 1)
		g.Protect(dataAt+dataSize, 1, ProtRead)
		g.Break(g.entry, 1)
		g.Points([]uint64{g.entry})
		g.Close()
		return engine
	}
	first := run(long, 100)
	for _, next := range []struct {
		source string
		want   uint32
	}{{long, 100}, {other, 0xffffff9c}, {long, 100}} {
		if run(next.source, next.want) != first {
			t.Errorf("the engine is another one")
		}
	}
	if g := load(t, "inc %eax\nhlt", Config{Mode: I386}); unsafe.Pointer(g.c.uc) == first {
		t.Errorf("the engine of one mode runs the other's code")
	}
}

// TestNotIdle: an engine that has failed has no other guest.
func TestNotIdle(t *testing.T) {
	for _, soil := range []func(g *guest){
		func(g *guest) { g.addCodeHook() },
		func(g *guest) { g.setKnobs(knobCount) },
		func(g *guest) { g.c.broken = true },
		func(g *guest) { g.c.soiled = true },
	} {
		g := small(t, "nop\nhlt", 0)
		was := g.c
		soil(g)
		g.Close()
		idle.Lock()
		for _, w := range idle.list {
			if w.c == was {
				t.Errorf("it waits for a guest")
			}
		}
		idle.Unlock()
	}
}
