package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"landgo/internal/image/linked"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
)

// madeELF is an executable put together by hand: an ELF64 header, program
// headers, a page of data. The bad ones are made of it by breaking one thing.
type madeELF struct {
	class, data byte
	typ         elf.Type
	machine     elf.Machine
	entry       uint64
	phoff       uint64
	phent       uint16
	phnum       int // -1: as many as progs
	shoff       uint64
	progs       []elf.ProgHeader
	size        int
}

func goodELF() *madeELF {
	return &madeELF{
		class: byte(elf.ELFCLASS64), data: byte(elf.ELFDATA2LSB),
		typ: elf.ET_EXEC, machine: elf.EM_X86_64,
		entry: 0x400100, phoff: 64, phent: 56, phnum: -1,
		progs: []elf.ProgHeader{
			{Type: elf.PT_LOAD, Flags: elf.PF_R | elf.PF_X, Vaddr: 0x400000, Filesz: 0x1000, Memsz: 0x1000, Align: 0x1000},
			{Type: elf.PT_LOAD, Flags: elf.PF_R | elf.PF_W, Vaddr: 0x402000, Filesz: 0x100, Memsz: 0x3000, Align: 0x1000},
		},
		size: 0x1000,
	}
}

func (m *madeELF) bytes() []byte {
	b := make([]byte, m.size)
	copy(b, elf.ELFMAG)
	b[elf.EI_CLASS], b[elf.EI_DATA], b[elf.EI_VERSION] = m.class, m.data, 1
	binary.LittleEndian.PutUint16(b[16:], uint16(m.typ))
	binary.LittleEndian.PutUint16(b[18:], uint16(m.machine))
	binary.LittleEndian.PutUint32(b[20:], 1)
	binary.LittleEndian.PutUint64(b[24:], m.entry)
	binary.LittleEndian.PutUint64(b[32:], m.phoff)
	binary.LittleEndian.PutUint64(b[40:], m.shoff)
	binary.LittleEndian.PutUint16(b[52:], 64)
	binary.LittleEndian.PutUint16(b[54:], m.phent)
	n := m.phnum
	if n < 0 {
		n = len(m.progs)
	}
	binary.LittleEndian.PutUint16(b[56:], uint16(n))
	binary.LittleEndian.PutUint16(b[58:], 64)
	for i, p := range m.progs {
		if p.Paddr == 0 {
			p.Paddr = p.Vaddr
		}
		h := b[64+56*i:]
		binary.LittleEndian.PutUint32(h, uint32(p.Type))
		binary.LittleEndian.PutUint32(h[4:], uint32(p.Flags))
		for j, v := range []uint64{p.Off, p.Vaddr, p.Paddr, p.Filesz, p.Memsz, p.Align} {
			binary.LittleEndian.PutUint64(h[8+8*j:], v)
		}
	}
	return b
}

// badELFs are the refusals: what is wrong, and what the message has to say.
var badELFs = []struct {
	name string
	make func(m *madeELF) []byte
	want string
}{
	{"empty", func(m *madeELF) []byte { return nil }, "empty"},
	{"text", func(m *madeELF) []byte { return []byte("#!/bin/sh\necho\n") }, "not an ELF file"},
	{"magic only", func(m *madeELF) []byte { return m.bytes()[:4] }, "truncated"},
	{"half a header", func(m *madeELF) []byte { return m.bytes()[:40] }, "truncated"},
	{"half the program headers", func(m *madeELF) []byte { return m.bytes()[:100] }, "truncated"},
	{"half a segment", func(m *madeELF) []byte { return m.bytes()[:0x800] }, "truncated"},
	{"big-endian", func(m *madeELF) []byte { m.data = byte(elf.ELFDATA2MSB); return m.bytes() }, "big-endian"},
	{"bad byte order", func(m *madeELF) []byte { m.data = 9; return m.bytes() }, "damaged"},
	{"bad class", func(m *madeELF) []byte { m.class = 9; return m.bytes() }, "damaged"},
	{"aarch64", func(m *madeELF) []byte { m.machine = elf.EM_AARCH64; return m.bytes() }, "EM_AARCH64"},
	{"riscv", func(m *madeELF) []byte { m.machine = elf.EM_RISCV; return m.bytes() }, "another machine"},
	{"x32", func(m *madeELF) []byte { m.class = byte(elf.ELFCLASS32); return m.bytes() }, "x32"},
	{"64-bit i386", func(m *madeELF) []byte { m.machine = elf.EM_386; return m.bytes() }, "damaged"},
	{"object file", func(m *madeELF) []byte { m.typ = elf.ET_REL; return m.bytes() }, "relocatable"},
	{"core dump", func(m *madeELF) []byte { m.typ = elf.ET_CORE; return m.bytes() }, "core dump"},
	{"unknown type", func(m *madeELF) []byte { m.typ = 0x1234; return m.bytes() }, "unknown type"},
	{"no program headers", func(m *madeELF) []byte { m.phnum = 0; return m.bytes() }, "no program headers"},
	{"too many program headers", func(m *madeELF) []byte { m.phnum = 0xffff; return m.bytes() }, "65535 program headers"},
	{"program header size", func(m *madeELF) []byte { m.phent = 1; return m.bytes() }, "damaged"},
	{"program headers beyond the file", func(m *madeELF) []byte { m.phoff = 1 << 40; return m.bytes() }, "truncated"},
	{"program headers overflow", func(m *madeELF) []byte { m.phoff = 1<<64 - 8; return m.bytes() }, "truncated"},
	{"section headers beyond the file", func(m *madeELF) []byte {
		m.shoff = 0x10000
		b := m.bytes()
		binary.LittleEndian.PutUint16(b[60:], 3)
		return b
	}, "truncated"},
	{"section headers of a wrong size", func(m *madeELF) []byte {
		m.shoff = 0x400
		b := m.bytes()
		binary.LittleEndian.PutUint16(b[58:], 1)
		binary.LittleEndian.PutUint16(b[60:], 3)
		return b
	}, "section headers"},
	{"interpreter", func(m *madeELF) []byte { m.progs[1].Type = elf.PT_INTERP; return m.bytes() }, "the dynamic linker's name"},
	{"needs a library", func(m *madeELF) []byte { return m.dynamic(elf.DT_NEEDED, 1) }, "the name of a library"},
	{"shared library", func(m *madeELF) []byte { m.typ = elf.ET_DYN; return m.dynamic(elf.DT_SONAME, 1) }, "shared library"},
	{"library without a name", func(m *madeELF) []byte { m.typ = elf.ET_DYN; return m.dynamic(elf.DT_FLAGS_1, 0) }, "shared library"},
	{"no loadable segment", func(m *madeELF) []byte {
		m.progs[0].Type, m.progs[1].Type = elf.PT_NOTE, elf.PT_NOTE
		return m.bytes()
	}, "no loadable segment"},
	{"no executable segment", func(m *madeELF) []byte { m.progs[0].Flags = elf.PF_R; return m.bytes() }, "no executable segment"},
	{"entry in data", func(m *madeELF) []byte { m.entry = 0x402000; return m.bytes() }, "entry point 0x402000"},
	{"no entry", func(m *madeELF) []byte { m.entry = 0; return m.bytes() }, "entry point"},
	{"segment beyond the file", func(m *madeELF) []byte { m.progs[1].Off = 0x2000; return m.bytes() }, "truncated"},
	{"segment offset overflows", func(m *madeELF) []byte { m.progs[1].Off = 1<<64 - 1; return m.bytes() }, "truncated"},
	{"file size above memory size", func(m *madeELF) []byte { m.progs[1].Memsz = 1; return m.bytes() }, "damaged"},
	{"2 GiB of memory", func(m *madeELF) []byte { m.progs[1].Memsz = 2 << 30; return m.bytes() }, "1 GiB"},
	{"2 GiB in parts", func(m *madeELF) []byte {
		for i := 0; i < 4; i++ {
			m.progs = append(m.progs, elf.ProgHeader{Type: elf.PT_LOAD, Flags: elf.PF_R, Vaddr: 1<<32 + uint64(i)<<30, Memsz: 1 << 29})
		}
		return m.bytes()
	}, "1 GiB"},
	{"memory size overflows", func(m *madeELF) []byte { m.progs[1].Memsz = 1<<64 - 1; return m.bytes() }, "1 GiB"},
	{"address in the kernel's half", func(m *madeELF) []byte { m.progs[1].Vaddr = 0xffff800000000000; return m.bytes() }, "outside"},
	{"address overflows", func(m *madeELF) []byte { m.progs[1].Vaddr = 1<<64 - 0x100; return m.bytes() }, "outside"},
	{"same segment twice", func(m *madeELF) []byte { m.progs[1].Vaddr = 0x400000; return m.bytes() }, "overlap"},
	{"shared page", func(m *madeELF) []byte {
		m.progs[0].Filesz, m.progs[0].Memsz = 0x800, 0x800
		m.progs[1].Vaddr = 0x400900
		return m.bytes()
	}, "share a page"},
	{"wild thread-local storage", func(m *madeELF) []byte {
		m.progs = append(m.progs, elf.ProgHeader{Type: elf.PT_TLS, Vaddr: 0x999000, Filesz: 8, Memsz: 8})
		return m.bytes()
	}, "thread-local"},
	{"huge thread-local storage", func(m *madeELF) []byte {
		m.progs = append(m.progs, elf.ProgHeader{Type: elf.PT_TLS, Vaddr: 0x400000, Memsz: 1 << 40})
		return m.bytes()
	}, "thread-local"},
}

// dynamic adds a dynamic section with one entry.
func (m *madeELF) dynamic(tag elf.DynTag, value uint64) []byte {
	m.progs = append(m.progs, elf.ProgHeader{Type: elf.PT_DYNAMIC, Off: 0x800, Vaddr: 0x400800, Filesz: 32, Memsz: 32})
	b := m.bytes()
	binary.LittleEndian.PutUint64(b[0x800:], uint64(tag))
	binary.LittleEndian.PutUint64(b[0x808:], value)
	return b
}

func TestBadFiles(t *testing.T) {
	if im, err := parseBytes(goodELF().bytes()); err != nil || im.Entry != 0x400100 || len(im.Segments) != 2 {
		t.Fatalf("the unbroken one: %v", err)
	}
	for _, tc := range badELFs {
		t.Run(tc.name, func(t *testing.T) {
			b := tc.make(goodELF())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := parseBytes(b)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatal("accepted")
			}
			msg := err.Error()
			if !strings.Contains(msg, tc.want) {
				t.Errorf("%q doesn't say %q", msg, tc.want)
			}
			if !strings.HasPrefix(msg, "guest: ") || strings.Contains(msg, "\n") {
				t.Errorf("%q isn't a line that names the file", msg)
			}
			// Its kind selects the cure that the user is told.
			var bad *elffile.Error
			if !errors.As(err, &bad) || bad.Kind == elffile.Unreadable {
				t.Errorf("%q has no kind, or the wrong one", msg)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
				t.Errorf("used %d bytes", used)
			}
		})
	}
}

func parseBytes(b []byte) (*Image, error) {
	f, err := elffile.Parse("guest", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return recognized(f), nil
}

// Files that compilers make, and that aren't what landgo runs.
func TestWrongFiles(t *testing.T) {
	for _, tc := range []struct{ name, flags, want string }{
		{"object", "-c", "relocatable"},
		{"library", "-shared -fPIC", "shared library"},
	} {
		if _, err := Open(imagetest.Compile(t, "gcc", "fails.c", tc.flags), linked.Search{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ path, want string }{
		{pipe, "not a regular file"},
		{filepath.Join(dir, "none"), "file does not exist"},
		{dir, "not a regular file"},
		{os.DevNull, "not a regular file"},
	} {
		if _, err := Open(tc.path, linked.Search{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.path, err)
		}
	}
	huge := filepath.Join(dir, "huge")
	if err := os.WriteFile(huge, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(huge, linked.Search{}); err == nil || !strings.Contains(err.Error(), "larger than 1 GiB") {
		t.Errorf("a file of a terabyte: %v", err)
	}
}

// Every prefix of a real executable is refused or opens, and never panics.
func TestTruncated(t *testing.T) {
	whole, err := os.ReadFile(imagetest.Compile(t, "musl-gcc", "fails.c", "-static -g"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 1 + n/64 {
		if _, err := parseBytes(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes were enough", n, len(whole))
		}
	}
}
