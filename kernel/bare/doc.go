// Package bare is the machine that a kernel believes it owns: a PC with one
// processor and memory. It has two interrupt controllers, two APICs, a timer, a
// serial line, a text screen, disks, a keyboard without a user, and ports that switch
// it off.
//
//	steer.Kernel ── In, Out, Timer, Pending, Acknowledge ──> Board ── table of ports
//	                                                            └── emu.Machine: memory, undo
//
// The scheduler runs the processor and delivers interrupts; the ports' effects,
// and the next interrupt, are decided here. Time is the scheduler's: the timer
// ticks when it says so, whatever the kernel asked the timer for.
//
// Invariants:
//   - Every word of a device's state is assigned through Machine.Set, so it is
//     marked and rewound with the machine.
//   - A port that isn't modelled is an error that names it.
//
// # The files
//
//	the board     bare (what a kernel gets), port (the table of ports), layout (of memory), flag, freeze (a kept boot)
//	a start       boot, multiboot, loader (kernels without a header; the BIOS's map of memory), mp (the table of processors)
//	devices       pic and apic (interrupts), serial, screen, disk (the controller), sectors (what a disk holds)
package bare
