package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// The ELF header and program headers are decoded here and not by debug/elf,
// because what is wrong with a guest should be said in terms of what its
// author can do, and because only what passes here is worth the parsing of
// sections.

// header is what the loader needs of a file's headers.
type header struct {
	machine Machine
	base    uint64 // load base
	entry   uint64 // as in the file
	phoff   uint64
	phent   int
	progs   []prog
}

// prog is one program header.
type prog struct {
	Type                             elf.ProgType
	Flags                            elf.ProgFlag
	Off, Addr, FileSize, MemSize, Al uint64
	Physical                         uint64 // the address in memory before there are page tables
}

var order = binary.LittleEndian

func parseHeader(data []byte) (*header, error) {
	if err := checkIdent(data); err != nil {
		return nil, err
	}
	h := &header{machine: X86_64, phent: 56}
	ehsize := 64
	if elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS32 {
		h.machine, h.phent, ehsize = I386, 32, 52
	}
	if len(data) < ehsize {
		return nil, errTruncated
	}
	if err := checkMachine(h.machine, elf.Machine(order.Uint16(data[18:]))); err != nil {
		return nil, err
	}
	typ := elf.Type(order.Uint16(data[16:]))
	if err := checkType(typ); err != nil {
		return nil, err
	}
	if err := h.readProgs(data); err != nil {
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
func (h *header) readProgs(data []byte) error {
	var entsize, num int
	if h.machine == X86_64 {
		h.entry, h.phoff = order.Uint64(data[24:]), order.Uint64(data[32:])
		entsize, num = int(order.Uint16(data[54:])), int(order.Uint16(data[56:]))
	} else {
		h.entry, h.phoff = uint64(order.Uint32(data[24:])), uint64(order.Uint32(data[28:]))
		entsize, num = int(order.Uint16(data[42:])), int(order.Uint16(data[44:]))
	}
	const maxProgs = 1024 // linkers make about ten; 0xffff says that the number is elsewhere
	switch {
	case num == 0:
		return errorf(NoCode, "no program headers, so nothing to load")
	case num > maxProgs:
		return errorf(Broken, "a damaged ELF header (%d program headers)", num)
	case entsize != h.phent:
		return errorf(Broken, "a damaged ELF header (program headers of %d bytes)", entsize)
	case h.phoff > uint64(len(data)) || uint64(num*entsize) > uint64(len(data))-h.phoff:
		return errTruncated
	}
	for i := 0; i < num; i++ {
		h.progs = append(h.progs, decodeProg(h.machine, data[h.phoff+uint64(i*entsize):]))
	}
	return nil
}

func decodeProg(m Machine, b []byte) prog {
	if m == I386 {
		at := func(i int) uint64 { return uint64(order.Uint32(b[i:])) }
		return prog{Type: elf.ProgType(at(0)), Off: at(4), Addr: at(8), Physical: at(12), FileSize: at(16),
			MemSize: at(20), Flags: elf.ProgFlag(at(24)), Al: at(28)}
	}
	at := func(i int) uint64 { return order.Uint64(b[i:]) }
	return prog{Type: elf.ProgType(order.Uint32(b)), Flags: elf.ProgFlag(order.Uint32(b[4:])),
		Off: at(8), Addr: at(16), Physical: at(24), FileSize: at(32), MemSize: at(40), Al: at(48)}
}

// checkStatic tells a static executable, position-independent or not, from
// what needs a dynamic linker.
func (h *header) checkStatic(data []byte, typ elf.Type) error {
	errDynamic := errorf(Dynamic, "dynamically linked, and landgo has no dynamic linker")
	var dynamic []byte
	for _, p := range h.progs {
		switch p.Type {
		case elf.PT_INTERP:
			return errDynamic
		case elf.PT_DYNAMIC:
			if p.Off <= uint64(len(data)) && p.FileSize <= uint64(len(data))-p.Off {
				dynamic = data[p.Off : p.Off+p.FileSize]
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
	word := 8
	if h.machine == I386 {
		word = 4
	}
	for ; len(b) >= 2*word; b = b[2*word:] {
		tag, value := order.Uint64(b), uint64(0)
		if word == 4 {
			tag, value = uint64(order.Uint32(b)), uint64(order.Uint32(b[4:]))
		} else {
			value = order.Uint64(b[8:])
		}
		if elf.DynTag(tag) == elf.DT_NULL {
			break
		}
		switch t := elf.DynTag(tag); t {
		case elf.DT_NEEDED, elf.DT_SONAME, elf.DT_FLAGS_1:
			tags[t] = value
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
	err = guard(func() (err error) {
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
	if elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS32 {
		end := uint64(order.Uint32(data[32:])) + uint64(order.Uint16(data[46:]))*uint64(order.Uint16(data[48:]))
		return end > uint64(len(data))
	}
	off := order.Uint64(data[40:])
	size := uint64(order.Uint16(data[58:])) * uint64(order.Uint16(data[60:]))
	return off > uint64(len(data)) || size > uint64(len(data))-off
}
