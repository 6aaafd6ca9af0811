package x86

import (
	"bytes"
	"errors"

	"landgo/internal/image/elffile"

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

// Decode is x86asm's, made safe: it recognises instructions that x86asm decodes
// wrongly without an error (hints, VEX and EVEX instructions, a lone prefix). A
// hint comes back as a NOP with its text.
func Decode(code []byte, m elffile.Machine) (x86asm.Inst, string, error) {
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

func mode(m elffile.Machine) int {
	if m == elffile.I386 {
		return 32
	}
	return 64
}
