package scheduler

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"landgo/internal/trace"
)

// Panics of Rust's runtime. A panic writes what it is about to standard error, and then
// unwinds its thread's stack. The process ends long after that: the main thread's with
// status 101, another's often by the panic of a thread that joins it and finds an error.

// panicked is a panic.
type panicked struct {
	thread trace.TID
	stack  []uint64
	said   int // how much had been written to standard error by then
}

// panicStatus is the status of a Rust program whose main thread panicked.
const panicStatus = 101

// maxPanic bounds a panic's message in a headline.
const maxPanic = 200

// passedOn is the message of a panic that another thread's panic has caused: by a join, by a
// poisoned lock, or by a scope that waits for its threads. The bug is the first one, in whichever
// of these ways it ends the program.
var passedOn = []string{"on an `Err` value: Any {", "on an `Err` value: PoisonError {", "a scoped thread panicked"}

// Panics are the messages of threads that then ended the process with a panic's status.
type Panics struct{ in *present }

// Panics remembers that thread t panics, and has said so.
func (y *Panics) Panics(t trace.TID) {
	y.in.panics = append(y.in.panics, panicked{t, y.in.Stack(t), len(y.in.kernel.Output(2))})
}

// Panic is the bug of the panic for which thread t ends the process; nil if there is none.
func (y *Panics) Panic(t trace.TID) *Failure {
	var f *Failure
	for i := len(y.in.panics) - 1; i >= 0; i-- {
		p := &y.in.panics[i]
		if f == nil && p.thread != t {
			continue
		}
		m := panicMessage(y.in.kernel.Output(2)[:p.said])
		if m == "" {
			continue // a hook of the program's said something else
		}
		f = &Failure{Kind: trace.Assertion, Message: m, Thread: p.thread, PC: p.stack[0], Stack: p.stack}
		if !slices.ContainsFunc(passedOn, func(s string) bool { return strings.Contains(m, s) }) {
			break
		}
	}
	return f
}

// panicMessage is the latest message of a panic in what was written to standard error.
func panicMessage(errs []byte) string {
	const panicked = " panicked at "
	at := bytes.LastIndex(errs, []byte(panicked))
	if at < 0 {
		return ""
	}
	place, rest, _ := bytes.Cut(errs[at+len(panicked):], []byte("\n"))
	what, _, _ := bytes.Cut(append([]byte("\n"), rest...), []byte("\nnote: run with"))
	what = bytes.TrimSpace(what)
	if len(what) > maxPanic {
		what = append(what[:maxPanic:maxPanic], "..."...)
	}
	return strings.TrimSpace(fmt.Sprintf("panicked at %s %s", place, strings.Join(strings.Fields(string(what)), " ")))
}
