package debuginfo

import (
	"debug/dwarf"
	"strings"

	"landgo/internal/image/elffile"
	"landgo/internal/image/fields"
	"landgo/internal/image/unwind"
	"landgo/internal/trace"
)

// The registers that DWARF numbers 6 and 7 on x86-64.
const (
	opRegBP = fields.OpReg0 + 6
	opRegSP = fields.OpReg0 + 7
)

// Local names the variable of a function on a thread's stack that holds addr, down
// to the element and the field: "main::sums[1]". It knows variables that live in
// memory for the whole of their scope, as those do whose address is taken. No other
// thread could access another kind. atomic: the part is declared so. regs and read
// are as in Unwind, and addr may be in any frame.
func (d *Info) Local(regs *trace.Regs, read func(addr uint64) (uint64, bool), addr uint64) (name string, atomic, ok bool) {
	frame, ok := d.Frame(regs, read, addr)
	if !ok {
		return "", false, false
	}
	return d.localOf(&frame, addr)
}

// localOf names the variable that holds addr in a frame.
func (d *Info) localOf(frame *unwind.Frame, addr uint64) (name string, atomic, ok bool) {
	pc := frame.PC
	d = d.of(pc)
	d.named(0) // finds the variables, with the lock that the rest needs too
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		return "", false, false
	}
	d.vars.atomic = false
	err := d.guard(func() error {
		function, err := d.function(pc - d.Base)
		if function == nil || err != nil {
			return err
		}
		if base, known := d.frameBase(function, frame); known {
			name, ok = d.local(function, pc-d.Base, int64(addr-base))
			name = d.name(function) + "::" + name
		}
		return nil
	})
	return name, d.vars.atomic, ok && err == nil
}

// frameBase is what the variables of a function in a frame have their distances from. gcc
// takes the value that the stack pointer has after the return. rustc and clang take the frame
// pointer, or the stack pointer itself.
func (d *Info) frameBase(function *dwarf.Entry, frame *unwind.Frame) (base uint64, ok bool) {
	location, _ := function.Val(dwarf.AttrFrameBase).([]byte)
	switch long := d.File.Machine == elffile.X86_64; {
	case len(location) != 1:
		return 0, false
	case location[0] == fields.OpFrameCFA:
		return frame.Base, true
	case long && location[0] == opRegBP:
		return frame.BP, true
	case long && location[0] == opRegSP:
		return frame.SP, true
	}
	return 0, false
}

// function is the entry of the function, not an inlined one, that has the code
// at pc; nil if none is known.
func (d *Info) function(pc uint64) (*dwarf.Entry, error) {
	for _, u := range d.units {
		if !inRanges(u.ranges, pc) {
			continue
		}
		for _, nested := range []bool{false, true} {
			if e, err := d.functionOf(u, pc, nested); e != nil || err != nil {
				return e, err
			}
		}
	}
	return nil, nil
}

// functionOf is that function in a unit. It may be in namespaces, as rustc has all its
// functions. nested: it may be in another one, as code is that a compiler has taken out for
// OpenMP.
func (d *Info) functionOf(u *unit, pc uint64, nested bool) (*dwarf.Entry, error) {
	r := d.reader()
	r.Seek(u.entry.Offset)
	if _, err := r.Next(); err != nil {
		return nil, err
	}
	for depth := 0; ; {
		e, err := r.Next()
		switch {
		case err != nil || e == nil || e.Tag == 0 && depth == 0:
			return nil, err
		case e.Tag == 0:
			depth--
		case e.Tag == dwarf.TagSubprogram && d.covers(e, pc):
			return e, nil
		case e.Children && (e.Tag == dwarf.TagNamespace || nested && e.Tag == dwarf.TagSubprogram):
			depth++
		default:
			r.SkipChildren()
		}
	}
}

func (d *Info) covers(e *dwarf.Entry, pc uint64) bool {
	rs, err := d.entryRanges(e)
	return err == nil && inRanges(rs, pc)
}

// local names the part of a variable of a scope, or of one inside it that has the code at
// pc, that lies at a distance from the frame.
func (d *Info) local(scope *dwarf.Entry, pc uint64, at int64) (name string, ok bool) {
	v, offset := d.localVariable(scope, pc, at, maxTypeDepth)
	if v == nil {
		return "", false
	}
	return d.name(v) + d.part(d.typeOf(v), offset, maxTypeDepth), true
}

// localVariable is that variable, and the distance in it.
func (d *Info) localVariable(scope *dwarf.Entry, pc uint64, at int64, depth int) (v *dwarf.Entry, offset uint64) {
	if depth == 0 {
		return nil, 0
	}
	d.children(scope, func(e *dwarf.Entry) bool {
		switch e.Tag {
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			if from, ok := d.holds(e, at); ok {
				v, offset = e, from
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if d.covers(e, pc) {
				v, offset = d.localVariable(e, pc, at, depth-1)
			}
		}
		return v == nil
	})
	return v, offset
}

// holds says where in a variable a distance from its frame is, if it is there.
func (d *Info) holds(e *dwarf.Entry, at int64) (offset uint64, ok bool) {
	location, _ := e.Val(dwarf.AttrLocation).([]byte)
	if len(location) < 2 || location[0] != fields.OpFbreg {
		return 0, false
	}
	r := fields.Reader{Data: location[1:]}
	from := r.Sleb()
	if r.Err != nil || r.Off != len(r.Data) {
		return 0, false // more than a place
	}
	size := int64(d.sizeOf(d.typeOf(e), maxTypeDepth))
	if at < from || at-from >= max(size, 1) {
		return 0, false
	}
	return uint64(at - from), true
}

// PointedTo names a part of a block of memory by its type, if that is known.
// The code at pc asked for the block, and the unit of that code has pointers to
// only one structure of its size. "node.next".
func (d *Info) PointedTo(pc, size, offset uint64) (name string, ok bool) {
	d = d.of(pc)
	d.named(0)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		return "", false
	}
	err := d.guard(func() error {
		var typ dwarf.Offset
		typ, name = d.structure(pc-d.Base, size)
		if ok = typ != 0; ok {
			name += d.part(typ, offset, maxTypeDepth)
		}
		return nil
	})
	return name, ok && err == nil
}

// structure is the only structure of a size to which the unit with pc has
// pointers, with its name. It is 0 if there is none or there are several, or if
// a pointer is to a number of that size.
func (d *Info) structure(pc, size uint64) (only dwarf.Offset, name string) {
	several := false
	var other *dwarf.Entry // whose name begins as a library's
	d.pointees(pc, func(to dwarf.Offset) bool {
		if d.sizeOf(to, maxTypeDepth) != size {
			return true
		}
		typ, called := d.plain(to)
		if typ == 0 {
			e := d.bare(to)
			if several = e != nil && e.Tag == dwarf.TagBaseType; e != nil && d.isUsers(pc, e) {
				other = e
			}
			return !several
		}
		several = only != 0 && typ != only
		only, name = typ, called
		return !several
	})
	switch {
	case several:
		return 0, ""
	case only == 0 && other != nil:
		return other.Offset, d.name(other)
	}
	return only, name
}

// isUsers reports whether a structure has a name, and is declared in a source of the unit with pc that is no
// library's. A name that begins as a library's may be the user's.
func (d *Info) isUsers(pc uint64, e *dwarf.Entry) bool {
	file, ok := e.Val(dwarf.AttrDeclFile).(int64)
	if name, _ := e.Val(dwarf.AttrName).(string); !ok || name == "" || e.Tag != dwarf.TagStructType && e.Tag != dwarf.TagUnionType {
		return false
	}
	for _, u := range d.units {
		if !inRanges(u.ranges, pc) {
			continue
		}
		if d.loadUnit(u) != nil || file < 0 || file >= int64(len(u.files)) || u.files[file] == nil {
			return false
		}
		at := u.place(u.files[file], 1, 0)
		return !at.Library() && at.File != "<built-in>"
	}
	return false
}

// pointees calls f for the types to which the unit with pc declares pointers,
// until it returns false. Types that stdatomic.h's macros declare for
// themselves don't count: they would make every atomic type one of a block.
func (d *Info) pointees(pc uint64, f func(to dwarf.Offset) bool) {
	for _, u := range d.units {
		if !inRanges(u.ranges, pc) {
			continue
		}
		if u.pointees == nil {
			u.pointees = d.findPointees(u)
		}
		for _, to := range u.pointees {
			if !f(to) {
				return
			}
		}
	}
}

func (d *Info) findPointees(u *unit) []dwarf.Offset {
	list := []dwarf.Offset{}
	declared, pointers := map[dwarf.Offset]bool{}, [][2]dwarf.Offset{}
	r := d.reader()
	r.Seek(u.entry.Offset)
	for depth := 0; ; {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		switch {
		case e.Tag == 0:
			depth--
		case e.Children:
			depth++
		}
		if depth == 0 {
			break
		}
		to, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok || e.Tag == dwarf.TagVariable && ofMacro(d.name(e)) {
			continue
		}
		declared[to] = true
		if e.Tag == dwarf.TagPointerType {
			pointers = append(pointers, [2]dwarf.Offset{e.Offset, to})
		}
	}
	for _, p := range pointers {
		if declared[p[0]] {
			list = append(list, p[1])
		}
	}
	return list
}

// plain is the structure behind a type's names and qualifiers, with the nearest
// of its names; 0 if it is none.
func (d *Info) plain(typ dwarf.Offset) (dwarf.Offset, string) {
	name := ""
	for range maxTypeDepth {
		e := d.typeEntry(typ)
		if e == nil {
			return 0, ""
		}
		if n, ok := e.Val(dwarf.AttrName).(string); ok && name == "" {
			name = n
		}
		switch e.Tag {
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
			if name == "" || strings.HasPrefix(name, "__") { // of the library
				return 0, ""
			}
			return typ, name
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagAtomicType, dwarf.TagRestrictType:
			next, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
			if !ok {
				return 0, ""
			}
			typ = next
		default:
			return 0, ""
		}
	}
	return 0, ""
}
