package bare

import (
	"encoding/binary"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
)

// loaded is a board with a kernel whose profile describes a loader, after Boot.
func loaded(t *testing.T, machine elffile.Machine, bias uint64, cmdline string, l profile.Loader) (*ram, *Board, error) {
	t.Helper()
	r := new(ram)
	b := New(r, r, &elffile.File{Machine: machine, Bias: bias}, Config{Cmdline: cmdline, Loader: &l})
	regs, err := b.Boot()
	if err == nil && (regs.RIP != l.Entry || regs.RSP != bias+l.Stack) {
		t.Errorf("begins at %#x with the stack at %#x, want %#x and %#x", regs.RIP, regs.RSP, l.Entry, bias+l.Stack)
	}
	return r, b, err
}

// walk finds the physical address of a virtual one; ^0 if it isn't mapped.
func (r *ram) walk(machine elffile.Machine, tables, va uint64) uint64 {
	levels, bits, size := uint64(4), uint64(9), uint64(8)
	if machine == elffile.I386 {
		levels, bits, size = 2, 10, 4
	}
	at := tables
	for level := levels; level > 0; level-- {
		shift := 12 + bits*(level-1)
		var word [8]byte
		copy(word[:size], r.bytes[at+va>>shift&(1<<bits-1)*size:])
		e := binary.LittleEndian.Uint64(word[:])
		switch {
		case e&1 == 0:
			return ^uint64(0)
		case level == 1 || e&abi.EntryLarge != 0:
			return e&^(1<<12-1) + va&(1<<shift-1)
		}
		at = e &^ (1<<12 - 1)
	}
	return ^uint64(0)
}

// TestLoader: a kernel finds its memory at its own addresses and at those of the memory,
// and what its loader tells.
func TestLoader(t *testing.T) {
	for _, k := range []struct {
		machine elffile.Machine
		bias    uint64
		memory  uint64 // mapped
	}{{elffile.I386, 0xc0000000, 16 << 20}, {elffile.X86_64, 0x8004000000, 0}, {elffile.X86_64, 0x8000000000, 0}} {
		l := profile.Loader{Entry: k.bias + 0x20000, Tables: 0xf000, Stack: 0xeffc, MemoryPages: 0x6000, MemoryMap: 0x7000,
			Arguments: elffile.Range{Lo: 0x7d3a, Hi: 0x7d3a + 20}, Memory: k.memory}
		r, b, err := loaded(t, k.machine, k.bias, "-q  run this", l)
		if err != nil {
			t.Fatal(err)
		}
		end := k.memory
		if end == 0 {
			end = b.cfg.Memory
		}
		for _, pa := range []uint64{0, 0x20123, end - 1} {
			for _, va := range []uint64{pa, k.bias + pa} {
				if got := r.walk(k.machine, l.Tables, va); got != pa {
					t.Errorf("%v: %#x is at %#x, want %#x", k.machine, va, got, pa)
				}
			}
		}
		if got := r.walk(k.machine, l.Tables, k.bias+end); got != ^uint64(0) {
			t.Errorf("%v: memory behind the end is mapped, at %#x", k.machine, got)
		}
		if got := string(r.bytes[l.Arguments.Lo:l.Arguments.Hi]); got != "\x03\x00\x00\x00-q\x00run\x00this\x00\x00\x00\x00\x00" {
			t.Errorf("arguments %q", got)
		}
		if got := binary.LittleEndian.Uint32(r.bytes[l.MemoryPages:]); uint64(got) != end>>12 {
			t.Errorf("%d pages of memory, want %d", got, end>>12)
		}
		if got := binary.LittleEndian.Uint32(r.bytes[l.MemoryMap+upperField:]); uint64(got) != (b.cfg.Memory-firstMegabyte)>>10 {
			t.Errorf("the map has %d KiB above the first megabyte", got)
		}
	}
}

// TestLoaderRefuses: what has no room is named.
func TestLoaderRefuses(t *testing.T) {
	l := profile.Loader{Tables: 0xf000, Stack: 0xf000, Arguments: elffile.Range{Lo: 0x7000, Hi: 0x7008}}
	none := l
	none.Arguments = elffile.Range{}
	large := l
	large.Memory = defaultMemory + 4<<20
	for _, k := range []struct {
		about   string
		machine elffile.Machine
		bias    uint64
		cmdline string
		loader  profile.Loader
	}{
		{"a command line without its room", elffile.I386, 0xc0000000, "long", l},
		{"a command line without any room", elffile.I386, 0xc0000000, "a", none},
		{"more memory than there is", elffile.I386, 0xc0000000, "", large},
		{"addresses that end too early", elffile.I386, 0xffc00000, "", l},
		{"addresses among the memory's own", elffile.X86_64, 0x8000200000, "", l},
		{"addresses at the end of a GiB", elffile.X86_64, 0x803fe00000, "", l},
		{"addresses in the first 512 GiB", elffile.X86_64, 0x40000000, "", l},
	} {
		if _, _, err := loaded(t, k.machine, k.bias, k.cmdline, k.loader); err == nil {
			t.Errorf("%s: no error", k.about)
		}
	}
	if _, _, err := loaded(t, elffile.I386, 0xc0000000, "abc", l); err != nil {
		t.Errorf("a command line that just fits: %v", err)
	}
}
