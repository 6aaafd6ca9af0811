package x86

import "golang.org/x/arch/x86/x86asm"

// ThroughStack reports whether a 64-bit instruction accesses addr through the stack segment: by a
// base register that stands for the stack, or as one that pushes or pops. An address that is none is
// an exception of its own then (Intel's manual, volume 3, 6.15, interrupt 12).
func ThroughStack(inst *x86asm.Inst, addr, rsp uint64) bool {
	for _, a := range inst.Args {
		m, ok := a.(x86asm.Mem)
		if !ok || inst.Op == x86asm.LEA {
			continue
		}
		stands := maskOf(m.Base)&(maskOf(x86asm.RSP)|maskOf(x86asm.RBP)) != 0
		if stands && m.Segment != x86asm.FS && m.Segment != x86asm.GS {
			return true
		}
	}
	switch inst.Op {
	case x86asm.LEAVE:
		return true
	case x86asm.PUSH, x86asm.POP, x86asm.CALL, x86asm.RET, x86asm.PUSHF, x86asm.PUSHFQ, x86asm.POPF, x86asm.POPFQ, x86asm.ENTER:
		const slot = 8
		return addr == rsp || addr == rsp-slot // else it is the operand that it moves
	}
	return false
}
