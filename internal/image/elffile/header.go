package elffile

import (
	"bytes"
	"debug/elf"
)

// The ELF header and program headers are decoded here and not by debug/elf,
// because an error should tell the guest's author how to cure it. Only files
// that pass here are worth the parsing of sections.

// header is the loader's part of a file's headers.
type header struct {
	machine Machine
	base    uint64 // load base
	entry   uint64 // as in the file
	phoff   uint64
	phent   int
	progs   []elf.ProgHeader
}

func parseHeader(data []byte) (*header, error) {
	if err := checkIdent(data); err != nil {
		return nil, err
	}
	h := &header{machine: X86_64}
	size := headerSize64
	if isNarrow(data) {
		h.machine, size = I386, headerSize32
	}
	if len(data) < size {
		return nil, errTruncated
	}
	file := decodeHeader(data)
	if err := checkMachine(h.machine, elf.Machine(file.Machine)); err != nil {
		return nil, err
	}
	typ := elf.Type(file.Type)
	if err := checkType(typ); err != nil {
		return nil, err
	}
	h.entry = file.Entry
	if err := h.readProgs(&file, data); err != nil {
		return nil, err
	}
	if err := h.checkStatic(data, typ); err != nil {
		return nil, err
	}
	if typ == elf.ET_DYN {
		h.base = PIEBase
	}
	return h, nil
}

var errTruncated = errorf(Broken, "the ELF file is truncated")

func checkIdent(data []byte) error {
	if len(data) == 0 {
		return errorf(NotELF, "the file is empty")
	}
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return errorf(NotELF, "not an ELF file")
	}
	if len(data) < elf.EI_NIDENT+4 {
		return errTruncated
	}
	if elf.Data(data[elf.EI_DATA]) == elf.ELFDATA2MSB {
		return errorf(WrongMachine, "a big-endian ELF file")
	}
	class := elf.Class(data[elf.EI_CLASS])
	if elf.Data(data[elf.EI_DATA]) != elf.ELFDATA2LSB || (class != elf.ELFCLASS32 && class != elf.ELFCLASS64) {
		return errorf(Broken, "a damaged ELF header (class or byte order)")
	}
	return nil
}

func checkMachine(want Machine, m elf.Machine) error {
	switch {
	case m == elf.EM_X86_64 && want == X86_64, m == elf.EM_386 && want == I386:
		return nil
	case m == elf.EM_X86_64:
		return errorf(WrongMachine, "an x32 ELF file (32-bit pointers on x86-64)")
	case m == elf.EM_386:
		return errorf(Broken, "a damaged ELF header (64-bit file for i386)")
	}
	return errorf(WrongMachine, "an ELF file for another machine (%v)", m)
}

func checkType(t elf.Type) error {
	switch t {
	case elf.ET_EXEC, elf.ET_DYN:
		return nil
	case elf.ET_REL:
		return errorf(NotProgram, "a relocatable object file")
	case elf.ET_CORE:
		return errorf(NotProgram, "a core dump")
	}
	return errorf(NotProgram, "an ELF file of unknown type %#x", uint16(t))
}

// readProgs decodes the program headers.
func (h *header) readProgs(file *elf.Header64, data []byte) error {
	h.phoff, h.phent = file.Phoff, progSize64
	if h.machine == I386 {
		h.phent = progSize32
	}
	size, num := int(file.Phentsize), int(file.Phnum)
	const maxProgs = 1024 // linkers make about ten; 0xffff says that the number is elsewhere
	switch {
	case num == 0:
		return errorf(NoCode, "no program headers, so nothing to load")
	case num > maxProgs:
		return errorf(Broken, "a damaged ELF header (%d program headers)", num)
	case size != h.phent:
		return errorf(Broken, "a damaged ELF header (program headers of %d bytes)", size)
	case h.phoff > uint64(len(data)) || uint64(num*size) > uint64(len(data))-h.phoff:
		return errTruncated
	}
	for i := 0; i < num; i++ {
		h.progs = append(h.progs, decodeProg(h.machine, data[h.phoff+uint64(i*size):]))
	}
	return nil
}

// checkStatic distinguishes a static executable, position-independent or not,
// from one that needs a dynamic linker.
func (h *header) checkStatic(data []byte, typ elf.Type) error {
	errDynamic := errorf(Dynamic, "dynamically linked, and landgo has no dynamic linker")
	var dynamic []byte
	for _, p := range h.progs {
		switch p.Type {
		case elf.PT_INTERP:
			return errDynamic
		case elf.PT_DYNAMIC:
			if p.Off <= uint64(len(data)) && p.Filesz <= uint64(len(data))-p.Off {
				dynamic = data[p.Off : p.Off+p.Filesz]
			}
		}
	}
	tags := h.dynamicTags(dynamic)
	if typ == elf.ET_DYN {
		_, named := tags[elf.DT_SONAME]
		pie := elf.DynFlag1(tags[elf.DT_FLAGS_1])&elf.DF_1_PIE != 0
		if named || h.entry == 0 || (dynamic != nil && !pie) {
			return errorf(NotProgram, "a shared library")
		}
		if h.machine == I386 {
			return errorf(NotProgram, "a position-independent i386 executable: link with -no-pie")
		}
	}
	if _, needed := tags[elf.DT_NEEDED]; needed {
		return errDynamic
	}
	return nil
}

// dynamicTags decodes a dynamic section; a tag that repeats has its last value.
func (h *header) dynamicTags(b []byte) map[elf.DynTag]uint64 {
	tags := map[elf.DynTag]uint64{}
	size := 16
	if h.machine == I386 {
		size = 8
	}
	for ; len(b) >= size; b = b[size:] {
		tag, value := elf.DynTag(order.Uint32(b)), uint64(order.Uint32(b[4:]))
		if size == 16 {
			tag, value = elf.DynTag(order.Uint64(b)), order.Uint64(b[8:])
		}
		switch tag {
		case elf.DT_NULL:
			return tags
		case elf.DT_NEEDED, elf.DT_SONAME, elf.DT_FLAGS_1:
			tags[tag] = value
		}
	}
	return tags
}

// openSections parses the section headers, which a file may do without.
func openSections(data []byte) (f *elf.File, err error) {
	if shoffBeyond(data) {
		return nil, errTruncated
	}
	if err := checkSections(data); err != nil {
		return nil, err
	}
	err = Guard(func() (err error) {
		f, err = elf.NewFile(bytes.NewReader(data))
		return err
	})
	if err != nil {
		return nil, errorf(Broken, "damaged ELF section headers (%w)", err)
	}
	return f, nil
}

// shoffBeyond: the section headers, which linkers put last, are beyond the
// file's end. Preconditions: parseHeader accepted data.
func shoffBeyond(data []byte) bool {
	file := decodeHeader(data)
	size := uint64(file.Shentsize) * uint64(file.Shnum)
	return file.Shoff > uint64(len(data)) || size > uint64(len(data))-file.Shoff
}
