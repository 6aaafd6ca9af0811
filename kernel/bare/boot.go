package bare

import (
	"encoding/binary"
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/kernel"
)

// Segments of the descriptor table that a kernel finds: flat, of ring 0, and
// marked as accessed, so that loading one writes nothing.
const (
	codeSegment64 = 0x00209b0000000000
	codeSegment32 = 0x00cf9b000000ffff
	dataSegment   = 0x00cf93000000ffff

	code32Selector = 24

	multibootMagic = 0x2badb002
)

// farReturn is the trampoline of a machine that begins in 64-bit mode: lretq.
var farReturn = []byte{0x48, 0xcb}

// Boot puts the kernel into memory as a multiboot loader does, header or none: each
// segment at its physical address. It returns the registers at its entry. The processor is in protected mode with interrupts off, without
// paging, and ebx has the address of the multiboot information. A kernel for
// x86-64 begins in 32-bit code as well: such loaders offer nothing else.
func (b *Board) Boot() (emu.Regs, error) {
	b.mem.Protect(0, b.cfg.Memory, emu.ProtRead|emu.ProtWrite)
	for i := range b.img.Segments {
		s := &b.img.Segments[i]
		if err := b.mem.Load(b.img.Physical(s.Addr), s.Data); err != nil {
			return emu.Regs{}, fmt.Errorf("loading the kernel: %w", err)
		}
	}
	for _, r := range b.img.Code {
		b.mem.Protect(b.img.Physical(r.Lo), r.Hi-r.Lo, emu.ProtRead|emu.ProtWrite|emu.ProtExec)
	}
	l := b.cfg.Loader
	if l != nil && l.Tables != 0 {
		return b.bootLoaded()
	}
	if b.img.Bias != 0 && !b.m.HasPaging() {
		return emu.Regs{}, kernel.Errorf(kernel.GapPaging, "the kernel is linked %#x above where it is loaded: landgo needs libunicorn 2.1 or newer for its page tables", b.img.Bias)
	}
	if err := b.multiprocessor(); err != nil {
		return emu.Regs{}, err
	}
	if err := b.checkHeader(); err != nil {
		return emu.Regs{}, err
	}
	if err := b.information(); err != nil {
		return emu.Regs{}, err
	}
	entry, stack := b.entry(), uint64(stackAt)
	if l != nil {
		if err := b.told(b.cfg.Memory); err != nil {
			return emu.Regs{}, err
		}
		entry = b.img.Physical(l.Entry)
		if l.Stack != 0 {
			stack = l.Stack
		}
	}
	regs := emu.Regs{RAX: multibootMagic, RBX: multibootAt, RSP: stack, RIP: entry, RFLAGS: abi.FlagsFixed}
	code := uint64(codeSegment32)
	if b.img.Machine == elffile.X86_64 {
		code = codeSegment64
		b.mem.Protect(trampolineAt, abi.PageSize, emu.ProtRead|emu.ProtExec)
		if err := b.load(trampolineAt, farReturn); err != nil {
			return emu.Regs{}, err
		}
		var frame []byte
		frame = binary.LittleEndian.AppendUint64(frame, entry)
		frame = binary.LittleEndian.AppendUint64(frame, code32Selector)
		regs.RIP, regs.RSP = trampolineAt, stack-uint64(len(frame))
		if err := b.load(regs.RSP, frame); err != nil {
			return emu.Regs{}, err
		}
	}
	var table []byte
	for _, d := range []uint64{0, code, dataSegment, codeSegment32} {
		table = binary.LittleEndian.AppendUint64(table, d)
	}
	if err := b.load(gdtAt, table); err != nil {
		return emu.Regs{}, err
	}
	b.m.StartBoard(gdtAt, uint32(len(table)))
	return regs, nil
}

func (b *Board) load(at uint64, p []byte) error {
	if err := b.mem.Load(at, p); err != nil {
		return fmt.Errorf("preparing the machine: %w", err)
	}
	return nil
}

// Fields of the multiboot information.
const (
	hasMemory  = 1 << 0
	hasCmdline = 1 << 2
	hasMap     = 1 << 6

	flagsField, lowerField, upperField, cmdlineField, mapLenField, mapField = 0, 4, 8, 16, 44, 48

	informationSize = 88
	entrySize       = 24
	usable          = 1
)

// information writes the multiboot information: memory, its map, and the command
// line.
func (b *Board) information() error {
	if len(b.cfg.Cmdline) >= cmdlineRoom {
		return kernel.Errorf(kernel.GapArguments, "a command line of more than %d bytes", cmdlineRoom-1)
	}
	if err := b.load(cmdlineAt, append([]byte(b.cfg.Cmdline), 0)); err != nil {
		return err
	}
	return b.memoryMap(multibootAt)
}

// usableMemory is where memory is, and how much of it.
func (b *Board) usableMemory() [2][2]uint64 {
	return [2][2]uint64{{0, lowerMemory}, {firstMegabyte, b.cfg.Memory - firstMegabyte}}
}

// memoryMap writes the multiboot information.
func (b *Board) memoryMap(where uint64) error {
	info := make([]byte, informationSize+2*entrySize)
	put := func(at, v int) { binary.LittleEndian.PutUint32(info[at:], uint32(v)) }
	put(flagsField, hasMemory|hasCmdline|hasMap)
	put(lowerField, lowerMemory>>10)
	put(upperField, int((b.cfg.Memory-firstMegabyte)>>10))
	put(cmdlineField, cmdlineAt)
	put(mapLenField, 2*entrySize)
	put(mapField, int(where)+informationSize)
	for i, r := range b.usableMemory() {
		at := informationSize + i*entrySize
		put(at, entrySize-4)
		binary.LittleEndian.PutUint64(info[at+4:], r[0])
		binary.LittleEndian.PutUint64(info[at+12:], r[1])
		put(at+20, usable)
	}
	return b.load(where, info)
}
