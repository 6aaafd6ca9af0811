// Command landgo explores the interleavings of a multithreaded program. It runs
// a compiled binary once for each way in which its threads can take turns that
// could make a difference, and shows the one that fails.
//
// This package turns flags into a configuration and a result into text and an
// exit status. The program landgo-engine does the work of the commands
// that look at a guest; package internal/process talks to it. landgo-class grades.
//
// # The files
//
//	a call        main (exit status), app (the tree of commands, options as flags), takes (which a command takes), cobra (usage errors, names,
//	              completion), sink, terminal, watch (its end)
//	run, replay   run, replay, build (sources), early (a bug before the result), lend (help on other machines)
//	by hand       explore, debug, edit
//	results       format, coverage, page, schema (JSON Schema of the results)
//	other         grade, inspect, header, help, man, searches (the list of searches), version
package main
