// Package story tells a person how a run went. It runs an execution again with everything
// recorded, and writes down its switches, the accesses that collide, and what each thread waits
// for. It adds the lives of blocks, and the two sides of a data race. A record has what happened,
// step by step, and answers which accesses met (package record). A Story makes it, and chooses what
// of it a person should see. Why the run failed is in package cause. It also warns where a verdict
// means less than it seems to. Invariant: a story is made of one execution alone, and changes
// nothing of a search.
//
// # The files
//
//	a story          story (an execution, run again), condense (of a long step the last
//	                 of accesses alike), bug (a bug's report, in its order), account (each step), starts (threads), switches, waits, choices, block (lives of memory)
//	a moment         shown (an access for a person; is it of interest?), names and doubt (of memory), callers (of a library's header)
//	races            race, view (the two sides of a data race)
//	a verdict        warning (what lessens it)
//	what is asked    answers (those of the session and the story to record and cause)
package story
