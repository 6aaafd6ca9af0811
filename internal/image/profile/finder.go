package profile

import (
	"fmt"
	"strconv"
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// finder looks names up, and keeps the first error.
type finder struct {
	p    *FileProfile
	info *debuginfo.Info
	err  error
}

func (f *finder) fail(n Named, text string) {
	if f.err == nil {
		f.err = f.p.at(n.Line, text)
	}
}

// function is the entry of a function that is always called as one.
func (f *finder) function(n Named) uint64 {
	addrs, err := f.p.function(f.info, n.Name, n.Line)
	switch {
	case f.err != nil:
	case err != nil:
		f.err = err
	case len(addrs) > 1:
		f.fail(n, fmt.Sprintf("the guest has %d functions %s", len(addrs), n.Name))
	default:
		if why := f.info.Unseen(n.Name); why != "" {
			f.fail(n, why)
		}
		return addrs[0]
	}
	return 0
}

func (f *finder) objects(n Named) []elffile.Symbol {
	list := f.info.Objects(n.Name)
	if len(list) == 0 && f.err == nil {
		e := f.p.at(n.Line, fmt.Sprintf("the guest has no variable %s with a size", n.Name))
		e.Word = n.Name
		for _, o := range f.info.DataSymbols() {
			e.Known = append(e.Known, o.Name)
		}
		f.err = e
	}
	return list
}

func (f *finder) variable(n Named) elffile.Range {
	list := f.objects(n)
	if len(list) > 1 {
		f.fail(n, fmt.Sprintf("the guest has %d variables %s", len(list), n.Name))
	}
	if f.err != nil {
		return elffile.Range{}
	}
	return elffile.Range{Lo: list[0].Addr, Hi: list[0].Addr + list[0].Size}
}

// tableOf is where a table of threads is: a variable, or a field of one.
func (f *finder) tableOf(n Named) elffile.Range {
	name, path, _ := strings.Cut(n.Name, ".")
	r := f.variable(Named{Name: name, Line: n.Line})
	if f.err != nil || path == "" {
		return r
	}
	m, _, ok := f.info.PathIn(name, path)
	if !ok {
		f.fail(n, fmt.Sprintf("the debug information has no field %s of the variable %s", path, name))
	}
	return elffile.Range{Lo: r.Lo + m.Offset, Hi: r.Lo + m.Offset + m.Size}
}

// variablePart is the address of a variable, or of a field of one: cpu.thread.
func (f *finder) variablePart(n Named) uint64 {
	name, path, _ := strings.Cut(n.Name, ".")
	v := f.variable(Named{Name: name, Line: n.Line})
	if f.err != nil || path == "" {
		return v.Lo
	}
	m, _, ok := f.info.PathIn(name, path)
	if !ok {
		f.fail(n, fmt.Sprintf("the debug information has no field %s of the variable %s", path, name))
	}
	return v.Lo + m.Offset
}

// member is a field of a type.
func (f *finder) member(typ, path Named) debuginfo.Member {
	if n, err := strconv.ParseUint(path.Name, 0, 32); err == nil {
		return debuginfo.Member{Offset: n, Size: intSize}
	}
	m, ok := f.info.MemberOf(typ.Name, path.Name)
	if n, err := strconv.ParseUint(path.Or, 0, 32); err == nil && !ok {
		return debuginfo.Member{Offset: n, Size: intSize}
	}
	switch {
	case typ.Name == "":
		f.fail(path, fmt.Sprintf("the field %s has no type: the thread's type, or the field's offset", path.Name))
	case !ok:
		f.fail(path, fmt.Sprintf("the debug information has no field %s of a structure %s: give its offset", path.Name, typ.Name))
	case m.Size != 1 && m.Size != 2 && m.Size != 4 && m.Size != 8:
		f.fail(path, fmt.Sprintf("the field %s has %d bytes, which isn't a number's or a pointer's size", path.Name, m.Size))
	}
	return m
}

// offset is where a field is, of any size.
func (f *finder) offset(typ, path Named) uint64 {
	if n, err := strconv.ParseUint(path.Name, 0, 32); err == nil || path.Name == "" {
		return n
	}
	m, ok := f.info.MemberOf(typ.Name, path.Name)
	if n, err := strconv.ParseUint(path.Or, 0, 32); err == nil && !ok {
		return n
	}
	if !ok {
		f.fail(path, fmt.Sprintf("the debug information has no field %s of a structure %q: give its offset", path.Name, typ.Name))
	}
	return m.Offset
}

func (f *finder) values(list []Named) (values []int64) {
	for _, v := range list {
		n, err := strconv.ParseInt(v.Name, 0, 64)
		if err != nil {
			var ok bool
			if n, ok = f.info.Enumerator(v.Name); !ok && v.Or != "" {
				n, err = strconv.ParseInt(v.Or, 0, 64)
				ok = err == nil
			}
			if !ok {
				f.fail(v, fmt.Sprintf("the debug information has no enumerator %s: give its number", v.Name))
			}
		}
		values = append(values, n)
	}
	return values
}

func (f *finder) list(typ Named, l ListProfile) ThreadList {
	out := ThreadList{Variable: f.variable(l.Variable), Next: f.offset(typ, l.Next), Link: f.offset(typ, l.Link)}
	if f.err != nil {
		return out
	}
	first, size := uint64(0), out.Variable.Hi-out.Variable.Lo
	stride := size
	if n, err := strconv.ParseUint(l.First.Name, 0, 32); err == nil {
		first = n
	} else {
		m, elem, ok := f.info.PathIn(l.Variable.Name, l.First.Name)
		if !ok && l.First.Name != "" {
			f.fail(l.First, fmt.Sprintf("the debug information has no field %s of the variable %s: give its offset", l.First.Name, l.Variable.Name))
		}
		if first = m.Offset; ok && elem > 0 {
			stride = elem
		}
	}
	if stride == 0 || size/stride > maxHeads || first+f.info.Machine.Word() > stride {
		f.fail(l.Variable, fmt.Sprintf("the variable %s of %d bytes can't hold the beginning of a list", l.Variable.Name, size))
		return out
	}
	for at := uint64(0); at+stride <= size; at += stride {
		out.First = append(out.First, out.Variable.Lo+at+first)
	}
	return out
}

// channels are what can be in a thread's channel: numbers, or addresses of variables.
func (f *finder) channels(vs []Named) (all []uint64) {
	for _, v := range vs {
		if n, err := strconv.ParseUint(v.Name, 0, 32); err == nil {
			all = append(all, n)
		} else {
			all = append(all, f.variablePart(v))
		}
	}
	return all
}
