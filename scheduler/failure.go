package scheduler

import (
	"fmt"
	"strings"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Failure is a bug at the end of an execution.
type Failure struct {
	Kind    trace.BugKind
	Message string
	Thread  trace.TID
	PC      uint64 // where the thread stands
	// Block is the block of memory that a wrong access or free was about, if
	// there is one.
	Block heap.Block
	// Dead is the thread of a wrong access to its stack, which has ended (thread 0 has no stack of its
	// own) or lives (Beneath). Returned: it ended with that address or one close before it, which a join
	// has taken.
	Dead     trace.TID
	Returned bool
	// Beneath: that thread lives, and uses the memory no more. EndedBy is the return by which its variables
	// have ended; 0: it isn't known.
	Beneath bool
	EndedBy uint64
	// Stack is where the thread stood, if it went on after that: of a panic, and of an error
	// that was let through. After such an error, At is the number of the instruction in its
	// thread's life.
	Stack []uint64
	At    uint64
	// Misuse is the rule that a lock's use breaks, Lock the lock's address, and Holder the
	// thread that holds it, or trace.NoThread.
	Misuse Misuse
	Lock   uint64
	Holder trace.TID
	// Calls are those of an object that no order explains (package linear).
	Calls []Called
	// Left: it is no bug. What the execution would do from here on isn't known (Config.Leaves).
	Left bool
	// Waits lists what each thread waits for (deadlock, livelock).
	Waits []Wait
}

// Misuse is a rule of locks that a thread breaks.
type Misuse uint8

// The rules, where the events before tell what to change.
const (
	OtherMisuse  Misuse = iota
	KeptAtEnd           // a thread ends while it holds the lock
	TakenTwice          // a thread wants a lock that it holds
	Upgraded            // it holds the lock for reading, and wants it for writing
	NotTaken            // it lets a lock go that no thread holds
	AnothersLock        // it lets a lock go that another thread holds
	HeldAtItsEnd        // it destroys or initialises a lock that a thread holds
	UsedGone            // it uses what was destroyed
)

// Called is a call of an object, in a history.
type Called struct {
	Thread trace.TID
	Name   string // "enqueue(1)"
	Result string // "", if it says nothing, or there is none
	// Begin and End are places in the history, from 1; End is 0 if it isn't over.
	Begin, End int
	PC         uint64 // where it was begun
}

// Wait is one thread's part in a deadlock or livelock.
type Wait struct {
	Thread trace.TID
	// For is the kind of thing it waits for ("mutex", "thread"), and Name its
	// name.
	For, Name string
	Obj       uint64
	// Owner holds it, or trace.NoThread.
	Owner trace.TID
	// Cycle: the thread is part of the waits-for cycle.
	Cycle bool
	// Timed: the wait runs out by itself.
	Timed bool
	// Spins: it waits in a loop, for a change of what Reads read.
	Spins bool
	Reads []trace.Access
}

func (w *Wait) String() string {
	switch w.For {
	case "thread":
		return "thread " + w.Name + " to end"
	case "condition variable":
		return "a signal on " + w.Name
	}
	return strings.TrimSpace(w.For + " " + w.Name)
}

// Fail makes a thread stand before its failure: the guest's end is an event of
// its own, which the others may still forestall.
func (s *present) Fail(t trace.TID, f *Failure) error {
	th := s.edit(t)
	th.Stand, th.Failure = StandFailure, f
	th.Half++ // a schedule names the state before what fails and the one behind, when others may come
	return nil
}

// The errors by which a step, and with it a search, ends without a verdict on the guest.

// InvalidError says why a guest can't be controlled: the verdict is invalid,
// never green.
type InvalidError struct {
	Gap    kernel.Gap
	Reason string
	PC     uint64 // where, or 0
	Thread trace.TID
}

func (e *InvalidError) Error() string { return e.Reason }

// BudgetError says that one step ran more instructions than the step budget,
// or that one execution had more steps than landgo follows.
type BudgetError struct {
	Insns  uint64 // of the step
	Steps  int    // of the execution, or 0
	PC     uint64
	Thread trace.TID
	Before string // the function at whose call a kernel would be up, if it isn't
}

func (e *BudgetError) Error() string {
	if e.Steps != 0 {
		return fmt.Sprintf("an execution has %d steps and no end", e.Steps)
	}
	if e.Before != "" {
		return fmt.Sprintf("the kernel ran %d instructions without calling %s, where checking begins", e.Insns, e.Before)
	}
	return fmt.Sprintf("a step ran %d instructions without reaching a preemption point", e.Insns)
}

// unmodelled says what the machine stopped before: an instruction that it hasn't
// got, or something done to code.
func (s *fixed) unmodelled(th *thread, stop *emu.Stop) error {
	if stop.Detail == emu.StoreIntoCode || stop.Detail == emu.CodeMade {
		return s.Invalid(kernel.GapCode, th.ID, stop.PC, "%s isn't modelled", stop.Detail)
	}
	return s.Invalid(kernel.GapInstruction, th.ID, stop.PC, "the instruction %s isn't modelled", stop.Detail)
}

// Invalid makes the error for what isn't modelled.
func (s *fixed) Invalid(gap kernel.Gap, t trace.TID, pc uint64, format string, args ...any) error {
	return &InvalidError{Gap: gap, Reason: fmt.Sprintf(format, args...), PC: pc, Thread: t}
}
