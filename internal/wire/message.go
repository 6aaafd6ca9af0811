package wire

import (
	"errors"

	"landgo/internal/confine"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/host"
	"landgo/internal/result"
)

// Protocol is the version of what the two say. Front and engine of different versions
// don't work together.
const Protocol = 1

// ToEngine is a message of the front's: one of its fields is there.
type ToEngine struct {
	// Request is the first message, and comes once.
	Request *Request `json:"request,omitempty"`
	// Cancel asks for the results so far: the user wants an end.
	Cancel bool `json:"cancel,omitempty"`
	// File answers a request for a file; its descriptor comes beside it.
	File *Exact[host.Answer] `json:"file,omitempty"`
	// Debug asks about the run that is being debugged.
	Debug *Exact[debugger.Request] `json:"debug,omitempty"`
	// Interrupt asks for the end of what Debug has begun.
	Interrupt bool `json:"interrupt,omitempty"`
	// Leave ends the debugging.
	Leave bool `json:"leave,omitempty"`
}

// Request is a command for the engine. Beside it come, on Linux, the files maps and statm
// of the engine's own process, which it can't open.
type Request struct {
	// Command is run, help, replay, debug, explore or inspect.
	Command Command `json:"command"`
	// Config is all that the user has asked for.
	Config Exact[config.Config] `json:"config"`
	// Missing are the layers of confinement that the engine was started without.
	Missing []confine.Missing `json:"missing,omitempty"`
	// Memory is the front's memory, in bytes: part of the limit.
	Memory uint64 `json:"memory"`
	// Parts: beside it comes a socket too, over which parts of the search go (Part).
	Parts bool `json:"parts,omitempty"`
	// BugFile is the run to replay, debug or explore: without a
	// schedule, the guest is explored from its beginning.
	BugFile *Exact[result.BugFile] `json:"bug_file,omitempty"`
}

// Command names what the engine does with a guest.
type Command string

const (
	Run     Command = "run"
	Replay  Command = "replay"
	Debug   Command = "debug"
	Explore Command = "explore"
	Inspect Command = "inspect"
	// Help works on parts of a run that another engine lends.
	Help Command = "help"
)

// FromEngine is a message of the engine's: one of its fields is there.
type FromEngine struct {
	// Hello is the first message.
	Hello *Hello `json:"hello,omitempty"`
	// Confined says that the engine is confined as far as can be.
	Confined *Confined `json:"confined,omitempty"`
	// Progress is how far a search is.
	Progress *Exact[result.Progress] `json:"progress,omitempty"`
	// SoFar is the result so far, each time that there is more.
	SoFar *Result `json:"so_far,omitempty"`
	// Late says that a limit was reached a while ago, and the engine goes on.
	Late result.ErrorKind `json:"late,omitempty"`
	// File asks for a file of the host.
	File *Exact[host.Request] `json:"file,omitempty"`
	// Ready says that the run can be debugged, or explored.
	Ready bool `json:"ready,omitempty"`
	// Debug answers a question about it.
	Debug *Exact[debugger.Answer] `json:"debug,omitempty"`
	// End is the last message.
	End *End `json:"end,omitempty"`
}

// Hello is the engine's first message.
type Hello struct {
	// Protocol is the version of the messages.
	Protocol int `json:"protocol"`
	// Version is landgo's own.
	Version string `json:"version"`
	// Build is the state of the repository that it was built from, if that is known.
	Build string `json:"build,omitempty"`
}

// Confined says how an engine is confined.
type Confined struct {
	// Missing are the layers that there aren't.
	Missing []confine.Missing `json:"missing,omitempty"`
}

// End is the engine's last message: one of its fields is there.
type End struct {
	// Result is that of a run or a replay.
	Result *Result `json:"result,omitempty"`
	// Inspection is that of a guest.
	Inspection *Exact[result.Inspection] `json:"inspection,omitempty"`
	// Error came instead of a result.
	Error *Error `json:"error,omitempty"`
}

// Error is an error of package result.
type Error struct {
	// Kind is a name of "landgo help errors".
	Kind result.ErrorKind `json:"kind"`
	// Message says the fault and its place.
	Message string `json:"message"`
	// Stack is where the engine's own code failed.
	Stack string `json:"stack,omitempty"`
}

// ErrorOf is an error as a message.
func ErrorOf(err error) *Error {
	return &Error{Kind: result.KindOf(err), Message: err.Error()}
}

// Err is the error again.
func (e *Error) Err() error {
	if e.Kind == result.Fault {
		return &Failed{Message: e.Message, Stack: e.Stack}
	}
	return result.Errorf(e.Kind, "%w", errors.New(e.Message))
}

// Failed is a fault of the engine's own code.
type Failed struct{ Message, Stack string }

func (f *Failed) Error() string { return f.Message }

// Result is a result in a message. A bug is in it once: Bug is that of Bugs at
// BugAt-1, if BugAt isn't 0.
type Result struct {
	// Result has no Bug if BugAt says which it is.
	Result Exact[result.Result] `json:"result"`
	// BugAt is the place of Bug in Bugs, from 1; 0 if it isn't there.
	BugAt int `json:"bug_at,omitempty"`
}

// ResultOf is a result for a message; nil for nil.
func ResultOf(r *result.Result) *Result {
	if r == nil {
		return nil
	}
	short := &Result{Result: Exact[result.Result]{*r}}
	for i, b := range r.Bugs {
		if b == r.Bug && b != nil {
			short.Result.Value.Bug, short.BugAt = nil, i+1
		}
	}
	return short
}

// Whole is the result of a message; nil for nil.
func (r *Result) Whole() *result.Result {
	if r == nil {
		return nil
	}
	whole := &r.Result.Value
	if at := r.BugAt - 1; at >= 0 && at < len(whole.Bugs) {
		whole.Bug = whole.Bugs[at]
	}
	return whole
}
