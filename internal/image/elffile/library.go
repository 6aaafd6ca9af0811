package elffile

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

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
		return nil, fmt.Errorf("%s: %w", name, errNarrowLibrary)
	}
	f.Data = plainlyAligned(data)
	return f, nil
}

// LibraryFor is an error for a file that is another machine's, by its header. What else may be
// wrong with it is ParseLibrary's to say.
func LibraryFor(name string, data []byte) error {
	var bad *Error
	h, err := parseHeader(data, role{library: true})
	switch {
	case errors.As(err, &bad) && bad.Kind == WrongMachine:
		return fmt.Errorf("%s: %w", name, err)
	case err == nil && h.machine != X86_64:
		return fmt.Errorf("%s: %w", name, errNarrowLibrary)
	}
	return nil
}

var errNarrowLibrary = errorf(WrongMachine, "a library for i386")

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
	f.Symbols = slices.Grow(f.Symbols, len(syms))
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
