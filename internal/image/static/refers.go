package static

import (
	"cmp"
	"encoding/binary"
	"slices"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"

	"golang.org/x/arch/x86/x86asm"
)

// Mention is a variable that code has the address of.
type Mention struct {
	elffile.Symbol
	// OnlyRead: the code uses the address only to read.
	OnlyRead bool
}

// Refers lists the variables whose addresses are in the code of functions, by
// address. It includes all functions that this code calls or has the address
// of, except those that stop excludes. These variables are the data that the
// code can keep from one call to the next, unless it reaches data through
// pointers of others. A place in writable memory that no symbol covers is a
// variable of a word without a name.
//
// An address that code only compares with, and that is the end of a variable in
// the list, doesn't count as a mention of the next one. Loops over an array end
// so.
func Refers(f *elffile.File, functions []uint64, stop func(entry uint64) bool) []Mention {
	w := refer(f, functions, stop)
	var list []Mention
	for _, s := range w.found {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Mention) int { return cmp.Compare(a.Addr, b.Addr) })
	return list
}

// Reached are the entries of all functions that Refers looks at.
func Reached(f *elffile.File, functions []uint64, stop func(entry uint64) bool) map[uint64]bool {
	return refer(f, functions, stop).reached
}

func refer(f *elffile.File, functions []uint64, stop func(entry uint64) bool) *referWalk {
	w := &referWalk{file: f, stop: stop, reached: map[uint64]bool{}, seen: map[uint64]bool{}, swept: map[uint64]bool{}, found: map[uint64]Mention{}}
	if s, ok := f.Symbol("_GLOBAL_OFFSET_TABLE_"); ok {
		w.got = s.Addr
	}
	w.entries = slices.Clone(functions)
	for len(w.entries) > 0 {
		entry := w.entries[len(w.entries)-1]
		w.entries = w.entries[:len(w.entries)-1]
		w.function(entry)
	}
	for _, addr := range w.compared {
		if !w.ends(addr) {
			w.mention(addr, false)
		}
	}
	return w
}

type referWalk struct {
	file     *elffile.File
	stop     func(uint64) bool
	got      uint64          // of code that is independent of its position on i386; 0: there is none
	entries  []uint64        // to be looked at
	reached  map[uint64]bool // entries, and targets of jumps
	seen     map[uint64]bool // instructions on a path from an entry
	swept    map[uint64]bool // functions
	found    map[uint64]Mention
	compared []uint64
}

// function looks at a function as a whole, where its size is known (a switch goes
// on through a table), and otherwise along all paths from its entry.
func (w *referWalk) function(entry uint64) {
	w.reached[entry] = true
	f, ok := w.file.SymbolAt(entry)
	switch {
	case !ok || f.Size == 0:
		w.path(entry)
	case !w.swept[f.Addr]:
		w.swept[f.Addr] = true
		for pc := f.Addr; pc < f.Addr+f.Size; {
			next, _ := w.instruction(pc)
			if next == 0 {
				w.path(entry) // data lies between its instructions
				break
			}
			pc = next
		}
	}
}

// path follows all paths from an entry.
func (w *referWalk) path(entry uint64) {
	todo := []uint64{entry}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = w.onePath(pc, todo[:len(todo)-1])
	}
}

// onePath goes on to the function's end: the code behind a call that doesn't
// come back may be another one. It adds where else the path can go.
func (w *referWalk) onePath(entry uint64, todo []uint64) []uint64 {
	for pc := entry; w.file.IsCode(pc) && !w.seen[pc]; {
		if f, ok := w.file.SymbolAt(pc); ok && f.Addr == pc && pc != entry {
			w.call(pc)
			return todo
		}
		next, inst := w.instruction(pc)
		if next == 0 {
			return todo
		}
		w.seen[pc] = true
		kind, to := branch(&inst, next)
		switch {
		case kind == away && inst.Op != x86asm.CALL, kind == jumps && w.stop(to):
			return todo
		case kind == jumps:
			next = to
		case kind == forks && inst.Op != x86asm.CALL:
			todo = append(todo, to)
		}
		pc = next
	}
	return todo
}

// instruction adds the addresses in the one at pc. next is where the one behind
// it begins, 0 if it can't be read.
func (w *referWalk) instruction(pc uint64) (next uint64, inst x86asm.Inst) {
	inst, _, err := x86.Decode(w.file.Bytes(pc, x86.MaxInst), w.file.Machine)
	if err != nil {
		return 0, inst
	}
	next = pc + uint64(inst.Len)
	for i, a := range inst.Args {
		switch a := a.(type) {
		case x86asm.Rel:
			if to := next + uint64(int64(a)); inst.Op == x86asm.CALL || inst.Op == x86asm.JMP {
				w.call(to)
			}
		case x86asm.Imm:
			if addr := uint64(a) & w.file.Machine.WordMask(); inst.Op == x86asm.CMP {
				w.compared = append(w.compared, addr)
			} else {
				w.mention(addr, false)
			}
		case x86asm.Mem:
			addr := uint64(a.Disp)
			if a.Base == x86asm.RIP {
				addr += next
			}
			addr &= w.file.Machine.WordMask()
			read := i > 0 && inst.Op != x86asm.LEA && inst.Op != x86asm.XCHG && inst.Op != x86asm.XADD || onlyReads[inst.Op]
			w.mention(addr, read)
			if w.got != 0 {
				w.mention((w.got+addr)&w.file.Machine.WordMask(), read)
			}
		}
	}
	return next, inst
}

// onlyReads are instructions that don't write their first operand.
var onlyReads = map[x86asm.Op]bool{
	x86asm.CMP: true, x86asm.TEST: true, x86asm.PUSH: true, x86asm.CALL: true, x86asm.JMP: true, x86asm.BT: true,
	x86asm.MUL: true, x86asm.IMUL: true, x86asm.DIV: true, x86asm.IDIV: true,
}

// call goes on with a function that code has the address of.
func (w *referWalk) call(entry uint64) {
	if w.seen[entry] || w.reached[entry] || !w.file.IsCode(entry) || w.stop(entry) {
		return
	}
	w.reached[entry] = true
	w.entries = append(w.entries, entry)
}

// mention adds an address, and the target of a word without a name.
func (w *referWalk) mention(addr uint64, read bool) {
	for next := addr; next != 0; read = false {
		next = w.mentionOne(next, read)
	}
}

// mentionOne takes in an address. slot is the target of a word without a name
// there, most likely one of the global offset table. 0: there is none, or it is
// known.
func (w *referWalk) mentionOne(addr uint64, read bool) (slot uint64) {
	if w.file.IsCode(addr) {
		if f, ok := w.file.SymbolAt(addr); ok && f.Addr == addr {
			w.call(addr)
		}
		return 0
	}
	for i := range w.file.Segments {
		s := &w.file.Segments[i]
		if !s.Write || addr < s.Addr || addr >= s.Addr+s.MemSize {
			continue
		}
		o, ok := w.file.ObjectAt(addr)
		if !ok || o.Size == 0 {
			o = elffile.Symbol{Name: o.Name, Addr: addr, Size: w.file.Machine.Word(), Kind: elffile.Object}
		}
		old, known := w.found[o.Addr]
		w.found[o.Addr] = Mention{o, read && (old.OnlyRead || !known)}
		if known || o.Name != "" {
			return 0
		}
		word := append(slices.Clone(w.file.Bytes(addr, int(o.Size))), make([]byte, 8)...)
		return binary.LittleEndian.Uint64(word) & w.file.Machine.WordMask()
	}
	return 0
}

// ends reports whether an address is that behind a variable of the list, up to an
// alignment.
func (w *referWalk) ends(addr uint64) bool {
	for _, o := range w.found {
		if end := o.Addr + o.Size; end <= addr && addr-end < 32 {
			return true
		}
	}
	return false
}
