package spins

import (
	"maps"

	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Counted spins: a thread looks at the same bytes again and again, as long as it finds a
// value that it doesn't wait for. It counts its turns, to sleep in the kernel after
// sixteen, or to wait for longer after each. Its state never recurs, so that no turn is a
// poll (scheduler/await.go); run one by one, the turns multiply with each write of these bytes.
//
// In an optimal search all turns of such a spin are one step, with the value that is there
// when it is taken. That misses nothing under two conditions. A thread's turns leave no more
// behind than the count. And the state after the spin doesn't tell how often the thread has
// looked. For take an execution in which writes come between the turns. The thread polled, in
// order, u1 ... un, and then left with v. Leave out its turns but the last: what polls has no
// effect, so all others do the same. Have it take the step there: it polls v as long as v has
// it poll, and leaves with v, in the same state. So each execution with all turns has the result
// of one in which each spin is a single step; and that is an execution.
//
// Whether it is so is tried each time that a thread stands before a spin, or that its bytes
// were written (survey). All values are tried that were there in this execution. In each
// state of the count that these lead to, all that let the thread stay have to lead to the
// same next one. And the present one has to lead out of the spin to the same state from
// wherever it does. "The same" is all memory and the CPU, but registers that are dead by
// the code alone. A turn may change bytes of the thread's own memory that the thread overwrites
// afterwards, before it reads them: a count on the stack (left.go). A register may have a count
// that is only saved by functions (scheduler/leftoverreg.go). Which values matter
// isn't a matter of the order of independent steps. All writes of these bytes depend on each other, but
// for additions that leave the same values in each order (scheduler/between.go).
// Where it isn't so, that is learned, and all begins again with the turns one by one.
//
// A count that ends nowhere (a back-off that stays at its most) reaches a state that recurs.
// Then there is no way out with this value, and the thread awaits another one.
//
// A loop that yields or sleeps with each look and counts nothing is one of these, too: its state recurs at
// once. A sleep moves the clock, which is nothing to threads that don't look at it.
//
// Judged by TestCounted in por, on programs with all turns and with steps of all turns.

// MostTurns bounds the turns of a counted spin: each stand before one tries them all, with
// each value. Longer ones are run turn by turn.
const MostTurns = 1 << 7

// AfterTurn is the result of a turn.
type AfterTurn uint8

// What a turn can come to.
const (
	Leaves AfterTurn = iota // the spin, or the turn did something
	Stays                   // before its bytes again
	Fails                   // it can't be run
)

// Look is the result of a survey of a counted spin.
type Look struct {
	Turns  uint32        // with which the present value leads out; 0: it leads nowhere
	Counts bool          // the turns can be one step
	Left   []trace.Range // in the thread's memory, by which the turns could be told
	Regs   trace.RegSet  // the same (scheduler/leftoverreg.go)
	Ends   bool          // each value that was tried leads out at last
}

// Loop is a loop that a thread stands in, before its look at some bytes.
type Loop interface {
	// Try runs a turn as if the bytes held v, and takes it back. p is how the thread
	// stands then. If the thread left, p is nil without present. With compares it is nil, too, if the
	// thread left and changed a part of the kernel's state that can't be compared.
	Try(v uint64, present, compares bool) (o AfterTurn, p *Poise)
	// Go runs it to stay there. The next turns may not read what it found in left.
	Go(v uint64, left []trace.Range)
	// Owns reports whether a byte is the thread's own, where it stands.
	Owns(at uint64) bool
	// Grows reports whether the thread does the same in all turns after one with which it
	// goes from here to next, finding with: its count alone grows (grown.go).
	Grows(here, next *Poise, with uint64, values []uint64) (words []x86.GrownWord, regs trace.RegSet, ok bool)
}

// Survey tries what a thread does in a loop with each of some values of its bytes, the present one first. It
// stands as here says.
func Survey(l Loop, here Poise, values []uint64) Look {
	now := values[0]
	var left *Poise
	seen := Poises{here}
	turns, latest := uint32(0), uint32(0) // the first and the last turn in which the present value led out
	apart, residue := Apart{}, Apart{}    // of states in which it leaves, and in which it stays
	var regs trace.RegSet                 // of states in which it leaves
	for n := uint32(1); n <= MostTurns; n++ {
		var next *Poise
		var with uint64
		for _, v := range values {
			o, p := l.Try(v, v == now, left != nil)
			switch {
			case o == Fails || o == Leaves && v == now && p == nil:
				return Look{}
			case o == Stays && next == nil:
				next, with = p, v
			case o == Stays && !residue.Same(next, p, l.Owns):
				return Look{}
			case o == Leaves && v == now:
				if left != nil {
					if !apart.Same(left, p, l.Owns) {
						return Look{}
					}
					regs |= left.OtherPushed(p)
				}
				if latest = n; turns == 0 {
					left, turns = p, n
				}
			}
		}
		if next != nil {
			next.Memory = residue.Without(next.Memory)
			maps.Copy(apart, residue)
		}
		if next == nil || seen.Turn(next) != 0 {
			// Where the count ends nowhere, the present value has to lead out of there too, or from nowhere.
			return Look{Turns: turns, Counts: next == nil || turns == 0 || latest >= seen.Turn(next), Left: apart.Ranges(), Regs: regs, Ends: next == nil}
		}
		if TriesGrown(n) {
			if words, kept, ok := l.Grows(&here, next, with, values); ok {
				apart.Add(words)
				return Look{Turns: turns, Counts: turns == 0 || latest == n, Left: apart.Ranges(), Regs: regs | kept}
			}
		}
		seen = append(seen, *next)
		l.Go(with, residue.Ranges())
		here = *next
	}
	return Look{}
}
