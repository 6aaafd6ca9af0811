package emu

// #include "machine.h"
import "C"

import "landgo/internal/trace"

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

// Indivisible has an instruction be one event, as with Config.Uniprocessor, or not any
// more.
func (m *Machine) Indivisible(on bool) { m.c.uniprocessor = C.bool(on || m.cfg.Uniprocessor) }
