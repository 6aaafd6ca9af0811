// Package outside writes small programs, rich in what a C library has: signals
// and masks, timed waits, every kind of mutex, mappings, descriptors, exits.
// Each prints one line, its outcome: what its calls returned and what its
// variables became. So the outcomes of one program can be listed in several ways
// (by any search, with libc's own code, on the real machine) and compared.
//
// A program is a function of its seed and number. The programs avoid what C leaves undefined, and
// what a processor's store buffers show. They also avoid documented limits of landgo: half a call
// of stdio, wake-ups without a cause.
//
// # The files
//
//	writer    statements as templates, and how one is chosen
//	program   a whole program, as C
//	themes    sync, system (the kernel), channels (pipes and the like), ends, more (C11, signals), cxx
package outside
