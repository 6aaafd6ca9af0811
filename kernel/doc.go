// Package kernel defines the system that a guest believes it runs on. Its
// sub-packages implement it: linux (system calls), pebbles (int traps).
//
// A Kernel answers traps. It owns address space layout, files, queues and
// clocks of the guest; package scheduler owns threads, preemption points and
// the trusted synchronisation objects.
//
// Invariant: every bit of a kernel's state that can change during an execution
// is assigned through emu.Machine.Set or undone by emu.Machine.Undo. So it is
// marked and rewound with the machine. Names that a kernel gives out (thread
// ids, addresses) are functions of the asking thread's name and its own
// history, never of the order of different threads.
//
// # The files
//
//	kernel     the interface: traps, plans, effects, outcomes
//	gap        kinds of what isn't modelled
//	space      where the guest's memory lies
//	keep       a boot's result as bytes
//	librarys   signals that a C library keeps for itself; string: text in the guest's memory
package kernel
