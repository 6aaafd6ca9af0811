package scheduler

import (
	"fmt"
	"iter"
	"path"
	"strings"

	"landgo/heap"
	"landgo/internal/image/debuginfo"
	"landgo/internal/trace"
)

// Whereabouts has the meaning of an address in the present state, for names.
type Whereabouts struct {
	// Block is the block of the heap that it is in, with no Addr if it is in none.
	Block heap.Block
	// Local is the variable on the stack of Thread, or a thread-local one of it, "" if there is
	// none. Atomic: it, or the part of it that is there, is declared so.
	Local  string
	Atomic bool
	Thread trace.TID
}

// LocalName names the local variable, with its thread unless it is one of main's.
func (w *Whereabouts) LocalName(thread string) string {
	if w.Thread == 0 && strings.HasPrefix(w.Local, "main::") {
		return w.Local // no other thread runs main
	}
	return fmt.Sprintf("%s of thread %s", w.Local, thread)
}

// Whereabouts names an address outside of all variables with a fixed place. It is in the block
// that is there or was there last, or in a thread's local variable.
func (s *present) Whereabouts(addr uint64) (w Whereabouts) {
	blocks := s.heap.Blocks()
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].Contains(addr) {
			w.Block = blocks[i]
			return w
		}
	}
	for _, live := range []bool{true, false} { // the memory of one that has ended may be another's
		for i := range s.threads {
			th := &s.threads[i]
			if !th.Exists || th.Live() != live || th.Self == 0 {
				continue
			}
			if name, atomic, ok := s.image.ThreadLocal(th.Self, addr); ok {
				w.Local, w.Atomic, w.Thread = name, atomic, th.ID
				return w
			}
		}
	}
	for i := range s.threads {
		if !s.threads[i].Exists || !s.threads[i].Live() {
			continue
		}
		regs := s.stackRegs(&s.threads[i])
		if name, atomic, ok := s.image.Local(&regs, s.ReadStack, addr); ok {
			w.Local, w.Atomic, w.Thread = name, atomic, s.threads[i].ID
			return w
		}
	}
	for i := range s.threads {
		if !s.threads[i].Exists || !s.threads[i].Live() {
			continue
		}
		regs := s.stackRegs(&s.threads[i])
		if name, ok := s.image.Outlined(&regs, s.ReadStack, addr); ok {
			w.Local, w.Thread = name, s.stackOf(addr)
			return w
		}
	}
	return w
}

// stackOf is the thread whose stack begins next above an address.
func (s *present) stackOf(addr uint64) (of trace.TID) {
	for i := range s.threads {
		if th := &s.threads[i]; th.Exists && th.Stack >= addr && (s.threads[of].Stack < addr || th.Stack < s.threads[of].Stack) {
			of = th.ID
		}
	}
	return of
}

// WithSelf yields the threads whose control block is, or was, at an address, by TID.
func (s *present) WithSelf(self uint64) iter.Seq[trace.TID] {
	return func(yield func(trace.TID) bool) {
		for i := range s.threads {
			if th := &s.threads[i]; th.Exists && th.Self == self && !yield(th.ID) {
				return
			}
		}
	}
}

// controlSize is more than a library of threads keeps of a thread from its thread pointer on.
const controlSize = 4096

// Controlled is the thread whose data a library of threads keeps at an address that is in no
// variable, or NoThread.
func (s *present) Controlled(addr uint64) trace.TID {
	if _, ok := s.Variable(addr); ok {
		return trace.NoThread
	}
	for i := range s.threads {
		if th := &s.threads[i]; th.Exists && th.Self != 0 && addr >= th.Self && addr-th.Self < controlSize {
			return th.ID
		}
	}
	return trace.NoThread
}

// Pointee is the target, by its declaration, of the pointer at an address, if that is in a
// variable with a place of its own, or on a stack.
func (s *present) Pointee(addr uint64) (p debuginfo.Pointee, ok bool) {
	if p, ok = s.image.PointeeAt(addr); ok {
		return p, true
	}
	for i := range s.threads {
		if th := &s.threads[i]; th.Exists && th.Live() {
			regs := s.stackRegs(th)
			if p, ok = s.image.LocalPointee(&regs, s.ReadStack, addr); ok {
				return p, true
			}
		}
	}
	return p, false
}

// pointerRoom is how much of a stack is searched for a pointer, in words.
const pointerRoom = 96

// PointeeOf is the target of a pointer with a value on a thread's stack, by its
// declaration. Such a pointer has to be near the stack's top, and its structure of this size.
func (s *present) PointeeOf(t trace.TID, value, size uint64) (p debuginfo.Pointee, ok bool) {
	if s.isBuffer(t) || s.threads[t].isTimer() || s.threads[t].isArrival() {
		return p, false
	}
	regs := s.stackRegs(&s.threads[t])
	for i := range uint64(pointerRoom) {
		at := regs.RSP + i*s.wordSize
		v, readable := s.ReadStack(at)
		if !readable {
			break
		}
		if v != value {
			continue
		}
		if p, ok = s.image.LocalPointee(&regs, s.ReadStack, at); ok && p.Fits(size) {
			return p, true
		}
	}
	return debuginfo.Pointee{}, false
}

// Describe is the name of an address. That is a variable with a place of its own, a
// part of a heap block with its allocation, a local variable, or the address
// itself.
func (s *named) Describe(addr uint64) string {
	if n, ok := s.Variable(addr); ok {
		return n
	}
	w := s.Whereabouts(addr)
	switch {
	case w.Local != "":
		return fmt.Sprintf("%s of thread %s", w.Local, s.Name(w.Thread))
	case w.Block.Addr == 0:
		return fmt.Sprintf("%#x", addr)
	}
	at := w.Block.Given.PC - 1
	name, ok := s.image.PointedTo(at, w.Block.Size, addr-w.Block.Addr)
	if !ok {
		name = fmt.Sprintf("byte %d of a block of %d", addr-w.Block.Addr, w.Block.Size)
	}
	for _, f := range s.image.Frames(at) {
		if f.File != "" {
			return fmt.Sprintf("%s, allocated in %s (%s:%d)", name, f.Function, f.File, f.Line)
		}
	}
	return fmt.Sprintf("%s, allocated at %#x", name, at)
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

// wordNamer is a kernel whose words have names.
type wordNamer interface {
	WordName(addr uint64) (string, bool)
}

// wordMaker is a kernel some of whose words are of things that calls make.
type wordMaker interface {
	// WordMade is the stack of the call, innermost first.
	WordMade(addr uint64) []uint64
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
