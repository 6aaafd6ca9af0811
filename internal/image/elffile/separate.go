package elffile

import (
	"bytes"
	"debug/elf"
	"hash/crc32"
	"io"
	"slices"
	"strings"
)

// Separate is the file that has a program's or a library's debug information, taken out of it.
type Separate struct {
	Path, SHA256 string
	content      []byte
	sections     *elf.File
}

// AddSeparate takes the symbols of a file with a library's debug information, which say
// nothing of what the library gives out. It has the library's build-id. One that can't be used
// adds nothing.
func (f *File) AddSeparate(path string, r io.ReaderAt, size int64) error {
	if f.Symbols == nil {
		return errTruncated
	}
	digest := digesting(r, size)
	separate, syms, err := f.separateSymbols(path, r, size)
	sum, unread := digest() // with an error too: then nothing reads any more
	if err == nil {
		err = unread
	}
	if err != nil {
		return err
	}
	separate.SHA256 = sum
	known := make(map[label]bool, len(f.Symbols))
	for i := range f.Symbols {
		known[f.Symbols[i].label()] = true
	}
	f.Symbols = slices.Grow(f.Symbols, len(syms))
	for i := range syms {
		sym, ok := f.symbol(&syms[i])
		if !ok || known[sym.label()] {
			continue
		}
		sym.Global = false
		f.Symbols = append(f.Symbols, sym)
	}
	f.Separate = separate
	f.indexSymbols()
	return nil
}

// separateSymbols opens such a file of a library, and reads its symbols.
func (f *File) separateSymbols(path string, r io.ReaderAt, size int64) (*Separate, []elf.Symbol, error) {
	data, err := f.readSeparate(r, size)
	if err != nil {
		return nil, nil, err
	}
	separate, err := openSeparate(path, data)
	if err != nil {
		return nil, nil, err
	}
	if separate.buildID() != f.BuildID() {
		return nil, nil, errorf(Broken, "%s: another build-id", path)
	}
	var syms []elf.Symbol
	err = Guard(func() (err error) { syms, err = separate.sections.Symbols(); return err })
	return separate, syms, err
}

// readSeparate reads such a file. For a library whose debug information isn't used (DebugSections) it
// has zeros in that place: that is most of a C library's file.
func (f *File) readSeparate(r io.ReaderAt, size int64) ([]byte, error) {
	data := make([]byte, size)
	if f.systems() {
		return data, readNames(data, r)
	}
	_, err := io.ReadFull(io.NewSectionReader(r, 0, size), data)
	return data, err
}

// readNames reads a file's headers, notes and symbols into data.
func readNames(data []byte, r io.ReaderAt) error {
	read := func(off, n uint64) error {
		if off > uint64(len(data)) || n > uint64(len(data))-off {
			return errTruncated
		}
		_, err := r.ReadAt(data[off:off+n], int64(off))
		return err
	}
	if err := read(0, uint64(headerSize64)); err != nil {
		return err
	}
	if checkIdent(data) != nil || isNarrow(data) {
		return errTruncated
	}
	h := decodeHeader(data)
	if err := read(h.Shoff, uint64(h.Shentsize)*uint64(h.Shnum)); err != nil {
		return err
	}
	t := sectionTable{data: data, off: h.Shoff, entry: uint64(h.Shentsize)}
	for i := range uint64(h.Shnum) {
		s, ok := t.header(i)
		if !ok {
			return errTruncated
		}
		switch elf.SectionType(s.Type) {
		case elf.SHT_SYMTAB, elf.SHT_STRTAB, elf.SHT_NOTE:
			if err := read(s.Off, s.Size); err != nil {
				return err
			}
		}
	}
	return nil
}

// openSeparate opens such a file, without its digest.
func openSeparate(path string, data []byte) (*Separate, error) {
	if len(data) < headerSize64 || checkIdent(data) != nil || isNarrow(data) || shoffBeyond(data) {
		return nil, errTruncated
	}
	sections, err := openSections(data)
	if err != nil {
		return nil, err
	}
	return &Separate{Path: path, content: data, sections: sections}, nil
}

func (s *Separate) buildID() string {
	return (&File{Sections: s.sections, content: s.content}).BuildID()
}

// AddOwnSeparate takes the debug information of a program from the file that has it. So the program
// has the symbols that it had before it was stripped. The file has its build-id. Without one it has
// the sum that the program's link to it says.
func (f *File) AddOwnSeparate(path string, data []byte) error {
	separate, err := openSeparate(path, data)
	if err != nil {
		return err
	}
	_, sum := f.DebugLink()
	if id := f.BuildID(); id != separate.buildID() || id == "" && crc32.ChecksumIEEE(data) != sum {
		return errorf(Broken, "%s: of another program", path)
	}
	if separate.SHA256, err = digest(bytes.NewReader(data)); err != nil {
		return err
	}
	f.Separate = separate
	if f.Sections.Section(".symtab") != nil {
		return nil
	}
	own := f.Symbols
	if f.Symbols = nil; f.readSymbolsOf(separate.sections) != nil || len(f.Symbols) == 0 {
		f.Symbols = own
		return nil
	}
	f.Stripped = false
	f.indexSymbols()
	f.libc = f.recognizeLibc()
	return nil
}

// DebugLink is the name of the file with the program's debug information, and that file's sum; "" if
// the program has no link.
func (f *File) DebugLink() (name string, sum uint32) {
	_, b := f.Section(".gnu_debuglink")
	name, ended := cString(b)
	at := (len(name) + 4) &^ 3
	if !ended || len(b) < at+4 || name == "." || name == ".." || strings.Contains(name, "/") {
		return "", 0
	}
	return name, order.Uint32(b[at:])
}

// DebugSections has the file's debug information, and the size of the file that it is in.
// That of the C library and the compiler's stays out: code with source lines counts as the
// user's.
func (f *File) DebugSections() (*elf.File, int) {
	if f.Separate == nil || f.Sections.Section(".debug_info") != nil || f.systems() {
		return f.Sections, f.Size
	}
	return f.Separate.sections, len(f.Separate.content)
}

// systems reports whether it is a library of C or of the compiler.
func (f *File) systems() bool {
	return f.library && (f.libc != NoLibc || f.named(libcParts...) || f.named(compilers...))
}
