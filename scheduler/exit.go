package scheduler

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// The end of a thread, as far as other threads can observe.

// IsStep reports whether a thread's end is a step of its own. It orders what the thread did
// before what comes after its join, and races with nothing. So it may be part of the
// thread's last step, with two exceptions. Others may try to join it, and see that it still
// lives after it did all else, or send it a signal then. The first thread that does has the
// search start again.
func (e *Ends) IsStep(t trace.TID) bool {
	th := &e.in.threads[t]
	return !e.in.Alone(t) && (e.in.Undrained(t) || len(th.sent) > 0 || e.learning.known.Exits || e.learning.known.Signalled.Has(uint64(th.ID)) || e.sharing.lifeIsShared(th.ID) || e.readsEnd(th))
}

// endTeller is a kernel that writes to the guest's memory when a thread ends.
type endTeller interface {
	// EndWord is where it does for a thread whose end landgo carries out, 0 for
	// nowhere. It writes 4 bytes.
	EndWord(t trace.TID) uint64
}

// endWord is where the end of a thread shows in memory (a thread's number in its control
// block, which others look at), or 0.
func (e *Ends) endWord(th *thread) uint64 {
	if k, ok := e.in.kernel.(endTeller); ok {
		return k.EndWord(th.ID)
	}
	return 0
}

// readsEnd reports whether others look where the end of a thread shows.
func (e *Ends) readsEnd(th *thread) bool {
	at := e.endWord(th)
	if at == 0 || !e.in.EveryOperation() {
		return false
	}
	return e.sharing.Shared(th.ID, at, 4)
}

// Exit makes a thread exited. byKernel: its own exit call did it.
func (e *Ends) Exit(t trace.TID, tr *trace.Transition, byKernel bool) {
	th := e.in.edit(t)
	th.Stand = StandExited
	th.Yielding = false
	e.stacks.bury(th.thread, tr)
	e.leftovers.outlives(th.thread, th.leftover)
	if k, ok := e.in.kernel.(kernel.Leaver); ok && !byKernel {
		if at := e.endWord(th.thread); at != 0 {
			e.sharing.Touch(th.ID, tr, th.Regs.RIP, at, 4, trace.Write|trace.Atomic)
		}
		wakes, ops := k.Leave(th.ID)
		for _, o := range ops {
			tr.Did(o)
		}
		for _, w := range wakes {
			e.in.wakeFromKernel(w)
			tr.Wakes = append(tr.Wakes, w)
		}
		e.sharing.takeTouched(th.thread, tr, th.Regs.RIP)
	}
	tr.End = trace.EndThread
	tr.Did(trace.Op{Kind: trace.OpExit, Obj: uint64(th.ID), PC: th.Regs.RIP})
}

// outputKernel is a kernel with a word that a call reads which writes to standard output.
type outputKernel interface {
	OutputWord() uint64
}

// SharesOutput reports whether what a thread is about to print may come too late: the
// process was seen to end while other threads were there, one of them with output.
// Prints are then events. They don't depend on each other, but on the end.
func (e *Ends) SharesOutput(t trace.TID) bool {
	k, ok := e.in.kernel.(outputKernel)
	return ok && !e.in.Alone(t) && e.sharing.sharesTouch(t, &trace.Access{Addr: k.OutputWord(), Size: outputSize})
}

// TouchOutput records that a thread prints.
func (e *Ends) TouchOutput(t trace.TID, tr *trace.Transition, pc uint64) {
	if k, ok := e.in.kernel.(outputKernel); ok {
		e.sharing.touchAs(&e.in.threads[t], t, tr, pc, &trace.Access{Addr: k.OutputWord(), Size: outputSize, Flags: trace.Library})
	}
}

const outputSize = 8

// endsOutput learns that the process has ended while other threads were there. (The end depends
// on everything anyway: only points before the prints are missing.) It also learns that prints
// were left in their buffer: then only those before a flush show.
func (e *Ends) endsOutput(t trace.TID) {
	left := e.in.lib.Unwritten(t)
	if n := uint64(len(left.Text)); n > 0 {
		e.unreads.see(left.At, n) // exit writes it
	}
	if left.Lost && !e.learning.known.Lost {
		e.learning.known.Lost = true
		e.learning.Refine()
	}
	// exit writes what is there; to print by a header's putc_unlocked is a store of the program's.
	if left.Pointer != 0 && !e.in.Alone(t) && e.in.machine.TouchTrusted(t, left.Pointer, 8, false) {
		e.learning.finer = true
	}
	if k, ok := e.in.kernel.(outputKernel); ok && !e.in.Alone(t) {
		e.sharing.sharesTouch(t, &trace.Access{Addr: k.OutputWord(), Size: outputSize, Flags: trace.Write})
	}
}
