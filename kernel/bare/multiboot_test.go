package bare

import (
	"encoding/binary"
	"strings"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
)

// headed is a board for a kernel at 1 MiB, linked above it by so much, that begins
// with a multiboot header of these words.
func headed(above uint64, words ...uint32) (*Board, *ram) {
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	data = append(data, make([]byte, 64-len(data))...)
	const at = 0x100000
	r := new(ram)
	return New(r, r, &elffile.File{
		Machine: elffile.I386, Bias: above, Entry: above + at + 0x20,
		Segments: []elffile.Segment{{Addr: above + at, Physical: at, Data: data, MemSize: abi.PageSize}},
		Code:     []elffile.Range{{Lo: above + at, Hi: above + at + abi.PageSize}},
	}, Config{Cmdline: "one two"}), r
}

// TestMultibootHeader: the kernel gets what the header asks for, or is refused
// by name: addresses that aren't the ELF file's, a video mode, unknown flags.
func TestMultibootHeader(t *testing.T) {
	const magic = 0x1badb002
	for _, x := range []struct {
		name  string
		flags uint32
		more  []uint32
		says  string // in the error; "": it boots
	}{
		{"modules and memory", 3, nil, ""},
		{"the same addresses", 1 << 16, []uint32{0x100000, 0x100000, 0x100040, 0x101000, 0x100020}, ""},
		{"all of the file", 1 << 16, []uint32{0x100000, 0x100000, 0, 0, 0x100020}, ""},
		{"video", 4, nil, "video mode"},
		{"unknown", 8, nil, "flags 0x8"},
		{"another entry", 1 << 16, []uint32{0x100000, 0x100000, 0x100040, 0x101000, 0x100024}, ""},
		{"an entry elsewhere", 1 << 16, []uint32{0x100000, 0x100000, 0x100040, 0x101000, 0x200024}, "begin at 0x200024"},
		{"another place", 1 << 16, []uint32{0x200000, 0x200000, 0x200040, 0x201000, 0x100020}, "says that it is at 0x200000"},
		{"less of it", 1 << 16, []uint32{0x100000, 0x100000, 0x100020, 0x101000, 0x100020}, "has 0x100000 to 0x100020 loaded"},
	} {
		for _, above := range []uint64{0, 0xc0000000} {
			b, _ := headed(above, append([]uint32{magic, x.flags, -(magic + x.flags)}, x.more...)...)
			regs, err := b.Boot()
			switch {
			case x.says == "" && (err != nil || regs.RIP != 0x100020 && (len(x.more) == 0 || regs.RIP != uint64(x.more[4]))):
				t.Errorf("%s, %#x above: begins at %#x, %v", x.name, above, regs.RIP, err)
			case x.says != "" && (err == nil || !strings.Contains(err.Error(), x.says)):
				t.Errorf("%s, %#x above: error %v, want one that says %q", x.name, above, err, x.says)
			}
		}
	}
}

// TestMultibootInformation: a kernel finds the loader's number in eax, at ebx its
// command line, the size of memory, and a map of it.
func TestMultibootInformation(t *testing.T) {
	b, r := headed(0)
	regs, err := b.Boot()
	if err != nil {
		t.Fatal(err)
	}
	if regs.RAX != 0x2badb002 || regs.RFLAGS&(1<<9) != 0 {
		t.Errorf("eax is %#x, the flags are %#x", regs.RAX, regs.RFLAGS)
	}
	word := func(at uint64) uint32 { return binary.LittleEndian.Uint32(r.bytes[at:]) }
	info := regs.RBX
	if word(info)&0x45 != 0x45 {
		t.Fatalf("flags %#x lack memory, command line or map", word(info))
	}
	if at := word(info + 16); string(r.bytes[at:at+8]) != "one two\x00" {
		t.Errorf("the command line is %q", r.bytes[at:at+8])
	}
	if word(info+4) != 640 || word(info+8) != (defaultMemory-1<<20)>>10 {
		t.Errorf("%d KiB below and %d above", word(info+4), word(info+8))
	}
	var usable uint64
	at, end := uint64(word(info+48)), uint64(word(info+48)+word(info+44))
	for at < end {
		if word(at+20) != 1 {
			t.Errorf("the entry at %#x is of kind %d", at, word(at+20))
		}
		usable += uint64(word(at+12)) | uint64(word(at+16))<<32
		at += 4 + uint64(word(at))
	}
	if at != end || usable != defaultMemory-1<<20+640<<10 {
		t.Errorf("the map ends at %#x, its length says %#x; it has %d bytes", at, end, usable)
	}
}
