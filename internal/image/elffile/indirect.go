package elffile

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
	"sort"
)

// Functions that are chosen at start-up (STT_GNU_IFUNC): a C library has several of its
// string functions, for processors that can do more or less. The dynamic linker's
// choices are in the words that it filled in for their callers.

// Slot is a word that the dynamic linker fills in with the address of a function that it
// has chosen, of these names.
type Slot struct {
	Addr  uint64
	Names []string
}

type reloc struct {
	at     uint64
	kind   elf.R_X86_64
	symbol uint32
	addend uint64
}

// relocs calls a function with all relocations of a part.
func (f *File) relocs(do func(reloc)) {
	if f.Sections == nil {
		return
	}
	for _, s := range f.Sections.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		_, b := f.Section(s.Name)
		for ; len(b) >= relaSize64; b = b[relaSize64:] {
			r := decodeAs[elf.Rela64](b)
			do(reloc{f.Base + r.Off, elf.R_X86_64(elf.R_TYPE64(r.Info)), elf.R_SYM64(r.Info), uint64(r.Addend)})
		}
	}
}

// Constants lists the memory of all parts that nothing writes to once their code runs. Some
// segments are read only from the start. The dynamic linker makes others so once it has filled
// them in (vtables, say). And in the words of global offset tables code finds the addresses of
// functions and variables of other files, and of its thread's. Where the linker knew those, no
// relocation is left: the section has them all.
func (f *File) Constants() (list []Range) {
	for _, p := range f.files() {
		for _, s := range p.Segments {
			r := Range{s.Addr, s.Addr + s.MemSize}
			if s.Write {
				r = Range{max(r.Lo, p.relro.Lo), min(r.Hi, p.relro.Hi)}
			}
			if r.Lo < r.Hi {
				list = append(list, r)
			}
		}
		if s, b := p.Section(".got"); s != nil && s.Flags&elf.SHF_ALLOC != 0 {
			list = append(list, Range{p.Base + s.Addr, p.Base + s.Addr + uint64(len(b))})
		}
		p.relocs(func(r reloc) {
			switch r.kind {
			case elf.R_X86_64_GLOB_DAT, elf.R_X86_64_JMP_SLOT, elf.R_X86_64_DTPMOD64, elf.R_X86_64_DTPOFF64, elf.R_X86_64_TPOFF64, elf.R_X86_64_IRELATIVE:
				list = append(list, Range{r.at, r.at + 8})
			}
		})
	}
	return list
}

// Slots lists the words of all parts that hold chosen functions.
func (f *File) Slots() (list []Slot) {
	chosen := map[uint64][]string{} // names by the address of what chooses
	for i := range f.Symbols {
		if s := &f.Symbols[i]; s.Kind == IFunc {
			chosen[s.Addr] = append(chosen[s.Addr], s.Name)
		}
	}
	for _, p := range f.Parts {
		syms, err := p.dynamics()
		if err != nil {
			syms = nil
		}
		p.relocs(func(r reloc) {
			switch r.kind {
			case elf.R_X86_64_IRELATIVE:
				if names := chosen[p.Base+r.addend]; names != nil {
					list = append(list, Slot{r.at, names})
				}
			case elf.R_X86_64_64, elf.R_X86_64_GLOB_DAT, elf.R_X86_64_JMP_SLOT:
				i := int(r.symbol) - 1 // which DynamicSymbols leaves out
				if i < 0 || i >= len(syms) || r.addend != 0 {
					return
				}
				if s, ok := f.Symbol(syms[i].Name); ok && s.Kind == IFunc {
					list = append(list, Slot{r.at, chosen[s.Addr]})
				}
			}
		})
	}
	return list
}

// ErrnoSlot is the word in which glibc's file keeps how far behind a thread's pointer
// errno is; ok if there is one.
func (f *File) ErrnoSlot() (addr uint64, ok bool) { return f.errnoSlot, f.errnoSlot != 0 }

func (f *File) findErrno() (addr uint64) {
	for _, p := range f.Parts {
		if p.libc != Glibc {
			continue
		}
		syms, err := p.dynamics()
		if err != nil {
			return 0
		}
		at := slices.IndexFunc(syms, func(s elf.Symbol) bool {
			return s.Name == "errno" && elf.ST_TYPE(s.Info) == elf.STT_TLS && s.Section != elf.SHN_UNDEF
		})
		if at < 0 {
			return 0
		}
		p.relocs(func(r reloc) {
			if r.kind != elf.R_X86_64_TPOFF64 {
				return
			}
			value := r.addend
			if i := int(r.symbol) - 1; i >= 0 && i < len(syms) {
				if syms[i].Section == elf.SHN_UNDEF {
					return
				}
				value += syms[i].Value
			}
			if value == syms[at].Value {
				addr = r.at
			}
		})
	}
	return addr
}

// AddFunctions takes in functions that a dynamic linker has chosen: code that had no
// name.
func (f *File) AddFunctions(list []Symbol) {
	known := func(addr uint64) bool {
		n := sort.Search(len(f.Symbols), func(i int) bool { return f.Symbols[i].Addr > addr })
		return n > 0 && f.Symbols[n-1].Addr == addr && f.Symbols[n-1].Kind != IFunc
	}
	var fresh []Symbol
	for _, s := range list {
		if !known(s.Addr) {
			fresh = append(fresh, s)
		}
	}
	if len(fresh) == 0 {
		return
	}
	slices.SortFunc(fresh, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Name, b.Name))
	})
	names := f.names()
	f.insert(slices.Compact(fresh), names)
	f.listPlaces()
	f.byName = func() map[string]int { return names }
}

// insert puts in symbols, where names go on to mean what they mean.
func (f *File) insert(fresh []Symbol, names map[string]int) {
	slices.SortFunc(fresh, func(a, b Symbol) int { return a.compare(&b) })
	before := make([]int, len(fresh)) // how many symbols each comes behind
	for i := range fresh {
		before[i], _ = slices.BinarySearchFunc(f.Symbols, &fresh[i], func(a Symbol, b *Symbol) int { return a.compare(b) })
	}
	old := len(f.Symbols)
	f.Symbols = append(f.Symbols, fresh...)
	for i := len(fresh) - 1; i >= 0; i-- {
		copy(f.Symbols[before[i]+i+1:old+i+1], f.Symbols[before[i]:old])
		f.Symbols[before[i]+i], old = fresh[i], before[i]
	}
	for name, i := range names {
		moved, _ := slices.BinarySearch(before, i+1)
		names[name] = i + moved
	}
}

// Refers reports whether a file has a dynamic symbol of one of these names. The program has a
// dynamic linker, and the libraries of C and of the compiler are left out. The symbol is its
// own, or one that it asks for. A file that can't be read has.
func (f *File) Refers(names ...string) bool {
	for i, p := range f.Parts {
		if i > 0 && f.OfRuntime(p.Base) {
			continue
		}
		syms, err := p.dynamics()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			return true
		}
		for _, s := range syms {
			if slices.Contains(names, s.Name) {
				return true
			}
		}
	}
	return false
}

// Filled is what the dynamic linker puts into words of memory that hold addresses of the same
// file, by the words' addresses. Nothing writes to these words after it (Constants).
func (f *File) Filled() map[uint64]uint64 {
	list, constants := map[uint64]uint64{}, f.Constants()
	for _, p := range f.files() {
		p.relocs(func(r reloc) {
			if r.kind == elf.R_X86_64_RELATIVE && slices.ContainsFunc(constants, func(c Range) bool { return r.at >= c.Lo && r.at < c.Hi }) {
				list[r.at] = p.Base + r.addend
			}
		})
	}
	return list
}

// files are the program's file, and those that it was linked with.
func (f *File) files() []*File {
	if len(f.Parts) == 0 {
		return []*File{f}
	}
	return f.Parts
}

// MayCall reports whether the program or a library of its own may call a function of the C
// library that no other part of it calls. A static program has it only then. One without
// symbols may.
func (f *File) MayCall(name string) bool {
	if len(f.Parts) > 0 {
		return f.Refers(name)
	}
	_, ok := f.Symbol(name)
	return ok || f.Stripped
}

// Mentions reports whether the address of a function may be in code or data. It looks for a word,
// for half a word where the file has a fixed place, and for the distance in a call, a jump or a
// lea. Bytes may look so by chance. A file knows no address in another one: what it calls there it has
// by name (Refers).
func (f *File) Mentions(addr uint64) bool {
	files := f.files()
	if p := f.PartAt(addr); p != nil {
		files = []*File{p}
	}
	for _, p := range files {
		for i := range p.Segments {
			s := &p.Segments[i]
			for at := 0; at+4 <= len(s.Data); at++ {
				half := binary.LittleEndian.Uint32(s.Data[at:])
				switch next := uint32(s.Addr) + uint32(at) + 4; {
				case p.Base == 0 && half == uint32(addr), s.Exec && half+next == uint32(addr) && takesDistance(s.Data[:at]):
					return true
				case half == uint32(addr-p.Base) && at+8 <= len(s.Data) && binary.LittleEndian.Uint64(s.Data[at:]) == addr-p.Base:
					return true
				}
			}
		}
	}
	return false
}

// takesDistance reports whether code ends with the opcode of a call, a jump or a lea that has a
// distance of four bytes.
func takesDistance(code []byte) bool {
	if len(code) < 2 {
		return true
	}
	first, last := code[len(code)-2], code[len(code)-1]
	return last == 0xe8 || last == 0xe9 || first == 0x0f && last&0xf0 == 0x80 || first == 0x8d && last&0xc7 == 5
}
