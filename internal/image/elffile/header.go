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
	dynamic Dynamic
}

// parseHeader reads the headers of an executable, or of what a program's dynamic linker
// loads beside it.
func parseHeader(data []byte, as role) (*header, error) {
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
	if err := h.readDynamic(data); err != nil {
		return nil, err
	}
	if as.library {
		if typ != elf.ET_DYN {
			return nil, errorf(NotProgram, "an executable, and not a shared library")
		}
		h.base = as.base
		return h, nil
	}
	if err := h.checkProgram(typ); err != nil {
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

// checkProgram distinguishes an executable, position-independent or not, from a shared
// library, which is a file of the same type.
func (h *header) checkProgram(typ elf.Type) error {
	d := &h.dynamic
	if typ == elf.ET_DYN {
		if d.Name != "" || h.entry == 0 || (d.found && !d.pie && d.Interpreter == "") {
			return errorf(NotProgram, "a shared library")
		}
		if h.machine == I386 {
			return errorf(NotProgram, "a position-independent i386 executable: link with -no-pie")
		}
	}
	switch {
	case h.machine == I386 && d.Interpreter != "":
		return errorf(WrongMachine, "a dynamically linked i386 program")
	case d.Interpreter == "" && len(d.Needed) > 0:
		return errorf(Unlinked, "it needs %s and names no dynamic linker", d.Needed[0])
	}
	return nil
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
