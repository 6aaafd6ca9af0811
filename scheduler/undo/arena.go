package undo

import "landgo/internal/trace"

// Arena holds the transitions of the present path and what their slices point
// to. It grows and shrinks like a stack, so that a step makes no garbage.
type Arena struct {
	trs      []*trace.Transition
	used     int
	accesses chunks[trace.Access]
	ops      chunks[trace.Op]
	wakes    chunks[trace.TID]
}

// ArenaMark is how far an arena is filled.
type ArenaMark struct {
	used                 int
	accesses, ops, wakes chunkMark
}

// Mark is how far it is filled.
func (a *Arena) Mark() ArenaMark {
	return ArenaMark{a.used, a.accesses.mark(), a.ops.mark(), a.wakes.mark()}
}

// Rewind empties it down to a mark.
func (a *Arena) Rewind(m ArenaMark) {
	a.used = m.used
	a.accesses.rewind(m.accesses)
	a.ops.rewind(m.ops)
	a.wakes.rewind(m.wakes)
}

// Transition begins a new transition. Its slices may be appended to until
// Seal.
func (a *Arena) Transition(t trace.TID, c trace.Choice) *trace.Transition {
	if a.used == len(a.trs) {
		a.trs = append(a.trs, new(trace.Transition))
	}
	tr := a.trs[a.used]
	a.used++
	*tr = trace.Transition{Thread: t, Choice: c,
		Accesses: a.accesses.open(), Ops: a.ops.open(), Wakes: a.wakes.open(), Fences: tr.Fences[:0]}
	return tr
}

// Seal gives the room that a transition's slices don't use back.
func (a *Arena) Seal(tr *trace.Transition) {
	tr.Accesses = a.accesses.close(tr.Accesses)
	tr.Ops = a.ops.close(tr.Ops)
	tr.Wakes = a.wakes.close(tr.Wakes)
}

// chunks is a stack of slices cut from larger blocks. A slice that outgrows
// its block is moved by append and kept by the garbage collector alone.
type chunks[T any] struct {
	blocks [][]T
	block  int
	used   int
}

type chunkMark struct{ block, used int }

const chunkSize = 4096

func (c *chunks[T]) mark() chunkMark    { return chunkMark{c.block, c.used} }
func (c *chunks[T]) rewind(m chunkMark) { c.block, c.used = m.block, m.used }

// open returns an empty slice with the rest of the present block as capacity.
func (c *chunks[T]) open() []T {
	if len(c.blocks) == 0 {
		c.blocks = append(c.blocks, make([]T, chunkSize))
	}
	if chunkSize-c.used < 64 {
		c.block++
		c.used = 0
		if c.block == len(c.blocks) {
			c.blocks = append(c.blocks, make([]T, chunkSize))
		}
	}
	return c.blocks[c.block][c.used:c.used:chunkSize]
}

// close records how much of the block a slice uses, if it is still in it.
func (c *chunks[T]) close(s []T) []T {
	if len(s) == 0 {
		return nil
	}
	if b := c.blocks[c.block]; c.used < len(b) && &b[c.used] == &s[0] {
		c.used += len(s)
	}
	return s[:len(s):len(s)]
}
