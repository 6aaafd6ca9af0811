package image

import (
	"bytes"
	"debug/elf"
)

// Section headers and symbol tables, looked at before debug/elf decodes them. That
// package copies a name for each section and symbol that has it, and unpacks a table
// that says it is packed: a small file could ask for all memory.

const (
	// maxSections is beyond what a linker leaves in an executable.
	maxSections = 1 << 16
	// maxNameShare bounds the names of all sections and symbols together, as a
	// multiple of the file: most names stand in it once.
	maxNameShare = 4
)

// sectionHeader is what has to be known of one.
type sectionHeader struct {
	name              uint32
	typ               elf.SectionType
	flags             uint64
	off, size, entity uint64
	link              uint32
}

// sectionTable is the section headers of a file, in data.
type sectionTable struct {
	data   []byte
	narrow bool // ELF32
	off    uint64
	entry  uint64
	count  uint64
	names  uint64 // the index of the section with the sections' names
}

// checkSections says what is wrong with the section headers and what they lead to.
// Preconditions: parseHeader accepted data.
func checkSections(data []byte) error {
	t := sectionTable{data: data, narrow: elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS32}
	if t.narrow {
		t.off, t.entry, t.count, t.names = uint64(order.Uint32(data[32:])), uint64(order.Uint16(data[46:])), uint64(order.Uint16(data[48:])), uint64(order.Uint16(data[50:]))
	} else {
		t.off, t.entry, t.count, t.names = order.Uint64(data[40:]), uint64(order.Uint16(data[58:])), uint64(order.Uint16(data[60:])), uint64(order.Uint16(data[62:]))
	}
	if t.off == 0 {
		return nil // it has none
	}
	if t.entry < 64 && !t.narrow || t.entry < 40 {
		return errorf(Broken, "damaged ELF section headers (of %d bytes each)", t.entry)
	}
	if t.count == 0 { // the number is in the first one
		first, ok := t.header(0)
		if !ok {
			return errTruncated
		}
		t.count = first.size
		if t.names == uint64(elf.SHN_XINDEX) {
			t.names = uint64(first.link)
		}
	}
	if t.count > maxSections {
		return errorf(Broken, "a damaged ELF header (%d section headers)", t.count)
	}
	return t.check()
}

// header decodes the i-th.
func (t *sectionTable) header(i uint64) (h sectionHeader, ok bool) {
	need := uint64(64)
	if t.narrow {
		need = 40
	}
	at := t.off + i*t.entry
	if t.entry < need || t.off > uint64(len(t.data)) || i > uint64(len(t.data))/need || at > uint64(len(t.data)) || uint64(len(t.data))-at < need {
		return h, false
	}
	b := t.data[at:]
	h.name, h.typ = order.Uint32(b), elf.SectionType(order.Uint32(b[4:]))
	if t.narrow {
		h.flags, h.off, h.size = uint64(order.Uint32(b[8:])), uint64(order.Uint32(b[16:])), uint64(order.Uint32(b[20:]))
		h.link, h.entity = order.Uint32(b[24:]), 16
	} else {
		h.flags, h.off, h.size = order.Uint64(b[8:]), order.Uint64(b[24:]), order.Uint64(b[32:])
		h.link, h.entity = order.Uint32(b[40:]), 24
	}
	return h, true
}

func (t *sectionTable) check() error {
	names, ok := t.content(t.names)
	if !ok {
		return errorf(Broken, "damaged ELF section headers (their names)")
	}
	budget := maxNameShare*len(t.data) + 1<<16
	for i := range t.count {
		h, ok := t.header(i)
		if !ok {
			return errTruncated
		}
		if budget -= nameLength(names, h.name); budget < 0 {
			return errorf(Broken, "damaged ELF section headers (names longer than the file)")
		}
		if h.typ != elf.SHT_SYMTAB {
			continue
		}
		symbols, ok := t.content(i)
		strings, ok2 := t.content(uint64(h.link))
		if !ok || !ok2 {
			return errorf(Broken, "a damaged symbol table (its place in the file)")
		}
		for at := uint64(0); at+h.entity <= uint64(len(symbols)); at += h.entity {
			if budget -= nameLength(strings, order.Uint32(symbols[at:])); budget < 0 {
				return errorf(Broken, "a damaged symbol table (names longer than the file)")
			}
		}
	}
	return nil
}

// content is a section's, as it is in the file: false if it isn't there as such.
func (t *sectionTable) content(i uint64) ([]byte, bool) {
	if i == 0 {
		return nil, true
	}
	h, ok := t.header(i)
	if !ok || i >= t.count || h.flags&uint64(elf.SHF_COMPRESSED) != 0 || h.typ == elf.SHT_NOBITS {
		return nil, false
	}
	if h.off > uint64(len(t.data)) || h.size > uint64(len(t.data))-h.off {
		return nil, false
	}
	return t.data[h.off : h.off+h.size], true
}

// nameLength is how long the name at an offset is.
func nameLength(table []byte, at uint32) int {
	if uint64(at) >= uint64(len(table)) {
		return 0
	}
	if n := bytes.IndexByte(table[at:], 0); n >= 0 {
		return n
	}
	return len(table) - int(at)
}
