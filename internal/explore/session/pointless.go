package session

import (
	"fmt"

	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// pointlessProgram says which of the kinds of preemption points that were asked for
// can't be anywhere in a program, and why; "" if all can. A verdict at such a
// granularity would claim more than was looked at.
//
// The contents of the loaded image decide, not what runs. A program with a C
// library always has locks and locked instructions, those of the library. But mem
// and sync are never pointless: they find their points in a run.
func (p *Program) pointlessProgram() string {
	pp := p.Config.PP
	for _, k := range []trace.Points{trace.PointCLI, trace.PointSTI} {
		if pp.Has(k) {
			return fmt.Sprintf("--pp %s: a guest on %s can't switch interrupts off or on", k.Name(), p.Image.Kernel)
		}
	}
	switch {
	case p.Config.Naive() && !p.Config.Deepens():
		return "--pp race: which instructions race is found out by a whole search, without a bound, and not with --race off; or name them: --pp race=FUNCTION+OFFSET"
	case pp.Has(trace.MemPoints), pp.Has(trace.SyncPoints):
		return ""
	}
	locks, unlocks := p.LockPlaces()
	for _, k := range []struct {
		set    trace.Points
		places int
		what   string
	}{
		{trace.PointLock, locks, "function that acquires a lock"},
		{trace.PointUnlock, unlocks, "function that releases a lock"},
	} {
		switch {
		case !pp.Has(k.set):
		case p.NoRoles() && !static.AnyLocked(p.Image.File):
			return fmt.Sprintf("--pp %s: the guest has no function that landgo knows as a lock's, and no locked instruction", k.set.Name())
		case !p.NoRoles() && k.places == 0:
			return fmt.Sprintf("--pp %s: the guest has no %s", k.set.Name(), k.what)
		}
	}
	if pp.Has(trace.PointAtomic) && !static.AnyLocked(p.Image.File) {
		return fmt.Sprintf("--pp %s: the guest has no locked instruction", trace.PointAtomic.Name())
	}
	return ""
}

// pointlessKernel is the same for a kernel, whose locks are known by annotations, or
// by a profile.
func (p *Program) pointlessKernel() string {
	locks, unlocks := p.LockPlaces()
	for _, k := range []struct {
		set    trace.Points
		tell   string
		places int
	}{{trace.PointLock, "locking", locks}, {trace.PointUnlock, "unlocked", unlocks}} {
		if _, ok := p.Image.Symbol(profile.TellPrefix + k.tell); !ok && k.places == 0 && p.Config.PP.Has(k.set) && !p.Config.PP.Has(trace.MemPoints) {
			return fmt.Sprintf("--pp %s: the kernel doesn't call %s%s, and no profile names a function for it", k.set.Name(), profile.TellPrefix, k.tell)
		}
	}
	return ""
}

// unchecked says which of the errors that were asked for can't be looked for in
// the guest, and why; "" if all can.
func (p *Program) unchecked() string {
	if len(p.Config.CheckFor) == 0 || p.allocates() {
		return ""
	}
	return fmt.Sprintf("--check %s: the guest has no allocator that landgo knows", p.Config.CheckFor[0])
}

// allocates reports whether landgo follows the guest's allocator or carries it out,
// or the guest has none: a C library without it.
func (p *Program) allocates() bool {
	if p.pools() {
		return true
	}
	if !p.Platform.plainMalloc || p.Image.Stripped {
		return false
	}
	if _, ok := p.Image.Symbol("malloc"); !ok {
		return p.Image.Libc() != elffile.NoLibc
	}
	for _, b := range p.roles {
		if b.Role == profile.Malloc {
			return true
		}
	}
	return false
}

// LockPlaces counts the functions at which there are points of the kinds lock
// and unlock.
func (p *Program) LockPlaces() (locks, unlocks int) {
	for _, b := range p.roles {
		at := scheduler.PointsAt(b.Role)
		if b.Point == profile.NoPoint {
			at = 0
		}
		if at&trace.PointLock != 0 {
			locks++
		}
		if at&trace.PointUnlock != 0 {
			unlocks++
		}
	}
	return locks, unlocks
}

// NoRoles: landgo knows the meaning of none of the guest's functions. lock and
// unlock then mean its futex calls and locked instructions.
func (p *Program) NoRoles() bool { return len(p.roles) == 0 }
