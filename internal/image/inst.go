package image

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/arch/x86/x86asm"
)

// MaxInst is the length of the longest instruction.
const MaxInst = 15

var errInst = errors.New("not an instruction that landgo knows")

// hint is an instruction that only newer processors give a meaning, and that
// the decoder takes for something else.
type hint struct {
	code []byte
	mask byte // of the last byte
	text string
}

// The landing pads of control-flow enforcement, and reading the shadow stack's
// pointer, which does nothing where there is no shadow stack.
var hints = []hint{
	{[]byte{0xf3, 0x0f, 0x1e, 0xfa}, 0xff, "endbr64"},
	{[]byte{0xf3, 0x0f, 0x1e, 0xfb}, 0xff, "endbr32"},
	{[]byte{0xf3, 0x0f, 0x1e, 0xc8}, 0xf8, "rdsspd"},
	{[]byte{0xf3, 0x48, 0x0f, 0x1e, 0xc8}, 0xf8, "rdsspq"},
	{[]byte{0xf3, 0x49, 0x0f, 0x1e, 0xc8}, 0xf8, "rdsspq"},
}

func (h *hint) matches(code []byte) bool {
	n := len(h.code)
	return len(code) >= n && bytes.Equal(code[:n-1], h.code[:n-1]) && code[n-1]&h.mask == h.code[n-1]
}

// decode is x86asm's, made safe: it recognises instructions that x86asm decodes
// wrongly without an error (hints, VEX and EVEX instructions, a lone prefix). A
// hint comes back as a NOP with its text.
func decode(code []byte, m Machine) (x86asm.Inst, string, error) {
	for i := range hints {
		if h := &hints[i]; h.matches(code) {
			return x86asm.Inst{Op: x86asm.NOP, Len: len(h.code), Mode: mode(m)}, h.text, nil
		}
	}
	inst, err := x86asm.Decode(code[:min(len(code), MaxInst)], mode(m))
	if err != nil || inst.Op == 0 || inst.Len == 0 {
		return inst, "", errInst
	}
	for _, p := range inst.Prefix {
		switch p &^ (x86asm.PrefixImplicit | x86asm.PrefixIgnored | x86asm.PrefixInvalid) {
		case x86asm.PrefixVEX2Bytes, x86asm.PrefixVEX3Bytes:
			return inst, "", errInst
		}
	}
	return inst, "", nil
}

func mode(m Machine) int {
	if m == I386 {
		return 32
	}
	return 64
}

// Inst gives the text (in GNU's syntax) and the length of the instruction at
// pc. Addresses of functions and variables are shown by name.
func (im *Image) Inst(code []byte, pc uint64) (text string, length int, err error) {
	inst, text, err := decode(code, im.Machine)
	if err != nil {
		return "", 0, fmt.Errorf("at %#x: %w", pc, err)
	}
	if text == "" {
		text = x86asm.GNUSyntax(inst, pc, im.symbolic)
	}
	return text, inst.Len, nil
}

// symbolic names an address for the disassembler: the name, and the address
// that it stands for.
func (im *Image) symbolic(addr uint64) (string, uint64) {
	if s, ok := im.SymbolAt(addr); ok {
		return s.Name, s.Addr
	}
	if s, ok := im.objectAt(addr); ok {
		return s.Name, s.Addr
	}
	return "", 0
}

// Locked reports whether an instruction is one that a processor makes atomic:
// with a lock prefix, or an xchg with memory, which needs none. length is as in
// Inst.
func (im *Image) Locked(code []byte) (locked bool, length int, err error) {
	inst, _, err := decode(code, im.Machine)
	if err != nil {
		return false, 0, err
	}
	for _, p := range inst.Prefix {
		if p&0xff == x86asm.PrefixLOCK {
			return true, inst.Len, nil
		}
	}
	if inst.Op == x86asm.XCHG {
		for _, a := range inst.Args {
			if _, ok := a.(x86asm.Mem); ok {
				return true, inst.Len, nil
			}
		}
	}
	return false, inst.Len, nil
}

// AnyLocked reports whether the image has a locked instruction anywhere, its
// libraries' code included. Code that no function's symbol covers, or that
// doesn't decode, is searched from every byte. There it may say yes for none,
// and never no for one. So it does for code of so many instructions that they
// aren't looked at.
func (im *Image) AnyLocked() bool {
	left := maxLocked
	for _, r := range im.Code {
		for pc := r.Lo; pc < r.Hi; {
			if f, ok := im.SymbolAt(pc); ok && f.Addr == pc && f.Size > 0 {
				locked, end := im.lockedIn(pc, min(pc+f.Size, r.Hi), &left)
				if locked {
					return true
				}
				if end > pc { // else its first byte doesn't decode
					pc = end
					continue
				}
			}
			code := im.Bytes(pc, MaxInst)
			if len(code) == 0 { // missing bytes are zero
				pc = im.nextBytes(pc, r.Hi)
				continue
			}
			if left--; left < 0 {
				return true
			}
			if locked, _, err := im.Locked(code); err == nil && locked {
				return true
			}
			pc++
		}
	}
	return false
}

// lockedIn looks for a locked instruction in [pc, end), which begins with one,
// up to the first that doesn't decode; next is where it stopped. left is how
// many instructions are looked at yet.
func (im *Image) lockedIn(pc, end uint64, left *int) (locked bool, next uint64) {
	for pc < end {
		if *left--; *left < 0 {
			return true, pc
		}
		locked, n, err := im.Locked(im.Bytes(pc, MaxInst))
		if err != nil {
			return false, pc
		}
		if locked {
			return true, pc
		}
		pc += uint64(n)
	}
	return false, pc
}

// maxLocked bounds the instructions that AnyLocked looks at: they take a second or two.
const maxLocked = 1 << 22

// nextBytes is where the file has the next byte from pc on; end if it has none before.
func (im *Image) nextBytes(pc, end uint64) uint64 {
	for i := range im.Segments {
		if s := &im.Segments[i]; s.Addr > pc && len(s.Data) > 0 {
			return min(s.Addr, end) // they ascend
		}
	}
	return end
}
