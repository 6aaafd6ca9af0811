// Package unwind finds the return addresses on a thread's stack: by the file's call-frame
// information, or else by the code itself.
//
// # The files
//
//	by the file   cfi (descriptions of frames), cfirow (the rules for an instruction), recipe (rules
//	              that are kept), expression (those that are programs)
//	by the code   prologue (backwards), epilogue (forwards)
//	a stack       unwind (the finder), walker (from frame to frame), sigframe (past a signal's)
package unwind
