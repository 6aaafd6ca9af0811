package story

import (
	"slices"
	"strings"

	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// answers are a session's to the questions that its record has.
type answers struct{ of *session.Session }

func (a answers) Name(t trace.TID) string                     { return a.of.Guest.Name(t) }
func (a answers) Variable(addr uint64) (name string, ok bool) { return a.of.Guest.Variable(addr) }
func (a answers) VariableName(addr uint64) string             { return a.of.Guest.VariableName(addr) }
func (a answers) Frames(pcs []uint64) []result.Frame          { return a.of.Frames(pcs) }
func (a answers) IsBuffer(t trace.TID) bool                   { return a.of.IsBuffer(t) }

func (a answers) Atomic(pc, addr uint64) bool {
	declared, _ := a.of.Image.Atomic(pc, addr)
	return declared
}

// findOwnLocks has the record find the guest's own locks.
func (st *Story) findOwnLocks() {
	if !st.Config.Buffers() { // a store in a buffer isn't in memory when its thread makes it
		st.OwnLocks(st.exchanges)
	}
}

// exchanges reports whether an access of the user's is an atomic exchange, and no addition.
func (st *Story) exchanges(x at) bool {
	a := st.AccessAt(x)
	if a.Flags&(trace.RMW|trace.Atomic) != trace.RMW|trace.Atomic || !slices.ContainsFunc(st.Frames([]uint64{a.PC}), func(f result.Frame) bool { return f.File != "" }) {
		return false
	}
	text := st.shown(x).Instruction
	return strings.Contains(text, "xchg") || strings.Contains(text, "bts")
}
