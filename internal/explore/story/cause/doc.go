// Package cause says why a run failed: which accesses met, and which mistake that shows. It asks the
// run's record what happened, and a Teller how a person sees it. It knows no machine and no session.
// Invariant: a mistake follows from the events of a run, never from names; where none fits for
// certain there is no word.
//
// # The files
//
//	case        Case and what it asks; explain (the order: the accesses, then the kinds of mistakes, from the
//	            most certain to the least), shared (what the kinds share)
//	accesses    collision (a thread's write between two of another's), buffered (a store that is unseen)
//	locks       unprotected (what the collision says), misuse (against a lock's rules, or in different
//	            orders), sections (of one lock, torn apart), pointer (used when its lock is released)
//	waits       wait (condition variables and signals), looks (is a test repeated after a wait?), asleep (of a
//	            kernel's threads), reset (an event taken back), missed (what another thread has done), held (what
//	            a thread keeps when it waits), forever (what an ended thread leaves), semaphore
//	            (and barriers), join (too late)
//	memory      life (of blocks and stacks, reuse), deque (the last element, taken twice)
//	two runs    against (Pair: what a run that passes has in another order), flip (the mistake that this shows), version (data
//	            of two versions)
package cause
