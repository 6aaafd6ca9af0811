// Package story tells a person what came of a run. It runs an execution again with everything
// recorded, and writes down its switches, the accesses that collide, and what each thread waits
// for. It adds the lives of blocks, and the two sides of a data race. A record has what happened,
// step by step, and answers which accesses met (package record). A Story makes it, and chooses what
// of it a person should see. It also warns where a verdict
// means less than it seems to. Invariant: a story is made of one execution alone, and changes
// nothing of a search.
//
// # The files
//
//	a story          story (in which order it is told), account (each step), starts (threads), switches,
//	                 waits, choices, block (lives of memory), buffered (stores unseen), names (memory), callers
//	what met         collision, looks (a test repeated after a wait), race and view (a data race)
//	the mistake      mistake (its name), mistakelock, mistakesection, mistakelife, mistakekept, mistakeafter,
//	                 mistakelast, mistakewait, mistakeasleep, mistakereset, mistakemissed, mistakeheld, mistakesem,
//	                 mistakeorder and against (a run that passes beside it)
//	the record       answers (what a record asks of the session, and the guest's own locks)
//	a verdict        warning (what lessens it)
package story
