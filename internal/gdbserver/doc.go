// Package gdbserver is a server for gdb: its remote serial protocol (gdb's manual,
// appendix "Remote Protocol"), over a recorded run.
//
// # The files
//
//	packet.go     packets on a connection, and the interrupt between them
//	server.go     which packet asks what
//	resume.go     going on, in both directions, and what is said of the stop
//	points.go     breakpoints and watchpoints
//	describe.go   the target's description: registers, threads
//	registers.go  registers as gdb has them
//	query.go      questions about a run that stands still
//	write.go      writes to memory, of which gdb alone knows
//
// A run that is recorded can't be changed: writes to memory and registers are refused.
package gdbserver
