package image

import (
	"fmt"

	"golang.org/x/arch/x86/x86asm"
)

// Inst gives the text (in GNU's syntax) and the length of the instruction at
// pc. Addresses of functions and variables are shown by name.
func (im *File) Inst(code []byte, pc uint64) (text string, length int, err error) {
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
func (im *File) symbolic(addr uint64) (string, uint64) {
	if s, ok := im.SymbolAt(addr); ok {
		return s.Name, s.Addr
	}
	if s, ok := im.objectAt(addr); ok {
		return s.Name, s.Addr
	}
	return "", 0
}
