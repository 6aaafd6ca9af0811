package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"strings"

	"landgo/internal/trace"
)

// Pointee is what a pointer points to by its declaration: a structure. A block of memory has
// no type of its own. The pointers that are set to its address have one.
type Pointee struct {
	d    *Info
	typ  dwarf.Offset
	Name string // "Session", "node"
	Size uint64
	// Many: the pointer is a container's of the C++ library, so that several may follow.
	Many bool
}

// PointeeAt is what the pointer at an address points to, if that is in a global or static
// variable.
func (d *Info) PointeeAt(addr uint64) (p Pointee, ok bool) {
	if p := d.of(addr); p != d {
		return p.PointeeAt(addr)
	}
	d.named(addr) // finds the variables
	d.mu.Lock()
	defer d.mu.Unlock()
	addr = d.linked(addr)
	v := d.vars.at(addr)
	if v == nil {
		return p, false
	}
	err := d.guard(func() error {
		p, ok = d.pointee(v.typ, addr-v.addr)
		return nil
	})
	return p, ok && err == nil
}

// LocalPointee is PointeeAt of a variable on a stack. Its arguments are those of Local.
func (d *Info) LocalPointee(regs *trace.Regs, read func(addr uint64) (uint64, bool), addr uint64) (p Pointee, ok bool) {
	frame, ok := d.Frame(regs, read, addr)
	if !ok {
		return p, false
	}
	pc := frame.PC
	d = d.of(pc)
	d.named(0)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		return p, false
	}
	err := d.guard(func() error {
		function, err := d.function(pc - d.Base)
		if function == nil || err != nil {
			return err
		}
		base, known := d.frameBase(function, &frame)
		if ok = known; !ok {
			return nil
		}
		v, offset := d.localVariable(function, pc-d.Base, int64(addr-base), maxTypeDepth)
		if ok = v != nil; ok {
			p, ok = d.pointee(d.typeOf(v), offset)
		}
		return nil
	})
	return p, ok && err == nil
}

// PointeeAt is what the pointer at a distance in the structure points to.
func (p Pointee) PointeeAt(offset uint64) (to Pointee, ok bool) {
	d := p.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.Size == 0 || offset >= p.Size && !p.Many {
		return to, false
	}
	err := d.guard(func() error {
		to, ok = d.pointee(p.typ, offset%p.Size)
		return nil
	})
	return to, ok && err == nil
}

// Part names a part of a block of some size that a pointer of this kind points to:
// "Session.hits", "Fork[1].used".
func (p Pointee) Part(size, offset uint64) (name string, ok bool) {
	d := p.d
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.guard(func() error {
		name = p.Name
		if size > p.Size {
			name += fmt.Sprintf("[%d]", offset/p.Size)
		}
		name += d.part(p.typ, offset%p.Size, maxTypeDepth)
		return nil
	})
	return name, err == nil
}

// Fits reports whether a block of a size can be what such a pointer points to.
func (p Pointee) Fits(size uint64) bool {
	return p.Size > 0 && (size == p.Size || p.Many && size%p.Size == 0)
}

// pointee is what the pointer at a distance in a type points to.
func (d *Info) pointee(typ dwarf.Offset, offset uint64) (p Pointee, ok bool) {
	leaf, many := d.leaf(typ, offset, maxTypeDepth)
	if leaf == nil || leaf.Tag != dwarf.TagPointerType {
		return p, false
	}
	to, ok := leaf.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return p, false
	}
	p = Pointee{d: d, Size: d.sizeOf(to, maxTypeDepth), Many: many}
	if p.typ, p.Name = d.plain(to); p.typ == 0 || p.Size == 0 || strings.HasPrefix(p.Name, "_") {
		return p, false
	}
	return p, true
}

// leaf is the type of what begins at a distance in a type, nil if nothing does; library: it
// is in a class of the C++ library's.
func (d *Info) leaf(typ dwarf.Offset, offset uint64, depth int) (found *dwarf.Entry, library bool) {
	e := d.bare(typ)
	if e == nil || depth == 0 {
		return nil, false
	}
	switch e.Tag {
	case dwarf.TagArrayType:
		if elem, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok {
			if size := d.sizeOf(elem, maxTypeDepth); size > 0 {
				return d.leaf(elem, offset%size, depth-1)
			}
		}
	case dwarf.TagStructType, dwarf.TagClassType:
		d.children(e, func(c *dwarf.Entry) bool {
			at, located := memberOffset(c)
			next, hasType := c.Val(dwarf.AttrType).(dwarf.Offset)
			if c.Tag != dwarf.TagMember && c.Tag != dwarf.TagInheritance || !located || !hasType || at > offset || offset-at >= d.sizeOf(next, maxTypeDepth) {
				return true
			}
			found, library = d.leaf(next, offset-at, depth-1)
			name, _ := c.Val(dwarf.AttrName).(string)
			library = library || name == "_M_start"
			return found == nil // an empty base has the place of what follows
		})
	default:
		if offset == 0 {
			return e, false
		}
	}
	return found, library
}
