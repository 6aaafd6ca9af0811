package abi

// RedZone is how many bytes below its stack pointer a function may use.
const RedZone = 128

// A signal handler's frame begins with its return address. A ucontext comes next.
const (
	// ContextRegs is where a ucontext has the registers, after its flags, link and stack: r8 to
	// r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, and the flags.
	ContextRegs  = 40
	ContextCount = 18
)
