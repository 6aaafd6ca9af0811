package explore

import (
	"fmt"
	"slices"
	"strings"

	"landgo/image"
	"landgo/result"
)

// trustGroups are the groups of a thread library's functions that --trust
// takes, in the order in which they are shown. A group that another one needs
// comes with it: a wait on a condition variable gives a mutex back.
var trustGroups = []struct {
	name  string
	needs string
	roles []image.Role
}{
	{"mutex", "", []image.Role{image.MutexInit, image.MutexDestroy, image.MutexLock, image.MutexUnlock}},
	{"cond", "mutex", []image.Role{image.CondInit, image.CondDestroy, image.CondWait, image.CondSignal, image.CondBroadcast}},
	{"sem", "", []image.Role{image.SemInit, image.SemDestroy, image.SemWait, image.SemPost}},
	{"rwlock", "", []image.Role{image.RWInit, image.RWDestroy, image.RWLock, image.RWUnlock, image.RWDowngrade}},
	{"threads", "", []image.Role{image.ThreadInit, image.Create, image.Join, image.ThreadExit, image.Self, image.Yield}},
	{"malloc", "", []image.Role{image.Malloc, image.Calloc, image.Realloc, image.Free}},
}

func trustNames() (names []string) {
	for _, g := range trustGroups {
		names = append(names, g.name)
	}
	return names
}

// setTrust reads a comma list of groups, and adds those that they need.
func setTrust(c *Config, v string) error {
	wanted := map[string]bool{}
	for _, name := range strings.Split(v, ",") {
		i := slices.Index(trustNames(), strings.TrimSpace(name))
		if i < 0 {
			return fmt.Errorf("want groups of %s; got %q%s", strings.Join(trustNames(), ", "), name, DidYouMean("%s", name, trustNames()))
		}
		wanted[trustGroups[i].name] = true
		wanted[trustGroups[i].needs] = true
	}
	c.Trust = nil
	for _, name := range trustNames() {
		if wanted[name] {
			c.Trust = append(c.Trust, name)
		}
	}
	return nil
}

func trustList(c *Config) []string {
	if len(c.Trust) == 0 {
		return nil
	}
	return []string{strings.Join(c.Trust, ",")}
}

// trustedRoles are the roles of the groups that are trusted; nil if none is.
func (s *session) trustedRoles() *[image.NumRoles]bool {
	if len(s.cfg.Trust) == 0 {
		return nil
	}
	var roles [image.NumRoles]bool
	for _, g := range trustGroups {
		if slices.Contains(s.cfg.Trust, g.name) {
			for _, r := range g.roles {
				roles[r] = true
			}
		}
	}
	return &roles
}

// trustable refuses to trust objects of which nobody knows the size: all their bytes
// are watched, for code that goes past the trusted functions. A guest that hasn't got
// the functions has no such objects.
func (s *session) trustable() error {
	for _, o := range image.ObjectTypes {
		if slices.Contains(s.cfg.Trust, o.Name) && s.hasObjects(o.Name) && s.img.ObjectSize(s.profile, o.Name) == 0 {
			return result.Errorf(result.Usage, "--trust %s: nothing says how large a %s is: build %s with -g, or give the size in a profile (sizes)", o.Name, o.Type, s.cfg.Guest)
		}
	}
	return nil
}

// hasObjects reports whether the guest has functions that are given objects of a
// group.
func (s *session) hasObjects(group string) bool {
	for _, g := range trustGroups {
		if g.name != group && g.needs != group {
			continue
		}
		for _, b := range s.roles {
			if slices.Contains(g.roles, b.Role) {
				return true
			}
		}
	}
	return false
}

// trusts reports whether a function with a role is taken as correct.
func (s *session) trusts(b image.Bound) bool {
	if s.img.Kernel != image.Pebbles {
		return !b.Own
	}
	roles := s.trustedRoles()
	return roles != nil && roles[b.Role]
}
