package bare

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
)

// machine is the rest of emu.Machine that a board uses.
type machine interface {
	Set(p *uint64, v uint64)
	Undo(f func())
	StartBoard(gdt uint64, size uint32)
	StartPaging(tables uint64)
	HasPaging() bool
}

// memory is the machine's.
type memory interface {
	Load(addr uint64, p []byte) error
	Bytes(addr, n uint64) []byte
	Protect(addr, size uint64, p emu.Prot)
	DeviceBytes(addr, n uint64) []byte
}

// Config is the input of a kernel.
type Config struct {
	// Cmdline is the command line, as a boot loader passes it.
	Cmdline string
	// OutputLimit is the number of bytes of output that are kept.
	OutputLimit uint64
	// Memory is the size of memory in bytes; 0: 64 MiB.
	Memory uint64
	// Loader is how the kernel begins, where no multiboot loader starts it; nil: one does.
	Loader *profile.Loader
	// Disks are the contents of up to abi.MaxDisks drives, first of the first channel; nil:
	// there is none in that place.
	Disks [][]byte
}

// Board is a PC.
type Board struct {
	cfg Config
	img *elffile.File
	mem memory
	m   machine

	output  []byte // only the first `printed` count
	printed uint64
	pic     [2]controller
	local   local
	io      io
	serial  serial
	disks   [abi.MaxDisks / 2]channel
	drives  [abi.MaxDisks]*drive
	cmos    uint64 // the register that is chosen
	speaker uint64 // bits of port 0x61
	retrace uint64 // bits of port 0x3da
	typed   uint64 // of the word that switches off
	ended   flag   // it was switched off
	status  uint64
}

// New makes a board for a kernel. Boot puts the kernel into its memory.
func New(mem memory, m machine, img *elffile.File, cfg Config) *Board {
	if cfg.Memory == 0 {
		cfg.Memory = defaultMemory
	}
	b := &Board{cfg: cfg, img: img, mem: mem, m: m}
	for i, file := range cfg.Disks {
		b.drives[i] = newDrive(file)
	}
	for i := range b.disks {
		b.disks[i].Status, b.disks[i].Error = diskReady|diskSeeked, 1
	}
	b.resetAPICs()
	b.fillPlain()
	return b
}

// Output is the kernel's output: to the serial line, or if that was never used,
// the text on its screen. There is one console, descriptor 1.
func (b *Board) Output(fd int) []byte {
	if fd != 1 {
		return nil
	}
	if b.printed == 0 {
		return b.screen()
	}
	return b.output[:b.printed]
}

func (b *Board) print(c byte) error {
	if b.cfg.OutputLimit > 0 && b.printed >= b.cfg.OutputLimit {
		return fmt.Errorf("the kernel has written more than %d bytes: raise --max-output", b.cfg.OutputLimit)
	}
	b.output = append(b.output[:b.printed], c)
	b.m.Set(&b.printed, b.printed+1)
	return nil
}

// Ended reports whether the machine was switched off, and its status: 0 unless
// the kernel says otherwise.
func (b *Board) Ended() (status uint64, ended bool) { return b.status, b.ended.on() }

func (b *Board) end(status uint64) {
	b.m.Set(&b.status, status)
	b.turn(&b.ended, true)
}
