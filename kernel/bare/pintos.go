package bare

import (
	"encoding/binary"
	"strings"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/kernel"
)

// The data that the loader of a Pintos kernel leaves in memory: its arguments,
// the size of memory, and page tables. Landgo begins behind the code that made
// them, for in the original that is of real mode and asks the BIOS.

// Where the loader's sector, at 0x7c00, has the arguments: their number, and a
// byte later than four each of them, ended by 0.
const (
	args64At, args32At = 0x7d7a, 0x7d3a
	argsRoom           = 128

	memoryMapAt = 0x7000 // a multiboot information, in the x86-64 one

	tables32At  = 0xf000 // a page directory, and from the next page on its tables
	stack32At   = 0xf000
	ramPages    = "init_ram_pages" // how many there are, in the i386 one
	presentable = 3                // present, writable
	largePage   = 1 << 7
	largeSize   = 2 << 20
)

// bootPintos puts such a kernel into memory, and returns the registers where it
// begins.
func (b *Board) bootPintos() (regs emu.Regs, err error) {
	if !b.m.HasPaging() {
		return regs, kernel.Errorf(kernel.GapPaging, "the kernel has page tables that put it elsewhere: landgo needs libunicorn 2.1 or newer for it")
	}
	var code, tables uint64
	regs = emu.Regs{RIP: b.img.Pintos.Begin, RFLAGS: fixedFlags}
	if b.img.Machine == image.X86_64 {
		code, tables = codeSegment64, b.img.Pintos.Tables-b.img.Bias
		regs.RSP = b.img.Bias + image.PageSize
		err = b.pintos64(tables)
	} else {
		code, tables = codeSegment32, tables32At
		regs.RSP = b.img.Bias + stack32At - b.img.Machine.Word()
		err = b.pintos32()
	}
	if err != nil {
		return regs, err
	}
	var table []byte
	for _, d := range []uint64{0, code, dataSegment} {
		table = binary.LittleEndian.AppendUint64(table, d)
	}
	if err := b.load(gdtAt, table); err != nil {
		return regs, err
	}
	b.m.StartPaging(tables)
	b.m.StartBoard(b.img.Bias+gdtAt, uint32(len(table)))
	return regs, nil
}

// pintos64: the first memory at its own addresses and at the kernel's, by tables
// where the kernel's own code would make them.
func (b *Board) pintos64(tables uint64) error {
	if b.img.Pintos.Tables == 0 || b.img.Bias>>39 == 0 || b.img.Bias>>30&511 != 0 {
		return kernel.Errorf(kernel.GapLayout, "a kernel at %#x, without boot_pml4e: only pintos-kaist is known of this kind", b.img.Bias)
	}
	const page = image.PageSize
	top, middle, bottom := make([]byte, page), make([]byte, page), make([]byte, page)
	put := binary.LittleEndian.PutUint64
	put(top, tables+page|presentable)
	put(top[b.img.Bias>>39&511*8:], tables+page|presentable)
	put(middle, tables+2*page|presentable)
	for at := uint64(0); at < b.cfg.Memory; at += largeSize {
		put(bottom[at/largeSize*8:], at|presentable|largePage)
		put(bottom[(b.img.Bias>>21&511+at/largeSize)*8:], at|presentable|largePage)
	}
	for i, p := range [][]byte{top, middle, bottom} {
		if err := b.load(tables+uint64(i)*page, p); err != nil {
			return err
		}
	}
	if err := b.memoryMap(memoryMapAt); err != nil {
		return err
	}
	return b.arguments(args64At)
}

// pintos32: 4 KiB pages, at their own addresses and at the kernel's.
func (b *Board) pintos32() error {
	const page, entries = image.PageSize, 1024
	directory := make([]byte, page)
	put := binary.LittleEndian.PutUint32
	for i := range uint64(pintos32Memory / page / entries) {
		at := tables32At + (i+1)*page
		table := make([]byte, page)
		for j := range uint64(entries) {
			put(table[4*j:], uint32((i*entries+j)*page|presentable))
		}
		if err := b.load(at, table); err != nil {
			return err
		}
		put(directory[4*i:], uint32(at|presentable))
		put(directory[4*(i+b.img.Bias>>22):], uint32(at|presentable))
	}
	if err := b.load(tables32At, directory); err != nil {
		return err
	}
	pages, ok := b.img.Symbol(ramPages)
	if !ok {
		return kernel.Errorf(kernel.GapLayout, "a kernel without %s, in which Pintos has the size of memory", ramPages)
	}
	if err := b.load(pages.Addr-b.img.Bias, binary.LittleEndian.AppendUint32(nil, pintos32Memory/page)); err != nil {
		return err
	}
	return b.arguments(args32At)
}

// pintos32Memory is the memory that the tables below the kernel have room for.
const pintos32Memory = 16 << 20

// arguments are the words of the command line, as the loader has them.
func (b *Board) arguments(at uint64) error {
	words := strings.Fields(b.cfg.Cmdline)
	text := []byte(strings.Join(append(words, ""), "\x00"))
	if len(text) > argsRoom {
		return kernel.Errorf(kernel.GapArguments, "a command line of more than %d bytes", argsRoom-1)
	}
	return b.load(at, append(binary.LittleEndian.AppendUint32(nil, uint32(len(words))), text...))
}
