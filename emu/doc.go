// Package emu is the machine: a processor and its memory, run by Unicorn.
//
// It runs one thread from one point to the next, records the thread's accesses
// to memory that others touch, and goes back to any marked state. It knows
// threads by number only, and nothing of system calls, schedules or searches.
//
// The C half (machine.h) has the engine's hooks: one before every instruction,
// one before every access. A Run is one call into it. Everything else, marks and
// rewinding included, is Go over the same memory.
//
// Invariants:
//
//   - A Stop is exactly before an instruction: no register and no byte of what
//     it does has changed. The one exception is a half-executed instruction,
//     whose reads are kept in its context (half.c).
//   - Every change of guest memory and of page permissions is in the journal,
//     and every change of Go-side state made through Set and Undo in its log:
//     Rewind is exact.
//   - The effect of a Run is a function of its order, the context, the memory and
//     the sharing learned so far. Sharing only grows and is never rewound.
//
// Limits: Unicorn 2.1 accepts an address whose bits 52 to 63 are wrong if its
// lower bits name mapped memory. Floating-point exceptions are never raised: to
// unmask one stops the run (operand.c). Segment bases can't be set in 32-bit mode.
//
// # The files
//
//	a machine     machine, types (configuration, registers), knobs, layout (what Go and C
//	              share), parts.h (what the C files share), virtual.c (the processor)
//	a run         order (what a run is told to do), stop (what it ended with), run and run.c,
//	              script (without an engine, for tests), recall, recallkeep and recall.c (runs that were made
//	              before), context (registers of threads), part.c
//	              (what contexts leave out), ran (what was executed), leg (a run's outcome, played)
//	hooks         insn.c (before an instruction), access.c (before an access), fault.c,
//	              far.c (addresses that the engine would shorten), abort.c
//	what a run    record.c (accesses that are events), sharing (which bytes threads share), party (which of
//	has done      the guest's own threads or handlers accesses memory), narrate (for debuggers)
//	instructions  classify.c, twobyte.c, opcode.h, operand.c, half.c and stored.c (stopped half-way),
//	              probe.c (what one is about to do), remainder.c and logarithm.c
//	              (x87's functions; extended.c: its numbers), halves.c
//	              (upper halves of registers that cmpxchg leaves, flags that rcl sets too early)
//	going back    mark, journal.c, change (which bytes were written, with what), before (bytes at an earlier moment)
//	memory        memory, pages, written (pages that were ever written to), heap (blocks), stack.c, frame
//	whole states  digest, freeze
//	kernels       board, device.c, program.c (user programs of a kernel)
package emu
