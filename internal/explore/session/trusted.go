package session

import (
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// trustable refuses --trust where there is no thread library to trust parts of, and for
// objects of unknown size. All their bytes are watched, for code that goes past the
// trusted functions. A guest that hasn't got the functions has no such objects.
func (p *Program) trustable() error {
	if len(p.Config.Trust) > 0 && !p.Platform.testsLibrary {
		return result.Errorf(result.Usage, "--trust is for thread libraries on pebbles; on %s the C library's functions are trusted anyway", p.Image.Kernel)
	}
	for _, o := range profile.ObjectTypes {
		if slices.Contains(p.Config.Trust, o.Name) && p.hasObjects(o.Name) && profile.ObjectSize(p.Image.Info, p.profile, o.Name) == 0 {
			return result.Errorf(result.Usage, "--trust %s: nothing says how large a %s is: build %s with -g, or give the size in a profile (sizes)", o.Name, o.Type, p.Config.Guest)
		}
	}
	return nil
}

// hasObjects reports whether the guest has functions that are given objects of a
// group.
func (p *Program) hasObjects(group string) bool {
	roles := config.ObjectRoles(group)
	for _, b := range p.roles {
		if slices.Contains(roles, b.Role) {
			return true
		}
	}
	return false
}

// trusts reports whether a function with a role is taken as correct.
func (p *Program) trusts(b profile.Bound) bool {
	if !p.Platform.testsLibrary {
		return !b.Own
	}
	roles := p.Config.TrustedRoles()
	return roles != nil && roles[b.Role]
}

// Trustable reports whether the guest has functions of a group of --trust's, with
// objects of a known size, in a library that is tested.
func (p *Program) Trustable(group string) bool {
	return p.Platform.testsLibrary && p.hasObjects(group) && profile.ObjectSize(p.Image.Info, p.profile, group) > 0
}

// Carries reports whether an instruction is of a function that is taken as correct.
func (p *Program) Carries(pc uint64) bool {
	f, ok := p.Image.SymbolAt(pc)
	if !ok {
		return false
	}
	b, ok := p.roles[f.Addr]
	return ok && p.trusts(b)
}

// Entered is how many calls a thread has begun of the functions whose calls are counted,
// and whether the last of them, if its own code runs, is under way.
func (s *Session) Entered(t trace.TID) (calls int, within bool) { return s.library.Entered(t) }

// Called reports whether a function of a group of --trust's was called in any execution.
func (s *Session) Called(group string) bool {
	for r, of := range config.RolesOf([]string{group}) {
		if of && s.library.EverEntered(profile.Role(r)) {
			return true
		}
	}
	return false
}

// LockFunctions are a kernel's own functions that lock and unlock: those with such a
// role in its profile, and those that call the annotations, by name. Those that the
// profile says to be of some groups of --trust's are left out.
func (p *Program) LockFunctions(without ...string) (names []string) {
	if !p.Platform.Annotated {
		return nil
	}
	left := config.RolesOf(without)
	isLeft := map[string]bool{}
	for _, b := range p.roles {
		switch {
		case left != nil && left[b.Role]:
			isLeft[b.Name] = true
		case scheduler.PointsAt(b.Role)&(trace.PointLock|trace.PointUnlock) != 0:
			names = append(names, b.Name)
		}
	}
	for _, tells := range []string{"locking", "unlocked"} {
		if f, ok := p.Image.Symbol(profile.TellPrefix + tells); ok {
			names = append(names, static.Callers(p.Image.Info, f.Addr)...)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return isLeft[name] })
}
