package profile

import (
	"fmt"
	"slices"
	"strconv"

	"landgo/internal/yaml"
)

// The functions section: which functions have a role, and which of their arguments are its own.

// roleArguments has the roles that a profile may give to a function, with the
// number of arguments that landgo looks at.
var roleArguments = map[Role]int{
	NoRole: 0,

	MutexInit: 1, MutexDestroy: 1, MutexLock: 1, MutexTryLock: 1, MutexUnlock: 1,
	CondInit: 1, CondDestroy: 1, CondWait: 2, CondSignal: 1, CondBroadcast: 1,
	SemInit: 2, SemDestroy: 1, SemWait: 1, SemTryWait: 1, SemPost: 1,
	RWInit: 1, RWDestroy: 1, RWReadLock: 1, RWTryReadLock: 1, RWWriteLock: 1, RWTryWriteLock: 1, RWUnlock: 1, RWLock: 2, RWDowngrade: 1,
	BarrierWait: 1, SpinLock: 1, SpinTryLock: 1, SpinUnlock: 1,

	Abort: 0, AssertFail: 1, Panic: 1, TestReport: 1,
}

// OwnRoles are the names of the roles that a profile may give, in the order of
// the roles.
func OwnRoles() (names []string) {
	for r := range NumRoles {
		if _, ok := roleArguments[r]; ok {
			names = append(names, r.String())
		}
	}
	return names
}

func (p *FileProfile) readFunctions(f *field) error {
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "%s has to be a mapping from roles to functions; this is %v", f.Key.Text, f.Value.Kind)
	}
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		at := slices.Index(roleNames[:], g.Key.Text)
		if _, ok := roleArguments[Role(max(at, 0))]; at < 0 || !ok {
			return unknown(g.Key.Line, fmt.Sprintf("unknown role %q in %s", g.Key.Text, f.Key.Text), g.Key.Text, OwnRoles())
		}
		bs, err := g.bindings(Role(at), roleArguments[Role(at)])
		if err != nil {
			return err
		}
		p.Bindings = append(p.Bindings, bs...)
	}
	return nil
}

// bindings are the functions of a role: one or a list, each a name or a mapping
// with a name and where its arguments are.
func (f *field) bindings(r Role, arguments int) (bs []Binding, err error) {
	items := f.Value.Items
	if f.Value.Kind == yaml.Scalar || f.Value.Kind == yaml.Mapping {
		items = []yaml.Node{f.Value}
	}
	if len(items) == 0 {
		return nil, wrong(f.Key.Line, "%s has to be a function or a list of functions; this is %v", f.Key.Text, f.Value.Kind)
	}
	for i := range items {
		b, err := bindingOf(&items[i], r, arguments, sized(r))
		if err != nil {
			return nil, err
		}
		bs = append(bs, b)
	}
	return bs, nil
}

// bindingOf is one function of a role: a name, or a mapping.
func bindingOf(n *yaml.Node, r Role, arguments int, keys []string) (b Binding, err error) {
	name := n
	if n.Kind == yaml.Mapping {
		name = nil
		for i := range n.Fields {
			f := (*field)(&n.Fields[i])
			switch {
			case !slices.Contains(keys, f.Key.Text):
				return b, unknown(f.Key.Line, fmt.Sprintf("unknown key %q of a function", f.Key.Text), f.Key.Text, keys)
			case f.Key.Text == "name":
				name = &f.Value
			case f.Key.Text == "arguments":
				b.Args, err = f.positions(arguments)
			case f.Key.Text == "size":
				b.Size, err = f.size()
			case f.Key.Text == "point":
				b.Point, err = f.pointPlace()
			}
			if err != nil {
				return b, err
			}
		}
		switch {
		case name == nil:
			return b, wrong(n.Line, "the function has no name")
		case b.Args != nil && b.Size != 0 && r == Malloc:
			return b, wrong(n.Line, "the blocks have a size of their own, or it is among the arguments: not both")
		}
	}
	if err := checkName(name); err != nil {
		return b, err
	}
	b.Name, b.Role, b.Own, b.Line = name.Text, r, true, name.Line
	return b, nil
}

// maxArgument is the last argument of a function that landgo can look at: more
// than four aren't all in registers, or near.
const maxArgument = 4

// positions are the places of a role's arguments among the function's, from 1.
func (f *field) positions(arguments int) ([]int, error) {
	if arguments == 0 {
		return nil, wrong(f.Key.Line, "the role has no arguments that landgo looks at")
	}
	items := f.Value.Items
	if f.Value.Kind == yaml.Scalar {
		items = []yaml.Node{f.Value}
	}
	if len(items) != arguments {
		return nil, wrong(f.Key.Line, "the role has %d argument(s) that landgo looks at; %s has %d", arguments, f.Key.Text, len(items))
	}
	var list []int
	for i := range items {
		n, err := strconv.Atoi(items[i].Text)
		if err != nil || items[i].Kind != yaml.Scalar || n < 1 || n > maxArgument {
			return nil, wrong(items[i].Line, "want an argument's place from 1 to %d, got %q", maxArgument, items[i].Text)
		}
		list = append(list, n)
	}
	return list, nil
}
