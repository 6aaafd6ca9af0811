package pebbles

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/kernel"
)

// Boot loads the guest, lays out the main stack, and returns the registers at
// the entry _main(argc, argv, stack_high, stack_low). It comes before the
// machine's first mark.
func (k *Kernel) Boot() (emu.Regs, error) {
	for i := range k.img.Segments {
		s := &k.img.Segments[i]
		if unneeded(s) {
			continue
		}
		if err := k.mem.Load(s.Addr, s.Data); err != nil {
			return emu.Regs{}, fmt.Errorf("loading the guest: %w", err)
		}
		k.m.Protect(s.Addr, s.MemSize, emu.ProtOf(s.Read, s.Write, s.Exec))
	}
	low := mainTop - k.cfg.StackSize
	k.m.Protect(low, k.cfg.StackSize, emu.ProtRead|emu.ProtWrite)
	return k.enterMain(low)
}

// enterMain writes, downwards from the stack's end, the strings of argv, argv
// itself, ended by a null pointer, and the frame of the call of _main.
func (k *Kernel) enterMain(low uint64) (emu.Regs, error) {
	args := k.cfg.Args
	if len(args) == 0 {
		args = []string{"guest"}
	}
	var text []byte
	var offsets []uint64
	for _, a := range args {
		offsets = append(offsets, uint64(len(text)))
		text = append(append(text, a...), 0)
	}
	size := uint64(len(args)+1)*k.form.word + uint64(len(text))
	// A quarter of the stack, as elsewhere, is for arguments.
	if size > k.cfg.StackSize/4 {
		return emu.Regs{}, kernel.Errorf(kernel.GapArguments, "the guest's arguments don't fit on its stack")
	}
	strings := mainTop - uint64(len(text))
	var words []byte
	for _, o := range offsets {
		words = k.form.append(words, strings+o)
	}
	words = k.form.append(words, 0)
	argv := (strings - uint64(len(words))) &^ 15

	regs := emu.Regs{RFLAGS: abi.FlagsOfUser}
	frame := k.form.enter(&regs, k.img.Entry, argv, uint64(len(args)), argv, mainTop, low)
	for _, b := range []struct {
		addr uint64
		data []byte
	}{{strings, text}, {argv, words}, {regs.RSP, frame}} {
		if err := k.mem.Load(b.addr, b.data); err != nil {
			return emu.Regs{}, fmt.Errorf("writing the guest's main stack: %w", err)
		}
	}
	return regs, nil
}
