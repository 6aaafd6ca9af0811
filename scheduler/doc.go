// Package scheduler makes a guest into a por.System: it knows the guest's
// threads, where they may be preempted, which can run and what the others wait for.
//
//	guest ── emu.Machine ──┐
//	traps ── kernel.Kernel ─┤ scheduler.System ── por (through its System interface)
//
// A step runs one thread from where it stands to its next preemption point. A
// thread always stands at a known operation: before a shared access, at the
// entry of a trusted function, before a trap, asleep, in an exact spin, before
// its failure, or gone. What lies between is private to the thread, so a new
// thread's private beginning is run at its creation.
//
// # Three rooms
//
// This package is the core: threads, marks, names, points, spins, one step. Two
// packages use it by its exported methods, and know nothing of each other:
//
//	scheduler/library   what landgo carries out for the guest: locks, allocators, strings, threads.
//	                    The core asks it by the interface Carrier (carrier.go). The first file
//	                    to read is its atbreak.go: what follows a stop at a function.
//	scheduler/steer     a kernel that schedules its threads itself. It takes steps of its own; the
//	                    core knows it as a Companion, whose state goes back with the core's.
//
// What they speak of is a thread's id (trace.TID) and its Thread, the part of its state
// that all rooms have. Each keeps the rest itself. A state goes back everywhere: the core
// says before a thread changes (Keep), at a mark and at a rewind.
//
// The life of one step, in call order:
//
//	System.Step            takes the step, and tells what was learned by it (trace.ErrFiner)
//	  step                   by what the thread stands at: a trap (stepTrap), a function
//	                         (Carrier.StepOp), or ordinary code
//	    Advance                runs the thread to its next point
//	      runCPU                 one run of the machine, whose accesses are taken in
//	      Carrier.AtBreak        at a breakpoint: a function's entry or return
//	      atTrap, trap           at a system call
//	      atFault, atPrivileged  at what faults: does the guest have a handler for it?
//	    arrive                 stands at the point: is it a spin?
//	  meetStep               which kinds of points the step met (met.go)
//	  wakeSpinners           the threads whose spins its writes end (spin.go)
//	  sightOperations        for candidates of races at fewer points (granularity.go)
//
// # The files
//
//	a step        system, advance, trap, points, granularity, enabled, listing, spawn, exit, late
//	its state     lifetime, mark, log, thread, arena, names, knowledge, digest, state
//	spins         spin, spinlive, spinagain, spinlocks, spinowner, await, counted, blend, above, alike, clockloop, turns, endless,
//	              scout
//	traps         effects, shares, nap, interrupt, faulted, faults, mappings, grave
//	timers        timer (threads of a program's own)
//	reports       account, describe, naming, stuck, meant, failure, errors, blockfault, letthrough, leak, format, met,
//	              longest, unexamined, panic
//	conditions    promise (landgo_always, landgo_eventually)
//	failures      faults (--faults)
//	buffers       buffer (x86-TSO), fenced (fences that the guest hasn't got), fenceall (membarrier)
//	other rooms   carrier (the library), steered (the kernel that schedules itself)
//	twin          reads of memory that was never written
//
// Invariant: a System is a function of (image, configuration, steps taken). All
// state that a step changes is in state (lifetime.go), which goes back with a mark,
// or derived from it; except what is known and found for good, which only makes
// preemption points finer.
package scheduler
