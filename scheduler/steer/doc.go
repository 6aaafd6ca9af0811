// Package steer makes a kernel that owns the machine into a por.System: such a guest
// schedules its threads itself, on one processor, and landgo can only interrupt it.
//
//	scheduler.System ── threads, names, marks, points ──┐
//	Board ── timer, ports, devices ─────────────────────┤ Kernel ── por
//	what the kernel or its profile tells ───────────────┘
//
// It uses the core by exported methods, as package library does for other guests, which
// this package knows nothing of. The core knows it as a Companion: what is known of a
// thread here goes back with the core's own.
//
// # The parts
//
// A Kernel takes steps: it brings the processor to a thread (reach), and runs that
// (advanceOwn). The rest is in parts with fields and methods of their own. Each has the
// kernel as it stands (situation), the core, and other parts by name:
//
//	exec         runs the processor, and does what its stops ask for
//	proc         the registers between two runs, and arguments of calls
//	ticker       interrupts that are delivered, and how threads go on after them
//	switches     from one thread to another
//	annotations  what the kernel tells by calls, or its profile names
//	calls        functions with roles that threads are in; blocks
//	beliefs      which threads there are and can run, by what the kernel says
//	ranks        priorities, against what ticks do
//	tails        code behind a switch; what ticks touch
//	sleepers     which threads wake first when only time passes
//	rounds, livelocks   threads that go round: waiting, or for ever
//
// # The files
//
//	the kernel    kernel (what a step is), lifetime (how long a part lasts), board (what a machine is to it), thread,
//	              state (going back, digests), boot (up to landgo_booted), freeze (a boot that is kept)
//	what is       reading (the kernel as it stands, for all parts), registers (the processor's), lists (the
//	              kernel's own, by its profile), turn (what the processor runs, and how that ends)
//	one step      run (a thread's own code, or a tick's), execution (what its parts share), processor (one run of it),
//	              access (what a run touched; locks held), call (functions with roles), tick (interrupts, delivered),
//	              switch (from thread to thread), tail (code behind a switch), time (sleeps), enabled (which
//	              threads can run), rank (priorities), round (yielding until a time), resched (interrupts
//	              that switch no threads)
//	the machine   memory (by the kernel's addresses), segment (that are no flat ones), privileged (instructions), port, device (registers
//	              in memory), screen, exception, fault (that no instruction makes), user (programs), input (keys)
//	knowledge     tell (by the kernel), profile (by a profile), foretell (how long a sleep takes), belief (until
//	              a run contradicts it)
//	no end        spin (a loop of one thread), off (one without interrupts), livelock (of several), stuck (no
//	              thread can run)
//	reports       describe (threads and operations, in words)
//	memory        heap (blocks of the kernel's allocators), overflow (of a stack)
//
// Invariant: each schedule is one that the kernel makes itself, under some timing of
// its timer. All state that a step changes is a word of the machine's log, a thread
// (saved before it is changed), or derived from those; except known.Facts.
package steer
