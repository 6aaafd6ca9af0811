package profile

import (
	"fmt"
	"slices"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/yaml"
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
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "%s has to be a mapping with the keys %v; this is %v", f.Key.Text, forKeys, f.Value.Kind)
	}
	machines := []string{elffile.X86_64.String(), elffile.I386.String()}
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		var err error
		switch g.Key.Text {
		case "machine":
			if p.For.Machine, err = g.named(); err == nil && !slices.Contains(machines, p.For.Machine.Name) {
				err = unknown(g.Key.Line, fmt.Sprintf("unknown machine %q", p.For.Machine.Name), p.For.Machine.Name, machines)
			}
		case "symbols":
			p.For.Symbols, err = g.names()
		default:
			err = unknown(g.Key.Line, fmt.Sprintf("unknown key %q of %s", g.Key.Text, f.Key.Text), g.Key.Text, forKeys)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unmet says why a guest isn't one of these; nil if it is. The error's file is open.
func (g *ForGuests) unmet(info *debuginfo.Info) *Error {
	if m := g.Machine; m.Name != "" && m.Name != info.Machine.String() {
		return &Error{Line: m.Line, Text: fmt.Sprintf("the profile is for %s, and the guest is for %v", m.Name, info.Machine)}
	}
	for _, s := range g.Symbols {
		if !info.Has(s.Name) {
			return &Error{Line: s.Line, Text: fmt.Sprintf("the profile is for guests with a symbol %s, which this one hasn't got", s.Name)}
		}
	}
	return nil
}

// left reports whether the profile leaves something out because the guest hasn't got it.
func (p *FileProfile) left(info *debuginfo.Info, name string) bool {
	return slices.ContainsFunc(p.Optional, func(o Named) bool { return o.Name == name }) && !info.Has(name) && len(info.FunctionsNamed(name)) == 0
}
