package abi

// Pages.
const (
	PageShift = 12
	PageSize  = 1 << PageShift
)

// Bits of an entry of a page table.
const (
	EntryPresent  = 1 << 0
	EntryWritable = 1 << 1
	EntryLarge    = 1 << 7
)

// Flags, at their places in the flags register.
const (
	CF = 1 << 0
	PF = 1 << 2
	AF = 1 << 4
	ZF = 1 << 6
	SF = 1 << 7
	TF = 1 << 8  // the processor stops after each instruction
	IF = 1 << 9  // interrupts come
	DF = 1 << 10 // string instructions go downwards
	OF = 1 << 11
	NT = 1 << 14 // in a nested task
	RF = 1 << 16 // no stop at the next instruction
	AC = 1 << 18 // alignment is checked
	ID = 1 << 21 // there is an instruction CPUID

	// FlagsFixed is always on.
	FlagsFixed = 1 << 1
	// FlagsOfUser are those at the start of a user program.
	FlagsOfUser = FlagsFixed | IF
	// Arithmetic are the flags that arithmetic sets.
	Arithmetic = CF | PF | AF | ZF | SF | OF
)

// Exceptions by their numbers.
const (
	DivideError       = 0
	DebugException    = 1
	Breakpoint        = 3
	IllegalOpcode     = 6
	DoubleFault       = 8
	InvalidTask       = 10 // the first of those with an error code, but for double faults
	StackFault        = 12
	GeneralProtection = 13
	PageFault         = 14
)

// AddressBits are those of an address in 64-bit mode, whose sign the upper bits extend.
const AddressBits = 48

// Canonical reports whether there can be memory at an address: its upper bits are all the same. Access to
// another is no page fault, and the processor doesn't say where it was.
func Canonical(addr uint64) bool {
	top := int64(addr) >> (AddressBits - 1)
	return top == 0 || top == -1
}

// Bits of a page fault's error code.
const (
	FaultPresent = 1 << 0
	FaultWrite   = 1 << 1
	FaultUser    = 1 << 2
	FaultFetch   = 1 << 4
)

// PageDown and PageUp are the next multiples of a page's size.
func PageDown(a uint64) uint64 { return a &^ (PageSize - 1) }
func PageUp(a uint64) uint64   { return PageDown(a + PageSize - 1) }
