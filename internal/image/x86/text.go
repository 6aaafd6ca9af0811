package x86

import (
	"fmt"

	"landgo/internal/image/elffile"

	"golang.org/x/arch/x86/x86asm"
)

// Inst gives the text (in GNU's syntax) and the length of the instruction at
// pc. Addresses of functions and variables are shown by name.
func Inst(f *elffile.File, code []byte, pc uint64) (text string, length int, err error) {
	inst, text, err := Decode(code, f.Machine)
	if err != nil {
		return "", 0, fmt.Errorf("at %#x: %w", pc, err)
	}
	if text == "" {
		text = x86asm.GNUSyntax(inst, pc, func(addr uint64) (string, uint64) { return symbolic(f, addr) })
	}
	return text, inst.Len, nil
}

// symbolic names an address for the disassembler: the name, and the address
// that it stands for.
func symbolic(f *elffile.File, addr uint64) (string, uint64) {
	if s, ok := f.SymbolAt(addr); ok {
		return s.Name, s.Addr
	}
	if s, ok := f.ObjectAt(addr); ok {
		return s.Name, s.Addr
	}
	return "", 0
}
