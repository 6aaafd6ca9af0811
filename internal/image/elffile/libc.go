package elffile

import (
	"bytes"
	"debug/elf"
	"strings"
)

// Libc is the C library inside a static executable.
type Libc uint8

const (
	// NoLibc: freestanding, or unknown.
	NoLibc Libc = iota
	Glibc
	Musl
)

func (l Libc) String() string {
	return [...]string{"none", "glibc", "musl"}[l]
}

// Kernel is the system that an executable seems to be made for.
type Kernel uint8

const (
	// UnknownKernel: nothing in the file says so.
	UnknownKernel Kernel = iota
	// Linux: system calls.
	Linux
	// Pebbles: traps of the Pebbles interface.
	Pebbles
	// Bare: it is a kernel itself, and owns the machine.
	Bare
)

func (k Kernel) String() string {
	return [...]string{"unknown", "linux", "pebbles", "bare"}[k]
}

// PebblesSymbol is defined, with any value, by an executable for Pebbles; an
// ELF note whose owner is PebblesNote says the same and survives strip.
const (
	PebblesSymbol = "__pebbles_abi"
	PebblesNote   = "Pebbles"

	// PebblesStart is where Pebbles has its programs' text.
	PebblesStart = 0x1000000
)

// Libc says which C library was linked in.
func (f *File) Libc() Libc { return f.libc }

// recognizeLibc goes by symbols that each library always links, and which
// programs don't define. In a stripped file it goes by the rest: the names of
// glibc's sections, its ABI note and its messages. A stripped musl program has
// nothing of the kind and counts as NoLibc.
func (f *File) recognizeLibc() Libc {
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := f.names()[n]; !ok {
				return false
			}
		}
		return true
	}
	switch {
	case has("__libc_start_main", "__libc_setup_tls"):
		return Glibc
	case has("__libc_start_main", "__init_libc"):
		return Musl
	case f.library && has("__libc_start_main", "gnu_get_libc_version"):
		return Glibc
	case f.library && has("__libc_start_main", "__libc_current_sigrtmin", "pthread_create"):
		return Musl
	case f.library, f.Dynamic.Interpreter != "": // its library is another file
		return NoLibc
	case !f.Stripped:
		return NoLibc
	case f.Sections.Section("__libc_freeres_fn") != nil, f.Sections.Section("__libc_IO_vtables") != nil:
		return Glibc
	}
	for _, s := range f.Segments {
		if bytes.Contains(s.Data, []byte("Fatal glibc error")) {
			return Glibc
		}
	}
	return NoLibc
}

// SaysPebbles: the file itself says that it is for Pebbles, by the symbol or by
// the note.
func (f *File) SaysPebbles() bool {
	_, ok := f.names()[PebblesSymbol]
	return ok || f.noted
}

// hasNote looks for an owner among the notes of a segment.
func hasNote(data []byte, p elf.ProgHeader, owner string) bool {
	if p.Off > uint64(len(data)) || p.Filesz > uint64(len(data))-p.Off {
		return false
	}
	align := uint64(4)
	if p.Align == 8 {
		align = 8
	}
	b := data[p.Off : p.Off+p.Filesz]
	for len(b) >= noteSize {
		n := decodeAs[noteHeader](b)
		rest := uint64(len(b) - noteSize)
		if uint64(n.Name) > rest {
			return false
		}
		if strings.TrimRight(string(b[noteSize:noteSize+int(n.Name)]), "\x00") == owner {
			return true
		}
		// Offsets of the description and of the next note, from the note's start.
		desc := (uint64(noteSize) + uint64(n.Name) + align - 1) &^ (align - 1)
		next := (desc + uint64(n.Desc) + align - 1) &^ (align - 1)
		if next > uint64(len(b)) {
			return false
		}
		b = b[next:]
	}
	return false
}
