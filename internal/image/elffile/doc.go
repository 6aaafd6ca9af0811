// Package elffile reads an ELF executable as plain data: its header, segments, sections,
// symbols and notes, and which C library it has.
//
// Invariants: a File is a function of the file's bytes alone. All addresses in it are
// those that the guest will see. A file is untrusted: any bytes give a File or an error,
// in memory proportional to the file.
//
// # The files
//
//	a file        file, digest, header, elf (its structures), segment, share (a page of two segments),
//	              narrow (where code is)
//	names         symbol, names
//	programs      libc, dynamic, library (is a file one? what it exports), separate (debug information in a file of its own),
//	              join (a program and its libraries: which part an address is in, and whether that is
//	              the C library's), indirect (functions chosen at the start)
//	kernels       multiboot, kernelmarks (instructions that only kernels have)
//	damage        error, sectioncheck
package elffile
