package bare

import (
	"encoding/binary"
	"strings"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/kernel"
)

// A kernel whose loader a profile describes (image.Loader). Page tables, the size of
// memory and the arguments are in memory, and the kernel begins behind the code that put
// them there.

const (
	presentable = abi.EntryPresent | abi.EntryWritable
	largeSize   = 2 << 20
	entries32   = 1024 // of a directory, and of a table
	entries64   = 512
)

// bootLoaded puts such a kernel into memory, and returns the registers where it
// begins.
func (b *Board) bootLoaded() (regs emu.Regs, err error) {
	if !b.m.HasPaging() {
		return regs, kernel.Errorf(kernel.GapPaging, "the kernel has page tables that put it elsewhere: landgo needs libunicorn 2.1 or newer for it")
	}
	l := b.cfg.Loader
	mapped := l.Memory
	if mapped == 0 {
		mapped = b.cfg.Memory
	}
	if mapped > b.cfg.Memory {
		return regs, kernel.Errorf(kernel.GapLayout, "the profile's loader maps %d MiB, and the machine has %d MiB of memory", mapped>>20, b.cfg.Memory>>20)
	}
	regs = emu.Regs{RIP: l.Entry, RSP: b.img.Bias + l.Stack, RFLAGS: abi.FlagsFixed}
	code, tables := uint64(codeSegment32), b.tables32
	if b.img.Machine == elffile.X86_64 {
		code, tables = codeSegment64, b.tables64
	}
	if err := tables(mapped); err != nil {
		return regs, err
	}
	if err := b.told(mapped); err != nil {
		return regs, err
	}
	var table []byte
	for _, d := range []uint64{0, code, dataSegment} {
		table = binary.LittleEndian.AppendUint64(table, d)
	}
	if err := b.load(gdtAt, table); err != nil {
		return regs, err
	}
	b.m.StartPaging(l.Tables)
	b.m.StartBoard(b.img.Bias+gdtAt, uint32(len(table)))
	return regs, nil
}

// tables64 maps the first memory at its own addresses and at the kernel's, by large
// pages.
func (b *Board) tables64(mapped uint64) error {
	high, pages := b.img.Bias>>21&(entries64-1), mapped/largeSize
	if b.img.Bias>>39 == 0 || b.img.Bias>>30&(entries64-1) != 0 || high != 0 && high < pages || high+pages > entries64 {
		return kernel.Errorf(kernel.GapLayout, "a kernel linked %#x above its memory: a profile's loader has page tables for %d MiB at the first GiB of 512 only", b.img.Bias, mapped>>20)
	}
	const page = abi.PageSize
	at := b.cfg.Loader.Tables
	top, middle, bottom := make([]byte, page), make([]byte, page), make([]byte, page)
	put := binary.LittleEndian.PutUint64
	put(top, at+page|presentable)
	put(top[b.img.Bias>>39&(entries64-1)*8:], at+page|presentable)
	put(middle, at+2*page|presentable)
	for i := range pages {
		put(bottom[i*8:], i*largeSize|presentable|abi.EntryLarge)
		put(bottom[(high+i)*8:], i*largeSize|presentable|abi.EntryLarge)
	}
	for i, p := range [][]byte{top, middle, bottom} {
		if err := b.load(at+uint64(i)*page, p); err != nil {
			return err
		}
	}
	return nil
}

// tables32 is the same by pages of 4 KiB.
func (b *Board) tables32(mapped uint64) error {
	const page = abi.PageSize
	high, tables := b.img.Bias>>22, mapped/page/entries32
	if high+tables > entries32 {
		return kernel.Errorf(kernel.GapLayout, "a kernel linked %#x above its memory has no addresses for the %d MiB that the profile's loader maps", b.img.Bias, mapped>>20)
	}
	directory := make([]byte, page)
	put := binary.LittleEndian.PutUint32
	for i := range tables {
		at := b.cfg.Loader.Tables + (i+1)*page
		table := make([]byte, page)
		for j := range uint64(entries32) {
			put(table[4*j:], uint32((i*entries32+j)*page|presentable))
		}
		if err := b.load(at, table); err != nil {
			return err
		}
		put(directory[4*i:], uint32(at|presentable))
		put(directory[4*(high+i):], uint32(at|presentable))
	}
	return b.load(b.cfg.Loader.Tables, directory)
}

// told puts into memory what the kernel's loader tells: the size of memory, and the
// command line.
func (b *Board) told(mapped uint64) error {
	l := b.cfg.Loader
	if l.MemoryMap != 0 {
		if err := b.memoryMap(l.MemoryMap); err != nil {
			return err
		}
	}
	if l.MemoryBIOS != 0 {
		if err := b.load(l.MemoryBIOS, b.biosMap()); err != nil {
			return err
		}
	}
	if l.MemoryPages != 0 {
		if err := b.load(l.MemoryPages, binary.LittleEndian.AppendUint32(nil, uint32(mapped/abi.PageSize))); err != nil {
			return err
		}
	}
	return b.arguments(l.Arguments)
}

// arguments are the words of the command line, as the loader has them.
func (b *Board) arguments(at elffile.Range) error {
	words := strings.Fields(b.cfg.Cmdline)
	if at == (elffile.Range{}) {
		if len(words) > 0 {
			return kernel.Errorf(kernel.GapArguments, "the profile's loader has no arguments: the kernel gets no command line")
		}
		return nil
	}
	text := append(binary.LittleEndian.AppendUint32(nil, uint32(len(words))), strings.Join(append(words, ""), "\x00")...)
	if room := at.Hi - at.Lo; uint64(len(text)) > room {
		return kernel.Errorf(kernel.GapArguments, "a command line of more than %d bytes", max(room, 5)-5)
	}
	return b.load(at.Lo, text)
}

// biosMap is memory as the BIOS tells of it.
func (b *Board) biosMap() []byte {
	const size = 20
	ranges := b.usableMemory()
	p := make([]byte, 4+size*len(ranges))
	binary.LittleEndian.PutUint32(p, uint32(len(ranges)))
	for i, r := range ranges {
		e := p[4+size*i:]
		binary.LittleEndian.PutUint64(e, r[0])
		binary.LittleEndian.PutUint64(e[8:], r[1])
		binary.LittleEndian.PutUint32(e[16:], usable)
	}
	return p
}
