package session

import (
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/static"
	"landgo/internal/image/x86"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Frames names a stack of program counters: the first is an instruction, the
// others are return addresses, named by the call before them.
func (p *Program) Frames(pcs []uint64) []result.Frame {
	var out []result.Frame
	for i, pc := range pcs {
		at := pc
		if i > 0 {
			at--
		}
		if p.Platform.userPrograms && pc != 0 && pc < p.Image.Bias {
			out = append(out, result.Frame{Function: userProgram, Address: result.Addr(pc)})
			continue
		}
		for _, f := range p.Image.Frames(at) {
			out = append(out, result.Frame{Function: f.Shown(), Library: f.Library(), Column: f.Column, File: f.File, Line: f.Line, Address: result.Addr(pc), Inlined: f.Inlined})
		}
	}
	return out
}

// userProgram names code below a kernel's own, which has no debug information.
const userProgram = "(user program)"

// Stack is where a thread stands.
func (s *Session) Stack(t trace.TID) []result.Frame { return s.Frames(s.Guest.Stack(t)) }

// place is where a thread stood when landgo gave up on it; pc alone, if the
// thread isn't there to be asked.
func (s *Session) place(t trace.TID, pc uint64) []result.Frame {
	if s.Guest == nil {
		return nil
	}
	if st := s.Stack(t); len(st) > 0 {
		return st
	}
	if pc == 0 {
		return nil
	}
	return s.Frames([]uint64{pc})
}

// PlaceName is an instruction's source line, for keys.
func (p *Program) PlaceName(pc uint64) string {
	fs := p.Frames([]uint64{pc})
	f := result.Innermost(fs)
	return f.Function + " " + f.Where()
}

// Access describes an access for a person, without its values.
func (s *Session) Access(t trace.TID, a *trace.Access) result.Access {
	out := result.Access{
		Thread: s.Guest.Name(t), Address: result.Addr(a.Addr), Size: a.Size, Op: "reads",
		Instruction: s.instruction(a.PC), Stack: s.Frames([]uint64{a.PC}),
	}
	switch {
	case a.Flags&trace.FailedCAS != 0:
		out.Op = "fails to exchange"
	case a.Flags&trace.RMW != 0:
		out.Op = "updates"
	case a.IsWrite():
		out.Op = "writes"
	}
	if n, ok := s.Guest.Variable(a.Addr); ok {
		out.Symbol = n
	}
	return out
}

// NonTemporal reports whether the instruction at pc stores past the caches, in no order that
// x86-TSO knows.
func (p *Program) NonTemporal(pc uint64) bool {
	text := p.instruction(pc)
	return strings.HasPrefix(text, "movnt") || strings.HasPrefix(text, "maskmov")
}

// instruction is the text of the instruction at pc, or of the call whose last byte
// is there.
func (p *Program) instruction(pc uint64) string {
	text, ok := p.texts[pc]
	if !ok {
		if p.texts == nil {
			p.texts = map[uint64]string{}
		}
		at := pc
		if call, ok := static.CallAt(p.Image.Info, pc); ok {
			at = call.Lo
		}
		text, _, _ = x86.Inst(p.Image.File, p.Image.Bytes(at, x86.MaxInst), at) // none for what isn't one
		p.texts[pc] = text
	}
	return text
}

// Pointee is the type of a pointer's target by its declaration.
type Pointee = debuginfo.Pointee
