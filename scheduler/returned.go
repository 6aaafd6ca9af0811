package scheduler

import (
	"cmp"
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/x86"
	"landgo/internal/trace"

	"golang.org/x/arch/x86/x86asm"
)

// The variables of a function end when it returns. A thread that has been given a pointer to one
// may use it too late: that is a bug, though the memory is still there.
//
// What is below a thread's stack pointer, and the red zone, is no variable's. So where a thread is about to use
// such memory on another's stack, this becomes a grave to others (grave.go), and the use is the bug.
//
// Which thread is first, the one that returns or the one that uses, is a matter of order: so such a return is a
// step of its own. The place of its return address is noted for good (known.Facts.Frames). That is done where
// another thread uses a variable of the frame, or the stack's own thread is about to. From then on the place counts as shared, and the return, which reads it, has a point. On the
// variables it is what a free is on a block. Behind it the stack below is a grave, red zone and
// all, until the thread stands deeper again: then the memory may be another function's.
//
// A stack that the program has made within a thread's own, for a coroutine, isn't looked at (unwind.Table.Rooted). Left
// out are the outermost function of a stack, with which the thread ends, and ways out of a function
// that are no return (longjmp, exceptions). With store buffers (Config.Buffers), and in programs with
// timers, which may have threads of their own, no return is a step.

// maxFramesMet bounds the places at which stacks were looked through.
const maxFramesMet = 1 << 14

// frameMet is a place where a thread stood when a variable was used.
type frameMet struct{ pc, sp, addr uint64 }

// inUse are a thread's registers, and the lowest address in use on its stack. A function that has just been called
// has nothing below its return address; others may have variables below the stack pointer. It isn't
// ok if the thread is elsewhere than on its stack.
func (g *Stacks) inUse(th *thread) (regs emu.Regs, low uint64, ok bool) {
	regs = g.in.stackRegs(th)
	if low = regs.RSP; th.Stand != StandOp {
		low -= abi.RedZone
	}
	return regs, low, g.holds(th, regs.RSP)
}

// top is where a thread's stack begins to grow.
func (g *Stacks) top(th *thread) uint64 {
	if th.ID == 0 {
		return g.in.bottom
	}
	return th.Stack
}

// holds reports whether an address is on a thread's stack.
func (g *Stacks) holds(th *thread, addr uint64) bool {
	top := g.top(th)
	return addr < top && addr >= g.mappingStart(top-1)
}

// ownerOf is the other thread on whose stack an address is, if that is a stack on which returns are followed, or NoThread.
func (g *Stacks) ownerOf(t trace.TID, addr uint64) trace.TID {
	if addr < g.span.Lo || addr >= g.span.Hi {
		return trace.NoThread
	}
	owner, next := trace.NoThread, uint64(0)
	for i := range g.in.threads {
		th := &g.in.threads[i]
		if !th.Exists {
			continue
		}
		top := g.top(th)
		if top <= addr && addr-top < maxThreadLocal {
			return trace.NoThread // it may be a variable of that thread
		}
		if top > addr && (owner == trace.NoThread || top < next) {
			owner, next = th.ID, top
		}
	}
	if owner == trace.NoThread || owner == t || !g.in.threads[owner].Live() || !g.follows(&g.in.threads[owner]) || !g.holds(&g.in.threads[owner], addr) {
		return trace.NoThread
	}
	return owner
}

// spans notes that a new thread has a stack.
func (g *Stacks) spans(child *thread) {
	for _, top := range []uint64{g.in.bottom, g.top(child)} {
		lo := g.mappingStart(top - 1)
		if g.span.Hi == 0 {
			g.span = emu.Range{Lo: lo, Hi: top}
		}
		g.span = emu.Range{Lo: min(g.span.Lo, lo), Hi: max(g.span.Hi, top)}
	}
	g.lends(&g.in.threads[child.Parent])
}

// lends has the variables of the functions that create a thread be the creator's, though it has touched
// them only while it was alone. Those of the stack's outermost function are left out, and of functions
// without lines: they are libraries'.
func (g *Stacks) lends(th *thread) {
	regs := th.Regs
	if !g.follows(th) || !g.holds(th, regs.RSP) || !g.meet(frameMet{regs.RIP, regs.RSP, 0}) {
		return
	}
	low := regs.RSP
	for _, f := range g.in.image.FramesOn(&regs, g.in.ReadStack) {
		base, ok := g.in.image.Returns(&regs, g.in.ReadStack, low)
		if !ok {
			return
		}
		if g.in.image.Frames(f.PC)[0].File != "" {
			g.lent = append(g.lent, emu.Range{Lo: low, Hi: base})
			for addr := low; addr < base; addr += g.in.wordSize {
				if shared, learned := g.in.machine.Touch(th.ID, addr, g.in.wordSize, true); shared && learned {
					g.learns.Refine()
				}
			}
		}
		low = base
	}
}

// meet notes that a thread stands at a place. It reports whether that is new.
func (g *Stacks) meet(place frameMet) bool {
	if g.met[place] || len(g.met) >= maxFramesMet {
		return false
	}
	if g.met == nil {
		g.met = map[frameMet]bool{}
	}
	g.met[place] = true
	return true
}

// follows reports whether returns on a thread's stack are looked at.
func (g *Stacks) follows(th *thread) bool {
	return !g.in.cfg.Buffers && !g.in.steered() && !g.timers.on() && (th.OwnStack || th.ID == 0) && g.in.machine.HasHeap()
}

// standsAt notes the frame with a variable on a thread's stack that is used, if it isn't the stack's outermost.
func (g *Stacks) standsAt(th *thread, regs emu.Regs, addr uint64) {
	if addr+abi.RedZone < regs.RSP || !g.follows(th) || g.in.Alone(th.ID) || !g.meet(frameMet{regs.RIP, regs.RSP, addr}) {
		return
	}
	base, ok := g.in.image.Returns(&regs, g.in.ReadStack, addr)
	if !ok {
		return
	}
	g.note(base, addr)
}

// note notes a frame with a variable for good, and reports whether that is news.
func (g *Stacks) note(base, addr uint64) bool {
	slot := base - g.in.wordSize
	news := g.learns.known.Frames.Add(slot, addr)
	if news {
		g.in.machine.Touch(AllThreads, slot, g.in.wordSize, true)
		g.learns.Refine()
	}
	return news
}

// standsAtAccess is that before an access. At a return by which variables end, it notes where these begin.
func (g *Stacks) standsAtAccess(th edit) {
	a := &th.Access
	if a.Addr < g.span.Lo || !g.holds(th.thread, a.Addr) {
		return
	}
	regs := g.in.stackRegs(th.thread)
	if low, ok := g.learns.known.Frames[a.Addr]; ok && a.Addr == regs.RSP && g.follows(th.thread) && g.isReturn(a.PC) {
		th.returns = low
		return
	}
	g.standsAt(th.thread, regs, a.Addr)
}

// isReturn reports whether the instruction at pc is a return.
func (g *Stacks) isReturn(pc uint64) bool {
	inst, _, err := x86.Decode(g.in.image.File.Bytes(pc, x86.MaxInst), g.in.image.File.Machine)
	return err == nil && inst.Op == x86asm.RET
}

// returning is the end of variables with the return before which a thread stands, as an
// operation.
func (g *Stacks) returning(th *thread) trace.Op {
	low, end := th.returns, th.Access.Addr+g.in.wordSize
	if hull := g.in.machine.SharedHull(g.mappingStart(low), end); hull.Hi != 0 {
		low = min(low, hull.Lo)
	}
	return trace.Op{Kind: trace.OpFree, Arg: trace.Returns, Obj: low, Size: uint32(end - low), PC: th.Access.PC}
}

// uses is called before a thread uses memory. On another's stack it notes the frame, or makes the memory a grave
// if no frame has it any more.
func (g *Stacks) uses(th *thread, addr uint64) {
	owner := g.ownerOf(th.ID, addr)
	if owner == trace.NoThread {
		return
	}
	o := &g.in.threads[owner]
	switch regs, low, ok := g.inUse(o); {
	case !ok || addr < o.ended:
	case addr >= low:
		g.standsAt(o, regs, addr)
	case g.in.image.Rooted(&regs, g.in.ReadStack):
		for _, f := range g.lent {
			if addr >= f.Lo && addr < f.Hi && g.note(f.Hi, addr) {
				return // it has returned without a step
			}
		}
		e := g.in.edit(owner)
		e.ended = low
		g.dig(owner, emu.Range{Lo: g.mappingStart(addr), Hi: low})
	}
}

// returned ends the variables before whose function's return a thread stands.
func (g *Stacks) returned(th edit, tr *trace.Transition) {
	below := emu.Range{Lo: g.mappingStart(th.Access.Addr), Hi: th.Access.Addr + g.in.wordSize}
	g.claim(th.thread, below)
	op := g.returning(th.thread)
	tr.Did(op)
	g.in.lib.StackEnds(th.ID, tr, op.Obj, uint64(op.Size))
	g.learns.MemoryEnds(op.Obj, uint64(op.Size))
	th.ended = below.Hi
	g.dig(th.ID, below)
}

// standsAtOp is that before an operation, whose object is the function's first argument.
func (g *Stacks) standsAtOp(th *thread) {
	if th.Stand == StandOp && th.Regs.RDI >= g.span.Lo && g.holds(th, th.Regs.RDI) {
		g.standsAt(th, th.Regs, th.Regs.RDI)
	}
}

// deepens notes how deep a thread's stack is in use where it stops. A function that has just been called has
// nothing below its return address; others may have variables below the stack pointer.
func (g *Stacks) deepens(th edit, stop *emu.Stop) {
	low := g.in.machine.Regs(th.Ctx).RSP
	if low < th.ended && stop.Why != emu.StopBreak {
		low -= abi.RedZone
	}
	if low >= th.ended {
		return
	}
	r := g.in.machine.Buried(int(th.ID))
	if r.Hi = low; low <= r.Lo {
		r, th.ended = emu.Range{}, 0
	} else {
		th.ended = low
	}
	g.in.machine.Bury(int(th.ID), r)
}

// Ended completes the bug of using an address on a stack that was a thread's, or is beneath what it uses there.
func (g *Stacks) Ended(f *Failure, does string, owner trace.TID, addr uint64) {
	th := &g.in.threads[owner]
	f.Kind, f.Dead, f.Beneath = trace.DeadStack, owner, th.Live() || !th.OwnStack // else its stack has ended with it
	name := g.names.Name(owner)
	if f.Beneath {
		f.EndedBy = g.endedBy(f.Thread, owner, addr)
	}
	switch {
	case f.EndedBy != 0:
		f.Message = fmt.Sprintf("%s on the stack of thread %s, whose function %s has returned", does, name, g.function(f.EndedBy))
	case f.Beneath:
		f.Message = fmt.Sprintf("%s on the stack of thread %s, where no function has a variable any more", does, name)
	default:
		f.Message = does + " " + g.grave(owner, addr)
	}
}

// endedBy is the return by which a variable has ended, to a thread that uses it now. That is the first since the
// thread's latest step before it, in which it had the address already. Without one it is the latest return; 0:
// none was seen.
func (g *Stacks) endedBy(user, owner trace.TID, addr uint64) (pc uint64) {
	for i := len(g.in.steps) - 2; i >= 0; i-- {
		tr := g.in.steps[i].tr
		if tr.Thread == user && pc != 0 {
			break
		}
		for k := range tr.Ops {
			if o := &tr.Ops[k]; tr.Thread == owner && o.Kind == trace.OpFree && o.Arg == trace.Returns && addr-o.Obj < uint64(o.Size) {
				pc = o.PC
			}
		}
	}
	return pc
}

// IsReturn reports whether a return address was seen in a place by which variables end that other
// threads use.
func (l *learning) IsReturn(place uint64) bool { _, ok := l.known.Frames[place]; return ok }

// function names the function with an instruction.
func (g *Stacks) function(pc uint64) string {
	frames := g.in.image.Frames(pc)
	return cmp.Or(frames[len(frames)-1].Function, "a function")
}

// graveFault is the bug of an access to an ended thread's stack.
func (g *Stacks) graveFault(out *Failure, f emu.Fault, does string) {
	out.Kind = trace.DeadStack
	out.Message = fmt.Sprintf("%s on the stack of a thread that has ended", does)
	for a := f.Addr; a < f.Addr+uint64(f.Size); a++ {
		if t := g.BuriedAt(out.Thread, a); t != trace.NoThread {
			g.Ended(out, does, t, a)
			th := &g.in.threads[t]
			out.Returned = !out.Beneath && th.Asked && a-th.Returned < abi.PageSize
			return
		}
	}
}
