package linux

import (
	"encoding/binary"
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Types of auxiliary vector entries (System V ABI for AMD64, and Linux).
const (
	atNull     = 0
	atPhdr     = 3
	atPhent    = 4
	atPhnum    = 5
	atPagesz   = 6
	atBase     = 7
	atFlags    = 8
	atEntry    = 9
	atUID      = 11
	atEUID     = 12
	atGID      = 13
	atEGID     = 14
	atPlatform = 15
	atHWCAP    = 16
	atClktck   = 17
	atSecure   = 23
	atRandom   = 25
	atHWCAP2   = 26
	atExecfn   = 31
)

const (
	userID     = 1000
	clockTicks = 100
	// hwcap is cpuid(1).edx of a baseline x86-64.
	hwcap = 0x078bfbff
)

// randomBytes are those at AT_RANDOM: glibc makes the stack canary and the
// pointer guard of them, so they are the same in every run.
var randomBytes = []byte("landgo's fixed\x00\x01")

// Boot loads the guest, lays out its first stack, and returns the registers at
// its entry point. It comes before the machine's first mark.
func (k *Kernel) Boot() (emu.Regs, error) {
	var used uint64
	for i := range k.img.Segments {
		s := &k.img.Segments[i]
		mapped := k.loader.mapsAtStart(s)
		if !mapped && !s.Exec {
			continue
		}
		if err := k.host.Machine.Load(s.Addr, s.Data); err != nil {
			return emu.Regs{}, fmt.Errorf("loading the guest: %w", err)
		}
		if !mapped {
			continue
		}
		k.host.Machine.Protect(s.Addr, s.MemSize, emu.ProtOf(s.Read, s.Write, s.Exec))
		used += s.MemSize
	}
	stack := k.space.stack
	used += stack.size()
	if used > k.space.limit {
		return emu.Regs{}, kernel.Errorf(kernel.GapMemory, "the guest needs %d bytes to start and may have %d", used, k.space.limit)
	}
	k.space.used = effect.At(wordMemory, used)
	k.host.Machine.Protect(stack.lo, stack.size(), emu.ProtOf(true, true, k.img.ExecStack))
	sp, err := k.loader.buildStack()
	if err != nil {
		return emu.Regs{}, err
	}
	entry, _ := k.loader.begins()
	return emu.Regs{RIP: entry, RSP: sp, RFLAGS: abi.FlagsOfUser}, nil
}

// loader lays the first thread's stack out, with what the program finds there.
type loader struct {
	now   *doing
	cfg   *Config
	img   *elffile.File
	space *space
}

// buildStack writes, downwards from the stack's end: strings and random bytes,
// then the words that the ABI wants at the entry (argc, argv, environment,
// auxiliary vector). It returns the stack pointer.
func (d *loader) buildStack() (uint64, error) {
	b := stackBuilder{top: d.space.stack.hi}
	args := d.cfg.Args
	if len(args) == 0 {
		args = []string{d.img.Path}
	}
	random := b.bytes(randomBytes)
	platform := b.string("x86_64")
	execfn := b.string(exePath)
	envp := b.strings(d.environment())
	argv := b.strings(args)

	_, base := d.begins()
	words := []uint64{uint64(len(args))}
	words = append(append(words, argv...), 0)
	words = append(append(words, envp...), 0)
	words = append(words,
		atHWCAP, hwcap,
		atPagesz, abi.PageSize,
		atClktck, clockTicks,
		atPhdr, d.img.PhdrAddr,
		atPhent, uint64(d.img.Phent),
		atPhnum, uint64(d.img.Phnum),
		atBase, base,
		atFlags, 0,
		atEntry, d.img.Entry,
		atUID, userID, atEUID, userID, atGID, userID, atEGID, userID,
		atSecure, 0,
		atRandom, random,
		atHWCAP2, 0,
		atExecfn, execfn,
		atPlatform, platform,
		atNull, 0,
	)
	size := uint64(len(words)) * 8
	sp := (b.top - b.size - size) &^ 15
	// Linux allows a quarter of the stack for all of this.
	if b.top-sp > d.space.stack.size()/4 {
		return 0, kernel.Errorf(kernel.GapArguments, "the guest's arguments and environment don't fit on its stack")
	}
	block := make([]byte, b.top-sp)
	for i, w := range words {
		binary.LittleEndian.PutUint64(block[i*8:], w)
	}
	b.copyTo(block)
	if err := d.now.host.Machine.Load(sp, block); err != nil {
		return 0, fmt.Errorf("writing the guest's first stack: %w", err)
	}
	return sp, nil
}

// stackBuilder puts things below each other.
type stackBuilder struct {
	top    uint64
	size   uint64   // of all pieces, each padded
	pieces [][]byte // the first is the highest
}

// bytes puts p at the next lower multiple of 16 and returns its address.
func (b *stackBuilder) bytes(p []byte) uint64 {
	b.pieces = append(b.pieces, p)
	b.size += padded(p)
	return b.top - b.size
}

func padded(p []byte) uint64 { return (uint64(len(p)) + 15) &^ 15 }

// copyTo copies the pieces to the end of a block of zeros.
func (b *stackBuilder) copyTo(block []byte) {
	at := uint64(len(block))
	for _, p := range b.pieces {
		at -= padded(p)
		copy(block[at:], p)
	}
}

func (b *stackBuilder) string(s string) uint64 {
	return b.bytes(append([]byte(s), 0))
}

// strings puts each of list and returns their addresses.
func (b *stackBuilder) strings(list []string) []uint64 {
	addrs := make([]uint64, 0, len(list))
	for _, s := range list {
		addrs = append(addrs, b.string(s))
	}
	return addrs
}
