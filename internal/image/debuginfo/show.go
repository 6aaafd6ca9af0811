package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"math"
	"strings"
)

// The limits of what is shown: so many parts of a structure or an array, and structures
// so deep within others; so many bytes of a string.
const maxShown, maxShownDepth, maxShownText = 16, 3, 64

// show is an object's value as text.
func (e *expression) show(o *object) (string, error) {
	if o.pointer || !o.place && o.typ == 0 {
		return e.address(o.addr), nil
	}
	return e.value(*o, maxShownDepth)
}

// value is what a place holds.
func (e *expression) value(o object, depth int) (string, error) {
	t := e.d.bare(o.typ)
	if t == nil {
		v, err := e.number(o)
		return fmt.Sprintf("%#x", v), err
	}
	switch {
	case t.Tag == dwarf.TagArrayType:
		return e.array(o, t, depth)
	case structured(t):
		return e.structure(o, t, depth)
	}
	v, err := e.number(o)
	if err != nil {
		return "", err
	}
	switch t.Tag {
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		text := e.address(v)
		if to, ok := t.Val(dwarf.AttrType).(dwarf.Offset); ok && v != 0 && e.character(to) {
			text += " " + e.text(v, maxShownText)
		}
		return text, nil
	case dwarf.TagEnumerationType:
		if name := e.d.enumerator(t, v, o); name != "" {
			return name, nil
		}
	}
	return e.plain(t, v, o), nil
}

// address is a pointer's value, with the name of what is there.
func (e *expression) address(v uint64) string {
	if v == 0 {
		return "0"
	}
	text := fmt.Sprintf("%#x", v)
	if e.d.of(v) == e.d {
		if name, _ := e.d.variable(v); name != "" {
			text += " (&" + name + ")"
		}
	}
	return text
}

// Encodings of base types (DWARF 5, 7.8).
const (
	isBoolean      = 0x02
	isFloat        = 0x04
	isSigned       = 0x05
	isSignedChar   = 0x06
	isUnsignedChar = 0x08
	isUTF          = 0x10
)

// character reports whether a type is char.
func (e *expression) character(typ dwarf.Offset) bool {
	t := e.d.bare(typ)
	if t == nil || t.Tag != dwarf.TagBaseType || e.d.sizeOf(t.Offset, 1) != 1 {
		return false
	}
	encoding, _ := t.Val(dwarf.AttrEncoding).(int64)
	return encoding == isSignedChar || encoding == isUnsignedChar && strings.HasPrefix(e.d.name(t), "char")
}

// plain is a number of a base type, or of an enumeration.
func (e *expression) plain(t *dwarf.Entry, v uint64, o object) string {
	encoding, _ := t.Val(dwarf.AttrEncoding).(int64)
	bits := 8 * e.d.sizeOf(t.Offset, maxTypeDepth)
	if o.bits != 0 {
		bits = o.bits
	}
	switch {
	case encoding == isFloat && bits == 32:
		return fmt.Sprint(math.Float32frombits(uint32(v)))
	case encoding == isFloat && bits == 64:
		return fmt.Sprint(math.Float64frombits(v))
	case encoding == isBoolean && v <= 1:
		return fmt.Sprint(v == 1)
	case (encoding == isSigned || encoding == isSignedChar || t.Tag == dwarf.TagEnumerationType) && bits > 0 && bits <= 64:
		signed := int64(v<<(64-bits)) >> (64 - bits)
		if e.character(t.Offset) && v >= ' ' && v < 0x7f {
			return fmt.Sprintf("%d %q", signed, rune(v))
		}
		return fmt.Sprint(signed)
	}
	return fmt.Sprint(v)
}

// enumerator is the name of an enumeration's value; "" if it has none.
func (d *Info) enumerator(t *dwarf.Entry, v uint64, o object) (name string) {
	bits := 8 * max(d.sizeOf(t.Offset, maxTypeDepth), 1)
	if o.bits != 0 {
		bits = o.bits
	}
	d.children(t, func(c *dwarf.Entry) bool {
		if is, ok := c.Val(dwarf.AttrConstValue).(int64); ok && c.Tag == dwarf.TagEnumerator && uint64(is)<<(64-bits) == v<<(64-bits) {
			name = d.name(c)
		}
		return name == ""
	})
	return name
}

// text is a string in memory.
func (e *expression) text(addr, most uint64) string {
	b := e.memory(addr, most)
	for i, c := range b {
		if c == 0 {
			return fmt.Sprintf("%q", b[:i])
		}
	}
	return fmt.Sprintf("%q...", b)
}

// array is the elements of an array.
func (e *expression) array(o object, t *dwarf.Entry, depth int) (string, error) {
	dims := e.d.lengths(t)
	if o.indices >= len(dims) {
		return "", fmt.Errorf("the type of its elements isn't known")
	}
	n := dims[o.indices]
	if elem, ok := t.Val(dwarf.AttrType).(dwarf.Offset); ok && o.indices+1 == len(dims) && n > 0 && e.character(elem) {
		return e.text(o.addr, min(n, maxShownText)), nil
	}
	if depth == 0 {
		return "{...}", nil
	}
	var parts []string
	for i := range min(n, maxShown) {
		part, err := e.element(o, i)
		if err != nil {
			return "", err
		}
		text, err := e.value(part, depth-1)
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	if n > maxShown {
		parts = append(parts, "...")
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

// structure is the fields of a structure. The C library's objects are shown by their
// type's name: their fields are internal.
func (e *expression) structure(o object, t *dwarf.Entry, depth int) (string, error) {
	for off := o.typ; off != t.Offset; {
		named := e.d.typeEntry(off)
		if named == nil {
			break
		}
		if name, _ := named.Val(dwarf.AttrName).(string); e.d.opaque(name) {
			return "{" + name + "}", nil
		}
		next, ok := named.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			break
		}
		off = next
	}
	if depth == 0 {
		return "{...}", nil
	}
	var parts []string
	var failed error
	only, several := "", false
	e.d.children(t, func(c *dwarf.Entry) bool {
		at, located := memberOffset(c)
		typ, hasType := c.Val(dwarf.AttrType).(dwarf.Offset)
		if c.Tag != dwarf.TagMember && c.Tag != dwarf.TagInheritance || !located || !hasType {
			return true
		}
		if len(parts) == maxShown {
			parts = append(parts, "...")
			return false
		}
		part := e.d.memberObject(c, typ, at)
		part.addr += o.addr
		text, err := e.value(part, depth-1)
		if failed = err; err != nil {
			return false
		}
		name := e.d.name(c)
		if only, several = text, len(parts) > 0; name != "" && !strings.HasPrefix(name, "_M_") {
			text, several = name+" = "+text, true
		}
		parts = append(parts, text)
		return true
	})
	if failed == nil && !several && len(parts) == 1 { // the C++ library's around a value: std::atomic
		return only, nil
	}
	return "{" + strings.Join(parts, ", ") + "}", failed
}
