// Package story tells a person what came of a run. It runs an execution again with
// everything recorded, and writes down its switches, the accesses that collide, and what
// each thread waits for. It adds the lives of blocks, and the two sides of a data race. A
// record has what happened, and answers which accesses met (record.go); a Story says what
// of that a person should see. And it warns where a verdict means less than it seems to.
// Invariant: a story is made of one execution alone, and changes nothing of a search.
package story
