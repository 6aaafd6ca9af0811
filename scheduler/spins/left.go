package spins

import (
	"slices"

	"landgo/internal/trace"
)

// Code without optimisation counts a spin's turns on its stack, and leaves more there: copies of
// the count, and of what it found. So the state after the spin tells how often the thread has
// looked, unless it overwrites these bytes before it reads them. Whether it does is watched in each
// execution. For take an execution with all turns, and the one in which the spin is a single step.
// In both the thread runs the same code from there on. So if it reads none of these bytes in
// one, it reads none in the other, and both end alike. If it does read one, that is
// learned. All begins again then, with the turns one by one. What the C library's own functions
// access without a stop is watched too, and what landgo copies for them.
//
// A count may be in a register: scheduler/leftoverreg.go.

// Leftover is memory of a thread that tells how often it has looked, and where it did.
type Leftover struct {
	trace.Range
	Look  uint64
	Saved *LeftReg // what was pushed there; nil: another value
}

// LeftReg is a register that tells how often its thread has looked.
type LeftReg struct {
	Number int
	Value  uint64
	Look   uint64
}

// Leftovers are a thread's. None is changed in place: a thread's state goes back.
type Leftovers []Leftover

// LeftBy are those of a look.
func LeftBy(look uint64, left []trace.Range) (all Leftovers) {
	for _, r := range left {
		all = append(all, Leftover{Range: r, Look: look})
	}
	return all
}

// After are those that are left after an access, and told the looks that it reads of.
func (l Leftovers) After(a *trace.Access) (rest Leftovers, told []uint64) {
	end := a.Addr + uint64(a.Size)
	if !slices.ContainsFunc(l, func(o Leftover) bool { return a.Addr < o.Hi && o.Lo < end }) {
		return l, nil
	}
	for _, o := range l {
		switch {
		case a.Addr >= o.Hi || o.Lo >= end:
			rest = append(rest, o)
		case !a.IsWrite() || a.Flags&trace.RMW != 0:
			told = append(told, o.Look)
		default:
			if o.Lo < a.Addr {
				rest = append(rest, Leftover{Range: trace.Range{Lo: o.Lo, Hi: a.Addr}, Look: o.Look})
			}
			if end < o.Hi {
				rest = append(rest, Leftover{Range: trace.Range{Lo: end, Hi: o.Hi}, Look: o.Look})
			}
		}
	}
	return rest, told
}

// Pushed adds the word at which a register was pushed.
func (l Leftovers) Pushed(r LeftReg, at uint64) Leftovers {
	return append(slices.Clone(l), Leftover{trace.Range{Lo: at, Hi: at + 8}, r.Look, &r})
}

// HasSaved reports whether a register was pushed at a word.
func (l Leftovers) HasSaved(at uint64) bool {
	return slices.ContainsFunc(l, func(o Leftover) bool { return o.Saved != nil && o.Lo == at })
}

// Popped adds what a pop of a word into a register, set, gives back. It reports false if anything else is there.
func (l Leftovers) Popped(at uint64, set trace.RegSet, regs []LeftReg) ([]LeftReg, bool) {
	regs = slices.Clone(regs)
	for _, o := range l {
		switch {
		case at >= o.Hi || o.Lo >= at+8:
		case o.Saved == nil || o.Lo != at || set != 1<<o.Saved.Number:
			return nil, false
		case !slices.Contains(regs, *o.Saved):
			regs = append(regs, *o.Saved)
		}
	}
	return regs, true
}

// SavedBelow reports whether a register was pushed below an address, and Unwound has such pushes belong to no
// function any more.
func (l Leftovers) SavedBelow(at uint64) bool {
	return slices.ContainsFunc(l, func(o Leftover) bool { return o.Saved != nil && o.Lo < at })
}

// Unwound: see SavedBelow.
func (l Leftovers) Unwound(at uint64) Leftovers {
	l = slices.Clone(l)
	for i := range l {
		if o := &l[i]; o.Saved != nil && o.Lo < at {
			o.Saved = nil
		}
	}
	return l
}

// Settled leaves out words that hold another value than the register that was pushed there.
func (l Leftovers) Settled(word func(addr uint64) uint64) Leftovers {
	other := func(o Leftover) bool { return o.Saved != nil && word(o.Lo) != o.Saved.Value }
	if !slices.ContainsFunc(l, other) {
		return l
	}
	return slices.DeleteFunc(slices.Clone(l), other)
}
