package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"landgo/internal/image/elffile"
	"landgo/internal/image/fields"
)

// A part of a variable is named by walking its type's entries. debug/dwarf can
// build whole type graphs, but follows a hostile file's circles until the
// stack is full.

const (
	maxTypeDepth = 32
	maxMembers   = 4096 // of one structure
)

// part names the part at offset bytes into a type: ".field", "[3].next", or the
// distance where the type doesn't say.
func (d *Info) part(typ dwarf.Offset, offset uint64, depth int) string {
	e := d.typeEntry(typ)
	if e == nil || depth == 0 {
		return distance(offset)
	}
	next, hasType := e.Val(dwarf.AttrType).(dwarf.Offset)
	switch e.Tag {
	case dwarf.TagTypedef:
		if name, _ := e.Val(dwarf.AttrName).(string); d.opaque(name) {
			return ""
		}
		fallthrough
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagAtomicType, dwarf.TagRestrictType:
		d.vars.atomic = d.vars.atomic || e.Tag == dwarf.TagAtomicType
		if hasType {
			return d.part(next, offset, depth-1)
		}
	case dwarf.TagArrayType:
		if hasType {
			return d.element(e, next, offset, depth)
		}
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		name, _ := e.Val(dwarf.AttrName).(string)
		d.vars.atomic = d.vars.atomic || strings.HasPrefix(name, "atomic<") || strings.HasPrefix(name, "__atomic_base<") || name == "atomic_flag" || d.isRustAtomic(e, name)
		return d.member(e, offset, depth)
	}
	return distance(offset)
}

// opaque types are objects of the C library: their fields are internal, and
// differ between libraries. A kernel, and a program for Pebbles, has its own of these names.
func (d *Info) opaque(typedef string) bool {
	if d.Kernel == elffile.Pebbles || d.Kernel == elffile.Bare {
		return false
	}
	switch typedef {
	case "sem_t", "mtx_t", "cnd_t", "once_flag", "FILE":
		return true
	}
	return strings.HasPrefix(typedef, "pthread_") && strings.HasSuffix(typedef, "_t")
}

// element names an array's element; of an array of arrays, all indices.
func (d *Info) element(array *dwarf.Entry, elem dwarf.Offset, offset uint64, depth int) string {
	size := d.sizeOf(elem, depth-1)
	if size == 0 {
		return distance(offset)
	}
	index, name := offset/size, ""
	lengths := d.lengths(array)
	for i := len(lengths) - 1; i > 0; i-- {
		if lengths[i] == 0 {
			return distance(offset)
		}
		name = fmt.Sprintf("[%d]", index%lengths[i]) + name
		index /= lengths[i]
	}
	return fmt.Sprintf("[%d]", index) + name + d.part(elem, offset%size, depth-1)
}

// lengths are an array's dimensions; 0: unknown.
func (d *Info) lengths(array *dwarf.Entry) []uint64 {
	var ns []uint64
	d.children(array, func(e *dwarf.Entry) bool {
		if e.Tag != dwarf.TagSubrangeType {
			return true
		}
		n := uint64(0)
		if count, ok := e.Val(dwarf.AttrCount).(int64); ok {
			n = uint64(max(count, 0))
		} else if last, ok := e.Val(dwarf.AttrUpperBound).(int64); ok {
			n = uint64(max(last+1, 0))
		}
		ns = append(ns, n)
		return len(ns) < maxTypeDepth
	})
	return ns
}

// member names the field at an offset; of a union, the first that reaches so
// far. Fields without a name (anonymous structures) add nothing, and those of the C++
// library's classes end the name.
func (d *Info) member(structure *dwarf.Entry, offset uint64, depth int) string {
	found := distance(offset)
	d.children(structure, func(e *dwarf.Entry) bool {
		if e.Tag != dwarf.TagMember && e.Tag != dwarf.TagInheritance {
			return true
		}
		at, ok := memberOffset(e)
		typ, hasType := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok || !hasType || at > offset || offset-at >= d.extent(typ, depth-1) {
			return true
		}
		found = d.part(typ, offset-at, depth-1)
		switch name, _ := e.Val(dwarf.AttrName).(string); {
		case name == "_M_elems", name == "__val": // of std::array, of C's atomic_flag
		case strings.HasPrefix(name, "_M_"): // the C++ library's own
			if found != "" {
				at = offset
			}
			found = distance(at)
		case name != "":
			found = "." + name + found
		}
		return false
	})
	return found
}

// extent is how far a member of a type reaches: without end for an array without
// a length, which is a structure's last.
func (d *Info) extent(typ dwarf.Offset, depth int) uint64 {
	size := d.sizeOf(typ, depth)
	if e := d.bare(typ); size == 0 && e != nil && e.Tag == dwarf.TagArrayType {
		return math.MaxUint64
	}
	return max(size, 1)
}

// memberOffset is where a member begins, in bytes; false for a static one.
func memberOffset(e *dwarf.Entry) (uint64, bool) {
	if at, ok := e.Val(dwarf.AttrDataMemberLoc).(int64); ok {
		return uint64(at), at >= 0
	}
	if expr, ok := e.Val(dwarf.AttrDataMemberLoc).([]byte); ok { // as DWARF 2 has it
		r := fields.Reader{Data: expr}
		op, at := r.U8(), r.Uleb()
		return at, op == fields.OpPlusUconst && r.Err == nil && r.Off == len(r.Data)
	}
	if bit, ok := e.Val(dwarf.AttrDataBitOffset).(int64); ok {
		return uint64(bit) / 8, bit >= 0
	}
	external, _ := e.Val(dwarf.AttrExternal).(bool)
	return 0, !external // a union's members may leave it out
}

// sizeOf is a type's size in bytes; 0: unknown.
func (d *Info) sizeOf(typ dwarf.Offset, depth int) uint64 {
	e := d.typeEntry(typ)
	if e == nil || depth <= 0 {
		return 0
	}
	if size, ok := e.Val(dwarf.AttrByteSize).(int64); ok {
		return uint64(max(size, 0))
	}
	next, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return 0
	}
	size := d.sizeOf(next, depth-1)
	if e.Tag == dwarf.TagArrayType {
		for _, n := range d.lengths(e) {
			high, low := bits.Mul64(size, n)
			if high != 0 {
				return 0
			}
			size = low
		}
	}
	return size
}

// typeEntry reads a type's entry; nil for offset 0, which no type has.
func (d *Info) typeEntry(off dwarf.Offset) *dwarf.Entry {
	if off == 0 {
		return nil
	}
	return d.entryAt(off)
}

// children calls f for each direct child of e until it returns false.
func (d *Info) children(e *dwarf.Entry, f func(*dwarf.Entry) bool) {
	if !e.Children {
		return
	}
	r := d.reader()
	r.Seek(e.Offset)
	if _, err := r.Next(); err != nil {
		return
	}
	for n := 0; n < maxMembers; n++ {
		c, err := r.Next()
		if err != nil || c == nil || c.Tag == 0 || !f(c) {
			return
		}
		r.SkipChildren()
	}
}
