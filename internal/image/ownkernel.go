package image

import (
	"debug/dwarf"
	"fmt"
	"strconv"
	"strings"
)

// OwnKernel is a kernel's profile, found in the image: addresses and offsets.
type OwnKernel struct {
	Booted          uint64
	State, Priority Member // Priority.Size is 0 if threads have none
	Channel, Parent Member // Size 0: threads have none
	Ready, Ended    []int64
	Stack           uint64
	Current         uint64 // 0: none
	Idle            []uint64
	// Created are functions that are called with a thread that exists, and which
	// of their arguments that is.
	Created         map[uint64]int
	Sleep           []uint64
	Lists, Sleepers []ThreadList
	Tables          []Range
	Size            uint64 // of a thread's structure; 0: not known
	Scheduling      []Range
	Input           []uint64
	Memory          uint64 // the machine's, in bytes; 0: the usual size
}

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

// ThreadList has the beginning of a list of threads, and its links. A pointer
// points Link bytes into a thread, and the next pointer is at Next bytes into
// it. It ends where a pointer is null, or points into Variable.
type ThreadList struct {
	First      []uint64
	Variable   Range
	Next, Link uint64
}

const (
	intSize      = 4
	maxHeads     = 1024
	maxTableSize = 4096 // threads
)

// kernelFits: the profile's parts of the kernel exist. On a kernel, functions
// with roles have to be called as such.
func (p *FileProfile) kernelFits(im *Image) error {
	if p.Kernel == nil && im.Kernel != Bare {
		return nil
	}
	for _, b := range p.Bindings {
		if b.Role == FreeAll || b.Role == PosixMemalign {
			return p.at(b.Line, fmt.Sprintf("%v isn't known of a kernel's allocators", b.Role))
		}
		if why := im.Unseen(b.Name); why != "" && b.Role != NoRole {
			return p.at(b.Line, why)
		}
		if why := im.inRegisters(b.Name); why != "" && (b.Family != 0 || b.Role == TestReport) {
			return p.at(b.Line, why)
		}
	}
	for _, a := range p.Allocators {
		if len(a.Memory) > 0 {
			return p.at(a.Memory[0].Line, "the memory of a kernel's allocator isn't known by variables: leave memory out, blocks are known by calls")
		}
	}
	if p.Kernel == nil {
		return nil
	}
	if im.SaysPebbles() || im.libc != NoLibc {
		return p.at(p.Kernel.Line, "the guest isn't a kernel that owns the machine")
	}
	_, err := p.own(im)
	return err
}

// OwnKernel is the kernel that the profile tells of, which Fits; nil if it tells of
// none. The image is taken for a kernel's from then on.
func (p *FileProfile) OwnKernel(im *Image) *OwnKernel {
	if p == nil || p.Kernel == nil {
		return nil
	}
	if im.Kernel != Bare {
		im.Kernel = Bare
		im.narrowCode()
	}
	k, err := p.own(im)
	if err != nil {
		return nil
	}
	return k
}

// own finds the parts that a kernel's profile names. The error is a
// *ProfileError.
func (p *FileProfile) own(im *Image) (*OwnKernel, error) {
	k := p.Kernel
	out := &OwnKernel{Stack: k.Thread.Stack, Memory: k.Memory << 20, Created: map[uint64]int{}}
	f := finder{p: p, im: im}
	out.Booted = f.function(k.Booted)
	out.State = f.member(k.Thread.Type, k.Thread.State)
	if k.Thread.Priority.Name != "" {
		out.Priority = f.member(k.Thread.Type, k.Thread.Priority)
	}
	if k.Thread.Channel.Name != "" {
		out.Channel = f.member(k.Thread.Type, k.Thread.Channel)
	}
	if k.Thread.Parent.Name != "" {
		out.Parent = f.member(k.Thread.Type, k.Thread.Parent)
	}
	for _, v := range k.Input {
		out.Input = append(out.Input, f.variablePart(v))
	}
	out.Ready, out.Ended = f.values(k.Thread.Ready), f.values(k.Thread.Ended)
	if k.Current.Name != "" {
		out.Current = f.variablePart(k.Current)
	}
	for _, v := range k.Idle {
		out.Idle = append(out.Idle, f.variable(v).Lo)
	}
	for _, b := range k.Created {
		at := 1
		if b.Args != nil {
			at = b.Args[0]
		}
		if why := im.inRegisters(b.Name); why != "" {
			f.fail(Named{b.Name, b.Line}, why)
		}
		out.Created[f.function(Named{b.Name, b.Line})] = at - 1
	}
	for _, s := range k.Sleep {
		out.Sleep = append(out.Sleep, f.function(s))
	}
	for _, l := range k.Ready {
		out.Lists = append(out.Lists, f.list(k.Thread.Type, l))
	}
	for _, l := range k.Sleepers {
		out.Sleepers = append(out.Sleepers, f.list(k.Thread.Type, l))
	}
	out.Size = im.structSize(k.Thread.Type.Name)
	for _, t := range k.Table {
		out.Tables = append(out.Tables, f.tableOf(t))
		if last := out.Tables[len(out.Tables)-1]; f.err == nil && (out.Size == 0 || (last.Hi-last.Lo)/out.Size > maxTableSize) {
			f.fail(t, fmt.Sprintf("how many threads the table %s has isn't known: a thread's type has no size", t.Name))
		}
	}
	for _, s := range k.Scheduled {
		for _, o := range f.objects(s) {
			out.Scheduling = append(out.Scheduling, Range{o.Addr, o.Addr + o.Size})
		}
	}
	return out, f.err
}

// finder looks names up, and keeps the first error.
type finder struct {
	p   *FileProfile
	im  *Image
	err error
}

func (f *finder) fail(n Named, text string) {
	if f.err == nil {
		f.err = f.p.at(n.Line, text)
	}
}

// function is the entry of a function that is always called as one.
func (f *finder) function(n Named) uint64 {
	addrs, err := f.p.function(f.im, n.Name, n.Line)
	switch {
	case f.err != nil:
	case err != nil:
		f.err = err
	case len(addrs) > 1:
		f.fail(n, fmt.Sprintf("the guest has %d functions %s", len(addrs), n.Name))
	default:
		if why := f.im.Unseen(n.Name); why != "" {
			f.fail(n, why)
		}
		return addrs[0]
	}
	return 0
}

func (f *finder) objects(n Named) []Symbol {
	list := f.im.Objects(n.Name)
	if len(list) == 0 && f.err == nil {
		e := f.p.at(n.Line, fmt.Sprintf("the guest has no variable %s with a size", n.Name))
		e.Word = n.Name
		for _, o := range f.im.objects {
			e.Known = append(e.Known, o.Name)
		}
		f.err = e
	}
	return list
}

func (f *finder) variable(n Named) Range {
	list := f.objects(n)
	if len(list) > 1 {
		f.fail(n, fmt.Sprintf("the guest has %d variables %s", len(list), n.Name))
	}
	if f.err != nil {
		return Range{}
	}
	return Range{list[0].Addr, list[0].Addr + list[0].Size}
}

// tableOf is where a table of threads is: a variable, or a field of one.
func (f *finder) tableOf(n Named) Range {
	name, path, _ := strings.Cut(n.Name, ".")
	r := f.variable(Named{name, n.Line})
	if f.err != nil || path == "" {
		return r
	}
	m, _, ok := f.im.pathIn(name, path)
	if !ok {
		f.fail(n, fmt.Sprintf("the debug information has no field %s of the variable %s", path, name))
	}
	return Range{r.Lo + m.Offset, r.Lo + m.Offset + m.Size}
}

// variablePart is the address of a variable, or of a field of one: cpu.thread.
func (f *finder) variablePart(n Named) uint64 {
	name, path, _ := strings.Cut(n.Name, ".")
	v := f.variable(Named{name, n.Line})
	if f.err != nil || path == "" {
		return v.Lo
	}
	m, _, ok := f.im.pathIn(name, path)
	if !ok {
		f.fail(n, fmt.Sprintf("the debug information has no field %s of the variable %s", path, name))
	}
	return v.Lo + m.Offset
}

// member is a field of a type.
func (f *finder) member(typ, path Named) Member {
	if n, err := strconv.ParseUint(path.Name, 0, 32); err == nil {
		return Member{n, intSize}
	}
	m, ok := f.im.memberOf(typ.Name, path.Name)
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
	m, ok := f.im.memberOf(typ.Name, path.Name)
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
			if n, ok = f.im.enumerator(v.Name); !ok {
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
		m, elem, ok := f.im.pathIn(l.Variable.Name, l.First.Name)
		if !ok && l.First.Name != "" {
			f.fail(l.First, fmt.Sprintf("the debug information has no field %s of the variable %s: give its offset", l.First.Name, l.Variable.Name))
		}
		if first = m.Offset; ok && elem > 0 {
			stride = elem
		}
	}
	if stride == 0 || size/stride > maxHeads || first+f.im.Machine.Word() > stride {
		f.fail(l.Variable, fmt.Sprintf("the variable %s of %d bytes can't hold the beginning of a list", l.Variable.Name, size))
		return out
	}
	for at := uint64(0); at+stride <= size; at += stride {
		out.First = append(out.First, out.Variable.Lo+at+first)
	}
	return out
}

// Unseen says why calls of a function can't all be seen at its entry; "" if they
// can, as far as the debug information and the symbols tell.
func (im *Image) Unseen(name string) string {
	for i := range im.functions {
		for _, clone := range []string{".constprop.", ".isra."} {
			if strings.HasPrefix(im.functions[i].Name, name+clone) {
				return fmt.Sprintf("the compiler has made %s of %s: declare that noinline, noclone", im.functions[i].Name, name)
			}
		}
	}
	around := ""
	d := &im.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load(im)
	if d.data == nil {
		return ""
	}
	d.guard(func() error {
		r := d.reader()
		function := ""
		for {
			e, err := r.Next()
			if err != nil || e == nil {
				return err
			}
			switch e.Tag {
			case dwarf.TagSubprogram:
				function = d.name(e)
			case dwarf.TagInlinedSubroutine:
				// A copy in the function itself is a part of its body.
				if d.name(e) == name && function != name {
					around = function
					return nil
				}
			}
		}
	})
	if around == "" {
		return ""
	}
	return fmt.Sprintf("the compiler has put %s into %s, where its calls can't be seen: declare it noinline", name, around)
}
