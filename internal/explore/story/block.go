package story

import (
	"landgo/heap"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// lifeKey names one life of a piece of memory.
type lifeKey struct {
	family     heap.Family
	addr       uint64
	generation uint32
}

// lifeStacks is where threads stood when a block was given out, and given back.
type lifeStacks struct{ given, back []result.Frame }

// lifeEnd is a block's beginning or end in a step, from 1.
type lifeEnd struct {
	step  int
	addr  uint64
	given bool
}

// Block implements scheduler.Observer.
func (st *Story) Block(t trace.TID, b heap.Block, given bool) {
	key := lifeKey{b.Family, b.Addr, b.Generation}
	l := st.blocks[key]
	if l == nil {
		l = new(lifeStacks)
		st.blocks[key] = l
	}
	stack := allocating(st.Session, t, b)
	if given {
		st.ends[lifeEnd{len(st.Beats) + 1, b.Addr, true}] = stack
		l.given = stack
		st.given(st.Session, b, stack)
	} else {
		st.ends[lifeEnd{len(st.Beats) + 1, b.Addr, false}] = stack
		l.back = stack
	}
}

// allocating is where a thread calls for a block, or gives it back.
func allocating(s *session.Session, t trace.TID, b heap.Block) []result.Frame {
	stack := s.Stack(t)
	if len(stack) > 1 && mappers[stack[0].Function] || s.Guest.PC(t) != b.Given.PC && b.Family < scheduler.MappingFamilies { // not on its way back
		return callers(stack)
	}
	return stack
}

// mappers are the functions around the calls that map and unmap memory.
var mappers = map[string]bool{
	"mmap": true, "mmap64": true, "__mmap": true, "__mmap64": true, "munmap": true, "__munmap": true, "mremap": true, "__mremap": true,
	"new_pages": true, "remove_pages": true,
}

// callers leaves out the allocator's own function, at whose entry the thread
// stands.
func callers(stack []result.Frame) []result.Frame {
	if len(stack) > 1 {
		return stack[1:]
	}
	return stack
}

// block is the block that a failure is about, or nil.
func (st *Story) block(b *heap.Block) *result.Block {
	l := st.blocks[lifeKey{b.Family, b.Addr, b.Generation}]
	if l == nil {
		return nil
	}
	out := &result.Block{Address: result.Addr(b.Addr), Size: b.Size, Allocated: st.origin(&b.Given, l.given)}
	if b.Freed {
		freed := st.origin(&b.Back, l.back)
		out.Freed = &freed
	}
	return out
}

func (st *Story) origin(e *heap.Event, stack []result.Frame) result.Origin {
	return result.Origin{Thread: st.Guest.Name(e.Thread), Step: int(e.Step), Stack: stack}
}
