// Package pebbles is the kernel that a thread library for the Pebbles trap
// interface believes it runs on. landgo is that kernel; the student's library,
// with its mutexes and its queues, is the guest, and all of it is tested.
//
//	scheduler ── Plan, Do ──> Kernel ── table of calls ──> schedule.go, memory.go, ...
//	                            └── emu.Machine: guest memory, journal
//
// guests/pebbles/abi.md fixes the interface for x86-64, and the differences to
// the i386 one that the published libraries use; both are forms of the same
// kernel (form.go).
//
// It is a kernel for one processor: an instruction is atomic, and so is a call.
// A call tells about each word of kernel state that it reads or writes by an
// access to an address in the kernel's part of memory (layout.go).
//
// Invariants:
//   - Every word that an execution changes is assigned through Machine.Set, or is a
//     byte of guest memory. The rest (the table of the threads met so far, the
//     storage behind counted lists) has no influence on a result.
//   - Thread ids are functions of the thread's name. Addresses are the guest's
//     own choice.
//
// # The files
//
//	the kernel    pebbles, config, boot, layout (addresses of the kernel's words), form (x86-64 or i386)
//	a call        call (which one, and its arguments), table (all calls), lookup (the memory that arguments name)
//	calls         schedule (yield, deschedule, make_runnable), thread (fork, wait, vanish), memory, console, swexn
//	other         ureg (registers at an exception), carried (what the scheduler asks of a library's threads)
package pebbles
