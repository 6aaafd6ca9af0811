package profile

import (
	"fmt"
	"slices"
	"strconv"
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
	if f.value.kind != mapping {
		return wrong(f.line, "%s has to be a mapping from roles to functions; this is %v", f.key, f.value.kind)
	}
	for i := range f.value.fields {
		g := &f.value.fields[i]
		at := slices.Index(roleNames[:], g.key)
		if _, ok := roleArguments[Role(max(at, 0))]; at < 0 || !ok {
			return unknown(g.line, fmt.Sprintf("unknown role %q in %s", g.key, f.key), g.key, OwnRoles())
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
	items := f.value.items
	if f.value.kind == scalar || f.value.kind == mapping {
		items = []node{f.value}
	}
	if len(items) == 0 {
		return nil, wrong(f.line, "%s has to be a function or a list of functions; this is %v", f.key, f.value.kind)
	}
	for i := range items {
		b, err := items[i].binding(r, arguments, sized(r))
		if err != nil {
			return nil, err
		}
		bs = append(bs, b)
	}
	return bs, nil
}

// binding is one function of a role: a name, or a mapping.
func (n *node) binding(r Role, arguments int, keys []string) (b Binding, err error) {
	name := n
	if n.kind == mapping {
		name = nil
		for i := range n.fields {
			f := &n.fields[i]
			switch {
			case !slices.Contains(keys, f.key):
				return b, unknown(f.line, fmt.Sprintf("unknown key %q of a function", f.key), f.key, keys)
			case f.key == "name":
				name = &f.value
			case f.key == "arguments":
				b.Args, err = f.positions(arguments)
			case f.key == "size":
				b.Size, err = f.size()
			case f.key == "point":
				b.Point, err = f.pointPlace()
			}
			if err != nil {
				return b, err
			}
		}
		switch {
		case name == nil:
			return b, wrong(n.line, "the function has no name")
		case b.Args != nil && b.Size != 0 && r == Malloc:
			return b, wrong(n.line, "the blocks have a size of their own, or it is among the arguments: not both")
		}
	}
	if err := checkName(name); err != nil {
		return b, err
	}
	b.Name, b.Role, b.Own, b.Line = name.text, r, true, name.line
	return b, nil
}

// maxArgument is the last argument of a function that landgo can look at: more
// than four aren't all in registers, or near.
const maxArgument = 4

// positions are the places of a role's arguments among the function's, from 1.
func (f *field) positions(arguments int) ([]int, error) {
	if arguments == 0 {
		return nil, wrong(f.line, "the role has no arguments that landgo looks at")
	}
	items := f.value.items
	if f.value.kind == scalar {
		items = []node{f.value}
	}
	if len(items) != arguments {
		return nil, wrong(f.line, "the role has %d argument(s) that landgo looks at; %s has %d", arguments, f.key, len(items))
	}
	var list []int
	for i := range items {
		n, err := strconv.Atoi(items[i].text)
		if err != nil || items[i].kind != scalar || n < 1 || n > maxArgument {
			return nil, wrong(items[i].line, "want an argument's place from 1 to %d, got %q", maxArgument, items[i].text)
		}
		list = append(list, n)
	}
	return list, nil
}
