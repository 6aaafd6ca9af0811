package elffile

import (
	"cmp"
	"debug/elf"
	"errors"
	"slices"
	"sort"
	"sync"
)

// Kind is the kind of a symbol.
type Kind uint8

const (
	// Func is code.
	Func Kind = iota
	// IFunc is a resolver: code that chooses the function at start-up. The
	// function itself has another address.
	IFunc
	// Object is data.
	Object
	// Label has no type in the file: assembler code or a linker's mark.
	Label
)

// Symbol is a name of an address.
//
// One address often has several names (puts and _IO_puts, pthread_create and
// __pthread_create_2_1). The first by rank is shown: a global or weak one
// before a local one, then the one with the fewest leading underscores. Then
// global comes before weak, then the shorter, then by alphabet. That is the
// name which the user wrote, and always the same.
type Symbol struct {
	Name   string
	Addr   uint64
	Size   uint64 // 0: unknown
	Kind   Kind
	Global bool // global or weak in the sources, not local to a file
	Weak   bool

	end uint64 // of its section; bounds a symbol without a size
}

// compare orders by address, then by rank.
func (s *Symbol) compare(t *Symbol) int {
	if s.Addr != t.Addr {
		return cmp.Compare(s.Addr, t.Addr)
	}
	return cmp.Or(
		first(s.Kind != Label, t.Kind != Label),
		first(s.Global, t.Global),
		cmp.Compare(underscores(s.Name), underscores(t.Name)),
		first(!s.Weak, !t.Weak),
		cmp.Compare(len(s.Name), len(t.Name)),
		cmp.Compare(s.Name, t.Name),
		cmp.Compare(t.Size, s.Size))
}

// first has the one come first for which something is true.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func underscores(name string) (n int) {
	for n < len(name) && name[n] == '_' {
		n++
	}
	return n
}

// label is what a symbol is known by, beside others.
type label struct {
	name string
	addr uint64
}

func (s *Symbol) label() label { return label{s.Name, s.Addr} }

func (f *File) addSymbols() error {
	if err := f.readSymbols(); err != nil {
		return err
	}
	if f.library || f.Dynamic.Interpreter != "" && len(f.Symbols) == 0 {
		if err := f.readExported(); err != nil {
			return err
		}
	}
	f.Stripped = len(f.Symbols) == 0
	f.indexSymbols()
	return nil
}

// readSymbols reads the table of a file that isn't stripped.
func (f *File) readSymbols() error { return f.readSymbolsOf(f.Sections) }

func (f *File) readSymbolsOf(sections *elf.File) error {
	var syms []elf.Symbol
	err := Guard(func() (err error) {
		syms, err = sections.Symbols()
		return err
	})
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return errorf(Broken, "a damaged symbol table (%w)", err)
	}
	// In a position-independent executable the linker makes hidden symbols (all
	// of glibc's exit, abort, malloc) local, and lists them after a file symbol
	// without a name. A profile must find them; other local symbols are some
	// source file's own.
	demoted := false
	f.Symbols = slices.Grow(f.Symbols, len(syms))
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) == elf.STT_FILE {
			demoted = s.Name == ""
		}
		if t := f.TLS; t != nil && elf.ST_TYPE(s.Info) == elf.STT_TLS && s.Name == "errno" && elf.ST_BIND(s.Info) != elf.STB_LOCAL && s.Value+4 <= t.MemSize {
			t.Errno, t.HasErrno = s.Value, true
		}
		if sym, ok := f.symbol(&s); ok {
			// A linker that is given a list of what a program gives out (rustc's is) makes
			// all else local, in its place: a source's own static names aren't hidden.
			hidden := elf.ST_VISIBILITY(s.Other) == elf.STV_HIDDEN
			sym.Global = (sym.Global || demoted || hidden) && !f.library // a library gives out what its dynamic symbols say
			f.Symbols = append(f.Symbols, sym)
		}
	}
	return nil
}

// indexSymbols puts the symbols in order, and makes what is found by them. A library's places
// are listed with the whole program's (Join).
func (f *File) indexSymbols() {
	f.orderSymbols()
	if !f.library {
		f.listPlaces()
	}
	symbols := f.Symbols
	f.byName = sync.OnceValue(func() map[string]int { return namesOf(symbols) })
}

// orderSymbols sorts them: by numbers first, for most have an address of their own.
func (f *File) orderSymbols() {
	if slices.IsSortedFunc(f.Symbols, func(a, b Symbol) int { return a.compare(&b) }) {
		return
	}
	type place struct {
		addr uint64
		i    int
	}
	places := make([]place, len(f.Symbols))
	for i := range f.Symbols {
		places[i] = place{f.Symbols[i].Addr, i}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.addr != b.addr {
			return cmp.Compare(a.addr, b.addr)
		}
		return f.Symbols[a.i].compare(&f.Symbols[b.i])
	})
	sorted := make([]Symbol, len(places))
	for i, p := range places {
		sorted[i] = f.Symbols[p.i]
	}
	f.Symbols = sorted
}

// listPlaces lists functions and variables by the symbols, which are in order.
func (f *File) listPlaces() {
	objects := 0
	for i := range f.Symbols {
		if f.Symbols[i].Kind == Object {
			objects++
		}
	}
	f.Functions, f.objects = make([]Symbol, 0, len(f.Symbols)-objects), make([]Symbol, 0, objects)
	f.addFunctions()
	f.addObjects()
}

// symbol translates one; false for one that names no address of the guest
// (sections, files, undefined and thread-local symbols, versions of a library's).
func (f *File) symbol(s *elf.Symbol) (Symbol, bool) {
	if s.Name == "" || s.Section == elf.SHN_UNDEF || s.Section == elf.SHN_COMMON {
		return Symbol{}, false
	}
	if s.Section == elf.SHN_ABS && s.Value == 0 && s.Size == 0 && elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
		return Symbol{}, false // else each 0 in an instruction would have a version's name
	}
	bind := elf.ST_BIND(s.Info)
	sym := Symbol{
		Name:   s.Name,
		Addr:   s.Value,
		Size:   s.Size,
		Global: bind != elf.STB_LOCAL,
		Weak:   bind == elf.STB_WEAK,
	}
	if s.Section != elf.SHN_ABS {
		sym.Addr += f.Base
	}
	switch elf.ST_TYPE(s.Info) {
	case elf.STT_FUNC:
		sym.Kind = Func
	case elf.STT_GNU_IFUNC:
		sym.Kind = IFunc
	case elf.STT_OBJECT:
		sym.Kind = Object
	case elf.STT_NOTYPE:
		sym.Kind = Label
	default:
		return Symbol{}, false
	}
	if sym.Size > MaxMemSize {
		sym.Size = 0
	}
	if i := int(s.Section); i < len(f.Sections.Sections) {
		section := f.Sections.Sections[i]
		sym.end = section.Addr + section.Size + f.Base
	}
	return sym, true
}

// names is the index of names; nil in an image that no file was read for.
func (f *File) names() map[string]int {
	if f.byName == nil {
		return nil
	}
	return f.byName()
}

// namesOf is an index of symbols: a global one before a local one (there can be several),
// otherwise the lowest address.
func namesOf(symbols []Symbol) map[string]int {
	names := make(map[string]int, len(symbols))
	for i := range symbols {
		old, ok := names[symbols[i].Name]
		if !ok || symbols[i].Global && !symbols[old].Global {
			names[symbols[i].Name] = i
		}
	}
	return names
}

// addObjects lists the best-named object of each address. Like functions,
// they hardly ever overlap.
func (f *File) addObjects() {
	for i := range f.Symbols {
		s, n := &f.Symbols[i], len(f.objects)
		if s.Kind == Object && (n == 0 || f.objects[n-1].Addr != s.Addr) {
			f.objects = append(f.objects, *s)
		}
	}
}

// Extent is the place and the size of the variable that an address lies in; size 0 if
// there is none that the symbols know.
func (f *File) Extent(addr uint64) (lo, size uint64) {
	i := sort.Search(len(f.objects), func(i int) bool { return f.objects[i].Addr > addr }) - 1
	if i < 0 || addr-f.objects[i].Addr >= f.objects[i].Size {
		return 0, 0
	}
	return f.objects[i].Addr, f.objects[i].Size
}

// addFunctions lists the best-named function of each address. Labels count
// only in code without a sized function over them (assembler files).
func (f *File) addFunctions() {
	end := uint64(0) // of the sized functions so far
	for i := range f.Symbols {
		s, n := &f.Symbols[i], len(f.Functions)
		if s.Kind == Object || !f.IsCode(s.Addr) || (n > 0 && f.Functions[n-1].Addr == s.Addr) {
			continue
		}
		if s.Kind == Label && s.Addr < end {
			continue
		}
		f.Functions = append(f.Functions, *s)
		end = max(end, s.Addr+s.Size)
	}
	f.clipFunctions()
}

// clipFunctions ends each function where the next one begins, if they lie over each
// other so much that code would be looked at many times over. Assemblers' entry
// points lie within other functions, but not in such numbers.
func (file *File) clipFunctions() {
	const share = 8
	code, sizes := uint64(0), uint64(0)
	for _, r := range file.Code {
		code += r.Hi - r.Lo
	}
	for i := range file.Functions {
		sizes += min(file.Functions[i].Size, code)
	}
	if sizes <= share*code {
		return
	}
	for i := range file.Functions {
		if f := &file.Functions[i]; i+1 < len(file.Functions) {
			f.Size = min(f.Size, file.Functions[i+1].Addr-f.Addr)
		}
	}
}

// Symbol returns the symbol called name: a global one, if there is one,
// before a file's local one.
func (f *File) Symbol(name string) (Symbol, bool) {
	i, ok := f.names()[name]
	if !ok {
		return Symbol{}, false
	}
	return f.Symbols[i], true
}

// DataSymbols returns all variables by address, each once, under its best name.
func (f *File) DataSymbols() []Symbol { return f.objects }

// SymbolAt returns the function whose code contains addr. One without a size
// reaches to the next function or to its section's end.
func (f *File) SymbolAt(addr uint64) (Symbol, bool) {
	i := sort.Search(len(f.Functions), func(i int) bool { return f.Functions[i].Addr > addr })
	if !f.IsCode(addr) {
		return Symbol{}, false
	}
	// A function may be laid inside another one (assembler's entry points), so
	// the nearest before addr needn't be the one that contains it; nesting is
	// shallow.
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		s := f.Functions[j]
		if addr-s.Addr < s.Size || (s.Size == 0 && j == i-1 && addr < s.end) {
			return s, true
		}
	}
	return Symbol{}, false
}

// ObjectAt returns the data symbol whose bytes contain addr.
func (f *File) ObjectAt(addr uint64) (Symbol, bool) {
	i := sort.Search(len(f.objects), func(i int) bool { return f.objects[i].Addr > addr }) - 1
	if i < 0 || addr-f.objects[i].Addr >= max(f.objects[i].Size, 1) {
		return Symbol{}, false
	}
	return f.objects[i], true
}
