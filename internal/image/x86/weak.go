package x86

import (
	"landgo/internal/image/elffile"

	"golang.org/x/arch/x86/x86asm"
)

// NonTemporal reports whether the first instruction of code stores past the caches: such
// stores are in no order with others (Intel's manual, volume 1, 10.4.6.2).
func NonTemporal(code []byte, m elffile.Machine) bool {
	inst, _, err := Decode(code, m)
	if err != nil {
		return false
	}
	switch inst.Op {
	case x86asm.MOVNTI, x86asm.MOVNTDQ, x86asm.MOVNTPS, x86asm.MOVNTPD, x86asm.MOVNTQ, x86asm.MOVNTSD, x86asm.MOVNTSS,
		x86asm.MASKMOVDQU, x86asm.MASKMOVQ:
		return true
	}
	return false
}

// Moves reports whether the first instruction of code is a mov to memory, of a register or a number: an
// xchg can be in its place.
func Moves(code []byte, m elffile.Machine) bool {
	inst, _, err := Decode(code, m)
	if err != nil || inst.Op != x86asm.MOV {
		return false
	}
	_, stores := inst.Args[0].(x86asm.Mem)
	if r, ok := inst.Args[1].(x86asm.Reg); ok {
		return stores && maskOf(r) != 0
	}
	return stores
}

// Repeats reports whether the first instruction of code is a string instruction that is done
// again and again: its stores lie between its own loads.
func Repeats(code []byte, m elffile.Machine) bool {
	inst, _, err := Decode(code, m)
	return err == nil && repeats(&inst)
}
