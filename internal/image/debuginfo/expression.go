package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Expressions name parts of memory as C does: x, x.field, p->next->value, a[3][i], *p, &x,
// and numbers as addresses. They have no operators beside these, and no effects.

// Memory reads what is at an address: fewer bytes than asked for if no more are there.
type Memory func(addr, size uint64) []byte

// Evaluate is the value of an expression, as text. It knows the variables with a place of
// their own: global and static ones, a function's as function::name; and, unless own is nil,
// those of a thread.
func (d *Info) Evaluate(text string, memory Memory, own *Own) (value string, err error) {
	for i, p := range append([]*Info{d}, d.parts...) {
		here, known, hereErr := p.evaluate(text, memory, own)
		if i == 0 || known {
			value, err = here, hereErr
		}
		if known {
			break
		}
	}
	return value, err
}

// evaluate is Evaluate in one file. known: the file has the variable.
func (d *Info) evaluate(text string, memory Memory, own *Own) (value string, known bool, err error) {
	d.named(0) // which finds all variables
	d.mu.Lock()
	defer d.mu.Unlock()
	e := &expression{d: d, memory: memory, own: own, rest: text, known: true}
	guarded := d.guard(func() error {
		var o object
		if o, err = e.unary(maxTypeDepth); err == nil && e.peek() != "" {
			err = fmt.Errorf("%q isn't understood behind %q", strings.TrimSpace(e.rest), strings.TrimSpace(strings.TrimSuffix(text, e.rest)))
		}
		if err == nil {
			value, err = e.show(&o)
		}
		return nil
	})
	if guarded != nil {
		err = fmt.Errorf("the debug information can't be read: %w", guarded)
	}
	return value, e.known, err
}

// expression is one that is being read.
type expression struct {
	d      *Info
	memory Memory
	own    *Own
	rest   string
	known  bool // the file has all variables in it
}

// object is what an expression, or a part of it, names: a place in memory, or a number.
type object struct {
	typ   dwarf.Offset // 0: unknown
	place bool
	// addr is the place, or else the number: of type typ, or, with pointer, a pointer to that.
	addr    uint64
	pointer bool
	size    uint64 // of a place without a type
	// bits and shift are of a field of bits.
	bits, shift uint64
	// indices is how many of an array's dimensions were chosen from.
	indices int
}

// peek is the next token: a name, a number, or a sign; "" at the end.
func (e *expression) peek() string {
	s := strings.TrimLeft(e.rest, " \t")
	word := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	n := strings.IndexFunc(s, func(r rune) bool { return !word(r) })
	switch {
	case s == "":
		return ""
	case n < 0:
		return s
	case n > 0:
		for strings.HasPrefix(s[n:], "::") {
			more := strings.IndexFunc(s[n+2:], func(r rune) bool { return !word(r) })
			if more < 0 {
				return s
			}
			n += 2 + more
		}
		return s[:n]
	case strings.HasPrefix(s, "->"):
		return "->"
	}
	return s[:1]
}

// next takes a token.
func (e *expression) next() string {
	t := e.peek()
	e.rest = strings.TrimLeft(e.rest, " \t")[len(t):]
	return t
}

func (e *expression) unary(depth int) (object, error) {
	if depth == 0 {
		return object{}, fmt.Errorf("the expression is too deep")
	}
	switch e.peek() {
	case "*":
		e.next()
		o, err := e.unary(depth - 1)
		if err != nil {
			return o, err
		}
		return e.pointee(o, 0)
	case "&":
		e.next()
		o, err := e.unary(depth - 1)
		switch {
		case err != nil:
			return o, err
		case !o.place || o.bits != 0:
			return o, fmt.Errorf("& takes what has an address")
		}
		return object{typ: o.typ, addr: o.addr, pointer: true}, nil
	}
	o, err := e.primary(depth)
	for err == nil {
		switch e.peek() {
		case ".":
			e.next()
			o, err = e.field(o, e.next())
		case "->":
			e.next()
			if o, err = e.pointee(o, 0); err == nil {
				o, err = e.field(o, e.next())
			}
		case "[":
			e.next()
			var at object
			if at, err = e.unary(depth - 1); err != nil {
				return o, err
			}
			if e.next() != "]" {
				return o, fmt.Errorf("a ] is missing")
			}
			var index uint64
			if index, err = e.number(at); err == nil {
				o, err = e.element(o, index)
			}
		default:
			return o, nil
		}
	}
	return o, err
}

func (e *expression) primary(depth int) (object, error) {
	t := e.next()
	switch {
	case t == "(":
		o, err := e.unary(depth - 1)
		if err == nil && e.next() != ")" {
			err = fmt.Errorf("a ) is missing")
		}
		return o, err
	case t == "":
		return object{}, fmt.Errorf("there is no variable's name or address")
	case t[0] >= '0' && t[0] <= '9':
		n, err := strconv.ParseUint(t, 0, 64)
		if err != nil {
			return object{}, fmt.Errorf("%q is no number", t)
		}
		return object{addr: n}, nil
	case t[0] != '_' && t[0] != '$' && !unicode.IsLetter([]rune(t)[0]):
		return object{}, fmt.Errorf("%q isn't understood: an expression is like x, x.field, p->next, a[3], *p, &x or 0x4c0010", t)
	}
	return e.variable(t)
}

// variable is the one of a name: the first, if functions have several.
func (e *expression) variable(name string) (object, error) {
	if o, known, err := e.owned(name); known {
		return o, err
	}
	if v := e.d.variableNamed(name); v != nil {
		return object{typ: v.typ, addr: v.addr, place: true, size: v.size}, nil
	}
	if s, ok := e.d.Symbol(name); ok && e.d.File.Holds(s.Addr, 1) {
		return object{addr: s.Addr, place: true, size: s.Size}, nil
	}
	e.known = false
	if e.own != nil {
		return object{}, fmt.Errorf("there is no variable %q where the thread stands", name)
	}
	return object{}, fmt.Errorf("there is no global or static variable %q (one of a thread's own is T1:%[1]s)", name)
}

// variableNamed prefers a global variable to a function's.
func (d *Info) variableNamed(name string) (found *variable) {
	for i := range d.vars.list {
		switch v := &d.vars.list[i]; {
		case v.name == name:
			return v
		case found == nil && (strings.HasSuffix(v.name, "::"+name) || strings.HasSuffix(name, "::"+v.name)):
			found = v
		}
	}
	return found
}

// pointee is what a pointer points to, this many elements behind it.
func (e *expression) pointee(o object, index uint64) (object, error) {
	to, word := dwarf.Offset(0), e.d.Machine.Word()
	if o.pointer {
		to = o.typ
	} else if t := e.d.bare(o.typ); t != nil && t.Tag == dwarf.TagArrayType && o.place {
		return e.element(o, index)
	} else if t != nil {
		if t.Tag != dwarf.TagPointerType && t.Tag != dwarf.TagReferenceType && t.Tag != dwarf.TagBaseType {
			return o, fmt.Errorf("it isn't a pointer")
		}
		if t.Tag != dwarf.TagBaseType {
			to, _ = t.Val(dwarf.AttrType).(dwarf.Offset)
		}
	}
	addr, err := e.number(o)
	if err != nil {
		return o, err
	}
	size := word
	if to != 0 {
		size = max(e.d.sizeOf(to, maxTypeDepth), 1)
	}
	return object{typ: to, addr: addr + index*size, place: true, size: size}, nil
}

// element is one of an array, or behind a pointer.
func (e *expression) element(o object, index uint64) (object, error) {
	t := e.d.bare(o.typ)
	if !o.place || t == nil || t.Tag != dwarf.TagArrayType {
		return e.pointee(o, index)
	}
	dims := e.d.lengths(t)
	elem, _ := t.Val(dwarf.AttrType).(dwarf.Offset)
	size := e.d.sizeOf(elem, maxTypeDepth)
	if size == 0 || o.indices >= len(dims) {
		return o, fmt.Errorf("the type of its elements isn't known")
	}
	if n := dims[o.indices]; n != 0 && index >= n {
		return o, fmt.Errorf("[%d] is beyond its %d elements", index, n)
	}
	for _, n := range dims[o.indices+1:] {
		size *= n
	}
	o.addr, o.indices = o.addr+index*size, o.indices+1
	if o.indices == len(dims) {
		o.typ, o.indices = elem, 0
		o.size = size
	}
	return o, nil
}

// field is a part of a structure.
func (e *expression) field(o object, name string) (object, error) {
	t := e.d.bare(o.typ)
	if name == "" {
		return o, fmt.Errorf("a field's name is missing")
	}
	if !o.place || t == nil || !structured(t) {
		return o, fmt.Errorf("it has no field %q: it isn't a structure", name)
	}
	if part, ok := e.d.fieldOf(t, name, maxTypeDepth); ok {
		part.addr += o.addr
		return part, nil
	}
	return o, fmt.Errorf("it has no field %q", name)
}

func structured(t *dwarf.Entry) bool {
	return t.Tag == dwarf.TagStructType || t.Tag == dwarf.TagClassType || t.Tag == dwarf.TagUnionType
}

// fieldOf finds a field by its name, in structures without a name and base classes too. Its
// address is the distance.
func (d *Info) fieldOf(t *dwarf.Entry, name string, depth int) (part object, ok bool) {
	d.children(t, func(c *dwarf.Entry) bool {
		at, located := memberOffset(c)
		typ, hasType := c.Val(dwarf.AttrType).(dwarf.Offset)
		if c.Tag != dwarf.TagMember && c.Tag != dwarf.TagInheritance || !located || !hasType {
			return true
		}
		switch own := d.name(c); {
		case own == name && c.Tag == dwarf.TagMember:
			part, ok = d.memberObject(c, typ, at), true
		case own == "" || c.Tag == dwarf.TagInheritance:
			if inner := d.bare(typ); inner != nil && structured(inner) && depth > 0 {
				if part, ok = d.fieldOf(inner, name, depth-1); ok {
					part.addr += at
				}
			}
		}
		return !ok
	})
	return part, ok
}

// memberObject is a member at a distance in its structure.
func (d *Info) memberObject(c *dwarf.Entry, typ dwarf.Offset, at uint64) object {
	o := object{typ: typ, addr: at, place: true, size: d.sizeOf(typ, maxTypeDepth)}
	if n, ok := c.Val(dwarf.AttrBitSize).(int64); ok && n > 0 && n <= 64 {
		o.bits = uint64(n)
		if first, ok := c.Val(dwarf.AttrDataBitOffset).(int64); ok {
			o.shift = uint64(first) % 8
		} else if below, ok := c.Val(dwarf.AttrBitOffset).(int64); ok { // of DWARF 4: from the highest bit of its unit
			unit := o.size
			if n, ok := c.Val(dwarf.AttrByteSize).(int64); ok && n > 0 {
				unit = uint64(n)
			}
			if first := int64(8*unit) - below - n; first >= 0 {
				o.addr, o.shift = o.addr+uint64(first)/8, uint64(first)%8
			}
		}
	}
	return o
}

// number is the number that an object is: a place's contents.
func (e *expression) number(o object) (uint64, error) {
	if !o.place {
		return o.addr, nil
	}
	size := o.size
	if o.typ != 0 {
		size = e.d.sizeOf(o.typ, maxTypeDepth)
	}
	if o.bits != 0 {
		size = (o.bits + o.shift + 7) / 8
	}
	if size == 0 || size > 8 {
		return 0, fmt.Errorf("it isn't a number")
	}
	b, err := e.bytes(o.addr, size)
	if err != nil {
		return 0, err
	}
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	if o.bits != 0 {
		v = v >> o.shift << (64 - o.bits) >> (64 - o.bits)
	}
	return v, nil
}

// bytes are what is at an address.
func (e *expression) bytes(addr, size uint64) ([]byte, error) {
	b := e.memory(addr, size)
	if uint64(len(b)) < size {
		return nil, fmt.Errorf("nothing is mapped at %#x", addr)
	}
	return b, nil
}
