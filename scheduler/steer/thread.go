package steer

import (
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// thread is a thread of the kernel: what every kind of guest has of one, and what
// only a kernel's has.
type thread struct {
	*scheduler.Thread
	own ownThread
}

// ownState is a thread's state in its kernel's words.
type ownState uint8

const (
	ownCreated ownState = iota
	ownReady
	ownBlocked
	ownSleeping
)

// ownThread is a thread of a kernel's own. Its fields are exported so that they can be kept
// (kernel.Encode).
type ownThread struct {
	Number   uint64 // as the kernel calls it
	State    ownState
	Idle     bool
	Priority int64
	Wants    uint64 // the object that it was about to acquire last
	Children uint64
	// tail: it gave the processor up itself, or hasn't run yet.
	Tail  bool
	Kind  tailKind
	Stack uint64 // the physical address of its stack pointer when it gave the processor up
	// interrupted: it was, at regs, and a handler's frame is on its stack.
	Interrupted bool
	// halted: it waits for an interrupt (hlt).
	Halted bool
	Since  uint64 // the ticks that had passed when it called a function to sleep,
	Length uint64 // and those that it wants to sleep
	Wakes  uint64 // the number of the tick that will wake it, see time.go
	// noted: since it was switched to, it has noted that it runs (access.go).
	Noted bool
	// stackLow is the lowest address of its stack, 0 if the kernel hasn't said so.
	StackLow uint64
	// frames is the stack pointer at the place where it was interrupted: the handler's
	// frames are below.
	Frames uint64
	Ended  bool // it will be gone after the next switch
	// unannounced: it runs, or ran, and landgo_ready hasn't been called.
	Unannounced bool
	Calls       []ownCall // of functions with roles, under way, outermost first
	// exceptions are those that its handlers treat, outermost first; mended has the one
	// that it came back from last.
	Exceptions []exception
	Mended     *exception
	// See round.go.
	Lap             uint64
	LapFrom         uint64 // the journal's length when its turn began, and the one before
	LapBefore       uint64
	Round           bool
	Stored, Storing bool
}

// ownSave is a thread's earlier state.
type ownSave struct {
	id  trace.TID
	old thread
}

// ensure makes room for thread t. Threads never move: the capacity is there from the
// start.
func (b *beliefs) ensure(t trace.TID) {
	b.core.Ensure(t)
	for i := len(b.in.threads); i <= int(t); i++ {
		b.in.threads = append(b.in.threads, thread{Thread: b.core.Thread(trace.TID(i))})
	}
}

// edit is a thread that may be changed: its state was kept since the latest mark, here and
// in the System. What only looks at a thread has a *thread. TestStateIsKept in
// internal/arch finds what sets a field in another way.
type edit struct{ *thread }

// edit keeps a thread's state for Rewind, and lets it be changed until the next mark.
func (c *core) edit(t trace.TID) edit {
	c.Save(t)
	return edit{&c.path.threads[t]}
}

// Keep implements scheduler.Companion.
func (k *Kernel) Keep(t trace.TID) {
	k.ownLog = append(k.ownLog, ownSave{t, k.threads[t]})
}

// TakeUp implements scheduler.Companion.
func (k *Kernel) TakeUp(n, steps int) {
	for i := len(k.ownLog) - 1; i >= n; i-- {
		e := &k.ownLog[i]
		k.threads[e.id] = e.old
	}
	clear(k.ownLog[n:])
	k.ownLog = k.ownLog[:n]
	k.steps = k.steps[:steps]
}

// invalid makes the error for what isn't modelled.
func (c *core) invalid(gap kernel.Gap, th *thread, pc uint64, format string, args ...any) error {
	return c.Invalid(gap, th.ID, pc, format, args...)
}
