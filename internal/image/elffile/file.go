package elffile

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"landgo/internal/host"
)

// Machine is the processor that a file is for.
type Machine uint8

const (
	// X86_64 is ELF64 for x86-64.
	X86_64 Machine = iota
	// I386 is ELF32 for i386.
	I386
)

func (m Machine) String() string {
	return [...]string{"x86-64", "i386"}[m]
}

// Word is the size of a general register and of a pushed word.
func (m Machine) Word() uint64 {
	if m == I386 {
		return 4
	}
	return 8
}

// WordMask has the bits of a word.
func (m Machine) WordMask() uint64 {
	if m == I386 {
		return 1<<32 - 1
	}
	return 1<<64 - 1
}

// PIEBase is the load address of position-independent executables. It is low
// enough for short addresses in reports, and clear of the usual 0x400000, so
// that an address shows the kind of its file. It is always the same, because a
// schedule must replay.
const PIEBase = 0x10000000

const (
	maxFileSize = 1 << 30
	MaxMemSize  = 1 << 30 // of all segments together
)

// File is an executable as plain data, without what its debug information says.
type File struct {
	Path    string
	SHA256  string // of the file, in hex
	Machine Machine
	// Kernel is the system that the file seems to be made for. A file doesn't
	// always say it: its reader sets it, with what profiles know.
	Kernel Kernel
	Entry  uint64
	Base   uint64 // added to the file's addresses: 0, or PIEBase
	// Bias is, of a kernel, by how much its addresses are above those of its
	// memory once it has page tables: see Physical.
	Bias uint64
	// Segments in ascending order, not overlapping, page aligned.
	Segments []Segment
	// Code lists the page-aligned ranges that hold instructions, ascending,
	// adjacent ones joined.
	Code []Range
	// PhdrAddr is where the guest finds its program headers (AT_PHDR), 0 if
	// no segment holds them. Phnum and Phent are their number and size.
	PhdrAddr     uint64
	Phnum, Phent int
	relro        Range // what a dynamic linker makes read only (PT_GNU_RELRO)
	// ExecStack: the stack may be executed (functions within functions, of gcc's).
	ExecStack bool
	// TLS is the initial thread-local storage; nil without any.
	TLS *TLS
	// Symbols of functions and data, by address, then by name's rank (see
	// Symbol). Empty if stripped.
	Symbols []Symbol
	// Functions by address: one for each, with its best name.
	Functions []Symbol
	Stripped  bool

	Sections *elf.File
	Separate *Separate             // nil: none is installed
	NoDebug  string                // the file that should have the program's debug information, and isn't there
	byName   func() map[string]int // index in Symbols, made when first asked for
	objects  []Symbol              // the same of data
	libc     Libc
	noted    bool // it has the note of a program for Pebbles
	Size     int  // of the file
	content  []byte

	// Dynamic is what the file says to a dynamic linker.
	Dynamic Dynamic
	// Parts are, of a program that has a dynamic linker, the files that it is made of
	// when it runs: see Join. The first is the program itself.
	Parts []*File
	// Data is the file's content, as its own dynamic linker is to find it: of a part.
	Data      []byte
	errnoSlot uint64 // see ErrnoSlot; 0: there is none
	// library: it was read as a part beside the program.
	library bool
	// dynamics are the symbols that the file gives out to others, or asks them for.
	dynamics func() ([]elf.Symbol, error)
}

// role is what a file is read as.
type role struct {
	library bool   // beside a program
	base    uint64 // of a library
}

// Open reads the executable at path.
func Open(path string) (*File, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Parse(path, f, size)
}

// FileSHA256 is the digest of the file at path, in hex, as File.SHA256 has it.
// Nothing else is asked of the file.
func FileSHA256(path string) (string, error) {
	f, size, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum, err := digest(io.LimitReader(f, min(size, maxFileSize)))
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", path, err)
	}
	return sum, nil
}

// openFile opens a regular file.
func openFile(path string) (f *os.File, size int64, err error) {
	// Asked before it is opened, for opening a pipe waits for its writer.
	info, err := host.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%s: %w: check the path", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read the guest: %w", err)
	}
	if !info.Mode.IsRegular() {
		return nil, 0, errorf(Unreadable, "%s: not a regular file", path)
	}
	if f, err = host.Open(path); err != nil {
		return nil, 0, fmt.Errorf("cannot read the guest: %w", err)
	}
	return f, info.Size, nil
}

// Parse makes a File of an executable of size bytes. The reader isn't used
// after it returned.
func Parse(name string, r io.ReaderAt, size int64) (*File, error) {
	if size > maxFileSize {
		return nil, errorf(TooLarge, "%s: larger than 1 GiB", name)
	}
	data := make([]byte, max(size, 0))
	if n, err := r.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return parseAs(name, data, role{})
}

func parseAs(name string, data []byte, as role) (*File, error) {
	f, err := parse(data, as)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.Path = name
	return f, nil
}

func parse(data []byte, as role) (*File, error) {
	h, err := parseHeader(data, as)
	if err != nil {
		return nil, err
	}
	sum := digesting(bytes.NewReader(data), int64(len(data)))
	f := &File{
		Machine: h.machine,
		Base:    h.base,
		Entry:   h.entry + h.base,
		Phnum:   len(h.progs),
		Phent:   h.phent,
		Size:    len(data),
		content: data,
		Dynamic: h.dynamic,
		library: as.library,
	}
	if err := f.addSegments(h, data); err != nil {
		return nil, err
	}
	if f.Sections, err = openSections(data); err != nil {
		return nil, err
	}
	f.dynamics = sync.OnceValues(func() (syms []elf.Symbol, err error) {
		err = Guard(func() (err error) { syms, err = f.Sections.DynamicSymbols(); return err })
		return syms, err
	})
	if err := f.addSymbols(); err != nil {
		return nil, err
	}
	f.libc = f.recognizeLibc()
	for _, p := range h.progs {
		f.noted = f.noted || p.Type == elf.PT_NOTE && hasNote(data, p, PebblesNote)
	}
	f.SHA256, err = sum()
	return f, err
}

// Section is the named section and its content, nil if there is none that can
// be read. The content is the file's own: it may not be changed.
func (f *File) Section(name string) (*elf.Section, []byte) {
	if f.Sections == nil { // an image that no file was read for has none
		return nil, nil
	}
	s := f.Sections.Section(name)
	if s == nil || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, nil
	}
	if s.Offset > uint64(len(f.content)) || s.FileSize > uint64(len(f.content))-s.Offset {
		return nil, nil
	}
	return s, f.content[s.Offset : s.Offset+s.FileSize : s.Offset+s.FileSize]
}
