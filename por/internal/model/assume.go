package model

import (
	"slices"

	"landgo/internal/trace"
)

// Reads behind which an assumption doesn't hold aren't possible for a search that is spared polls
// (scheduler/assume.go).

// AssumeFault is a rule about such reads that a test leaves out.
type AssumeFault uint8

// The faults.
const (
	AssumesRight AssumeFault = iota
	AnyEffect                // the read may also write
	TimePasses               // there may be waits that run out
)

// fails reports whether thread t stands at an assumption that doesn't hold, so that the read before wasn't possible.
func (m *Machine) fails(t int) bool {
	in := m.next(t)
	return m.p.Assumes && in != nil && in.Code == Assume && m.w[t*threadLen+wBug] == 0 && (m.p.AssumesBadly == TimePasses || !m.timed())
}

// timed reports whether a thread may wait for a time.
func (m *Machine) timed() bool {
	return slices.ContainsFunc(m.p.Threads, func(code []Instr) bool {
		return slices.ContainsFunc(code, func(in Instr) bool { return in.Timed })
	})
}

// wouldFail reports whether thread t, which waits before a read, would fail with what is there.
func (m *Machine) wouldFail(t int) bool {
	if !m.p.Assumes {
		return false
	}
	from, bug := len(m.log), m.Bug
	var x trace.Transition
	m.event(t, 0, &x)
	fails := m.fails(t)
	m.undo(from)
	m.Bug = bug
	return fails
}
