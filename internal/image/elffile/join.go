package elffile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Join makes one File of a program and the parts that it is made of when it runs. It is
// the program's own, with the segments, the code and the symbols of all. A name means
// what it means to the dynamic linker: its definition in the first part, in the order
// given, that gives it out. Sections, entry point and thread-local storage are the
// program's alone. They are of its own file still, and each part has its own.
func Join(program *File, beside []*File) (*File, error) {
	f := *program
	f.Parts = append([]*File{program}, beside...)
	f.Segments, f.Code, f.Symbols = nil, nil, make([]Symbol, 0, symbolsOf(f.Parts)+maxChosen)
	for i, p := range f.Parts {
		f.Segments = append(f.Segments, p.Segments...)
		f.Code = append(f.Code, p.Code...)
		f.Symbols = append(f.Symbols, p.Symbols...)
		if l := p.libc; l != NoLibc && i > 0 {
			if f.libc != NoLibc && f.libc != l {
				return nil, errorf(Unlinked, "%s: it needs two C libraries, %v and %v", f.Path, f.libc, l)
			}
			f.libc = l
		}
	}
	sort.Slice(f.Segments, func(i, j int) bool { return f.Segments[i].Addr < f.Segments[j].Addr })
	sort.Slice(f.Code, func(i, j int) bool { return f.Code[i].Lo < f.Code[j].Lo })
	for i := 1; i < len(f.Segments); i++ {
		if s, next := &f.Segments[i-1], &f.Segments[i]; s.Addr+s.MemSize > next.Addr {
			return nil, errorf(TooLarge, "%s: its segments at %#x and those of a library at %#x overlap", f.Path, s.Addr, next.Addr)
		}
	}
	f.Stripped = program.Stripped
	f.orderSymbols()
	f.listPlaces()
	f.nameAsLinked()
	for _, p := range beside {
		p.Functions, p.objects = f.within(p, f.Functions), f.within(p, f.objects)
	}
	f.errnoSlot = f.findErrno()
	return &f, nil
}

// maxChosen is room for the functions that a dynamic linker chooses: glibc's has some hundred.
const maxChosen = 256

func symbolsOf(parts []*File) (n int) {
	for _, p := range parts {
		n += len(p.Symbols)
	}
	return n
}

// within are those of a list that are a part's, by address. So the part has a list of its own.
func (f *File) within(p *File, list []Symbol) []Symbol {
	if len(p.Segments) == 0 {
		return nil
	}
	at := func(addr uint64) int { return sort.Search(len(list), func(i int) bool { return list[i].Addr >= addr }) }
	lo, hi := at(p.Segments[0].Addr), at(p.End())
	return list[lo:hi:hi]
}

// nameAsLinked has names mean what they mean to the dynamic linker. Where no part gives
// a name out, it is what the program itself, then its parts, call so.
func (f *File) nameAsLinked() {
	names := make(map[string]int, len(f.Symbols))
	for _, global := range []bool{true, false} {
		before := 0
		for _, p := range f.Parts {
			for i := range p.Symbols {
				s := &p.Symbols[i]
				if s.Global != global {
					continue
				}
				if _, known := names[s.Name]; known {
					continue
				}
				j := before + i // the parts lie one behind the other, but for symbols outside of them
				if f.Symbols[j].compare(s) != 0 {
					j, _ = slices.BinarySearchFunc(f.Symbols, s, func(a Symbol, b *Symbol) int { return a.compare(b) })
				}
				names[s.Name] = j
			}
			before += len(p.Symbols)
		}
	}
	f.byName = func() map[string]int { return names }
}

// PartAt is the part that has an address, nil for a static program's and for none.
func (f *File) PartAt(addr uint64) *File {
	for _, p := range f.Parts {
		if n := len(p.Segments); n > 0 && addr >= p.Segments[0].Addr && addr < p.Segments[n-1].Addr+p.Segments[n-1].MemSize {
			return p
		}
	}
	return nil
}

// End is behind the last address of a file's segments.
func (f *File) End() uint64 {
	if len(f.Segments) == 0 {
		return f.Base
	}
	s := &f.Segments[len(f.Segments)-1]
	return s.Addr + s.MemSize
}

// PartsDigest is a digest of all parts, and of where the program's names are from; "" for a static
// program that has them itself.
func (f *File) PartsDigest() string {
	if len(f.Parts) == 0 && f.Separate == nil {
		return ""
	}
	h := sha256.New()
	for _, p := range f.Parts[min(1, len(f.Parts)):] {
		fmt.Fprintln(h, p.SHA256, p.Path)
	}
	if f.Separate != nil {
		fmt.Fprintln(h, f.Separate.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Interpreter is the part that is the dynamic linker, nil for a static program.
func (f *File) Interpreter() *File {
	if len(f.Parts) < 2 {
		return nil
	}
	return f.Parts[1]
}

// libcParts begin the names of what older C libraries have in files of their own; compilers
// begin those of the libraries that come with a compiler.
var (
	libcParts = []string{"ld-linux-x86-64.so", "libpthread.so", "librt.so", "libdl.so", "libm.so", "libanl.so"}
	compilers = []string{"libgcc_s.so", "libstdc++.so", "libgomp.so", "libatomic.so", "libc++.so", "libc++abi.so", "libunwind.so"}
)

// OfLibc reports whether the code at an address is of the C library's files, in a program
// that has a dynamic linker. These are the library itself, its dynamic linker, and those
// parts that older versions had in files of their own.
func (f *File) OfLibc(addr uint64) bool {
	p := f.PartAt(addr)
	return p != nil && p.library && (p.libc != NoLibc || p == f.Interpreter() || p.named(libcParts...))
}

// OfRuntime is OfLibc for the libraries that come with a compiler, too.
func (f *File) OfRuntime(addr uint64) bool {
	if f.OfLibc(addr) {
		return true
	}
	p := f.PartAt(addr)
	return p != nil && p.library && p.named(compilers...)
}

func (f *File) named(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(f.Dynamic.Name, n) })
}
