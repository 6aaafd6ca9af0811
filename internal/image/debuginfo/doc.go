// Package debuginfo answers questions about code and data by the file's DWARF. It knows the
// source line of an instruction (line.go) and the variable at an address (variable.go, local.go).
// It also knows the place of a field (member.go), and what is atomic (atomic.go).
//
// Invariant: a damaged or missing DWARF makes an answer poorer, never wrong or an error. All
// methods may be called from any goroutine.
//
// # The files
//
//	reading       dwarf, dwarfreader, dwarfsections and linecheck (damaged files)
//	places        line, stack, covered, cplusplus (names of functions)
//	variables     variable, local, outlined (of OpenMP), own (of a thread), atomic
//	types         typepath (a part's name), member (the part of a name), typesize, pointee, shape (is a block of a type?)
//	values        expression, show
//	functions     regparm (arguments in registers), unseen (calls that can't be seen)
package debuginfo
