// Package story tells a person what came of a run: it runs an execution again with
// everything recorded, and writes down its switches, the accesses that collide, what
// each thread waits for, the lives of blocks, and the two sides of a data race; and it warns
// where a verdict means less than it seems to.
// Invariant: a story is made of one execution alone, and changes nothing of a search.
package story
