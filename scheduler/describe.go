package scheduler

import (
	"fmt"
	"path"

	"landgo/internal/trace"
)

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

// removed reports whether an address is in memory that the guest gave back to
// its kernel.
func (s *fixed) removed(addr uint64) bool {
	k, ok := s.kernel.(interface{ Removed(addr uint64) bool })
	return ok && k.Removed(addr)
}

// Unwritten is the rest in the guest's own buffer of standard output where thread t
// has ended the process by a call that would write it. It is valid until the next step.
func (s *fixed) Unwritten(t trace.TID) []byte {
	return s.lib.Unwritten(t).Text
}

// wordNamer is a kernel whose words have names.
type wordNamer interface {
	WordName(addr uint64) (string, bool)
}
