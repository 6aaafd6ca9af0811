// Package process runs the engine in a process of its own. The code that runs the guest
// may fail in ways that it can't report, an abort in the emulator's C code among them.
// That has to end with exit status 5 and never look like a verdict. And the guest may be
// hostile: this process has the user's files, the other one has the guest.
//
// # The files
//
//	process   an engine's calls: run, replay, inspect, debug, choose
//	beside    where the engine's program is; ahead: one that is started early
//	together  the engine ends with the front; nowhere: what it has for its input and output
//	keeper    the files that it may read; user: the debugger's questions
//	lending   a process that hands out parts of a search
package process
