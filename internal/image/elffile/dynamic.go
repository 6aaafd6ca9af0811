package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
)

// Dynamic is what a file says to a dynamic linker: its program headers PT_INTERP and
// PT_DYNAMIC (System V ABI, chapter 5).
type Dynamic struct {
	// Interpreter is the dynamic linker that a program asks for; "": a static program, or
	// a library.
	Interpreter string
	// Name is a library's own name (DT_SONAME), and Needed are those that it needs.
	Name   string
	Needed []string
	// RPath and RunPath are folders to look for these in, with colons between them.
	RPath, RunPath string
	// Finish is the size of the table of functions that run at the program's end.
	Finish uint64

	found, pie bool
}

const (
	maxDynamic = 1 << 14 // entries; linkers make some thirty, and one for each library
	maxNeeded  = 512     // libraries that one file needs
	maxName    = 4096
)

// readDynamic reads what the program headers say to a dynamic linker.
func (h *header) readDynamic(data []byte) error {
	d := &h.dynamic
	for i := range h.progs {
		p := &h.progs[i]
		if p.Type != elf.PT_INTERP && p.Type != elf.PT_DYNAMIC {
			continue
		}
		if p.Off > uint64(len(data)) || p.Filesz > uint64(len(data))-p.Off {
			return errTruncated
		}
		b := data[p.Off : p.Off+p.Filesz]
		if p.Type == elf.PT_INTERP {
			name, ended := cString(b)
			if !ended || name == "" || name[0] != '/' {
				return errorf(Broken, "a damaged program header (the dynamic linker's name)")
			}
			d.Interpreter = name
			continue
		}
		d.found = true
		if err := h.readTags(b, data); err != nil {
			return err
		}
	}
	return nil
}

// readTags reads a dynamic section. A kernel can have one that means nothing: names
// that can't be read are left out, but for those of libraries.
func (h *header) readTags(b, data []byte) error {
	d := &h.dynamic
	size := dynSize(h.machine)
	if len(b) > maxDynamic*size {
		return errorf(Broken, "a dynamic section of %d entries", len(b)/size)
	}
	var needed []uint64
	values := map[elf.DynTag]uint64{}
	for ; len(b) >= size; b = b[size:] {
		e := decodeDyn(h.machine, b)
		tag, value := elf.DynTag(e.Tag), e.Val
		if tag == elf.DT_NULL {
			break
		}
		if tag == elf.DT_NEEDED {
			if needed = append(needed, value); len(needed) > maxNeeded {
				return errorf(Broken, "it needs more than %d libraries", maxNeeded)
			}
			continue
		}
		values[tag] = value
	}
	strings := h.strings(values[elf.DT_STRTAB], values[elf.DT_STRSZ], data)
	at := func(off uint64) (string, bool) {
		if off >= uint64(len(strings)) {
			return "", false
		}
		s, ended := cString(strings[off:min(uint64(len(strings)), off+maxName)])
		return s, ended && s != ""
	}
	for _, off := range needed {
		name, ok := at(off)
		if !ok {
			return errorf(Broken, "a damaged dynamic section (the name of a library)")
		}
		d.Needed = append(d.Needed, name)
	}
	for tag, to := range map[elf.DynTag]*string{elf.DT_SONAME: &d.Name, elf.DT_RPATH: &d.RPath, elf.DT_RUNPATH: &d.RunPath} {
		if off, ok := values[tag]; ok {
			if *to, ok = at(off); !ok && tag == elf.DT_SONAME {
				*to = "?" // it has a name, so it is a library
			}
		}
	}
	d.Finish = values[elf.DT_FINI_ARRAYSZ]
	d.pie = elf.DynFlag1(values[elf.DT_FLAGS_1])&elf.DF_1_PIE != 0
	return nil
}

// strings is the table of names that a dynamic section speaks of by its address.
func (h *header) strings(addr, size uint64, data []byte) []byte {
	for i := range h.progs {
		p := &h.progs[i]
		if p.Type != elf.PT_LOAD || addr < p.Vaddr || addr-p.Vaddr >= p.Filesz {
			continue
		}
		if p.Off > uint64(len(data)) || p.Filesz > uint64(len(data))-p.Off {
			return nil
		}
		b := data[p.Off+(addr-p.Vaddr) : p.Off+p.Filesz]
		return b[:min(size, uint64(len(b)))]
	}
	return nil
}

// cString is a string up to its 0.
func cString(b []byte) (s string, ended bool) {
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		return "", false
	}
	return string(b[:n]), true
}

// BuildID is the identity that a linker gave the file, in hex; "" if it has none. Debug
// information that was taken out of the file lies under that name.
func (f *File) BuildID() string {
	_, b := f.Section(".note.gnu.build-id")
	head := noteSize + len("GNU\x00")
	if len(b) <= head || len(b) > head+64 {
		return ""
	}
	return hex.EncodeToString(b[head:])
}
