package steer

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Stack overflow: a thread stores something below the lowest byte of its stack, and
// its stack pointer is there too, or goes there with the store. The engine looks at
// each store to that memory; of a frame that an interrupt pushes it is told here.
// Where the thread's structure is there, the kernel's code writes to it with the
// stack pointer in the stack. Nothing is claimed while a stack is in use that is no
// thread's.

// beneathRoom is how far below its stack a thread is looked for: a function's frame
// may begin far below.
const beneathRoom = 2 * abi.PageSize

// stackEnd is the lowest byte of a thread's stack and the memory below it.
type stackEnd struct {
	low     uint64
	beneath emu.Range
}

// stackLow is the lowest byte of the stack that a thread is on; 0: it isn't known.
func (k *reading) stackLow(th *thread) uint64 {
	switch {
	case !k.booted.Get() || k.gap.Get() != gapNone || k.lent.Get():
		return 0
	case k.profile != nil && k.profile.Stack != 0:
		return th.own.Number + k.profile.Size
	}
	return th.own.StackLow
}

// stackEnd finds the memory below a thread's stack. Where it is doesn't change, unless
// the kernel changes its page tables.
func (k *reading) stackEnd(th *thread) stackEnd {
	low := k.stackLow(th)
	if low == 0 {
		return stackEnd{}
	}
	if k.remaps() {
		return stackEnd{low, k.beneath(low)}
	}
	for len(k.stackEnds) <= int(th.ID) {
		k.stackEnds = append(k.stackEnds, stackEnd{})
	}
	if e := &k.stackEnds[th.ID]; e.low != low {
		*e = stackEnd{low, k.beneath(low)}
	}
	return k.stackEnds[th.ID]
}

// beneath is the memory below an address, as far as its pages are side by side.
func (k *reading) beneath(low uint64) emu.Range {
	last, ok := k.translate(low - 1)
	if !ok {
		return emu.Range{}
	}
	r := emu.Range{Lo: last + 1, Hi: last + 1}
	for n := (low-1)%abi.PageSize + 1; r.Hi-r.Lo+n <= beneathRoom; n = abi.PageSize {
		at, ok := k.translate(low - (r.Hi - r.Lo) - n)
		if !ok || at+n != r.Lo {
			break
		}
		r.Lo = at
	}
	return r
}

// overflow is the bug of a store to a physical address.
func (ex *execution) overflow(u *turn, pa uint64) (happening, error) {
	e := ex.in.stackEnd(u.th)
	sp := min(ex.proc.regs.RSP, e.low-(e.beneath.Hi-pa))
	return ex.ended(u, ex.failHere(u, trace.StackOverflow, "the stack pointer %#x is below the thread's stack", sp))
}

// frameOverflows reports whether an interrupt's frame, which goes down to sp, is
// pushed below the thread's stack.
func (k *reading) frameOverflows(th *thread, vector uint8, sp uint64) error {
	if e := k.stackEnd(th); sp < e.low && e.low-sp <= e.beneath.Hi-e.beneath.Lo {
		return &undeliverableError{trace.StackOverflow, fmt.Sprintf("interrupt %#x pushes its frame at %#x, which is below the thread's stack", vector, sp)}
	}
	return nil
}
