package profile

import (
	"fmt"
	"slices"
	"strconv"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/yaml"
)

// The loader of a profile: how a kernel begins that no multiboot loader can start. Its own
// loader may make page tables, and leave data for it in memory; landgo puts the same
// things there, and begins behind that code.

// LoaderProfile is the section of a profile's text.
type LoaderProfile struct {
	Line                    int
	Entry                   Named // "": where the file says
	Above                   uint64
	Tables, Stack           Named // "": paging is off, and the stack anywhere
	MemoryBIOS              Named // "": none
	MemoryMap, MemoryPages  Named // "": none
	Arguments               Named // "": none
	Mapped, ArgumentsLength uint64
}

// Loader is a profile's loader, found in the image. Addresses in memory are physical.
type Loader struct {
	// Entry is where the kernel begins, at its own address, with paging on; without page
	// tables at the one of its memory.
	Entry uint64
	// Above is by how much its addresses are above those of its memory; 0: by as much as
	// the file says.
	Above uint64
	// Tables is where there is room for page tables: on i386 for a directory and a table
	// for each 4 MiB of Memory, on x86-64 for three. 0: paging is off.
	Tables uint64
	// Stack is the stack pointer's first value; 0: anywhere.
	Stack uint64
	// MemoryMap is where a multiboot information tells of memory, and MemoryPages where a word of
	// 4 bytes has its size in pages. MemoryBIOS is where the BIOS' map of it is (e820): a number
	// in 4 bytes, and this many entries of 20. 0: nowhere.
	MemoryMap, MemoryPages, MemoryBIOS uint64
	// Arguments is the room for the command line's words: their number in 4 bytes, then
	// each with a null byte behind it. Empty: the kernel gets none.
	Arguments elffile.Range
	// Memory is how much memory is mapped and reported to the kernel, in bytes; 0: all.
	Memory uint64
}

var (
	loaderKeys    = []string{"entry", "above", "tables", "stack", "memory", "memory-map", "memory-pages", "memory-bios", "arguments"}
	argumentsKeys = []string{"at", "room"}
)

const (
	aboveUnit    = 4 << 20 // the memory that a page directory's entry maps
	maxArguments = abi.PageSize
)

func (k *KernelProfile) readLoader(f *field) error {
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "%s has to be a mapping with the keys %v; this is %v", f.Key.Text, loaderKeys, f.Value.Kind)
	}
	l := &LoaderProfile{Line: f.Key.Line}
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		var err error
		switch g.Key.Text {
		case "entry":
			l.Entry, err = g.named()
		case "above":
			l.Above, err = strconv.ParseUint(g.Value.Text, 0, 64)
			if err != nil || l.Above == 0 || l.Above%aboveUnit != 0 {
				err = wrong(g.Key.Line, "want a distance of addresses, a multiple of %#x, got %q", aboveUnit, g.Value.Text)
			}
		case "tables":
			l.Tables, err = g.place()
		case "stack":
			l.Stack, err = g.place()
		case "memory":
			if l.Mapped, err = g.size(); err == nil && (l.Mapped > maxMemory || l.Mapped%(aboveUnit>>20) != 0) {
				err = wrong(g.Key.Line, "want the memory that is mapped in MiB, a multiple of 4 up to %d, got %d", maxMemory, l.Mapped)
			}
		case "memory-map":
			l.MemoryMap, err = g.place()
		case "memory-pages":
			l.MemoryPages, err = g.place()
		case "memory-bios":
			l.MemoryBIOS, err = g.place()
		case "arguments":
			err = l.readArguments(g)
		default:
			err = unknown(g.Key.Line, fmt.Sprintf("unknown key %q of a loader", g.Key.Text), g.Key.Text, loaderKeys)
		}
		if err != nil {
			return err
		}
	}
	switch paged := l.Tables.Name != ""; {
	case paged && l.Stack.Name == "":
		return wrong(l.Line, "a loader with tables has stack")
	case !paged && l.Mapped != 0:
		return wrong(l.Line, "a loader without tables maps no memory: leave memory out")
	}
	k.Loader = l
	return nil
}

func (l *LoaderProfile) readArguments(f *field) (err error) {
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "%s has to be a mapping with the keys %v; this is %v", f.Key.Text, argumentsKeys, f.Value.Kind)
	}
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		switch {
		case !slices.Contains(argumentsKeys, g.Key.Text):
			err = unknown(g.Key.Line, fmt.Sprintf("unknown key %q of a loader's arguments", g.Key.Text), g.Key.Text, argumentsKeys)
		case g.Key.Text == "at":
			l.Arguments, err = g.place()
		default:
			if l.ArgumentsLength, err = g.size(); err == nil && l.ArgumentsLength > maxArguments {
				err = wrong(g.Key.Line, "want room for arguments of up to %d bytes, got %d", maxArguments, l.ArgumentsLength)
			}
		}
		if err != nil {
			return err
		}
	}
	if l.Arguments.Name == "" || l.ArgumentsLength == 0 {
		return wrong(f.Key.Line, "a loader's arguments have at and room")
	}
	return nil
}

// place is a field's value as a place in memory: its address, or a symbol.
func (f *field) place() (Named, error) {
	if n, err := strconv.ParseUint(f.Value.Text, 0, 64); err == nil && f.Value.Kind == yaml.Scalar {
		if n == 0 || n >= maxMemory<<20 {
			return Named{}, wrong(f.Key.Line, "want an address in the machine's memory, below %#x, got %q", maxMemory<<20, f.Value.Text)
		}
		return Named{Name: f.Value.Text, Line: f.Value.Line}, nil
	}
	return f.named()
}

// loader finds what a profile's loader names. It is nil if there is none, or if a multiboot
// loader can start the kernel: with the header, and one distance from all its addresses.
func (f *finder) loader(l *LoaderProfile) *Loader {
	if l == nil || f.info.Multiboot() != nil && !f.info.Scattered() {
		return nil
	}
	bias := f.info.Bias
	if l.Above != 0 {
		bias = l.Above
	}
	place := func(n Named) uint64 {
		if at, err := strconv.ParseUint(n.Name, 0, 64); err == nil || n.Name == "" {
			return at
		}
		s, ok := f.info.Symbol(n.Name)
		if !ok {
			f.fail(n, fmt.Sprintf("the guest has no symbol %s", n.Name))
		}
		if s.Addr < bias {
			return s.Addr
		}
		return s.Addr - bias
	}
	out := &Loader{Above: l.Above, Memory: l.Mapped << 20, Tables: place(l.Tables), Stack: place(l.Stack), MemoryMap: place(l.MemoryMap), MemoryPages: place(l.MemoryPages), MemoryBIOS: place(l.MemoryBIOS)}
	if l.Entry.Name == "" {
		if out.Entry = f.info.Entry; out.Tables != 0 && out.Entry < bias {
			out.Entry += bias
		}
	} else if entry, ok := f.info.Symbol(l.Entry.Name); ok && f.info.IsCode(entry.Addr) {
		out.Entry = entry.Addr
	} else {
		f.fail(l.Entry, fmt.Sprintf("the guest has no code at a symbol %s, where its loader would begin", l.Entry.Name))
	}
	if l.Arguments.Name != "" {
		at := place(l.Arguments)
		out.Arguments = elffile.Range{Lo: at, Hi: at + l.ArgumentsLength}
	}
	return out
}
