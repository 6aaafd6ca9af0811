package library

import (
	"slices"

	"landgo/emu"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// The rest of a library has to learn of threads that landgo carries out (carried.go) by
// calls (gettid, make_runnable, ...). If it looks into what the functions keep, that
// isn't there. The variables that their code mentions (image.Refers), and the room above
// a stack, where many libraries have a thread's structure, are watched. Where code that
// does run reads one, the run ends as invalid. It may store there, for what it stores is
// known; it may read what is there before the first such call. And it may read what that
// code only reads, unless it is a pointer, by which more could be written.

// watch begins to look at what the functions keep. The variables of the allocator
// and of the printing of text aren't theirs.
func (c *carried) watch() {
	var carried, allocators, trusted []uint64
	for addr, b := range c.guest.roles {
		switch {
		case b.Role == profile.ThreadInit:
		case c.carries(b.Role):
			carried = append(carried, addr)
		case acts[b.Role].how == allocator:
			allocators = append(allocators, addr)
			if c.guest.trusts(b.Role) {
				trusted = append(trusted, addr)
			}
		}
	}
	known := func(entry uint64) bool { _, ok := c.guest.roles[entry]; return ok }
	others := static.Reached(c.guest.image.File, allocators, func(entry uint64) bool { return known(entry) && !slices.Contains(allocators, entry) })
	for _, name := range []string{"printf", "lprintf", "vprintf", "sprintf", "snprintf", "vsnprintf", "putchar", "puts"} {
		if f, ok := c.guest.image.Symbol(name); ok {
			others[f.Addr] = true
		}
	}
	c.models.kept = static.Refers(c.guest.image.File, carried, func(entry uint64) bool { return known(entry) || others[entry] })
	for _, v := range c.models.kept {
		c.guest.machine.Touch(scheduler.AllThreads, v.Addr, v.Size, true)
	}
	// A trusted allocator's code runs unseen.
	for _, v := range static.Refers(c.guest.image.File, trusted, func(uint64) bool { return false }) {
		if c.models.keptAt(v.Addr, v.Size) >= 0 {
			c.models.untrusted = v.Name
		}
	}
}

// keptAt is the place in l.kept of a variable that has some of these bytes, or -1.
func (l *models) keptAt(addr, size uint64) int {
	for i := range l.kept {
		if v := &l.kept[i]; addr < v.Addr+v.Size && v.Addr < addr+size {
			return i
		}
	}
	return -1
}

// touchesKept is the error of an access to what the functions keep, or nil.
func (l *models) touchesKept(th *thread, a *trace.Access) error {
	if i := l.keptAt(a.Addr, uint64(a.Size)); i >= 0 && !l.harmless(&l.kept[i], a) {
		name := l.core.VariableName(a.Addr)
		return l.core.Invalid(kernel.GapTrust, th.ID, a.PC, "the guest reads %s, which belongs to its functions on threads: they can't be trusted alone", name)
	}
	if a.Addr >= carriedStacks && a.Addr < carriedEnd {
		for i := range l.threads {
			if t := &l.threads[i]; l.threads[i].Exists && t.roomAt != 0 && a.Addr+uint64(a.Size) > t.roomAt && a.Addr < t.roomAt+stackTail {
				return l.core.Invalid(kernel.GapTrust, th.ID, a.PC, "the guest uses the room above the stack of thread %s, where its functions on threads may keep something: they can't be trusted alone",
					l.core.Name(t.ID))
			}
		}
	}
	return nil
}

// harmless reports whether an access to a variable finds nothing there that the
// functions would have written.
func (l *models) harmless(v *static.Mention, a *trace.Access) bool {
	if !l.skipped.Get() || a.IsWrite() && a.Flags&trace.Atomic == 0 {
		return true
	}
	for at := a.Addr &^ (l.wordSize - 1); at < a.Addr+uint64(a.Size); at += l.wordSize {
		if !v.OnlyRead || l.machine.Prot(l.core.Word(at))&emu.ProtWrite != 0 {
			return false
		}
	}
	return true
}
