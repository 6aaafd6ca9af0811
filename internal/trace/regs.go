package trace

// Regs is the general register file of x86-64; i386 uses the low halves of the first
// eight, of RIP and RFLAGS, and the segments' bases.
type Regs struct {
	RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP uint64
	R8, R9, R10, R11, R12, R13, R14, R15   uint64
	RIP, RFLAGS                            uint64
	FSBase, GSBase                         uint64
}
