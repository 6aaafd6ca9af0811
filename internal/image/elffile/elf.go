package elffile

import (
	"debug/elf"
	"encoding/binary"
)

// The structures of ELF files, by debug/elf's own types: those of 32-bit files
// are widened to the others. A decoded structure has to be whole; its fields
// are not checked.

var order = binary.LittleEndian

var (
	headerSize32, headerSize64   = binary.Size(elf.Header32{}), binary.Size(elf.Header64{})
	progSize32, progSize64       = binary.Size(elf.Prog32{}), binary.Size(elf.Prog64{})
	sectionSize32, sectionSize64 = binary.Size(elf.Section32{}), binary.Size(elf.Section64{})
	dynSize32, dynSize64         = binary.Size(elf.Dyn32{}), binary.Size(elf.Dyn64{})
	relaSize64                   = binary.Size(elf.Rela64{})
	noteSize                     = binary.Size(noteHeader{})
)

// isNarrow reports whether a file is an ELF32.
func isNarrow(data []byte) bool { return elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS32 }

// decodeAs panics if b is shorter than T.
func decodeAs[T any](b []byte) (v T) {
	if _, err := binary.Decode(b, order, &v); err != nil {
		panic(err)
	}
	return v
}

func decodeHeader(data []byte) elf.Header64 {
	if !isNarrow(data) {
		return decodeAs[elf.Header64](data)
	}
	h := decodeAs[elf.Header32](data)
	return elf.Header64{
		Ident: h.Ident, Type: h.Type, Machine: h.Machine, Version: h.Version,
		Entry: uint64(h.Entry), Phoff: uint64(h.Phoff), Shoff: uint64(h.Shoff),
		Flags: h.Flags, Ehsize: h.Ehsize, Phentsize: h.Phentsize, Phnum: h.Phnum,
		Shentsize: h.Shentsize, Shnum: h.Shnum, Shstrndx: h.Shstrndx,
	}
}

func decodeProg(m Machine, b []byte) elf.ProgHeader {
	if m != I386 {
		p := decodeAs[elf.Prog64](b)
		return elf.ProgHeader{
			Type: elf.ProgType(p.Type), Flags: elf.ProgFlag(p.Flags), Off: p.Off, Vaddr: p.Vaddr, Paddr: p.Paddr,
			Filesz: p.Filesz, Memsz: p.Memsz, Align: p.Align,
		}
	}
	p := decodeAs[elf.Prog32](b)
	return elf.ProgHeader{
		Type: elf.ProgType(p.Type), Flags: elf.ProgFlag(p.Flags), Off: uint64(p.Off), Vaddr: uint64(p.Vaddr), Paddr: uint64(p.Paddr),
		Filesz: uint64(p.Filesz), Memsz: uint64(p.Memsz), Align: uint64(p.Align),
	}
}

func decodeSection(narrow bool, b []byte) elf.Section64 {
	if !narrow {
		return decodeAs[elf.Section64](b)
	}
	s := decodeAs[elf.Section32](b)
	return elf.Section64{
		Name: s.Name, Type: s.Type, Flags: uint64(s.Flags), Addr: uint64(s.Addr), Off: uint64(s.Off),
		Size: uint64(s.Size), Link: s.Link, Info: s.Info, Addralign: uint64(s.Addralign), Entsize: uint64(s.Entsize),
	}
}

// dynSize is the size of an entry of a dynamic section.
func dynSize(m Machine) int {
	if m == I386 {
		return dynSize32
	}
	return dynSize64
}

func decodeDyn(m Machine, b []byte) elf.Dyn64 {
	if m != I386 {
		return decodeAs[elf.Dyn64](b)
	}
	d := decodeAs[elf.Dyn32](b)
	return elf.Dyn64{Tag: int64(d.Tag), Val: uint64(d.Val)}
}

// A noteHeader begins a note: the sizes of its owner's name and of its description, and its
// type (Elf32_Nhdr and Elf64_Nhdr are alike; debug/elf has neither).
type noteHeader struct{ Name, Desc, Type uint32 }
