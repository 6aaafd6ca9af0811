package debuginfo

import (
	"debug/dwarf"
	"math"
	"strings"
)

// Whether a block can be of the structure that its size suggests. An access tells that it isn't: it is
// to bytes of no field, to a part of a pointer, or finds in a pointer what is no address.

// Contradicts reports whether an access of some bytes of a block can't be to the structure for which PointedTo
// takes the block. address: its value can be one.
func (d *Info) Contradicts(pc, size, offset, width uint64, address bool) (does bool) {
	d = d.of(pc)
	d.named(0)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		return false
	}
	err := d.guard(func() error {
		typ, _ := d.structure(pc-d.Base, size)
		if typ == 0 {
			return nil
		}
		f := d.fieldAt(typ, offset, maxTypeDepth)
		switch end := offset + width; {
		case f.none:
			does = true
		case f.scalar == nil:
		case f.scalar.Tag == dwarf.TagPointerType:
			does = f.into > 0 || width < f.size || width == f.size && f.scalar.Val(dwarf.AttrType) != nil && !address
		case width <= 8 && f.into == 0 && width > f.size:
			last := d.fieldAt(typ, end-1, maxTypeDepth) // several fields, but whole ones
			does = last.scalar != nil && last.into != last.size-1
		}
		return nil
	})
	return does && err == nil
}

// field is what a structure has at a distance: none, or the distance in a scalar. Anything else has
// neither.
type field struct {
	none       bool
	scalar     *dwarf.Entry
	into, size uint64
}

func (d *Info) fieldAt(typ dwarf.Offset, offset uint64, depth int) (f field) {
	e := d.bare(typ)
	if e == nil || depth == 0 || depth < maxTypeDepth && d.isOpaque(typ) { // the block's own structure isn't
		return f
	}
	switch e.Tag {
	case dwarf.TagPointerType, dwarf.TagBaseType, dwarf.TagEnumerationType:
		size := max(d.sizeOf(typ, maxTypeDepth), 1)
		return field{scalar: e, into: offset, size: size}
	case dwarf.TagArrayType:
		elem, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if size := d.sizeOf(elem, maxTypeDepth); ok && size > 0 {
			return d.fieldAt(elem, offset%size, depth-1)
		}
	case dwarf.TagStructType, dwarf.TagClassType:
		f.none = true
		d.children(e, func(c *dwarf.Entry) bool {
			at, located := memberOffset(c)
			next, hasType := c.Val(dwarf.AttrType).(dwarf.Offset)
			if c.Tag != dwarf.TagMember && c.Tag != dwarf.TagInheritance || !located || !hasType || at > offset || offset-at >= d.extent(next, maxTypeDepth) {
				return true
			}
			if c.Val(dwarf.AttrBitSize) != nil || d.extent(next, maxTypeDepth) == math.MaxUint64 {
				f = field{}
				return false
			}
			f = d.fieldAt(next, offset-at, depth-1)
			return f.none // an empty base has the place of what follows
		})
	}
	return f
}

// isOpaque reports whether a type is the C library's own object: its fields are internal.
func (d *Info) isOpaque(typ dwarf.Offset) bool {
	for e := d.typeEntry(typ); e != nil; e = d.typeEntry(typ) {
		name, _ := e.Val(dwarf.AttrName).(string)
		if e.Tag == dwarf.TagTypedef && d.opaque(name) || strings.HasPrefix(name, "_") && e.Tag != dwarf.TagTypedef {
			return true
		}
		next, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok || e.Tag != dwarf.TagTypedef && e.Tag != dwarf.TagConstType && e.Tag != dwarf.TagVolatileType && e.Tag != dwarf.TagAtomicType {
			return false
		}
		typ = next
	}
	return false
}
