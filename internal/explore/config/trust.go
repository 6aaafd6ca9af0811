package config

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/image/profile"
)

// trustGroups are the groups of a thread library's functions that --trust
// takes, in the order in which they are shown. A group that another one needs
// comes with it: a wait on a condition variable gives a mutex back.
var trustGroups = []struct {
	name  string
	needs string
	roles []profile.Role
}{
	{"mutex", "", []profile.Role{profile.MutexInit, profile.MutexDestroy, profile.MutexLock, profile.MutexUnlock}},
	{"cond", "mutex", []profile.Role{profile.CondInit, profile.CondDestroy, profile.CondWait, profile.CondSignal, profile.CondBroadcast}},
	{"sem", "", []profile.Role{profile.SemInit, profile.SemDestroy, profile.SemWait, profile.SemPost}},
	{"rwlock", "", []profile.Role{profile.RWInit, profile.RWDestroy, profile.RWLock, profile.RWUnlock, profile.RWDowngrade}},
	{"threads", "", []profile.Role{profile.ThreadInit, profile.Create, profile.Join, profile.ThreadExit, profile.Self, profile.Yield}},
	{"malloc", "", []profile.Role{profile.Malloc, profile.Calloc, profile.Realloc, profile.Free}},
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
func (c *Config) TrustedRoles() *[profile.NumRoles]bool { return RolesOf(c.Trust) }

// RolesOf are the roles of groups; nil if there are none.
func RolesOf(groups []string) *[profile.NumRoles]bool {
	if len(groups) == 0 {
		return nil
	}
	var roles [profile.NumRoles]bool
	for _, g := range trustGroups {
		if slices.Contains(groups, g.name) {
			for _, r := range g.roles {
				roles[r] = true
			}
		}
	}
	return &roles
}

// Needed is the group that a group needs; "": none.
func Needed(group string) string {
	for _, g := range trustGroups {
		if g.name == group {
			return g.needs
		}
	}
	return ""
}

// ObjectRoles are the roles of the functions that take objects of a group: its own,
// and those of the groups that need it.
func ObjectRoles(group string) (roles []profile.Role) {
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
