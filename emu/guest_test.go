package emu

import (
	"debug/elf"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
)

const (
	codeAt   = 0x400000
	dataAt   = 0x600000
	stackAt  = 0x700000
	codeSize = 0x10000
	dataSize = 0x10000
)

var gccFlags = []string{
	"-O2", "-ffreestanding", "-fno-stack-protector", "-fno-strict-aliasing", "-fno-pic", "-fno-asynchronous-unwind-tables",
	"-fcf-protection=none", "-mno-red-zone", "-msse2", "-mfpmath=387", "-nostdlib", "-static", "-no-pie",
	"-Wl,-Ttext=0x400000,-Tdata=0x600000,--build-id=none,-z,noseparate-code",
}

// build compiles a source of testdata, or the text of an assembly source, into
// an executable.
func build(t testing.TB, source string, mode Mode) string {
	t.Helper()
	bits := "-m64"
	if mode == I386 {
		bits = "-m32"
	}
	args := append(slices.Clone(gccFlags), bits)
	if strings.Contains(source, "\n") {
		return compile.Exact(t, "gcc", "guest.S", "\t.globl _start\n_start:\n"+source, args...)
	}
	return compile.Exact(t, "gcc", filepath.Join("testdata", source), "", args...)
}

func TestMain(m *testing.M) { os.Exit(compile.Main(m)) }

// guest is a machine with a program in it.
type guest struct {
	*Machine
	symbols map[string]uint64
	entry   uint64
}

// load returns a machine with a guest, see build. Code is at codeAt, data at
// dataAt, and there is a stack at stackAt.
func load(t testing.TB, source string, cfg Config) *guest {
	t.Helper()
	f, err := elf.Open(build(t, source, cfg.Mode))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cfg.Code = []Range{{Lo: codeAt, Hi: codeAt + codeSize}}
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	g := &guest{m, map[string]uint64{}, f.Entry}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOBITS {
			continue
		}
		p, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Load(s.Addr, p); err != nil {
			t.Fatal(err)
		}
	}
	symbols, _ := f.Symbols()
	for _, s := range symbols {
		g.symbols[s.Name] = s.Value
	}
	m.Protect(codeAt, codeSize, ProtRead|ProtExec)
	m.Protect(dataAt, dataSize, ProtRead|ProtWrite)
	m.Protect(stackAt, dataSize, ProtRead|ProtWrite)
	return g
}

// start is a context at the guest's entry, with a stack of its own per number
// and the address of the data in RBX.
func (g *guest) start(n uint64) Ctx {
	return g.Start(&Regs{RIP: g.entry, RSP: stackAt + 0x1000*(n+4), RBX: dataAt, RFLAGS: 2})
}

// hash sums data, stack and registers.
func (g *guest) hash(c Ctx) string {
	h := fnv.New64a()
	h.Write(g.Bytes(dataAt, dataSize))
	h.Write(g.Bytes(stackAt, dataSize))
	fmt.Fprintf(h, "%x", g.Regs(c))
	return hex.EncodeToString(h.Sum(nil))
}

// finish runs to the guest's hlt.
func (g *guest) finish(t testing.TB, c Ctx, thread int32) *Stop {
	t.Helper()
	s := g.Run(&Run{From: c, Flags: Solo, Budget: 1e7})
	if s.Why != StopPrivileged || s.Detail != "hlt" {
		t.Fatalf("the guest stopped for %v (%s, fault %+v) at %#x", s.Why, s.Detail, s.Fault, s.PC)
	}
	return s
}
