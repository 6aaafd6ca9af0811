package image

import (
	"fmt"
	"slices"
)

// ForGuests says which guests a profile is for: those of a machine that have all of
// some symbols. Landgo finds its own profiles by that, and refuses a user's one for
// any other guest.
type ForGuests struct {
	Machine Named // i386 or x86-64; "": any
	Symbols []Named
}

var forKeys = []string{"machine", "symbols"}

func (p *FileProfile) readFor(f *field) error {
	if f.value.kind != mapping {
		return wrong(f.line, "%s has to be a mapping with the keys %v; this is %v", f.key, forKeys, f.value.kind)
	}
	machines := []string{X86_64.String(), I386.String()}
	for i := range f.value.fields {
		g := &f.value.fields[i]
		var err error
		switch g.key {
		case "machine":
			if p.For.Machine, err = g.named(); err == nil && !slices.Contains(machines, p.For.Machine.Name) {
				err = unknown(g.line, fmt.Sprintf("unknown machine %q", p.For.Machine.Name), p.For.Machine.Name, machines)
			}
		case "symbols":
			p.For.Symbols, err = g.names()
		default:
			err = unknown(g.line, fmt.Sprintf("unknown key %q of %s", g.key, f.key), g.key, forKeys)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unmet says why a guest isn't one of these; nil if it is. The error's file is open.
func (g *ForGuests) unmet(im *Info) *ProfileError {
	if m := g.Machine; m.Name != "" && m.Name != im.Machine.String() {
		return &ProfileError{Line: m.Line, Text: fmt.Sprintf("the profile is for %s, and the guest is for %v", m.Name, im.Machine)}
	}
	for _, s := range g.Symbols {
		if !im.has(s.Name) {
			return &ProfileError{Line: s.Line, Text: fmt.Sprintf("the profile is for guests with a symbol %s, which this one hasn't got", s.Name)}
		}
	}
	return nil
}

// left reports whether the profile leaves something out because the guest hasn't got it.
func (p *FileProfile) left(im *Info, name string) bool {
	return slices.ContainsFunc(p.Optional, func(o Named) bool { return o.Name == name }) && !im.has(name) && len(im.functionsNamed(name)) == 0
}
