package image

import (
	"bytes"
	"testing"
)

// TestSharedPage: a loader of kernels copies bytes, so two parts of a kernel may share a
// page. Such a page has the bytes of both, and zeros between; parts that overlap in their
// bytes are an error.
func TestSharedPage(t *testing.T) {
	made := func(second, below uint64) *madeELF {
		m := goodELF()
		m.progs[0].Paddr, m.progs[0].Filesz, m.progs[0].Memsz = 0x100000, 0x800, 0x900
		m.progs[1].Vaddr, m.progs[1].Paddr = second, second-below
		m.progs[1].Off = 0x10
		return m
	}
	const distance = 0x400000 - 0x100000
	raw := made(0x400900, distance).bytes()
	im, err := parseBytes(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(im.Segments) != 1 || im.Segments[0].MemSize != 0x4000 || im.Scattered() {
		t.Fatalf("%+v", im.Segments)
	}
	s := im.Segments[0]
	want := append(append(bytes.Clone(raw[:0x800]), make([]byte, 0x100)...), raw[0x10:0x110]...)
	if !bytes.Equal(s.Data, want) || !s.Write || !s.Exec {
		t.Errorf("%d bytes, write %v, exec %v", len(s.Data), s.Write, s.Exec)
	}
	if im, err = parseBytes(made(0x400900, 0).bytes()); err != nil || !im.Scattered() {
		t.Errorf("by two distances: %v", err)
	}
	if _, err = parseBytes(made(0x4008f0, distance).bytes()); err == nil {
		t.Error("parts that overlap are taken")
	}
	own := made(0x400900, distance)
	own.progs[0].Paddr, own.progs[1].Paddr = 0x400000, 0x400900
	if _, err = parseBytes(own.bytes()); err == nil {
		t.Error("a program with such a page is taken")
	}
	data := made(0x400900, distance) // memory of nothing before it isn't made of bytes
	data.progs[1].Vaddr, data.progs[1].Paddr, data.progs[0].Memsz = 0x10400900, 0x10100900, 0x10000900
	if _, err = parseBytes(data.bytes()); err == nil {
		t.Error("256 MiB of zeros are made")
	}
}
