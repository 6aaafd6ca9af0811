// Package dap is a server for editors: the Debug Adapter Protocol
// (https://microsoft.github.io/debug-adapter-protocol) over gdb's machine interface.
// gdb has the run by package gdbserver. It knows symbols, types and expressions; this
// package puts an editor's questions to it.
//
//	mi.go           the text of gdb's machine interface (gdb's manual, "GDB/MI Output Syntax")
//	gdb.go          a gdb that is asked, and tells of stops
//	server.go       which request asks what
//	resume.go       going on, in both directions, and stops
//	breakpoints.go  breakpoints and watchpoints
//	look.go         threads, stacks, variables
package dap
