package elffile

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"landgo/internal/abi"
)

// LibraryAlign is the distance of the places of libraries: no linker asks for more.
const LibraryAlign = 16 << 20

// ParseLibrary makes a File of a shared library, or a dynamic linker, that is loaded at
// a base. The file may be hostile, as a program may.
func ParseLibrary(name string, data []byte, base uint64) (*File, error) {
	if len(data) > maxFileSize {
		return nil, errorf(TooLarge, "%s: larger than 1 GiB", name)
	}
	f, err := parseAs(name, data, role{library: true, base: base})
	if err != nil {
		return nil, err
	}
	if f.Machine != X86_64 {
		return nil, fmt.Errorf("%s: %w", name, errorf(WrongMachine, "a library for i386"))
	}
	f.Data = plainlyAligned(data)
	return f, nil
}

// plainlyAligned is a library whose segments ask for no more than a page. Where they
// ask for more, a dynamic linker reserves more than it needs and chooses a place itself;
// landgo's places satisfy what they ask for.
func plainlyAligned(data []byte) []byte {
	h := decodeHeader(data)
	copied := false
	for i := uint64(0); i < uint64(h.Phnum); i++ {
		at := h.Phoff + i*uint64(progSize64)
		p := decodeAs[elf.Prog64](data[at:])
		if elf.ProgType(p.Type) != elf.PT_LOAD || p.Align <= abi.PageSize || p.Align > LibraryAlign {
			continue
		}
		if !copied {
			data, copied = append([]byte(nil), data...), true
		}
		p.Align = abi.PageSize
		if _, err := binary.Encode(data[at:], order, p); err != nil {
			panic(err) // the structure was decoded from there
		}
	}
	return data
}

// versionHidden marks, in a table of versions, an older symbol of the same name. Only programs
// that were linked with that version find it.
const versionHidden = 0x8000

// readExported reads the symbols that a file gives out to others: the default version of
// each name.
func (f *File) readExported() error {
	syms, err := f.dynamics()
	if errors.Is(err, elf.ErrNoSymbols) {
		return nil
	}
	if err != nil {
		return errorf(Broken, "a damaged table of dynamic symbols (%w)", err)
	}
	known := make(map[label]int, len(f.Symbols))
	for i := range f.Symbols {
		known[f.Symbols[i].label()] = i
	}
	_, versions := f.Section(".gnu.version")
	for i := range syms {
		if at := 2 * (i + 1); at+2 <= len(versions) && order.Uint16(versions[at:])&versionHidden != 0 {
			continue // the table begins with a symbol that DynamicSymbols leaves out
		}
		sym, ok := f.symbol(&syms[i])
		if !ok || !sym.Global {
			continue
		}
		if n, ok := known[sym.label()]; ok {
			f.Symbols[n].Global = true
			continue
		}
		f.Symbols = append(f.Symbols, sym)
	}
	return nil
}

// Separate is the file that has a program's or a library's debug information, taken out of it.
type Separate struct {
	Path, SHA256 string
	size         int
	sections     *elf.File
}

// AddSeparate takes the symbols of a file with a library's debug information, which say
// nothing of what the library gives out. It has the library's build-id.
func (f *File) AddSeparate(path string, data []byte) error {
	if f.Symbols == nil {
		return errTruncated
	}
	separate, err := openSeparate(path, data)
	if err != nil {
		return err
	}
	sections := separate.sections
	if separate.buildID() != f.BuildID() {
		return errorf(Broken, "%s: another build-id", path)
	}
	var syms []elf.Symbol
	if err := Guard(func() (err error) { syms, err = sections.Symbols(); return err }); err != nil {
		return err
	}
	known := make(map[label]bool, len(f.Symbols))
	for i := range f.Symbols {
		known[f.Symbols[i].label()] = true
	}
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

func openSeparate(path string, data []byte) (*Separate, error) {
	if len(data) < headerSize64 || checkIdent(data) != nil || isNarrow(data) || shoffBeyond(data) {
		return nil, errTruncated
	}
	sections, err := openSections(data)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return &Separate{Path: path, SHA256: hex.EncodeToString(sum[:]), size: len(data), sections: sections}, nil
}

func (s *Separate) buildID() string { return (&File{Sections: s.sections, Size: s.size}).BuildID() }

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
	if f.Separate == nil || f.Sections.Section(".debug_info") != nil || f.library && (f.libc != NoLibc || f.named(libcParts...) || f.named(compilers...)) {
		return f.Sections, f.Size
	}
	return f.Separate.sections, f.Separate.size
}
