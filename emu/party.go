package emu

// #include "machine.h"
import "C"

import (
	"slices"

	"landgo/internal/trace"
)

// Interrupted is a signal's handler that hasn't returned.
type Interrupted struct {
	SP     uint64 // the stack pointer when the signal came
	Serial uint64 // a number that no other one of the execution has
}

// SetInterrupted says which handlers haven't returned, of the threads that run with
// Parties from now on.
func (m *Machine) SetInterrupted(list []Interrupted) {
	m.c.nframes = C.uint32_t(len(list))
	for i := range min(len(list), C.MAX_FRAMES) {
		m.c.frames[i] = C.struct_interrupted{sp: C.uint64_t(list[i].SP), serial: C.uint64_t(list[i].Serial)}
	}
}

// Party is, in place of a thread's number, that of the guest's own thread which runs with
// a stack pointer (party.c).
func (m *Machine) Party(sp uint64) trace.TID { return trace.TID(C.party_at(m.c, C.uint64_t(sp))) - 1 }

// Window is the stretch of memory in which a party's stack pointer has been, both ends included.
type Window struct{ Lo, Hi uint64 }

// Windows are those of all parties that were met, in the order of their sharing bytes.
func (m *Machine) Windows() (all []Window) {
	for _, w := range m.c.windows[:m.c.nwindows] {
		all = append(all, Window{uint64(w.lo), uint64(w.hi)})
	}
	return all
}

// Parties is how many windows there are.
func (m *Machine) Parties() int { return int(m.c.nwindows) }

// LearnWindows takes another machine's windows, so that its sharing bytes mean the same here. Where
// it has met other parties, or there are too many, all memory counts as shared from now on.
func (m *Machine) LearnWindows(list []Window) {
	for i, w := range list {
		known := m.Windows()
		same := i < len(known) && w.overlaps(known[i])
		if !same && (i < len(known) || i == C.MAX_WINDOWS || slices.ContainsFunc(known, w.overlaps)) {
			m.DeclareAllShared(true)
			return
		}
		if !same {
			m.c.windows[i] = C.struct_window{lo: C.uint64_t(w.Lo), hi: C.uint64_t(w.Hi)}
			m.c.nwindows++
		}
	}
}

func (w Window) overlaps(o Window) bool { return w.Lo <= o.Hi && o.Lo <= w.Hi }

// Indivisible has an instruction be one event, as with Config.Uniprocessor, or not any
// more.
func (m *Machine) Indivisible(on bool) { m.c.uniprocessor = C.bool(on || m.cfg.Uniprocessor) }
