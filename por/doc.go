// Package por searches the interleavings of a multithreaded program: it decides
// which thread runs next and where to go back to. It knows a program only as a
// System, and never sees the emulator.
//
// # A tour
//
// An execution is a sequence of events: steps of threads, each from one preemption
// point to the next. Two adjacent events that don't depend on each other can be
// swapped, so executions fall into Mazurkiewicz traces. All searches but the
// baselines leave out executions whose trace is run elsewhere. In call order:
//
//	New, ParseSpec      a search's name and options become a Spec of a Kind (kind.go)
//	search.Run          makes an explorer, or calls the Kind's own walk (trust, sampling)
//	explorer.run        EXPLORE, again from the root whenever points became finer
//	  explorer.explore    the depth-first loop over E, the path
//	    explorer.take       the next branch of the newest state, from its backtrack set
//	                        or wakeup tree
//	    explorer.step       runs it:
//	      perform             Rewind if need be, Step, and push the event onto E and
//	                          its happens-before order (relation.Order.Push, which
//	                          also finds its reversible races)
//	      strategy.ran        source, dpor: for each race, add a backtrack point
//	      open                enter the state after: read its threads (arrive), give it
//	                          its sleep set (inherit), Mark it, and let strategy.seed
//	                          choose the first branch
//	      end                 no branch: tell the Observer; strategy.end: optimal
//	                          looks at the races of E, all look at what was pending
//	        Sequence.Reverse    v, which reverses a race
//	        backtrack.insert    v into the wakeup tree of the state before the race
//	    strategy's refill   within bounds: more branches, or the next bound
//	    explorer.close      leave a state that is wholly explored; its branch sleeps
//
// After warmUp steps a search is divided (batch.go): divide deals units, workers
// take them, merge puts the results together. A unit is a subtree with the path to
// it (treeunit.go), a range of runs (sampledivision.go) or the subtree of an
// execution graph (trustdivision.go). The state between two batches is also that of
// a checkpoint (snapshot.go).
//
// TruSt has no stack of states: it grows an execution graph and lets later events
// revisit earlier ones (package trust tells how).
//
// # What a search sees
//
// A strategy gets a handle (strategy.go). It has the path to read, the backtrack
// sets to add to, the threads' next operations, the bounds' counts, and whether to
// stop. It tells the explorer what it needs in one value. It never calls the
// System.
//
// # Glossary
//
//	away            in another process: units of a batch are done there too (away.go)
//	await           a step of a loop that waits, possible only where it reads a value that
//	                lets the thread out (trace.Thread.Awaits); else the step would be a poll
//	backtrack set   what is to be explored from a state, and was (node.todo, node.done)
//	batch, unit     a divided search goes in batches of work units
//	blend           to have the same effect in both orders, because nothing uses what tells them
//	                apart: increments, references given back (above.go), arrivals at a barrier (package relation, commuting)
//	block           steps of one thread between places where it can be left freely
//	bound           a limit on preemptions, delays, rounds ... of an execution
//	branch          a step that may be explored: thread, outcome, what it does
//	clock           which events happen before an event, as a number a thread
//	conservative    a backtrack point that no race needs, but a bound
//	E, path         the execution under way
//	finer           sharing was learned: more preemption points, all begins again
//	frontier        where a bound struck: what the next bound starts from
//	initial         a step with which a sequence, or one of the same trace, can begin
//	park            to stop for good, behind a turn of a loop that was for nothing (trace.Thread.Parked)
//	outcome, Choice one of several things that a step may do (which thread a signal wakes)
//	race            two events that depend, with nothing between that orders them;
//	                reversible if the second could have come first
//	revisit         TruSt: an event comes before one that was added earlier
//	shared state    a state below which several units are
//	sleep set       what was explored elsewhere and needn't be explored from a state
//	spin            a loop that waits: its next turn does the same until a byte that
//	                it read is written
//	stray           what sleeps in a state but excuses only what begins with it
//	trace           all executions that differ in the order of independent events
//	v               the sequence that reverses a race: its essential part and its rest
//	wakeup tree     sequences to be explored from a state, as a tree
//	weak initial    an initial, or a step that nothing in the sequence depends on
//
// # The files
//
//	for callers     system (a program under control), search, execution (how one ended), kind (the table of
//	                searches), spec (their options), bound (what may be bounded), workers
//	the explorer    explorer (EXPLORE of the papers), explorerstep (into a state), explorerpath (the path,
//	                longer and shorter), explorerend (how executions end); strategy (which branches a
//	                state has); path (E, the execution under way), branch (a way on), backtrack (what is
//	                added to states), wakeup (the tree), pending (next steps that take part in races);
//	                sleepset, sleepbound (sleep sets, and within bounds); budget (when a walk rests),
//	                estimate (the share that is done)
//	spared steps    above (additions: the least that an order could find), countedwindow (those in
//	                any order with one), unread (stores that nothing reads)
//	no reduction    exhaustive (search none), bounded, iteration (by ascending bound), frontier (where a bound
//	                struck), sleep (sleep sets alone)
//	stateful        stateful (states are stored), endless (states from which no end can be reached)
//	DPOR            dpor (POPL 2005, Figure 5), figure3, figure4, marking (its optimization 2), eager (common to
//	                these), static (persistent sets), promise (what static foresees); classic, nidhugg (of the
//	                Nidhugg thesis); source (JACM 2017), optimal (POPL 2014)
//	observers       observers (stores without an order until they are read), observerscells (their bytes),
//	                observersrun (how their steps are taken); sources (search readsfrom), puzzle (is there an
//	                order?)
//	within bounds   meter (what an execution spends), earlyflush (of store buffers); bpor (OOPSLA 2013),
//	                conservative (its points that no race needs), naivebpor, sourcebpor, lazybpor (of the
//	                thesis); for lazybpor: lazyfloor (preemptions that can't be avoided), lazyhabits (memory that
//	                threads touch), lazyleast (the fewest of a trace), lazyprefixes
//	TruSt           trust, whose walk is a room of its own
//	sampling        sampling (run after run), randomwalk, gates, pct, pos, distinct (the traces that were seen)
//	divided         batch (units of work), treedivision, treeunit, sampledivision, trustdivision (how each kind
//	                of search is divided); snapshot (a search at rest, as bytes), packer (numbers and lists
//	                of these); away, awaytree, awayothers (units in other processes)
//	tests           fault: rules that a test leaves out; internal/model: model programs
//	readsfrom/      whether loads can find what they are said to find
//	trust/          TruSt and ROUNDER: execution graphs and revisits
//	relation/       events, dependence, happens-before, store buffers, races, reversed sequences
package por
