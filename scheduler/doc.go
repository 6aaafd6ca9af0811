// Package scheduler makes a guest into a por.System: it knows the guest's
// threads, where they may be preempted, which can run and what the others wait for.
//
//	guest ── emu.Machine ──┐
//	traps ── kernel.Kernel ─┤ scheduler.System ── por (through its System interface)
//
// A step runs one thread from where it stands to its next preemption point. A thread always
// stands at a known operation: before a shared access, at the entry of a trusted function, or
// before a trap. Or it is asleep, in an exact spin, before its failure, or gone. Its instructions
// between are private to it, so a new thread's private beginning is run at its creation.
//
// # Rooms
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
// They exchange a thread's id (trace.TID) and its Thread, the part of its state that all
// rooms have. Each keeps the rest itself. A state goes back everywhere: the core says
// before a thread changes (Keep), at a mark and at a rewind.
//
// Others are used by the core, and know no System:
//
//	known     the facts that are learned, and make points finer
//	witness   what executions have shown, for reports
//	spins     what a spin is: rules about turns, and about values that threads wait for
//	names     the numbers of threads
//	stores    a store buffer, as a value
//	undo      stacks that go back: old states, transitions
//
// # The parts
//
// A System takes steps. The rest (spins, sharing, signals, ...) is in parts with fields and
// methods of their own. Each is made in New and has what it needs by name: the guest as it
// stands (present), what is learned (learning), what is tried (attempt), other parts. None
// has the System, but for twins, which step it; what a part needs of a step is an interface
// or a function (stepper, runner).
//
//	Traps, Naps, Signals   system calls, sleeps within a step, faults and signals
//	copies                 system calls that copy memory in several steps
//	Sharing, Points        what others share of what is touched; is there a point here?
//	spins, awaits, counted, loops in which threads wait, and what lies under them: see Loops
//	backs, hints
//	Blends                 instructions that have the same effect in both orders
//	unreads                bytes that nothing reads, whose stores have no order
//	Kinship                threads that nothing tells apart
//	scouts                 what others would do in a long step
//	buffers, timers,       steps of no thread of the guest's: stores and signals on their way,
//	arrivals               timers going off
//	Ends, Stacks, Mappings ends of threads and of the process; memory that ends with them
//	Blocks, Leaks, Panics  wrong accesses, lost blocks, last words
//	Failing, Promises      calls that may fail; conditions
//	twins                  Systems beside this one, with other bytes in fresh blocks
//	uses, longest          for reports
//
// # Loops
//
// A program may run round a loop for ever. A search of its executions would have no end then, so five parts
// recognise loops in which a thread only waits, and have it wait:
//
//	spins     exact spins: the thread is back in a state in which it was, and has changed nothing meanwhile. It waits
//	          until another thread changes a byte that it has read (spin.go)
//	awaits    spins of one read a turn. A search may be spared their polls (await.go)
//	counted   counted spins: each turn adds to a count. All turns are one step (counted.go)
//	backs     tries that change a word, fail, and take the change back (backout.go)
//	hints     a load, and the exchange of the same word behind it. Both are one step (hint.go)
//
// Each asks the parts below it:
//
//	trials    run a thread on from where it stands, and take that back (trial.go)
//	stillness says which steps have no effect that another thread could see (stillness.go)
//	dead      the registers and flags that no code behind a place reads (dead.go)
//	poises    how a thread stands, as a value to be compared (poise.go)
//	leftovers what turns leave in memory and registers; it is watched (leftover.go)
//	sides     tries additions, for operations that commute (sides.go)
//
// All that is known of a loop without a guest is in package spins: values, and rules about them.
// These words have one meaning in all these files:
//
//	turn      once round a loop of the guest's
//	spin      a loop whose turns change nothing that another thread could see, and the thread that waits in it
//	look      the read of a turn by which its thread finds out whether to go on; also the place of that in the code
//	poll      a look in vain: the thread is back where it was
//	trial     a piece of an execution that is run to find out what it does, and taken back
//	survey    trials with each value that a word has had in the execution
//	poise     the whole state of a thread behind a turn, but for what is dead
//	try       an operation that changes a word, and perhaps has to be taken back
//	leftover  a byte or a register that tells how many turns there were. A thread that reads it is run turn by turn
//	          from then on
//	park      to stop for good behind a turn of several steps that was for nothing (spinpark.go)
//
// # One step
//
// Its life, in call order:
//
//	System.Step            takes the step
//	  stepBeside             with twins: the same step in each, by stepAlone (twin.go)
//	  isStart, stepStart     the first step of an execution: played if one like it was noted (system.go, start.go)
//	  stepAlone              the frame of a step (step.go): what was there before it, and what follows. That
//	                         of a store buffer is update (updates.go), with an end of its own
//	  planHolds, trySides,   what is looked up or tried before the step (plans.go, sides.go, backout.go)
//	  backs.watch
//	  buffers.apply          the thread's buffered stores are in memory until takeBack (buffer.go)
//	  Traps.lastTry          a call that a signal has interrupted looks once more (trap.go)
//	  stepTurns              the step. A counted spin's runs all turns of it: the last, and what follows,
//	                         is kept. A load's before an exchange is hintedStep (countedstep.go,
//	                         hintstep.go)
//	  step                   Carrier.Steps, then by what the thread stands at (Stand; dispatch.go): ordinary code, an access
//	                         or a fence; a trap, the rest of a copy or the end of a sleep (trap.go); a
//	                         function (Carrier.StepOp); a spin (stepPoll); a timer, a signal's arrival, or
//	                         its failure
//	    Advance                runs the thread to its next point (advance.go); what follows is asked at
//	                           each stop of the machine
//	      tooLong                a step that is long: endless asks for a loop in which nothing changes (spinwithin.go)
//	      runOrPlay              a run, or its outcome in the start that is played (start.go)
//	        runCPU                 one run of the machine (run.go); its accesses are recorded in the transition. On the way
//	                               leftovers.watch (leftover.go), Kinship.watch, Blends.mark, unreads.mark, Carrier.Accessed
//	                               and buffers.takeStores look at them
//	      Carrier.CheckGuarded   if the library is tested but for some functions: may these accesses be?
//	      Points.Allowed         at an access: is there a point? (points.go)
//	      meets                  at a breakpoint: Carrier.AtBreak, for a function's entry or return
//	      Traps.atTrap, trap     at a system call: carryOut has the kernel do it, did and takeEffects (effects.go)
//	                             record what it did and touched
//	      Blocks.passBlock       at what faults: is it an error of the heap that is let through?
//	      Signals.atFault        if not: does the guest have a handler for it? (faulted.go)
//	      buffers.atFence        at an instruction that waits for the store buffer
//	      Signals.atPrivileged   at one that a program may not execute (faulted.go)
//	      scouts.cutShort        after so many instructions: what would other threads do meanwhile? (scout.go)
//	      standAt                at the point where it stops: is it a spin? (spin.go)
//	  buffers.takeBack       the buffered stores are out of memory again
//	  Signals.seeTorn        a thread that is gone: what had it half done? (interrupt.go)
//	  arrivals.ends, set     which signals are on their way now (arrival.go)
//	  Promises.judge         does a condition still hold?
//	  settle                 the parts take the step in:
//	    spins.freeContexts     the machine's registers that no spin needs any more
//	    settleDue              reads that belong to tested additions (due.go)
//	    Naps.learnsWait,       sleeps beside timed waits (lasting.go)
//	      timePassed
//	    countRound             is it a turn of a long loop, which counts as a yield? (rounds.go, spins/rounds.go)
//	    uses.meetStep          which kinds of points it met (uses.go)
//	    spins.endPolls, hurry  does time pass for loops that look at the clock? (spinclock.go)
//	    Ends.tire              are other threads long about what comes before an end? (late.go)
//	    wakeSpinners           the threads whose spins its writes end (spinwait.go)
//	    awaits.settle          which threads would only poll now; hints.settle, counted.settle the same of loads
//	                           before an exchange, and of counted spins (hint.go, counted.go). It notes what
//	                           detectors of races ask for afterwards (Polled, polled.go)
//	    Blends.count           what it added to counts (above.go)
//	    unreads.settle         which bytes were read after all (unread.go)
//	    Kinship.settle         does it tell threads apart? (alike.go)
//	    sightOperations        for candidates of races at fewer points (granularity.go)
//	  news                   trace.ErrFiner if points became finer (knowledge.go)
//
// # The files
//
//	a step        system (all of it), step (its frame), dispatch (by what the thread stands at), updates (of a store buffer), start (the first, kept), advance
//	              (from point to point), run (of the machine), trap, plans (of traps, kept for an instant), host
//	              (what a kernel asks), wishes (of its user)
//	can run       enabled (which threads can), listing (the answer, kept from state to state), census (brought up to
//	              date), waits (which are over), deadline (which runs out next), points, granularity
//	              (which kinds of points there are)
//	lives         spawn, exit, late (ends that only cut threads off), grave (stacks that have ended),
//	              returned (variables of functions that have),
//	              contended (locks in memory that ends), mappings (memory given back), leak (blocks that are left)
//	its state     present (what all parts ask of it), words (of the guest's memory), where (at which instruction a thread stands, its stack),
//	              lifetime (how long a part lasts), thread, mark, digest (of a state, and of what an execution
//	              left), knowledge (what another System may learn)
//	spins         spin (the finder), spinsteps (what a turn did), spinfar (turns of very many steps), spinwait (how threads
//	              wait, and are let go), spinowner (for what they wait), spinclock (loops that look at the clock),
//	              spinwithin (loops within one step), spinpark (turns for nothing), rounds (turns that count as
//	              yields), scout (what others would do in a long step)
//	awaits        await (spins of one read), assume (reads whose assumption fails)
//	counted spins counted (their survey), countedturn (one turn), countedlooks (where they look), countedgrown (counts without
//	              an end), countedstep (all turns as one step)
//	back-outs     backout (which tries are taken back), backouttrial (how they are run)
//	hints         hint (loads before an exchange), hinttrial (how they are run), hintstep (both as one step)
//	below these   trial (what is run and taken back), trialturn (a turn), recurs (is it the same state again?), stillness
//	              (steps without effect), dead (registers that nothing reads), poise (what is compared), leftover
//	              (what turns leave in memory), leftoverreg (in registers)
//	orders        blend (operations that commute), above (counts that stay above zero),
//	              tested (on which side of a number an addition finds its count), sides (the same, by trying), wordops (what instructions do to a word),
//	              due (reads that belong to that), between (additions to what threads await)
//	spared        unread (stores that nothing reads), alike (symmetry), polled (what detectors of races are told)
//	traps         effects (what a call touches), sharing (which of it others share), copies (in several steps), nap
//	              (sleeps), lasting (those that last), interrupt (signals), faulted (going on after a fault), faults (--faults)
//	beside them   timer (threads of a program's own), timerstep (one goes off), arrival (signals on their way)
//	reports       account (what a thread does next), naming (what is at an address),
//	              stuck, meant (waits for ever that are no bug), failure (of a guest; and errors, which are none), blockfault, letthrough
//	              (errors that an execution goes past), format, uses (which points were met; do
//	              threads share anything?), longest, panic (last words)
//	conditions    promise (landgo_always, landgo_eventually), aside (functions of the guest that are run on the side)
//	buffers       buffer (what goes in and out when; stores/ has a buffer itself), bufferwaits, fenced
//	              (fences that the guest hasn't got), fenceall (calls that empty all buffers), streamed (movnt),
//	              repeated (stores of what is there)
//	other rooms   carrier (the library), distrust (what it carries out no more), companion and steered (the kernel
//	              that schedules itself)
//	twin          reads of memory that was never written; Mark and Rewind, of all twins
//
// Calls go downwards but for a few pairs of files: step, enabled and advance are at the top; present, thread and
// lifetime lie below all parts.
//
// Invariant: a System is a function of (image, configuration, steps taken). All
// state that a step changes is in state (lifetime.go), which goes back with a mark,
// or derived from it. Only known, found and seen are kept for good. The first makes
// preemption points finer, or lets steps depend on more; the second has what another System
// finds out for itself; the third is for reports.
package scheduler
