package por

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Spec is a search with its options, as users write it: "optimal",
// "pct:d=3,seed=7". The zero value isn't one.
type Spec struct {
	kind   *Kind
	params []uint64 // parallel to kind.Params
}

// ParseSpec reads a search's name and options.
func ParseSpec(text string) (Spec, error) {
	name, options, given := strings.Cut(text, ":")
	s := Spec{kind: kindNamed(name)}
	if s.kind == nil {
		return s, fmt.Errorf("no search %q: use one of %s", name, strings.Join(Names(), ", "))
	}
	for _, p := range s.kind.Params {
		s.params = append(s.params, p.Default)
	}
	if !given {
		return s, nil
	}
	if len(s.params) == 0 {
		return s, fmt.Errorf("search %s has no options", name)
	}
	for _, option := range strings.Split(options, ",") {
		if err := s.set(option); err != nil {
			return s, err
		}
	}
	if s.has(marked.Name) && s.Param(marked.Name) == 1 && s.Param("figure") != 3 {
		return s, fmt.Errorf("search %s: mark=1 is for figure=3: the other figures add every thread without looking for one that would do", name)
	}
	if s.has(promised.Name) && s.Param(promised.Name) == 0 && s.Param("dynamic") == 0 {
		return s, fmt.Errorf("search %s: dynamic=0 is for static=1 and static=2: without persistent sets use none or sleep", name)
	}
	return s, nil
}

func (s *Spec) set(option string) error {
	key, value, _ := strings.Cut(option, "=")
	var names []string
	for i, p := range s.kind.Params {
		if p.Name != key {
			names = append(names, p.Name)
			continue
		}
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil || n < p.Least || p.Most > 0 && n > p.Most {
			return fmt.Errorf("search %s: %s wants %s, got %q", s.kind.Name, key, p.wants(), value)
		}
		s.params[i] = n
		return nil
	}
	return fmt.Errorf("search %s has no option %q: it has %s", s.kind.Name, key, strings.Join(names, ", "))
}

// Kind is the search that s is of.
func (s Spec) Kind() *Kind { return s.kind }

// has reports whether the search's kind has an option.
func (s Spec) has(name string) bool {
	return slices.ContainsFunc(s.kind.Params, func(p Param) bool { return p.Name == name })
}

// NotForKernels says why the steps of a kernel that schedules its own threads don't suit
// the search, "" if they do.
func (s Spec) NotForKernels() string {
	if s.has(promised.Name) && s.Param(promised.Name) > 0 {
		return "static persistent sets don't know that a step may keep others from running, by their priority"
	}
	return s.kind.NotForKernels
}

// OneByOne reports whether timed waits have to run out one at a time.
func (s Spec) OneByOne() bool { return s.kind.OneByOne }

// Arrivals reports whether the search is proven with signals on their way. It knows then that a step
// may take a thread away that could run: such a signal, where the thread takes it in a call. And
// where it reduces within a bound, it knows steps that cost nothing, as store buffers' are.
func (s Spec) Arrivals() bool {
	k := s.kind
	return k.arrivals || s.NotForKernels() == "" && (k.Buffers || !k.NeedsBound)
}

// Param is the value of an option that the search's kind has.
func (s Spec) Param(name string) uint64 {
	for i, p := range s.kind.Params {
		if p.Name == name {
			return s.params[i]
		}
	}
	panic("por: search " + s.kind.Name + " has no option " + name)
}

// commutes reports whether the search asks what has the same effect in both orders (Blender).
func (s Spec) commutes() bool { return s.has(commute.Name) && s.Param(commute.Name) == 1 }

// symmetric reports whether the search asks which threads are alike (Symmetric).
func (s Spec) symmetric() bool { return s.has(symmetry.Name) && s.Param(symmetry.Name) == 1 }

// unreads reports whether the search asks which bytes no step reads (Overwriter).
func (s Spec) unreads() bool { return s.has(unread.Name) && s.Param(unread.Name) == 1 }

// Observes reports whether the search runs one order of stores that no read tells apart.
func (s Spec) Observes() bool { return s.kind.observes }

// awaits reports whether the search is spared polls (Awaiter).
func (s Spec) awaits() bool {
	for i, p := range s.kind.Params {
		if s.params[i] != p.Default && !p.sparing {
			return false
		}
	}
	return s.kind.awaits
}

// Claim is the conclusion of the search when it has finished without a bug, and its
// bound has cut something off.
func (s Spec) Claim() Claim {
	for i, p := range s.kind.Params {
		if p.proves != nil && !p.proves(s.params[i]) {
			return Nothing
		}
	}
	return s.kind.Claim
}

// String is the search with the options that aren't at their defaults.
func (s Spec) String() string {
	text, sep := s.kind.Name, ":"
	for i, p := range s.kind.Params {
		if s.params[i] != p.Default {
			text += fmt.Sprintf("%s%s=%d", sep, p.Name, s.params[i])
			sep = ","
		}
	}
	return text
}

// Check says why a search can't be run within bounds: nil or a *BoundError.
func (s Spec) Check(bounds Bounds) error { return s.kind.check(bounds) }

// CheckBuffers says why a search can't be run over threads with store buffers: nil or a
// *BuffersError.
func (s Spec) CheckBuffers(bounds Bounds) error {
	for i, p := range s.kind.Params {
		if s.params[i] != p.Default && s.kind.Claim != Nothing && !s.kind.AnyBuffers {
			return &BuffersError{fmt.Sprintf("search %s isn't proven with its option %s", s.kind.Name, p.Name)}
		}
	}
	switch {
	case !s.kind.Buffers:
		var others []string
		for i := range kinds {
			if kinds[i].Buffers {
				others = append(others, kinds[i].Name)
			}
		}
		return &BuffersError{fmt.Sprintf("search %s isn't proven there: use one of %s", s.kind.Name, strings.Join(others, ", "))}
	case len(bounds) > 0 && !s.kind.Joint:
		return &BuffersError{fmt.Sprintf("the bound %v isn't proven there", bounds)}
	}
	return nil
}

// BuffersError is a search that can't be run over threads with store buffers.
type BuffersError struct{ why string }

func (e *BuffersError) Error() string { return e.why }

// Whole says why the search can't be split among workers, "" if it can.
func (s Spec) Whole() string {
	if s.kind.whole != "" {
		return s.kind.whole
	}
	for i, p := range s.kind.Params {
		if p.Name == "sleep" && s.params[i] == 0 {
			return wakeful
		}
		if p.Name == marked.Name && s.params[i] == 1 {
			return demands
		}
		if p.Name == promised.Name && s.params[i] > 0 {
			return futures
		}
		if p.Name == symmetry.Name && s.params[i] > 0 {
			return strangers
		}
		if p.Name == unread.Name && s.params[i] > 0 {
			return onlookers
		}
	}
	return ""
}
