// Package trust is TruSt for sequential consistency, over a System (Kokologiannakis, Marmanis,
// Gladstein and Vafeiadis, "Truly stateless, optimal dynamic partial order reduction", POPL
// 2022). It is Algorithm 2 of Marmanis and Vafeiadis 2023.
//
// An execution graph G holds events and the happens-before order between them,
// the transitive closure of the papers' po, rf, co and fr by bytes. Under
// sequential consistency that is a Mazurkiewicz trace: a read's sources and a
// byte's coherence order can be read off it.
//
// VISIT adds the next event of the thread whose turn it is, after everything
// (forward). Each event a that it adds, or could add if the thread weren't
// blocked, revisits the events to which it would have made a difference
// (revisit.go). Say thread t did r at its turn, in the graph S, and a comes
// before r. Then the graph becomes K and a, where K is S with all that has to
// come before a. Then t goes on.
//
// A graph is realised by the steps of the System in the order in which its
// events were added. Forward is one step; a revisit is a Rewind to S and the
// rest of K. No value is ever given to a read.
//
// That every trace is visited, once: guided(K) is the run that takes turns as
// forward does from the empty graph, with one exception. A thread's event may
// come before one of K's that it depends on, though it doesn't in K. Then that
// one comes first, with what happens before it. The graph P that a revisit of K
// by a is made from is guided(K) up to a's turn, and nothing else: that is what
// ISMAXIMAL decides (maximal.go). So each graph has one parent. (A thread
// that was displaced may then be blocked, so that what could have displaced it
// too follows in turn. If K has that as well, guided(K) says which of them did:
// findings 19 and 20.)
//
// From any trace parents lead to the empty graph, because a parent is a prefix of the graph, or
// has r in place of a revisit. Write A for a forward step and B for a revisit, A before B: the
// words of steps grow smaller in the lexicographic order. And each graph's children are looked
// through, all pairs of r and K. So the search tree is the reverse search (Avis and Fukuda) of
// this parent function. Two things are asked of dependence: that it is valid (relation/kinds.go),
// and that an event is possible and the same wherever all that happens before it in K has
// happened. Hence one event a step (SingleEvents). Where the trace doesn't tell the order in
// which several events displaced one thread, one order counts (canonical.go; others are Blocked).
//
// Memory: the graph at hand, what the revisits under way threw away
// (kept.go), and nothing per graph visited, but for what says how much is
// done (estimate.go). When the graphs of a revisit are done, P is put back,
// or made again as guided(K) (again in maximal.go).
//
// The subtree of a graph shares nothing with others. So another worker can take
// it, and this one goes on as if it was done with (por/trustdivision.go).
//
// Blocking: a thread may be blocked at its turn before a lock, a semaphore or
// another operation in which others take part. Then its turn is passed over, but
// what it would do revisits there and then. At the end of an execution so does
// what is still blocked, and the steps that an end of the process cut off. A
// wait that runs out is passed over too, before it does. A thread that was
// displaced and is blocked since has its turn again when it can run.
//
// Awaits: a step of a loop that is possible only with some values in memory
// (trace.Thread.Awaits) is an operation that blocks. It reads the last write, and any two
// writes depend on each other. So it is possible, and the same, wherever all that happens
// before it has happened, as dependence is asked to have it. No poll is run.
//
// Other spins: a thread may be back at the head of its loop as it was. It goes on
// only because another wrote what the loop read (Thread.Waits), before it came back
// or since. Where the trace doesn't settle which, its next event counts as a read of
// all that, in either case, and waits for no thread (Transition.Wakes) besides. Each
// trace of that order is visited once. The trace settles it if such a write happens
// before the turn's last event: the loop of a lock-free structure that reads a
// variable again and finds it changed (graph.settled). Then the next event is like
// any other, and the papers' Theorem 1 holds as it stands.
//
// A try or a compare-and-exchange that fails depends on less than where it
// succeeds. Say it fails at its turn in P, and in K it succeeds, after a read of
// K that isn't in P yet. Then something in P that K doesn't have wrote what it
// found. That write depends on the read, and so the read came before it. So all
// of K is there when the event's turn comes (displacers.go says in which
// order), and a failure is the read that it is. One thing this needs: the write
// wrote all its bytes. A compare-and-exchange that found bytes of several writes
// (patched) is ordered like one that succeeds, also with reads and other
// failures (findings 5, 12 and 25). If several graphs are then one trace, one
// counts (representative in canonical.go), and the others are Blocked.
//
// Deviations:
//   - The papers give a read its source, and a write its place in co, when they
//     are added, and only writes revisit reads. Here co and fr are causes like
//     rf. An event is always added last, and a later one, read or write, that has
//     to come before it revisits. Objects' operations, accesses of any bytes and
//     the end of the process are then events like others; a lock is its acquires
//     and releases in their order. What stays before the revisiting event,
//     besides its causes, is a choice (candidate.take): readers that a revisiting
//     write may come after.
//   - next is the paper's leftmost thread, for programs in which no thread waits.
//     A thread that can go on again doesn't get its turn before those after it
//     have had theirs. So what a revisit throws away and makes again stays short.
//   - A revisit's r is taken out, and added again at t's turn, which is next.
//   - Steps with several outcomes are as many events; only the first is maximal.
//
// # The files
//
//	the search      search: what the walk has of it, and what it tells
//	the walk        walk; rest, restbytes: at rest, between two workers or two runs
//	the graph       graph; ready, rows, turns: which threads can go on, and whose turn it is;
//	                deed: what is kept of steps; kept: of a graph that a revisit left
//	revisits        candidate, revisit, maximal, guide, displacers, canonical
//	rounds          rounder
//	how much        estimate, weigh
package trust
