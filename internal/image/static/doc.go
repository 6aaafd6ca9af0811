// Package static answers questions about a guest's code by reading it, without running it. It
// finds the callers of a function, the addresses and numbers that the code mentions, dead
// registers, loops that never end, and locked instructions.
//
// # The files
//
//	registers     dead, onward (beyond a function's end), spot (where a return goes), across (flags beyond a return), frames
//	instructions  locked, quick (the common forms), returns
//	values        either (results of functions that make no difference), blend, tested and pivot (results of locked instructions), decides, compared
//	ways          again, neverback, forever (loops without an end), callers
//	threads       alike, alikeframe
//	libraries     ahead (string functions), operators (new and delete)
//	data          refers (variables that code has the address of, and functions that it reaches)
package static
