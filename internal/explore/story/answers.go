package story

import (
	"slices"
	"strings"

	"landgo/heap"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story/record"
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

func (a answers) Decides(read, use uint64) bool         { return a.of.Decides(read, use) }
func (a answers) Again(pc uint64) (plain, calling bool) { return a.of.Again(pc) }
func (a answers) OnThreads(pc uint64) bool              { return a.of.OnThreads(pc) }
func (a answers) Word() uint64                          { return a.of.Image.Machine.Word() }

func (a answers) OneFunction(pc, other uint64) bool {
	in, ok := a.of.Image.SymbolAt(pc)
	of, _ := a.of.Image.SymbolAt(other)
	return ok && in.Addr == of.Addr
}

// BlockAt implements cause.Teller.
func (st *Story) BlockAt(addr uint64) (b heap.Block, ok bool) {
	if life := st.around(addr); life != nil {
		return life.Block, true
	}
	return b, false
}

// FreedAt implements cause.Teller.
func (st *Story) FreedAt(b *heap.Block) (stack []result.Frame, ok bool) {
	life := st.blocks[lifeKey{b.Family, b.Addr, b.Generation}]
	if life == nil {
		return nil, false
	}
	return life.back, true
}

// Born implements cause.Teller.
func (st *Story) Born() []trace.TID { return st.born }

// CreatedAt implements cause.Teller.
func (st *Story) CreatedAt(t trace.TID) result.Frame { return st.created[t] }

// findOwnLocks has the record find the guest's own locks.
func (st *Story) findOwnLocks() {
	if !st.Config.Buffers() { // a store in a buffer isn't in memory when its thread makes it
		st.OwnLocks(st.exchanges)
	}
}

// exchanges reports whether an access of the user's is an atomic exchange, and no addition.
func (st *Story) exchanges(x record.At) bool {
	a := st.AccessAt(x)
	if a.Flags&(trace.RMW|trace.Atomic) != trace.RMW|trace.Atomic || !slices.ContainsFunc(st.Frames([]uint64{a.PC}), func(f result.Frame) bool { return f.File != "" }) {
		return false
	}
	text := st.Shown(x).Instruction
	return strings.Contains(text, "xchg") || strings.Contains(text, "bts")
}
