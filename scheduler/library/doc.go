// Package library carries out functions for a guest: those of its C library,
// or of a thread library, on locks, memory, strings and threads. Their own code doesn't
// run then, or runs as one piece. A Library is the scheduler.Carrier of a System.
//
//	System ── at a breakpoint: AtBreak ──> a function's entry, or a return that is awaited
//	       ── StepOp ──> the thread stands at the function: carry it out, and Advance
//	       ── DescribeOp, PendingOp, WaitOf ──> what it would do next, and whether it can
//
// A function is known by its role (profile.Role), and act says how each is carried out: as
// an operation, by the guest's own code without interruption, or as ordinary code. An
// operation is done within the step that reaches it if no other thread can tell; else
// the thread stands before it (scheduler.StandOp). An object's model is kept here, and its
// bytes in the guest's memory say what the guest's own library would have put there.
//
// # The parts
//
// A Library is made of parts, each with fields of its own. A part holds those that it
// uses, so the compiler keeps it from using others:
//
//	guest         what is fixed: machine, image, roles; how functions are called
//	models        threads and objects as landgo keeps them, and how that goes back
//	calls         what all calls need: the door, records of operations, errno, misuse
//	textCalls, heapCalls, objectCalls
//	              functions on strings and streams, on memory, on objects. They don't
//	              use each other
//	lives         calls on threads: joins, detaching, ends
//	quiets        functions that the guest's own code carries out without interruption
//	carried       a student's library of threads
//	endings       ends of the process, and what was registered for it
//	properties    objects that are to be linearisable
//	Library       what brings them together: entries, returns, operations
//
// # The files
//
//	state         library, lifetime (its parts, and how long they last), thread (what it knows of one), call (what a thread is at)
//	the start     entry (the program's own beginning, after the linker)
//	a call        atbreak (its entry), act (the table of roles), operation (StepOp), pending (what the thread
//	              is about to do, and may it?), perform (doing it), return (where calls end)
//	own code      quiet (run without interruption), ownstep (when that is a step of its own), over (keys, and
//	              what a thread does at its end), unwindfind (an unwinder's tables)
//	counts        entered (calls of trusted functions, to follow an execution where they are tested)
//	what it does  convention (arguments, results), door (to the guest's memory), look (what kept a step from
//	              going on), misuse (operations against their rules), errno
//	objects       object, objects (found, made, ended), objectbytes (their memory); mutex, cond, semaphore,
//	              barrier, rwlock, once; namedsem, lockmerge (locks that are no points of their own), guard (a student's mutex that is trusted)
//	allocators    malloc (their calls), arenas (where blocks lie), follow (the guest's own, followed), pool (one
//	              of a profile's), own (the library's own blocks), endcache (what a thread's end gives
//	              back), operators (new and delete)
//	text          strings, lookpast (those that read beyond), streams (stdio)
//	threads       threadcalls (joins, ends), named (uses of a thread's name), carried (a student's threads,
//	              carried out), carriedkept (what the rest of their library has to learn), distrust (left to
//	              the guest's own code), asleep (what threads wait for then)
//	time, ends    deadline (timed operations), interruptedwait (signals meanwhile), ending (of the process),
//	              terminate (std::terminate)
//	store buffers drains (operations that wait for them), spinwait (locks released by a plain store)
//	failures      faulty (--faults)
//	properties    property (landgo's header: conditions, calls that are to be linearisable)
//
// Invariant: what a step changes goes back with a mark (path, cells). Knowledge that is
// found for good only makes preemption points finer, or is a function of the guest
// alone.
package library
