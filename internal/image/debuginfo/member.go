package debuginfo

import (
	"debug/dwarf"
	"strings"
)

// Parts of types by their names, the inverse of typepath.go.

// Member is a part of a structure.
type Member struct{ Offset, Size uint64 }

// Signed is the number that the member's bytes are, little-endian.
func (m Member) Signed(v uint64) int64 {
	switch m.Size {
	case 1:
		return int64(uint8(v))
	case 2:
		return int64(int16(v))
	case 8:
		return int64(v)
	}
	return int64(int32(v))
}

// MemberOf finds a path of fields in the structure, or the name for one, that the
// sources call name.
func (d *Info) MemberOf(name, path string) (m Member, ok bool) {
	err := d.types(func(_ *dieReader, e *dwarf.Entry) bool {
		if (e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagTypedef) && d.name(e) == name {
			m, ok = d.memberAt(e.Offset, path, maxTypeDepth)
		}
		return ok
	})
	return m, ok && err == nil
}

// StructSize is the size of a structure, or of a name for one; 0: unknown.
func (d *Info) StructSize(name string) (size uint64) {
	err := d.types(func(_ *dieReader, e *dwarf.Entry) bool {
		if (e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagTypedef) && d.name(e) == name {
			size = d.sizeOf(e.Offset, maxTypeDepth)
		}
		return size > 0
	})
	if err != nil {
		return 0
	}
	return size
}

// PathIn finds a path of fields in the type of a variable; of an array, in its
// first element, whose size is elem (0: it is none). The path may be empty.
func (d *Info) PathIn(variable, path string) (m Member, elem uint64, ok bool) {
	d.named(0) // which finds all variables
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.vars == nil {
		return m, 0, false
	}
	err := d.guard(func() error {
		for i := range d.vars.list {
			v := &d.vars.list[i]
			if v.name != variable && !strings.HasSuffix(v.name, "::"+variable) {
				continue
			}
			typ := v.typ
			e := d.bare(typ)
			for e != nil && e.Tag == dwarf.TagArrayType {
				if typ, ok = e.Val(dwarf.AttrType).(dwarf.Offset); !ok {
					return nil
				}
				elem = d.sizeOf(typ, maxTypeDepth)
				e = d.bare(typ)
			}
			if m, ok = (Member{Size: d.sizeOf(typ, maxTypeDepth)}), true; path != "" {
				m, ok = d.memberAt(typ, path, maxTypeDepth)
			}
			return nil
		}
		return nil
	})
	return m, elem, ok && err == nil
}

// bare is a type without its names and qualifiers.
func (d *Info) bare(typ dwarf.Offset) *dwarf.Entry {
	e := d.typeEntry(typ)
	for range maxTypeDepth {
		if e == nil {
			return nil
		}
		switch e.Tag {
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagAtomicType, dwarf.TagRestrictType:
			next, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
			if !ok {
				return nil
			}
			e = d.typeEntry(next)
		default:
			return e
		}
	}
	return nil
}

// memberAt follows a path of fields from a type. Fields of structures without a
// name are their structure's.
func (d *Info) memberAt(typ dwarf.Offset, path string, depth int) (m Member, ok bool) {
	e := d.bare(typ)
	if e == nil || depth == 0 || e.Tag != dwarf.TagStructType && e.Tag != dwarf.TagUnionType && e.Tag != dwarf.TagClassType {
		return m, false
	}
	name, rest, deeper := strings.Cut(path, ".")
	d.children(e, func(c *dwarf.Entry) bool {
		next, hasType := c.Val(dwarf.AttrType).(dwarf.Offset)
		at, located := memberOffset(c)
		if c.Tag != dwarf.TagMember || !hasType || !located {
			return true
		}
		switch d.name(c) {
		case name:
			if m, ok = (Member{Size: d.sizeOf(next, maxTypeDepth)}), true; deeper {
				m, ok = d.memberAt(next, rest, depth-1)
			}
		case "":
			m, ok = d.memberAt(next, path, depth-1)
		default:
			return true
		}
		m.Offset += at
		return !ok
	})
	return m, ok
}

// Enumerator is the value of a name in an enumeration.
func (d *Info) Enumerator(name string) (v int64, ok bool) {
	err := d.types(func(_ *dieReader, e *dwarf.Entry) bool {
		if e.Tag == dwarf.TagEnumerationType {
			d.children(e, func(c *dwarf.Entry) bool {
				if c.Tag == dwarf.TagEnumerator && d.name(c) == name {
					v, ok = c.Val(dwarf.AttrConstValue).(int64)
				}
				return !ok
			})
		}
		return ok
	})
	return v, ok && err == nil
}
