package elffile

import (
	"bytes"
	"debug/elf"
)

// Section headers and symbol tables, looked at before debug/elf decodes them. That
// package copies a name for each section and symbol that has it, and unpacks a table
// that says it is packed: a small file could ask for all memory.

const (
	// maxSections is more than a linker leaves in an executable.
	maxSections = 1 << 16
	// maxNameShare bounds the names of all sections and symbols together, as a
	// multiple of the file: most names stand in it once.
	maxNameShare = 4
)

// sectionTable is the section headers of a file, in data.
type sectionTable struct {
	data   []byte
	narrow bool // ELF32
	off    uint64
	entry  uint64
	count  uint64
	names  uint64 // the index of the section with the sections' names
}

// checkSections reports faults of the section headers and of their sections.
// Preconditions: parseHeader accepted data.
func checkSections(data []byte) error {
	file := decodeHeader(data)
	t := sectionTable{
		data: data, narrow: isNarrow(data),
		off: file.Shoff, entry: uint64(file.Shentsize), count: uint64(file.Shnum), names: uint64(file.Shstrndx),
	}
	if t.off == 0 {
		return nil // it has none
	}
	if t.entry < t.headerSize() {
		return errorf(Broken, "damaged ELF section headers (of %d bytes each)", t.entry)
	}
	if t.count == 0 { // the number is in the first one
		first, ok := t.header(0)
		if !ok {
			return errTruncated
		}
		t.count = first.Size
		if t.names == uint64(elf.SHN_XINDEX) {
			t.names = uint64(first.Link)
		}
	}
	if t.count > maxSections {
		return errorf(Broken, "a damaged ELF header (%d section headers)", t.count)
	}
	return t.check()
}

func (t *sectionTable) headerSize() uint64 {
	if t.narrow {
		return uint64(sectionSize32)
	}
	return uint64(sectionSize64)
}

// header decodes the i-th.
func (t *sectionTable) header(i uint64) (h elf.Section64, ok bool) {
	need := t.headerSize()
	at := t.off + i*t.entry
	if t.entry < need || t.off > uint64(len(t.data)) || i > uint64(len(t.data))/need || at > uint64(len(t.data)) || uint64(len(t.data))-at < need {
		return h, false
	}
	return decodeSection(t.narrow, t.data[at:]), true
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
		if budget -= nameLength(names, h.Name); budget < 0 {
			return errorf(Broken, "damaged ELF section headers (names longer than the file)")
		}
		if elf.SectionType(h.Type) != elf.SHT_SYMTAB {
			continue
		}
		symbols, ok := t.content(i)
		strings, ok2 := t.content(uint64(h.Link))
		if !ok || !ok2 {
			return errorf(Broken, "a damaged symbol table (its place in the file)")
		}
		size := uint64(elf.Sym64Size)
		if t.narrow {
			size = elf.Sym32Size
		}
		for at := uint64(0); at+size <= uint64(len(symbols)); at += size { // a symbol begins with its name
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
	if !ok || i >= t.count || h.Flags&uint64(elf.SHF_COMPRESSED) != 0 || elf.SectionType(h.Type) == elf.SHT_NOBITS {
		return nil, false
	}
	if h.Off > uint64(len(t.data)) || h.Size > uint64(len(t.data))-h.Off {
		return nil, false
	}
	return t.data[h.Off : h.Off+h.Size], true
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
