package config

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/image"
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

// TrustedRoles are the roles of the groups that are trusted; nil if none is.
func (c *Config) TrustedRoles() *[image.NumRoles]bool {
	if len(c.Trust) == 0 {
		return nil
	}
	var roles [image.NumRoles]bool
	for _, g := range trustGroups {
		if slices.Contains(c.Trust, g.name) {
			for _, r := range g.roles {
				roles[r] = true
			}
		}
	}
	return &roles
}

// ObjectRoles are the roles of the functions that take objects of a group: its own,
// and those of the groups that need it.
func ObjectRoles(group string) (roles []image.Role) {
	for _, g := range trustGroups {
		if g.name == group || g.needs == group {
			roles = append(roles, g.roles...)
		}
	}
	return roles
}

func trustList(c *Config) []string {
	if len(c.Trust) == 0 {
		return nil
	}
	return []string{strings.Join(c.Trust, ",")}
}
