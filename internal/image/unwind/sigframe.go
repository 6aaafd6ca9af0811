package unwind

import (
	"bytes"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
)

// Frames of signal handlers. A handler returns to a stub that calls
// rt_sigreturn, above which lies the kernel's saved state. glibc describes the
// stub in its call-frame information, musl doesn't; so it is known by its
// code, and the frame by the kernel's layout.

// sigreturnCodes are the ways of writing "rt_sigreturn()".
var sigreturnCodes = [][]byte{
	{0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05}, // mov $15, %rax; syscall
	{0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05},             // mov $15, %eax; syscall
}

// sigreturnOffset is 0 at the stub's first instruction, more at its system
// call, -1 elsewhere.
func sigreturnOffset(f *elffile.File, pc uint64) int {
	for _, code := range sigreturnCodes {
		call := len(code) - len(syscallCode)
		for _, off := range []int{0, call} {
			if bytes.Equal(f.Bytes(pc-uint64(off), len(code)), code) {
				return off
			}
		}
	}
	return -1
}

var syscallCode = []byte{0x0f, 0x05}

// inSigreturn: the position is in such a stub. (No i386 guest has signals.)
func (w *walker) inSigreturn() bool {
	return w.file.Machine == elffile.X86_64 && sigreturnOffset(w.file, w.pc) >= 0
}

// savedRegs are the registers in the order of struct sigcontext, by their DWARF
// numbers: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip. It begins
// abi.ContextRegs bytes into the frame.
var savedRegs = [numRules]int{8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, regRSP, regRIP}

// sigreturn goes to the interrupted code. Preconditions: pc is in a
// stub, so rsp is at the frame.
func (w *walker) sigreturn() bool {
	frame := w.regs[regRSP]
	var next [numRules]uint64
	for i, reg := range savedRegs {
		v, ok := w.read(frame + abi.ContextRegs + uint64(8*i))
		if !ok {
			return false
		}
		next[reg] = v
	}
	w.regs, w.pc, w.interrupted = next, next[regRIP], true
	return true
}
