package debuginfo

import "landgo/internal/trace"

// Stack is Unwind with names: the functions on a thread's stack, inlined ones
// too, innermost first.
func (d *Info) Stack(regs *trace.Regs, read func(addr uint64) (uint64, bool)) []Frame {
	frames := append([]Frame(nil), d.Frames(regs.RIP)...)
	for _, ret := range d.Unwind(regs, read) {
		frames = append(frames, d.Frames(ret-1)...)
	}
	return frames
}
