package pebbles

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/kernel"
)

// form has the differences between the 64-bit interface and the i386 one: the
// word (in argument packets, argv and the register frame), functions'
// arguments, and the frame's registers.
type form struct {
	word  uint64
	frame []frameWord // the register frame (ureg), lowest address first
	// inRegisters: functions get their arguments in registers, not on the stack.
	inRegisters bool
}

var (
	form64 = form{word: 8, frame: frame64, inRegisters: true}
	form32 = form{word: 4, frame: frame32}
)

// abiVersion is the value of the mark that an image carries.
const abiVersion = 1

// checkVersion refuses an image for another version of the interface. A
// stripped image says nothing, and counts as one for this.
func checkVersion(img *elffile.File) error {
	s, ok := img.Symbol(elffile.PebblesSymbol)
	if !ok {
		return nil
	}
	b := img.Bytes(s.Addr, 4)
	if len(b) < 4 {
		return kernel.Errorf(kernel.GapCall, "%s isn't initialised data: link the guest with the runtime's crt0.S", elffile.PebblesSymbol)
	}
	if v := binary.LittleEndian.Uint32(b); v != abiVersion {
		return kernel.Errorf(kernel.GapCall, "the guest is built for version %d of the pebbles interface, this landgo has version %d: build it with this landgo's guests/pebbles", v, abiVersion)
	}
	return nil
}

// argument is the one argument of a call, or the address of its packet.
func (f *form) argument(r *emu.Regs) uint64 {
	if f.word == 4 {
		return uint64(uint32(r.RSI))
	}
	return r.RSI
}

func (f *form) setResult(r *emu.Regs, v int64) {
	if f.word == 4 {
		r.RAX = uint64(uint32(v))
		return
	}
	r.RAX = uint64(v)
}

// read is the word at an address.
func (f *form) read(m memory, addr uint64) uint64 {
	if f.word == 4 {
		return uint64(m.Read32(addr))
	}
	return m.Read64(addr)
}

// append adds a word to a block of memory.
func (f *form) append(p []byte, v uint64) []byte {
	if f.word == 4 {
		return binary.LittleEndian.AppendUint32(p, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(p, v)
}

// enter makes regs enter a function, which never returns, with arguments, on
// the stack below top. It returns the block of memory that has to be written
// at the new stack pointer: a return address of zero, and the arguments where
// they are passed there.
func (f *form) enter(regs *emu.Regs, function, top uint64, args ...uint64) []byte {
	block := f.append(nil, 0)
	regs.RIP = function
	if f.inRegisters {
		for i, r := range []*uint64{&regs.RDI, &regs.RSI, &regs.RDX, &regs.RCX}[:len(args)] {
			*r = args[i]
		}
		regs.RSP = top&^15 - f.word
		return block
	}
	for _, a := range args {
		block = f.append(block, a)
	}
	// The arguments begin at a multiple of 16.
	regs.RSP = (top-uint64(len(args))*f.word)&^15 - f.word
	return block
}
