package kernel

import "fmt"

// A Gap is a kind of thing that keeps landgo from controlling a guest: an
// unmodelled part, or a passed limit.
type Gap uint8

const (
	GapCall        Gap = iota // a call of the kernel's, or a way to use it
	GapInstruction            // an instruction that the machine hasn't got
	GapOrder                  // accesses whose order processors differ in
	GapThreads                // more threads than there are names, ids or outcomes for
	GapMemory                 // more memory than the guest has
	GapOutput                 // more output than is kept
	GapInput                  // a read past the end of the input, where that would wait
	GapLayout                 // the image lies where a guest of the kernel has nothing
	GapArguments              // arguments and environment that don't fit
	GapTrust                  // code that is trusted is gone past
	GapEngine                 // the machine stopped where it never should
	GapDevice                 // a port or a device
	GapSchedule               // a scheduler that contradicts the kernel's description
	GapBoot                   // a kernel that doesn't come so far that checking begins
	GapCode                   // code that is changed or made at run time
	GapPaging                 // page tables that this engine doesn't follow
	GapSegment                // segments that don't begin at 0
	GapLibrary                // a library that the guest wasn't loaded with; the reason is its path alone
	GapStart                  // a program that its dynamic linker can't load
)

// Error is an error of a kernel's that can't start a guest, with its kind.
type Error struct {
	Gap Gap
	err error
}

// Errorf makes an Error; %w wraps as in fmt.Errorf.
func Errorf(gap Gap, format string, args ...any) *Error {
	return &Error{gap, fmt.Errorf(format, args...)}
}

func (e *Error) Error() string { return e.err.Error() }
func (e *Error) Unwrap() error { return e.err }
