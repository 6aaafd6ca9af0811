package explore

import (
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// blockLife is where a block of memory came from and went.
type blockLife struct{ given, back result.Origin }

// Block implements scheduler.Observer.
func (st *story) Block(t trace.TID, b scheduler.Block, given bool) {
	here := result.Origin{Thread: st.sys.Name(t), Step: len(st.beats) + 1, Stack: callers(st.stack(t))}
	if given {
		st.blocks[b.Addr] = &blockLife{given: here}
	} else if l := st.blocks[b.Addr]; l != nil {
		l.back = here
	}
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
func (st *story) block(f *scheduler.Failure) *result.Block {
	l := st.blocks[f.Block.Addr]
	if l == nil {
		return nil
	}
	b := &result.Block{Address: result.Addr(f.Block.Addr), Size: f.Block.Size, Allocated: l.given}
	if l.back.Thread != "" {
		b.Freed = &l.back
	}
	return b
}
