package scheduler

import (
	"fmt"
	"path"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
)

// PC is the instruction at which a thread stands.
func (s *present) PC(t trace.TID) uint64 {
	if s.isBuffer(t) {
		if q := s.threads[t-1].queue; len(q) > 0 {
			return q[0].parts[0].PC
		}
		return 0
	}
	if s.threads[t].isArrival() {
		t = s.threads[t].Parent
	}
	return s.standPC(&s.threads[t])
}

// Stack is a thread's call stack: program counters, innermost first, return
// addresses after the first.
func (s *present) Stack(t trace.TID) []uint64 {
	if s.isBuffer(t) || s.threads[t].isTimer() || s.threads[t].isArrival() {
		return []uint64{s.PC(t)}
	}
	regs := s.stackRegs(&s.threads[t])
	return append([]uint64{regs.RIP}, s.image.Unwind(&regs, s.ReadStack)...)
}

// StackNames are the names of the functions on a thread's stack, inlined ones
// too, for the rules of --within and --without.
func (d *Points) StackNames(t trace.TID) []string {
	d.frames = d.frames[:0]
	for i, pc := range d.in.Stack(t) {
		if i > 0 {
			pc--
		}
		for _, f := range d.in.image.Frames(pc) {
			d.frames = append(d.frames, f.Function)
		}
	}
	return d.frames
}

// VariableName names an address by the variable that is there. It names a part of a block by the
// block's type, with the address, because there may be many such blocks: "node.next
// (0xa0000010)".
func (s *named) VariableName(addr uint64) string {
	if n, ok := s.Variable(addr); ok {
		return n
	}
	switch w := s.Whereabouts(addr); {
	case w.Local != "":
		return w.LocalName(s.Name(w.Thread))
	case w.Block.Addr != 0:
		if n, ok := s.image.PointedTo(w.Block.Given.PC-1, w.Block.Size, addr-w.Block.Addr); ok {
			return fmt.Sprintf("%s (%#x)", n, addr)
		}
	}
	return fmt.Sprintf("%#x", addr)
}

// Variable is the name of what is at an address, if it has a place of its own.
func (s *fixed) Variable(addr uint64) (string, bool) {
	if name, ok := s.lib.WordName(addr); ok {
		return name, true
	}
	if k, ok := s.kernel.(wordNamer); ok && s.isWord(addr) {
		if name, ok := k.WordName(addr); ok {
			return name + s.madeAt(addr), true
		}
	}
	return s.image.Variable(addr)
}

// wordMaker is a kernel some of whose words are of things that calls make.
type wordMaker interface {
	// WordMade is the stack of the call, innermost first.
	WordMade(addr uint64) []uint64
}

// madeAt says which line of the guest's made what has the word at an address.
func (s *fixed) madeAt(addr uint64) string {
	k, ok := s.kernel.(wordMaker)
	if !ok {
		return ""
	}
	for i, pc := range k.WordMade(addr) {
		if i > 0 {
			pc--
		}
		for _, f := range s.image.Frames(pc) {
			if f.File != "" && !f.Library() {
				return fmt.Sprintf(" made at %s:%d", path.Base(f.File), f.Line)
			}
		}
	}
	return ""
}

// FaultFailure is the bug of a processor fault.
func (k *Blocks) FaultFailure(t trace.TID, f emu.Fault) *Failure {
	th := &k.in.threads[t]
	out := &Failure{Kind: trace.Segfault, Thread: th.ID, PC: th.Regs.RIP}
	switch f.Kind {
	case emu.FaultDivide:
		out.Kind, out.Message = trace.DivideError, "division by zero, or its result is too large"
	case emu.FaultIllegal:
		out.Kind, out.Message = trace.IllegalInstruction, "illegal instruction"
	case emu.FaultBreakpoint:
		out.Kind, out.Message = trace.IllegalInstruction, "a breakpoint instruction"
	case emu.FaultProtection:
		out.Message = "general protection fault: a bad address, misaligned vector access, or privileged instruction"
	case emu.FaultFetch:
		out.Message = fmt.Sprintf("jump to %s, where no code is", k.in.VariableName(f.Addr))
	case emu.FaultBlockRead, emu.FaultBlockWrite:
		k.blockFault(out, f)
	default:
		verb := map[bool]string{true: "write to", false: "read from"}[f.Kind == emu.FaultWrite]
		sp := th.Regs.RSP
		nearStack := f.Addr+(1<<16) > sp && f.Addr < sp+abi.PageSize
		switch {
		case k.in.Mappings.fault(out, f, nearStack):
		case k.closedBlock(out, f):
			if nearStack {
				out.Kind, out.Message = trace.StackOverflow, "the thread's stack is used up"
			}
		case k.nearHeap(f.Addr):
			k.wrong(out, f.Addr, bytesText(f.Kind == emu.FaultWrite, uint64(f.Size)))
		case f.Addr < abi.PageSize:
			out.Message = fmt.Sprintf("%s address %#x: a null pointer", verb, f.Addr)
		case k.in.removed(f.Addr):
			out.Message = fmt.Sprintf("%s address %#x, in pages that were given back", verb, f.Addr)
		case nearStack:
			out.Kind, out.Message = trace.StackOverflow, "the thread's stack is used up"
		default:
			out.Message = fmt.Sprintf("%s address %#x, which isn't mapped so", verb, f.Addr)
		}
	}
	return out
}

// removed reports whether an address is in memory that the guest gave back to
// its kernel.
func (s *fixed) removed(addr uint64) bool {
	k, ok := s.kernel.(interface{ Removed(addr uint64) bool })
	return ok && k.Removed(addr)
}

// standPC is the instruction at which a thread stands.
func (s *fixed) standPC(th *thread) uint64 {
	switch th.Stand {
	case StandAccess:
		return th.Access.PC
	case StandOp, StandTrap:
		return th.Regs.RIP
	case StandTimer:
		return 0
	}
	if len(th.copying().left) > 0 {
		return th.copying().pc
	}
	if s.steered() {
		return th.Regs.RIP
	}
	return s.machine.Regs(th.Ctx).RIP
}

// Unwritten is the rest in the C library's buffer of standard output where thread t
// has ended the process by exit, which would write it. It is valid until the next step.
func (s *fixed) Unwritten(t trace.TID) []byte {
	return s.lib.Unwritten(t).Text
}
