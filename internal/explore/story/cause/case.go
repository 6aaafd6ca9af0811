package cause

import (
	"landgo/heap"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Places in a record, and calls.
type (
	at   = record.At
	call = record.Call
)

// Case is a run that fails, whose cause is looked for.
type Case struct {
	*record.Run
	Teller
	guest    Guest
	code     Code
	ticks    bool // the guest is a kernel that schedules its threads itself
	buffers  bool // stores may wait in store buffers
	hit      *hit // the collision, if it is one in the strict sense
	collided []at // the accesses of the cause
}

// Teller tells what a person sees of a run.
type Teller interface {
	// Shown is an access for a person.
	Shown(x record.At) result.Access
	// Named is a text with the names of blocks and variables for addresses.
	Named(text string) string
	// BlockAt is the latest block around an address.
	BlockAt(addr uint64) (b heap.Block, ok bool)
	// FreedAt is where a thread gave a block back; ok if the run has the block.
	FreedAt(b *heap.Block) (stack []result.Frame, ok bool)
	// Born are the threads that the run created, in order.
	Born() []trace.TID
	// CreatedAt is the user's line that creates a thread.
	CreatedAt(t trace.TID) result.Frame
}

// Guest is the guest at the end of the run.
type Guest interface {
	Name(t trace.TID) string
	Lookup(name string) (trace.TID, bool)
	StateText(t trace.TID) string
	Starts() []scheduler.Start
	Variable(addr uint64) (string, bool)
	VariableName(addr uint64) string
	OpText(o trace.Op) string
}

// Code is the guest's code.
type Code interface {
	// Frames are the frames of a stack's addresses.
	Frames(pcs []uint64) []result.Frame
	// Decides reports whether what one instruction reads decides whether another is run.
	Decides(read, use uint64) bool
	// Again reports whether there is a plain loop around an instruction, or one with other calls.
	Again(pc uint64) (plain, calling bool)
	// OnThreads reports whether a function of the C library's on threads has an instruction.
	OnThreads(pc uint64) bool
	// OneFunction reports whether a function has both instructions.
	OneFunction(pc, other uint64) bool
	// Word is the size of a pointer.
	Word() uint64
}

// New makes a case of a run.
func New(run *record.Run, teller Teller, guest Guest, code Code, ticks, buffers bool) *Case {
	return &Case{Run: run, Teller: teller, guest: guest, code: code, ticks: ticks, buffers: buffers}
}

// hit is a collision in the strict sense: another thread writes between two accesses
// of a thread's.
type hit struct {
	thread             trace.TID
	before, mid, after at
}
