package scheduler

import (
	"slices"

	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Fences that the guest hasn't got, tried without building it anew. After a store for which
// FenceAfter's function says so, its thread waits until its buffer is empty, as at an mfence
// behind that instruction. The wait isn't a step of its own. The thread's next operation is
// enabled only then, and the instructions between are private to it. An xchg in place of the
// store has the same result: nothing of the thread lies between the store and its way to
// memory.

// atHandler stands for the store's place where a thread waits before a signal's handler: the
// kernel takes the signal from its list by locked instructions, on the thread's processor.
const atHandler = ^uint64(0)

// FenceAfter has threads wait after some stores, from the next rewind to
// the root on; nil: after none.
func (s *System) FenceAfter(f func(*trace.Access) bool) {
	s.buffers.fenced = f
	s.Unlist()
}

// atAdded reports whether a thread stands at such a wait. Within the instruction that stores
// it doesn't.
func (b *buffers) atAdded(th *thread) bool {
	return th.fence != 0 && !b.in.within(th, th.fence)
}

// within reports whether a thread stands within the instruction at pc.
func (s *fixed) within(th *thread, pc uint64) bool {
	return th.Stand == StandAccess && th.Access.PC == pc &&
		(th.Half != 0 || x86.Repeats(s.machine.Bytes(pc, x86.MaxInst), s.image.Machine))
}

// Buffered lists the stores in a thread's buffer, oldest first.
func (s *state) Buffered(t trace.TID) []trace.Access { return s.threads[t].buffer.List() }

// Delays lists the stores in a thread's buffer that its next step would overtake: with a
// fence after any of them the step couldn't be made now.
func (s *present) Delays(t trace.TID) []trace.Access {
	if !s.cfg.Buffers || s.isBuffer(t) {
		return nil
	}
	th := &s.threads[t]
	return slices.DeleteFunc(th.buffer.List(), func(a trace.Access) bool { return s.within(th, a.PC) })
}
