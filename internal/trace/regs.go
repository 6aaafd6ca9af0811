package trace

// Regs is the general register file of x86-64; i386 uses the low halves of the first
// eight, of RIP and RFLAGS, and the segments' bases.
type Regs struct {
	RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP uint64
	R8, R9, R10, R11, R12, R13, R14, R15   uint64
	RIP, RFLAGS                            uint64
	FSBase, GSBase                         uint64
}

// RegSet is a set of registers: bit i for the i-th field of Regs.
type RegSet uint32

// The registers.
const (
	RAX RegSet = 1 << iota
	RBX
	RCX
	RDX
	RSI
	RDI
	RBP
	RSP
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	RIP
	RFLAGS
	FSBase
	GSBase

	// GeneralRegs are RAX to R15.
	GeneralRegs = RIP - 1
	AllRegs     = GSBase<<1 - 1
)

// NumGeneral is the number of general registers.
const NumGeneral = 16

// General are the general ones in the order of RegSet.
func (r *Regs) General() [NumGeneral]uint64 {
	return [...]uint64{r.RAX, r.RBX, r.RCX, r.RDX, r.RSI, r.RDI, r.RBP, r.RSP, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15}
}

// FPU is the registers of a thread beyond the general ones.
type FPU struct {
	XMM, X87 [16][2]uint64 // as the engine gives them: the low word first; 8 of X87
	MXCSR    uint64
	Status   uint64 // of x87, and its control and tag word
	Control  uint64
	Tags     uint64
}

// Range is an address range [Lo, Hi).
type Range struct{ Lo, Hi uint64 }
