package emu

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// The engine's state between runs: translated code, hooks, and machines beside each
// other.

// The host's writes into memory are seen at once; translated code is forgotten
// when Load writes over it.
func TestHostWrites(t *testing.T) {
	g := small(t, "mov (%rbx), %eax\n mov $1, %ecx", 0)
	for i := range uint32(5) {
		g.Write32(dataAt, i)
		s := g.finish(t, g.start(0), 0)
		if s.Regs.RAX != uint64(i) || s.Regs.RCX != 1 {
			t.Errorf("%d: %+v", i, s.Regs)
		}
	}
	if err := g.Load(g.entry+3, []byte{2}); err != nil { // the constant
		t.Fatal(err)
	}
	if s := g.finish(t, g.start(0), 0); s.Regs.RCX != 2 {
		t.Errorf("ran stale code: %+v", s.Regs)
	}
	if g.Write8(g.entry, 0x90) {
		t.Error("Write changed code")
	}
}

// Breakpoints and permissions that come after the code was translated count.
func TestHooksAfterTranslation(t *testing.T) {
	g := small(t, "nop\nhere: nop\n mov (%rbx), %eax", 0)
	g.finish(t, g.start(0), 0)
	g.Break(g.symbols["here"], 3)
	if s := g.Run(&Run{From: g.start(0)}); s.Why != StopBreak || s.Break != 3 || s.PC != g.symbols["here"] {
		t.Errorf("breakpoint: %+v", *s)
	} else if s = g.Run(&Run{From: s.Ctx, SkipBreak: true}); s.Why != StopPrivileged {
		t.Errorf("skipping it: %+v", *s)
	}
	if s := g.Run(&Run{From: g.start(0), Flags: IgnoreBreaks}); s.Why != StopPrivileged {
		t.Errorf("ignoring it: %+v", *s)
	}
	g.Break(g.symbols["here"], 0)
	mark := g.Mark()
	g.Protect(dataAt, 1, ProtWrite)
	if s := g.Run(&Run{From: g.start(0)}); s.Why != StopFault || s.Fault.Kind != FaultRead {
		t.Errorf("protected: %+v", *s)
	}
	g.Rewind(mark)
	g.finish(t, g.start(0), 0)
	g.Protect(g.entry, 1, ProtRead)
	if s := g.Run(&Run{From: g.start(0)}); s.Why != StopFault || s.Fault.Kind != FaultFetch || s.Insns != 0 {
		t.Errorf("not executable: %+v", *s)
	}
}

// Runs with and without limits can alternate: the engine isn't asked to count,
// which would flush all translated code at each change.
func TestNoFlush(t *testing.T) {
	check := func(t *testing.T, k uint32) error {
		g := small(t, "1: inc %eax\n jmp 1b", k)
		c := g.start(0)
		g.Mark()
		// The cheapest of some runs: what else the computer does makes others dearer.
		cheapest := func(limits ...uint64) (time.Duration, error) {
			best := time.Hour
			for range 30 {
				begun := processorTime()
				for range 10 {
					for _, stop := range limits {
						s := g.Run(&Run{From: c, StopAt: stop, Budget: 30})
						if want := 30 - stop/20*11; s.Insns != want {
							return 0, fmt.Errorf("%d instructions, want %d", s.Insns, want)
						}
					}
				}
				best = min(best, processorTime()-begun)
			}
			return best, nil
		}
		steady, err := cheapest(20, 20)
		if err != nil {
			return err
		}
		alternate, err := cheapest(0, 20)
		if err != nil {
			return err
		}
		t.Logf("%v without changes of the limit, %v with", steady, alternate)
		if alternate > 10*steady+2*time.Millisecond {
			return fmt.Errorf("20 runs took %v, %v with one limit", alternate, steady)
		}
		return nil
	}
	cured(t, knobCount, check)
}

func engine(t *testing.T) string {
	return small(t, "nop", 0).Version()
}

// The engine calls one code hook from translated code, but looks two up in a list, at each
// instruction.
func TestOneCodeHook(t *testing.T) {
	files, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	var hooks int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		hooks += bytes.Count(b, []byte("UC_HOOK_CODE"))
	}
	if hooks != 1 {
		t.Errorf("%d code hooks", hooks)
	}
}

// An instance's address space and memory come back when it is closed.
func TestManyMachines(t *testing.T) {
	var open []*Machine
	for range 40 {
		m, err := New(Config{Code: []Range{{Lo: codeAt, Hi: codeAt + codeSize}}})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, m)
	}
	for _, m := range open {
		m.Close()
		m.Close()
	}
	before := resident(t)
	for range 60 {
		m, err := New(Config{Code: []Range{{Lo: codeAt, Hi: codeAt + codeSize}}})
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	if grown := resident(t) - before; grown > 32<<20 {
		t.Errorf("60 machines left %d MiB behind", grown>>20)
	}
	runtime.KeepAlive(open)
}

// A context is saved into before it is restored, also when the pool grows.
func TestContextsAreSavedBeforeUse(t *testing.T) {
	g := small(t, "nop", 0)
	var all []Ctx
	for i := range uint64(100) {
		all = append(all, g.Start(&Regs{RIP: g.entry, RAX: i}))
	}
	for i, c := range all {
		s := g.Run(&Run{From: c})
		if s.Why != StopPrivileged || s.Regs.RAX != uint64(i) {
			t.Fatalf("context %d: %+v", i, *s)
		}
	}
}

// The host's changes are undone like the guest's.
func TestHostStateIsRewound(t *testing.T) {
	g := small(t, "movl $5, 16(%rbx)\n movw $5, 20(%rbx)\n movb $5, 22(%rbx)", 0)
	word, calls := uint64(1), []int{}
	before := g.hash(g.start(0))
	mark := g.Mark()
	for range 3 {
		g.Write(dataAt+3, []byte("a string of nineteen"))
		g.finish(t, g.start(0), 0)
		g.Write64(dataAt+100, 99)
		g.Write32(dataAt+110, 99)
		g.Write8(dataAt+120, 99)
		g.Protect(dataAt, 3*4096, ProtRead)
		g.Protect(dataAt+4096, 4096, 0)
		g.Set(&word, 2)
		g.Undo(func() { calls = append(calls, 1) })
		g.Set(&word, 3)
		g.Undo(func() { calls = append(calls, 2) })
		g.Rewind(mark)
		if word != 1 || !slices.Equal(calls, []int{2, 1}) || g.Prot(dataAt) != ProtRead|ProtWrite || g.Prot(dataAt+4096) != ProtRead|ProtWrite {
			t.Fatalf("word %d, calls %v, permissions %d", word, calls, g.Prot(dataAt))
		}
		if got := g.hash(g.start(0)); got != before {
			t.Fatal("memory differs")
		}
		calls = nil
		g.Rewind(mark)
	}
}
