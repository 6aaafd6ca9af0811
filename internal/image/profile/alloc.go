package profile

import (
	"fmt"
	"slices"
	"strconv"

	"landgo/internal/image/debuginfo"
	"landgo/internal/yaml"
)

// The allocators of a user's profile: by name, their functions by role, functions
// that may touch their memory too (inside), and the variables that are their
// memory.

// allocatorRoles are the roles that a function of an allocator may have, with the
// number of arguments that landgo looks at.
var allocatorRoles = []struct {
	role      Role
	arguments int
}{
	{Malloc, 1}, {Calloc, 2}, {Realloc, 2}, {ReallocArray, 3}, {Free, 1}, {FreeAll, 0},
	{AlignedAlloc, 2}, {PosixMemalign, 3}, {Memalign, 2}, {InsideAllocator, 0},
}

// maxAllocators: a family is a byte, and the built-in profiles have some.
const maxAllocators = 100

// maxBlock bounds a block size in a profile.
const maxBlock = 1 << 30

// sized are the keys of a function with a role.
func sized(r Role) []string {
	switch {
	case r == Malloc:
		return []string{"name", "arguments", "size"}
	case slices.Contains(releasing, r):
		return []string{"name", "arguments", "point"}
	}
	return []string{"name", "arguments"}
}

func (f *field) size() (uint64, error) {
	n, err := strconv.ParseUint(f.Value.Text, 10, 32)
	if err != nil || f.Value.Kind != yaml.Scalar || n == 0 || n > maxBlock {
		return 0, wrong(f.Key.Line, "want a size in bytes from 1 to %d, got %q", maxBlock, f.Value.Text)
	}
	return n, nil
}

func (p *FileProfile) readAllocators(f *field) error {
	if f.Value.Kind != yaml.Mapping || len(f.Value.Fields) == 0 {
		return wrong(f.Key.Line, "%s has to be a mapping from names to allocators; this is %v", f.Key.Text, f.Value.Kind)
	}
	if n := len(f.Value.Fields); n > maxAllocators {
		return wrong(f.Key.Line, "%d allocators are too many: at most %d", n, maxAllocators)
	}
	for i := range f.Value.Fields {
		if err := p.readAllocator((*field)(&f.Value.Fields[i])); err != nil {
			return err
		}
	}
	return nil
}

// memoryKey is the key of an allocator for its variables.
const memoryKey = "memory"

func (p *FileProfile) readAllocator(f *field) error {
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "the allocator %s has to be a mapping from roles to functions; this is %v", f.Key.Text, f.Value.Kind)
	}
	a := Allocator{Name: f.Key.Text}
	family := uint8(len(p.Allocators) + 1)
	known := []string{memoryKey}
	for _, r := range allocatorRoles {
		known = append(known, r.role.String())
	}
	gives := false
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		at := slices.Index(known, g.Key.Text) - 1
		switch {
		case g.Key.Text == memoryKey:
			var err error
			if a.Memory, err = g.names(); err != nil {
				return err
			}
			continue
		case at < 0:
			return unknown(g.Key.Line, fmt.Sprintf("unknown key %q of an allocator", g.Key.Text), g.Key.Text, known)
		}
		r := allocatorRoles[at]
		bs, err := g.bindings(r.role, r.arguments)
		if err != nil {
			return err
		}
		for i := range bs {
			bs[i].Family = family
		}
		p.Bindings = append(p.Bindings, bs...)
		gives = gives || r.role != Free && r.role != FreeAll && r.role != InsideAllocator
	}
	if !gives {
		return wrong(f.Key.Line, "the allocator %s has no function that gives out memory, such as malloc", f.Key.Text)
	}
	p.Allocators = append(p.Allocators, a)
	return nil
}

// memoryFits: the allocators' variables are there, and have a size.
func (p *FileProfile) memoryFits(info *debuginfo.Info) error {
	for _, a := range p.Allocators {
		for _, m := range a.Memory {
			if len(info.Objects(m.Name)) > 0 {
				continue
			}
			e := p.at(m.Line, fmt.Sprintf("the guest has no variable %s with a size", m.Name))
			e.Word = m.Name
			for _, o := range info.DataSymbols() {
				e.Known = append(e.Known, o.Name)
			}
			return e
		}
	}
	return nil
}
