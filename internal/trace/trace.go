package trace

import (
	"errors"
	"fmt"
	"slices"
)

// TID is a thread's dense index within one exploration, 0 for the first thread.
// It is interned from the thread's name, a function of the parent's name and
// the ordinal among the parent's children. So one name has the same TID in
// every execution of an exploration, in whatever order threads are created.
// Across processes only names are stable: schedules use names.
type TID int32

// NoThread is the TID of no thread.
const NoThread TID = -1

// Choice is the outcome taken of a step that has several (which waiter a
// signal lets go, whether a timeout fires): 0 <= Choice < Thread.Outcomes.
type Choice uint32

// Mark names a remembered state of a System. Marks nest like a stack:
// rewinding to a mark forgets all later ones and keeps that one valid.
type Mark uint64

// Status says whether a thread can take a step.
type Status uint8

const (
	// Ready: the thread can take its next step.
	Ready Status = iota
	// Blocked: its Pending operation isn't possible now (a held mutex, an
	// unfinished join, a futex queue).
	Blocked
	// Spinning: an exact spin (see package scheduler): it waits until one of
	// the bytes in Waits is written by another thread.
	Spinning
	// Exited: it will never run again.
	Exited
)

func (s Status) String() string {
	return [...]string{"ready", "blocked", "spinning", "exited"}[s]
}

// Thread is one thread's part of a state.
type Thread struct {
	ID     TID
	Status Status
	// Role is the function that it began with, 0 if that isn't known. Nothing but samples goes
	// by it.
	Role uint64
	// Yielding: the thread stands at a yield, so that switching away from it
	// is no preemption.
	Yielding bool
	// Next: of the threads that can run, the guest's own scheduler would choose
	// this one. A search that has no other reason begins with it.
	Next bool
	// Expiring: no thread can run, and this one's wait, Pending, runs out. The thread is Ready only
	// for that, and its next step is an OpAdvance. If it is Blocked, its wait may run out in such
	// a step of another thread.
	Expiring bool
	// Outcomes is the number of outcomes of its next step: 1, or more at a
	// choice. 0 where Status isn't Ready.
	Outcomes uint32
	// Pending is the beginning of its next step: the synchronisation operation,
	// or Op{Kind: OpAccess} with PendingAccess for a plain access. Known for
	// every live thread, also for blocked ones.
	Pending Op
	// PendingAccess is the access that the next step begins with where
	// Pending.Kind is OpAccess.
	PendingAccess Access
	// Pieces, if there are any, are PendingAccess cut where its bytes have different answers: from the
	// thread's store buffer, from another store in it, or from memory.
	Pieces []Access
	// Loose: which bytes its next step works on isn't settled by the thread.
	Loose bool
	// Named: the outcomes of its next step have other names than 0 to Outcomes-1.
	Named bool
	// Updates: it isn't a thread of the guest, but the store buffer of thread Of. Its
	// next step writes the oldest buffered store to memory, which is PendingAccess (and
	// more, if Loose).
	Updates bool
	Of      TID
	// Arrives: it isn't a thread of the guest, but a signal on its way to one, which its next
	// step has arrive.
	Arrives bool
	// Flushed is how many updates of the thread's store buffer its next step comes after.
	// It is Blocked until these are made.
	Flushed uint32
	// Rests: that is for stores that the thread has made since it last waited for all. Switching away from it is
	// no preemption then, however early these stores are in memory.
	Rests bool
	// Beside is an operation that its next step is beside its PendingAccess; OpNone: none.
	Beside Op
	// Waits holds, for a Spinning thread, the reads of its loop; for a Ready
	// one, the same if it would spin without other threads' writes to them
	// since. Valid until the next Step or Rewind.
	Waits []Access
	// Awaits: its next step makes PendingAccess and no other event, and is possible only
	// where that finds a value which lets the thread go on; else it is Spinning. No other
	// bytes decide.
	Awaits bool
	// Assumes: it is Spinning, and with what is there an assumption of the program's doesn't hold behind
	// PendingAccess.
	Assumes bool
	// Parked: it has gone round a loop for nothing, and something has changed that it read. What it
	// could do now it does in other executions, without that turn. It never runs again in this one.
	Parked bool
	// Late: its next step ends the process well, and is possible only where no thread can
	// run that isn't Late.
	Late bool
}

// Preempted reports whether switching away from a thread that can run is a preemption: it neither
// yields nor ends, and doesn't wait for its own stores.
func (t *Thread) Preempted() bool {
	return !t.Yielding && !t.Rests && t.Pending.Kind != OpExit && t.Pending.Kind != OpEnd
}

// AccessFlags describe an access.
type AccessFlags uint8

const (
	// Write: the access stores. A locked read-modify-write is one access with
	// Write and RMW set.
	Write AccessFlags = 1 << iota
	// Atomic: made by a lock-prefixed instruction or xchg with memory.
	Atomic
	// RMW: reads and writes the same bytes in one indivisible event.
	RMW
	// Silent: a store of the bytes that were there already. Still a write for
	// dependence; matters to spin detection only.
	Silent
	// FailedCAS: a locked compare-and-exchange that failed. It is recorded
	// without Write: a read for dependence.
	FailedCAS
	// Library: made by trusted code to memory that the C library keeps in order
	// itself (a stream), or by a call of Pebbles to its kernel's. It is no race with
	// another of the kind.
	Library
	// Buffered: the thread's store buffer took the store, or answered the load. No other
	// thread's step depends on it: a store shows with its update.
	Buffered
	// Unordered: a store that a search doesn't order with other such stores of the same
	// bytes. A read of them says which was the last. Or a load that has an order only with
	// the store that it finds. Then each such store has a name, and the load's step says by
	// its Choice which it finds. No System sets it.
	Unordered
)

// Access is one architectural access to memory that threads share: up to 16
// bytes for an instruction's access, more for a system call's buffer. The
// layout (24 bytes) is that of the machine's record, so records are read in
// place.
type Access struct {
	Addr  uint64
	PC    uint64
	Size  uint32
	Insn  uint16 // instruction number within the step, from 1, modulo 1<<16
	Flags AccessFlags
	// Ahead is of what RMW isn't set for; else it is a Blend.
	Ahead Ahead
}

// Blend is how a read-modify-write changes its bytes, if what it read isn't used: two of
// one Blend, of the same bytes, have the same effect in both orders.
type Blend uint8

// The blends.
const (
	NoBlend  Blend = iota // the value that it read is used, or counts for the one that it writes
	BlendAdd              // adds, or subtracts, a number
	BlendAnd
	BlendOr
	BlendXor
	BlendStore // stores and loads, Unordered: the order of two is in what reads find
)

// Blends is the blend of an access.
func (a *Access) Blends() Blend {
	if a.Flags&Unordered != 0 {
		return BlendStore
	}
	if a.Flags&RMW == 0 {
		return NoBlend
	}
	return Blend(a.Ahead)
}

// SetBlend makes b the blend of an access, a read-modify-write.
func (a *Access) SetBlend(b Blend) { a.Ahead = Ahead(b) }

// Count is an addition that blends. Where its result is used, it shows no more than the flags
// of a number above zero do, as long as what it found before is at least Least.
type Count struct {
	Addr uint64
	Size uint32
	// Before is the bytes' old value, Added the number that was added, as signed numbers.
	Before, Added int64
	Least         int64 // above zero; 0: the result isn't used
}

// Holds reports whether an addition has the same effect whatever its bytes hold from low to high:
// nothing overflows, and the sum is above zero as well.
func (c *Count) Holds(low, high int64) bool {
	top := int64(1)<<(8*c.Size-2) - 1
	return low >= c.Least && low+c.Added > 0 && high <= top && c.Added <= top && c.Added >= -top
}

// Ahead is the number of bytes that a function reads beyond those that count,
// because it reads whole vectors. The high half has the bytes before, the low
// half those behind.
type Ahead uint8

// MakeAhead is this many bytes before and behind, at most 15.
func MakeAhead(before, behind uint64) Ahead { return Ahead(min(before, 15)<<4 | min(behind, 15)) }

// Counted is the addresses of the bytes that count, up to hi; none if lo is hi.
func (a *Access) Counted() (lo, hi uint64) {
	if a.Flags&RMW != 0 {
		return a.Addr, a.Addr + uint64(a.Size)
	}
	lo, hi = a.Addr+uint64(a.Ahead>>4), a.Addr+uint64(a.Size)-uint64(a.Ahead&15)
	return min(lo, hi), hi
}

// IsWrite reports whether the access stores.
func (a *Access) IsWrite() bool { return a.Flags&Write != 0 }

// Overlaps reports whether two accesses have a byte in common.
func (a *Access) Overlaps(b *Access) bool {
	return a.Addr < b.Addr+uint64(b.Size) && b.Addr < a.Addr+uint64(a.Size)
}

// SameBytes reports whether two accesses are of the same bytes.
func (a *Access) SameBytes(b *Access) bool { return a.Addr == b.Addr && a.Size == b.Size }

// Conflicts reports whether two accesses overlap and at least one writes, unless both
// blend.
func (a *Access) Conflicts(b *Access) bool {
	return (a.Flags|b.Flags)&Write != 0 && a.Overlaps(b) && !a.Commutes(b)
}

// Commutes reports whether two accesses are of one blend and of the same bytes.
func (a *Access) Commutes(b *Access) bool {
	return a.Blends().Commutes(b.Blends()) && a.Addr == b.Addr && a.Size == b.Size
}

// End says how a transition ended, beyond reaching a preemption point.
type End uint8

const (
	// EndPoint: at the thread's next preemption point.
	EndPoint End = iota
	// EndThread: the thread exited.
	EndThread
	// EndProcess: the whole guest ended without a bug (exit, return of main).
	EndProcess
	// EndBug: the guest ended with a bug.
	EndBug
)

// GranuleMask has a bit for each byte of the granule, of eight bytes from g, that [lo, hi)
// has.
func GranuleMask(g, lo, hi uint64) uint8 {
	m := uint8(0xff)
	if lo > g {
		m <<= lo - g
	}
	if hi < g+8 {
		m &= 0xff >> (g + 8 - hi)
	}
	return m
}

// Transition is one step of one thread: from a preemption point to its next
// one. Ends of the process, bugs included, are transitions of their own: they
// hold nothing but the end.
type Transition struct {
	Thread TID
	Choice Choice
	End    End
	// Begin and Last are the thread's own instruction numbers before and after
	// the step: a name of the step that doesn't depend on where else landgo
	// stopped.
	Begin, Last uint64
	// Accesses to shared memory in program order (duplicates left out), and
	// operations in program order. A load is several where stores of its thread have different parts of
	// its bytes (Thread.Pieces). Both slices are valid until the System is
	// rewound to a mark made before the step: copy them to keep them longer.
	Accesses []Access
	Ops      []Op
	// Fences are the places of instructions that empty the processor's store buffer,
	// ascending: how many of the accesses come before. Each locked instruction is one,
	// with memory that threads don't share too. Dependence doesn't ask for them. Not all of
	// a long step are there.
	Fences []uint32
	// Wakes lists the threads that this step released or created (creation,
	// signal, futex wake, make_runnable). The step happens before the next step
	// of each, and the two can't be reversed. An exit isn't here for its
	// joiner: OpExit and OpJoin say that.
	Wakes []TID
	// Frees is a thread that the search has kept waiting for this step (symmetry), 0 if
	// none: as in Wakes, but no observer sees an order of the two.
	Frees TID
	// More is that of a tested addition (TestedAddition).
	More uint8
	// Loose: the step's bytes may depend on other threads' earlier writes (a
	// trusted function that goes through the guest's memory).
	Loose bool
	// Disables: a thread that could run before the step can't after it, for a
	// reason that no operation tells (a scheduler with priorities).
	Disables bool
	// Updates: the store buffer of thread Of writes its oldest store to memory.
	Updates bool
	Of      TID
	// Flushed is how many updates of the thread's own store buffer had to be made before
	// the step, of all in the thread's life.
	Flushed uint32
	// Tails are the parts of Accesses and Ops, in order, that other threads
	// made. On its way to a thread a processor passes others, and runs the rest
	// of their sections.
	Tails []Tail
}

// Tail is the part of a transition that another thread made.
type Tail struct {
	Thread   TID
	Accesses [2]int // from, to
	Ops      [2]int
}

// By is the thread that made the n-th access, DidBy that of the n-th operation.
func (t *Transition) By(n int) TID {
	for i := range t.Tails {
		if r := &t.Tails[i].Accesses; r[0] <= n && n < r[1] {
			return t.Tails[i].Thread
		}
	}
	return t.Thread
}

func (t *Transition) DidBy(n int) TID {
	for i := range t.Tails {
		if r := &t.Tails[i].Ops; r[0] <= n && n < r[1] {
			return t.Tails[i].Thread
		}
	}
	return t.Thread
}

// Did appends an operation that comes after all accesses so far.
func (t *Transition) Did(o Op) {
	o.At = at(len(t.Accesses))
	t.Ops = append(t.Ops, o)
}

// Cut puts pieces in the place of the n-th access. No operation comes behind it yet.
func (t *Transition) Cut(n int, pieces []Access) {
	t.Accesses = slices.Replace(t.Accesses, n, n+1, pieces...)
	for i := range t.Fences {
		if int(t.Fences[i]) > n {
			t.Fences[i] = at(int(t.Fences[i]) + len(pieces) - 1)
		}
	}
}

// Fenced appends a fence after this many further accesses.
func (t *Transition) Fenced(more int) {
	f := at(len(t.Accesses) + more)
	if n := len(t.Fences); n == 0 || t.Fences[n-1] != f {
		t.Fences = append(t.Fences, f)
	}
}

// Append appends another transition.
func (t *Transition) Append(u *Transition) {
	n, ops := len(t.Accesses), len(t.Ops)
	for _, x := range u.Tails {
		x.Accesses = [2]int{x.Accesses[0] + n, x.Accesses[1] + n}
		x.Ops = [2]int{x.Ops[0] + ops, x.Ops[1] + ops}
		t.Tails = append(t.Tails, x)
	}
	for _, f := range u.Fences {
		t.Fences = append(t.Fences, at(n+int(f)))
	}
	t.Accesses = append(t.Accesses, u.Accesses...)
	for _, o := range u.Ops {
		o.At = at(n + int(o.At))
		t.Ops = append(t.Ops, o)
	}
}

// at is a number of accesses as Op.At has it. A step's instructions are counted out, and far fewer.
func at(n int) uint32 { return uint32(n) }

func (t *Transition) String() string {
	return fmt.Sprintf("t%d/%d[%d,%d) %d accesses %v", t.Thread, t.Choice, t.Begin, t.Last, len(t.Accesses), t.Ops)
}

// ErrFiner is the error of a step that learned of shared memory which counted
// as private before, so that preemption points were missed. The search rewinds
// to its root and starts again with all counts at zero; the System knows the
// new points from then on, and learns a finite number of times. Later findings
// and counts don't depend on when sharing was learned.
var ErrFiner = errors.New("preemption points became finer")
