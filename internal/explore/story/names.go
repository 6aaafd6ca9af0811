package story

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"landgo/heap"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Names of memory that has no variable's: blocks of the heap, by their type and where
// they were allocated, and variables on stacks. A block's memory may be another one's
// later, and a stack's is. So names are found when an access is made.

// blockLife is a block that was given out.
type blockLife struct {
	heap.Block
	where string // "q.cpp:14", "" if that isn't known
	by    string // the function there
	inner bool   // a library allocated it, for itself or for the user's objects
	name  string // "block"; with a number, if others came from the same line
	call  uint64 // where the user's code asks for it, 0 if that isn't known
	// as is its type as a pointer to it declares it, if one was seen.
	as      *session.Pointee
	tries   int  // see ask
	untyped bool // an access has told that its size doesn't say what it is
}

// namer names memory in one execution.
type namer struct {
	lives []blockLife
	// untyped are calls for blocks, by what they return to, whose sizes don't say what the blocks are.
	untyped map[uint64]bool
	fits    map[fit]bool      // accesses that can be to blocks of the types that their sizes suggest
	from    map[string]int    // blocks by name and where
	locals  map[uint64]string // variables on stacks, and thread-local ones
	wholes  map[uint64]string // structures that pointers point to
}

// given notes a new block.
func (n *namer) given(s *session.Session, b heap.Block, stack []result.Frame) {
	life := blockLife{Block: b, name: "block"}
	f := result.Innermost(stack)
	if f.File != "" && !f.Library {
		life.where, life.by = f.Where(), f.Function
	}
	if b.Family >= scheduler.MappingFamilies && life.where == "" {
		return // a library's: a stack's, for one
	}
	life.inner = len(stack) > 0 && inLibrary(stack)
	if life.where != "" && !life.inner {
		life.call = uint64(f.Address) - 1
	}
	if n.from == nil {
		n.from = map[string]int{}
	}
	life.untyped = n.untyped[b.Given.PC]
	n.from[life.where]++
	if nth := n.from[life.where]; nth > 1 {
		life.name = fmt.Sprintf("block %d", nth)
	}
	n.lives = append(n.lives, life)
}

// around is the latest block around an address, or nil.
func (n *namer) around(addr uint64) *blockLife {
	for i := len(n.lives) - 1; i >= 0; i-- {
		if n.lives[i].Contains(addr) {
			return &n.lives[i]
		}
	}
	return nil
}

// of is the name of an address that isn't in a variable with a place of its own, or "".
func (n *namer) of(s *session.Session, addr uint64) string {
	if b := n.around(addr); b != nil {
		name := b.part(s, addr)
		if b.where != "" {
			name += " (allocated at " + b.where + ")"
		}
		return name
	}
	if name := n.local(s, addr); name != "" {
		return name
	}
	if of := s.Guest.Controlled(addr); of != trace.NoThread {
		return "the C library's record of thread " + s.Guest.Name(of)
	}
	return ""
}

// local is the name of an address on a stack, or in a thread-local variable, or "".
func (n *namer) local(s *session.Session, addr uint64) string {
	name, known := n.locals[addr]
	if !known {
		if n.locals == nil {
			n.locals = map[uint64]string{}
		}
		if w := s.Guest.Whereabouts(addr); w.Local != "" {
			name = w.LocalName(s.Guest.Name(w.Thread))
		}
		n.locals[addr] = name
	}
	return name
}

// describe is the name of an address, with where its block was allocated.
func (n *namer) describe(s *session.Session, addr uint64) string {
	if _, ok := s.Guest.Variable(addr); !ok {
		if b := n.around(addr); b != nil && b.where != "" {
			if strings.HasPrefix(b.by, "__static_initialization") { // a compiler's, of globals
				return fmt.Sprintf("%s, allocated at %s", b.part(s, addr), b.where)
			}
			return fmt.Sprintf("%s, allocated in %s (%s)", b.part(s, addr), b.by, b.where)
		}
	}
	return s.Guest.Describe(addr)
}

// part is the name of an address in a block: "node.next", "block 2 + 8".
func (b *blockLife) part(s *session.Session, addr uint64) string {
	if name, ok := b.typed(s, addr-b.Addr); ok {
		if b.name != "block" {
			name += " of " + b.name
		}
		return name
	}
	if addr == b.Addr {
		return b.name
	}
	return fmt.Sprintf("%s + %d", b.name, addr-b.Addr)
}

// typed names a part of a block by the block's type: the only one that it can have where it
// was asked for, or that of a pointer to it.
func (b *blockLife) typed(s *session.Session, offset uint64) (name string, ok bool) {
	if !b.inner && !b.untyped {
		if name, ok = s.Image.PointedTo(b.Given.PC-1, b.Size, offset); !ok && b.call != 0 && b.call != b.Given.PC-1 {
			name, ok = s.Image.PointedTo(b.call, b.Size, offset)
		}
	}
	if !ok && b.as != nil {
		name, ok = b.as.Part(b.Size, offset)
	}
	return name, ok
}

// learn takes in that a pointer at an address has a value. If that is a block, the pointer's
// declaration says what the block is.
func (n *namer) learn(s *session.Session, at, value uint64) {
	b := n.around(value)
	if b == nil || b.Addr != value || b.as != nil {
		return
	}
	var p session.Pointee
	var ok bool
	if in := n.around(at); in == nil {
		p, ok = s.Guest.Pointee(at)
	} else if in.as != nil {
		p, ok = in.as.PointeeAt(at - in.Addr)
	}
	if ok && p.Fits(b.Size) {
		b.as = &p
	}
}

// maxTries is how many accesses to a block are looked at for a pointer to it.
const maxTries = 8

// ask looks for what an address's block is among the variables of the thread that uses it, if
// nothing else says so.
func (n *namer) ask(s *session.Session, t trace.TID, addr uint64) {
	b := n.around(addr)
	if b == nil || b.as != nil || b.tries == maxTries {
		return
	}
	b.tries++
	if _, ok := b.typed(s, 0); ok {
		b.tries = maxTries
	} else if p, ok := s.Guest.PointeeOf(t, b.Addr, b.Size); ok {
		b.as = &p
	}
}

// pointer is a value as the name of what it points to, or "".
func (n *namer) pointer(s *session.Session, v uint64) string {
	if v < record.LowestVariable {
		return ""
	}
	if name, ok := s.Guest.Variable(v); ok {
		whole, known := n.wholes[v]
		if !known {
			if n.wholes == nil {
				n.wholes = map[uint64]string{}
			}
			whole = s.Whole(v, name)
			n.wholes[v] = whole
		}
		return "&" + whole
	}
	b := n.around(v)
	if b == nil {
		// With 32 bits, a number would too often be taken for an address.
		if s.Image.Machine.Word() == 8 && v < 1<<47 {
			if name := n.local(s, v); name != "" {
				return "&" + name
			}
		}
		return ""
	}
	name := b.name
	if v != b.Addr {
		name = b.part(s, v)
	}
	if b.where != "" {
		name += " of " + b.where
	}
	return "&" + name
}

// inLibrary reports whether the innermost function with source lines is a library's. (Of
// what was inlined into the user's code, that is the first.)
func inLibrary(stack []result.Frame) bool {
	for _, f := range stack {
		if f.File != "" {
			return f.Library
		}
	}
	return false
}

// hexes are addresses in a text, with the type's name before them if that is known.
var hexes = regexp.MustCompile(`[\w.\[\]:]+ \(0x[0-9a-f]+\)|0x[0-9a-f]+`)

// Named is a text with the names of blocks and variables for addresses.
func (st *Story) Named(text string) string {
	return hexes.ReplaceAllStringFunc(text, func(found string) string {
		_, hex, _ := strings.Cut(found, "0x")
		if addr, err := strconv.ParseUint(strings.TrimSuffix(hex, ")"), 16, 64); err == nil && addr >= record.LowestVariable {
			if name := st.of(st.Session, addr); name != "" {
				return name
			}
		}
		return found
	})
}

// nameAll puts names for addresses into what a report says of locks.
func (st *Story) nameAll(b *result.Bug) {
	b.Mistake = st.Named(b.Mistake)
	for i := range b.Waits {
		w := &b.Waits[i]
		w.Object, w.Held = st.Named(w.Object), st.namedAll(w.Held)
	}
	for i := range b.Accesses {
		b.Accesses[i].Held = st.namedAll(b.Accesses[i].Held)
	}
	for i := range b.Steps {
		for k := range b.Steps[i].Accesses {
			a := &b.Steps[i].Accesses[k]
			a.Held = st.namedAll(a.Held)
		}
		for k := range b.Steps[i].Wakings {
			b.Steps[i].Wakings[k].Does = st.Named(b.Steps[i].Wakings[k].Does)
		}
	}
	for k := range b.LastWakings {
		b.LastWakings[k].Does = st.Named(b.LastWakings[k].Does)
	}
	for k := range b.Last {
		b.Last[k].Held = st.namedAll(b.Last[k].Held)
	}
}

func (st *Story) namedAll(list []string) (out []string) {
	for _, text := range list {
		out = append(out, st.Named(text))
	}
	return out
}

// standsInLibrary reports whether the code at pc has no line of the user's.
func standsInLibrary(s *session.Session, pc uint64) bool {
	for _, f := range s.Image.Frames(pc) {
		if f.File != "" && !f.Library() {
			return false
		}
	}
	return true
}

// Root is the outermost function of the user's on a stack: what a thread was made for.
func Root(stack []result.Frame) string {
	for i := len(stack) - 1; i >= 0; i-- {
		if f := &stack[i]; f.File != "" && !f.Library {
			return f.Function
		}
	}
	return ""
}

// Did implements scheduler.Observer. Where a C++ library's header makes a call for the user, only
// the stack has the user's line.
func (st *Story) Did(t trace.TID, n int, op *trace.Op) {
	if op.PC != 0 && st.inHeader(op.PC-1) {
		if st.calling == nil {
			st.calling = map[int][]uint64{}
		}
		st.calling[n] = st.Guest.Stack(t)
	}
}

// Created implements scheduler.Observer.
func (st *Story) Created(parent, child trace.TID) {
	st.born = append(st.born, child)
	if f := result.Innermost(st.Stack(parent)); f.File != "" && !f.Library {
		st.created[child] = f
	}
}
