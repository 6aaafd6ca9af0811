package pebbles

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
)

// The address space of a Pebbles task:
//
//	0 .......... userStart   the kernel's own: never mapped for the guest
//	userStart .. mainTop     the image and what new_pages maps, where the guest wants it
//	             mainTop     top of the main stack; the page above stays unmapped
//
// The real kernel keeps its data in the low part. This one has none. But the
// words of its state that one thread can change and another can observe have
// addresses there all the same. A call records its reads and writes of such a
// word like any other bytes, or names it as its operation's object. So
// dependence, and the end of a spin around a call, need no rules of their own.
const (
	space     = 1 << 32
	userStart = elffile.PebblesStart
	mainTop   = space - abi.PageSize

	statusWord = 0x1000 // the task's exit status
	inputWord  = 0x1008 // how far the input has been read
	outputWord = 0x1010 // the printed bytes
	runWords   = 0x10000
	joinWords  = 0x100000
	pageWords  = 0x800000
	wordSize   = 8
)

// runWord is the address of the word that says whether a thread exists and can
// run.
func runWord(t trace.TID) uint64 { return runWords + uint64(t)*wordSize }

// pageWord is the address of the word that says how a page is mapped; those of
// neighbours lie side by side. Words of pages, and not the bytes in them,
// because a large object should have few words.
func pageWord(addr uint64) uint64 { return pageWords + addr/abi.PageSize*wordSize }

// MachineConfig is the machine that a Pebbles guest runs on.
func MachineConfig(img *elffile.File) emu.Config {
	// The addresses above the guest's are for the bits of a heap.
	c := emu.Config{Mode: emu.X86_64, Space: 2 * space, Uniprocessor: true}
	if img.Machine == elffile.I386 {
		c.Mode = emu.I386
	}
	for _, r := range img.Code {
		c.Code = append(c.Code, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	return c
}

// UserRange is where a guest can have memory.
func UserRange() emu.Range { return emu.Range{Lo: userStart, Hi: space} }

func checkLayout(img *elffile.File, cfg *Config) error {
	stack := mainTop - cfg.StackSize
	if cfg.StackSize > mainTop-userStart {
		return fmt.Errorf("a main stack of %d bytes doesn't fit: give a smaller one", cfg.StackSize)
	}
	for i := range img.Segments {
		s := &img.Segments[i]
		if unneeded(s) {
			continue
		}
		if s.Addr < userStart {
			return kernel.Errorf(kernel.GapLayout, "a segment at %#x lies in the kernel's part of the address space, below %#x: link with -Wl,-Ttext-segment=%#[2]x", s.Addr, uint64(userStart))
		}
		if s.Addr+s.MemSize > stack {
			return kernel.Errorf(kernel.GapLayout, "a segment at %#x reaches into the main stack at %#x: link at a lower address", s.Addr, stack)
		}
	}
	return nil
}

// unneeded: a segment that a linker makes by itself right below the text, when
// it is told to put that at userStart. The real kernel goes by sections, and
// doesn't load it either.
func unneeded(s *elffile.Segment) bool { return s.Headers && s.Addr+s.MemSize <= userStart }
