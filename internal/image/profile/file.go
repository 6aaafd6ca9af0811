package profile

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/yaml"
)

// A profile of the user's own, in YAML (docs/profiles.md): the meaning of a
// guest's functions, beside the built-in names. Its sections:
//
//	name:       what reports call it
//	functions:  by role, the functions that have it
//	trust:      functions that are run as one piece
//	allocators: by name, the functions and the memory of an allocator
//	sizes:      of a thread library's objects
//	kernel:     of one that owns the machine, where its scheduler's things are
//	for:        the guests that it is for
//	optional:   functions that such a guest may lack
//
// A section is read by its entry in the table sections. A binding that came
// from a file knows its line, and its errors name that line.

// FileProfile is the content of a profile's text.
type FileProfile struct {
	File string // for messages
	Name string
	// Bindings go before the built-in ones. All have Own.
	Bindings   []Binding
	Trust      []Named
	Allocators []Allocator
	Sizes      map[string]uint64
	Kernel     *KernelProfile
	For        ForGuests
	// Optional are functions: without one, what the profile says of it is left out.
	Optional []Named
}

// Named is a function that a profile names.
type Named struct {
	Name string
	Line int
	// Or is a number, if not "": what a field or a value is where the debug information
	// hasn't the name.
	Or string
}

// sections has the keys of a profile's top level.
var sections = []struct {
	name string
	read func(*FileProfile, *field) error
}{
	{"name", func(p *FileProfile, f *field) (err error) {
		p.Name, err = f.word()
		return err
	}},
	{"functions", (*FileProfile).readFunctions},
	{"trust", func(p *FileProfile, f *field) (err error) {
		p.Trust, err = f.names()
		return err
	}},
	{"allocators", (*FileProfile).readAllocators},
	{"sizes", (*FileProfile).readSizes},
	{"kernel", (*FileProfile).readKernel},
	{"for", (*FileProfile).readFor},
	{"optional", func(p *FileProfile, f *field) (err error) {
		p.Optional, err = f.names()
		return err
	}},
}

// Parse reads a profile. file is its name in messages. All errors are
// *Error.
func Parse(file string, text []byte) (*FileProfile, error) {
	p := &FileProfile{File: file}
	err := p.read(text)
	if err == nil {
		err = p.checkTwice()
	}
	if err != nil {
		e := err.(*Error)
		e.File = file
		return nil, e
	}
	return p, nil
}

func (p *FileProfile) read(text []byte) error {
	top, err := readYAML(text)
	if err != nil {
		return err
	}
	if top.Kind != yaml.Mapping {
		return wrong(max(top.Line, 1), "a profile is a mapping with the keys %s; this is %v", strings.Join(sectionNames(), ", "), top.Kind)
	}
	for i := range top.Fields {
		f := (*field)(&top.Fields[i])
		at := slices.Index(sectionNames(), f.Key.Text)
		if at < 0 {
			return unknown(f.Key.Line, fmt.Sprintf("unknown key %q", f.Key.Text), f.Key.Text, sectionNames())
		}
		if err := sections[at].read(p, f); err != nil {
			return err
		}
	}
	return nil
}

func sectionNames() (names []string) {
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

// wrong makes an error about a line.
func wrong(line int, format string, args ...any) error {
	return &Error{Line: line, Text: fmt.Sprintf(format, args...)}
}

// unknown makes an error about a word that isn't one of those known.
func unknown(line int, text, word string, known []string) error {
	return &Error{Line: line, Text: text, Word: word, Known: known}
}

// word is a field's value as one word.
func (f *field) word() (string, error) {
	if f.Value.Kind != yaml.Scalar || f.Value.Text == "" {
		return "", wrong(f.Key.Line, "%s has to be a single value; this is %v", f.Key.Text, f.Value.Kind)
	}
	return f.Value.Text, nil
}

// names is a field's value as names of functions or variables: one, or a list.
func (f *field) names() ([]Named, error) {
	items := f.Value.Items
	if f.Value.Kind == yaml.Scalar {
		items = []yaml.Node{f.Value}
	}
	if len(items) == 0 {
		return nil, wrong(f.Key.Line, "%s has to be a name or a list of names; this is %v", f.Key.Text, f.Value.Kind)
	}
	var list []Named
	for i := range items {
		if err := checkName(&items[i]); err != nil {
			return nil, err
		}
		list = append(list, Named{Name: items[i].Text, Line: items[i].Line})
	}
	return list, nil
}

// checkName: the permitted names of a symbol.
func checkName(n *yaml.Node) error {
	if n.Kind != yaml.Scalar {
		return wrong(n.Line, "want a name; this is %v", n.Kind)
	}
	if n.Text == "" || strings.ContainsFunc(n.Text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return wrong(n.Line, "%q can't be the name of a function or variable", n.Text)
	}
	return nil
}

func (p *FileProfile) readSizes(f *field) error {
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "%s has to be a mapping from kinds of objects to bytes; this is %v", f.Key.Text, f.Value.Kind)
	}
	var known []string
	for _, o := range ObjectTypes {
		known = append(known, o.Name)
	}
	p.Sizes = map[string]uint64{}
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		if !slices.Contains(known, g.Key.Text) {
			return unknown(g.Key.Line, fmt.Sprintf("unknown kind of object %q", g.Key.Text), g.Key.Text, known)
		}
		n, err := g.size()
		if err != nil {
			return err
		}
		if n >= maxObject {
			return wrong(g.Key.Line, "a %s has less than %d bytes", g.Key.Text, maxObject)
		}
		p.Sizes[g.Key.Text] = n
	}
	return nil
}

// checkTwice: a function has one role.
func (p *FileProfile) checkTwice() error {
	first := map[string]int{}
	for _, b := range p.Bindings {
		if line, ok := first[b.Name]; ok {
			return wrong(max(line, b.Line), "%s has a role already, on line %d", b.Name, min(line, b.Line))
		}
		first[b.Name] = b.Line
	}
	return nil
}

// Over is a profile with the bindings of p before those of base, which loses
// those of the same names.
func (p *FileProfile) Over(base *Profile) *Profile {
	if p == nil {
		return base
	}
	out := &Profile{Name: base.Name, Bindings: slices.Clone(p.Bindings), Allocators: slices.Concat(base.Allocators, p.Allocators), Sizes: p.Sizes}
	for i := range out.Bindings {
		if b := &out.Bindings[i]; b.Family != 0 {
			b.Family += uint8(len(base.Allocators))
		}
	}
	for _, b := range base.Bindings {
		if !slices.ContainsFunc(p.Bindings, func(own Binding) bool { return own.Name == b.Name }) {
			out.Bindings = append(out.Bindings, b)
		}
	}
	return out
}

// Fits names a part of the profile that the image can't have. That is a missing
// function, or one of its C library's, whose meaning is built in and on which
// other functions rest. The error is a *Error.
func (p *FileProfile) Fits(info *debuginfo.Info) error {
	if p == nil {
		return nil
	}
	if err := p.For.unmet(info); err != nil {
		err.File = p.File
		return err
	}
	builtin := map[uint64]Bound{}
	if info.Libc() != elffile.NoLibc {
		builtin = Roles(info, Default(info))
	}
	for i := range p.Bindings {
		b := &p.Bindings[i]
		if p.left(info, b.Name) {
			continue
		}
		addrs, err := p.function(info, b.Name, b.Line)
		if err != nil {
			return err
		}
		for _, a := range addrs {
			if known, ok := builtin[a]; ok && !known.Own {
				return p.at(b.Line, fmt.Sprintf("%s is a function of %v, whose meaning (%v) is built in", b.Name, info.Libc(), known.Role))
			}
		}
	}
	for _, t := range p.Trust {
		if p.left(info, t.Name) {
			continue
		}
		if _, err := p.function(info, t.Name, t.Line); err != nil {
			return err
		}
	}
	if err := p.kernelFits(info); err != nil {
		return err
	}
	return p.memoryFits(info)
}

// function finds the code that a profile names.
func (p *FileProfile) function(info *debuginfo.Info, name string, line int) ([]uint64, error) {
	if addrs := info.FunctionsNamed(name); len(addrs) > 0 {
		return addrs, nil
	}
	var known []string
	for _, f := range info.Functions {
		known = append(known, f.Name)
	}
	e := p.at(line, fmt.Sprintf("the guest has no function %s", name))
	e.Word, e.Known = name, known
	if info.Stripped {
		e.Text += ": it has no symbols"
	}
	return nil, e
}

func (p *FileProfile) at(line int, text string) *Error {
	return &Error{File: p.File, Line: line, Text: text}
}
