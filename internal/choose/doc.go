// Package choose is the user's side of choosing by hand which thread is next: commands with
// answers in text, and a screen in a terminal.
//
// # The files
//
//	run.go       the run as it was told: steps, position, threads, watched expressions
//	command.go   commands, their words and their answers
//	tell.go      the answers' text
//	script.go    commands from a file or a pipe
//	json.go      the same for programs
//	model.go     the screen's state, and what a key changes of it
//	prompt.go    the line in which a user types words
//	frame.go     the screen as lines of text
//	paint.go     colours, and what is cut to fit
//	key.go       a terminal's bytes as keys
//	terminal.go  the terminal: raw mode, its size, keys and frames
//	mouse.go     clicks and turns of the wheel as keys
//	cells.go     how many columns a text takes
//	lines.go     lines of the sources
//
// A model is a value that a message changes, and a frame is a function of the model and of
// the screen's size: tests have frames without a terminal.
package choose
