package debuginfo

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"strings"

	"landgo/internal/image/fields"
	"landgo/internal/image/unwind"
)

// A thread's own variables: those on its stack that live in memory, and thread-local ones of
// the program itself. A variable that the compiler keeps in a register, or in several places
// in turn, isn't known here.

// Own is where a thread's own variables are.
type Own struct {
	// Frames are those of its stack, innermost first.
	Frames []unwind.Frame
	// Pointer is the thread pointer: the base of fs.
	Pointer uint64
}

// threadLocal is a thread-local variable at a distance in the thread's block.
type threadLocal struct {
	name string
	at   uint64
	typ  dwarf.Offset
}

// addThreadLocal takes the entries whose location is in a thread's block.
func (d *Info) addThreadLocal(e *dwarf.Entry, location []byte, function string) {
	if len(location) != 10 || location[0] != fields.OpConst8u || location[9] != fields.OpTLS && location[9] != fields.OpTLSGNU {
		return
	}
	v := threadLocal{name: d.name(e), at: binary.LittleEndian.Uint64(location[1:]), typ: d.typeOf(e)}
	if function != "" {
		v.name = function + "::" + v.name
	}
	d.vars.own = append(d.vars.own, v)
}

// typeOf is a variable's type, its own or that of what it is made from.
func (d *Info) typeOf(e *dwarf.Entry) dwarf.Offset {
	for of, hop := e, 0; of != nil && hop < 3; of, hop = d.origin(of), hop+1 {
		if off, ok := of.Val(dwarf.AttrType).(dwarf.Offset); ok {
			return off
		}
	}
	return 0
}

// owned is a variable of the thread's; known: it has one of that name, which err may be
// about.
func (e *expression) owned(name string) (o object, known bool, err error) {
	if e.own == nil {
		return o, false, nil
	}
	for i := range e.own.Frames {
		f := &e.own.Frames[i]
		if e.d.of(f.PC) != e.d && len(e.d.parts) > 0 || !e.d.File.IsCode(f.PC) {
			continue
		}
		function, err := e.d.function(f.PC - e.d.Base)
		if function == nil || err != nil {
			continue
		}
		called, plain := e.d.name(function), name
		if rest, ok := strings.CutPrefix(name, called+"::"); ok {
			plain = rest
		} else if strings.Contains(name, "::") {
			continue
		}
		v := e.d.declared(function, f.PC-e.d.Base, plain, maxTypeDepth)
		if v == nil {
			continue
		}
		location, _ := v.Val(dwarf.AttrLocation).([]byte)
		base, based := e.d.frameBase(function, f)
		if len(location) > 1 && location[0] == fields.OpFbreg && based {
			r := fields.Reader{Data: location[1:]}
			if at := r.Sleb(); r.Err == nil && r.Off == len(r.Data) {
				typ := e.d.typeOf(v)
				return object{typ: typ, addr: base + uint64(at), place: true, size: e.d.sizeOf(typ, maxTypeDepth)}, true, nil
			}
		}
		if len(location) == 0 || location[0] != fields.OpAddr { // a static one is known otherwise
			return o, true, fmt.Errorf("%s of %s isn't in memory here: the compiler keeps it in a register, or leaves it out (landgo debug may show it)", plain, called)
		}
	}
	for i := range e.d.vars.own {
		v := &e.d.vars.own[i]
		if e.d.File.TLS != nil && (v.name == name || strings.HasSuffix(v.name, "::"+name)) {
			return object{typ: v.typ, addr: e.own.Pointer - e.d.threadBlock() + v.at, place: true, size: e.d.sizeOf(v.typ, maxTypeDepth)}, true, nil
		}
	}
	return o, false, nil
}

// threadBlock is the distance from the program's thread-local variables to the thread pointer,
// 0 if it has none.
func (d *Info) threadBlock() uint64 {
	tls := d.File.TLS
	if tls == nil {
		return 0
	}
	align := max(tls.Align, 1)
	return (tls.MemSize + align - 1) / align * align
}

// ThreadLocal names the thread-local variable of the program's that is at addr, down to the
// element and the field, for the thread with this pointer. atomic: it, or that part, is
// declared so.
func (d *Info) ThreadLocal(pointer, addr uint64) (name string, atomic, ok bool) {
	block := d.threadBlock()
	if addr >= pointer || pointer-addr > block {
		return "", false, false
	}
	d.named(0) // finds the variables, with the lock that the rest needs too
	d.mu.Lock()
	defer d.mu.Unlock()
	at := addr - (pointer - block)
	for i := range d.vars.own {
		v := &d.vars.own[i]
		if at < v.at || at-v.at >= d.sizeOf(v.typ, maxTypeDepth) {
			continue
		}
		d.vars.atomic = false
		part := ""
		if err := d.guard(func() error { part = d.part(v.typ, at-v.at, maxTypeDepth); return nil }); err != nil {
			part = distance(at - v.at)
		}
		return v.name + part, d.vars.atomic, true
	}
	return "", false, false
}

// declared is the variable of a name in a scope with the code at pc: that of the innermost
// scope which has one. nil: none has.
func (d *Info) declared(scope *dwarf.Entry, pc uint64, name string, depth int) (found *dwarf.Entry) {
	if depth == 0 {
		return nil
	}
	inside := false
	d.children(scope, func(e *dwarf.Entry) bool {
		switch e.Tag {
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			if !inside && d.name(e) == name {
				found = e
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if d.covers(e, pc) {
				if v := d.declared(e, pc, name, depth-1); v != nil {
					found, inside = v, true
				}
			}
		}
		return true
	})
	return found
}
