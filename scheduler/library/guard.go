package library

import (
	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// A student's mutex that is trusted (--trust) is landgo's model of one: its own
// functions never run, so what their fields would hold is nowhere. The rest of the
// library is ordinary code, and may look into a mutex or write to it past its
// functions. A thread's last unlock is often a store in assembler. Going on then
// would make deadlocks that the library hasn't got. So every access to the bytes of
// a trusted object is looked at:
//
//   - a read, or a write while a thread holds it or waits: the guest can't be
//     controlled on these terms, and the run ends as invalid;
//   - a write to an object at rest: its memory serves something else (blocks of
//     a heap, stacks), and the object is forgotten.
//
// Memory of trusted objects counts as shared from its first use on, and runs
// before a second thread exists are recorded too, so that no access escapes.

// word is a stretch of 8 bytes, by its address / 8.
const wordShift = 3

// trusts reports whether a function of the guest's own library is taken as
// correct.
func (l *guest) trusts(r profile.Role) bool { return l.opts.Trusted != nil && l.opts.Trusted[r] }

// trustSizes are the sizes of a library's types, by its profile or the debug
// information. Sizes of types that aren't trusted needn't be known.
func trustSizes(img *image.Image, p *profile.Profile) objectSizes {
	sizes := pthreadSizes
	for kind, name := range map[objectKind]string{kindMutex: "mutex", kindCond: "cond", kindSem: "sem", kindRWLock: "rwlock"} {
		sizes[kind] = uint32(max(profile.ObjectSize(img.Info, p, name), img.Machine.Word()))
	}
	sizes[kindSpin] = sizes[kindMutex]
	return sizes
}

// guard begins to look at the bytes of an object.
func (l *models) guard(o *object) {
	if l.opts.Trusted == nil {
		return
	}
	size := uint64(l.sizes[o.kind])
	l.core.Sharing.Shared(scheduler.AllThreads, o.addr, size) // accesses that weren't recorded may have been there
	for g := o.addr >> wordShift; g <= (o.addr+size-1)>>wordShift; g++ {
		l.guarded[g] = append(l.guarded[g], o.addr)
	}
}

// CheckGuarded implements scheduler.Calls.
func (l *models) CheckGuarded(t trace.TID, accesses []trace.Access) error {
	th := &l.threads[t]
	for i := range accesses {
		a := &accesses[i]
		if a.Flags&emu.Private != 0 {
			continue
		}
		if len(l.kept) > 0 {
			if err := l.touchesKept(th, a); err != nil {
				return err
			}
		}
		for g := a.Addr >> wordShift; g <= (a.Addr+uint64(a.Size)-1)>>wordShift; g++ {
			for _, addr := range l.guarded[g] {
				if o, ok := l.objects.Get(addr); ok {
					if err := l.touchObject(th, a, &o); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (l *models) touchObject(th *thread, a *trace.Access, o *object) error {
	if o.destroyed || o.forgotten || a.Addr >= o.addr+uint64(l.sizes[o.kind]) || o.addr >= a.Addr+uint64(a.Size) {
		return nil
	}
	if a.IsWrite() && o.owner == trace.NoThread && len(o.readers) == 0 && len(o.waiters) == 0 {
		l.change(o.addr).forgotten = true
		return nil
	}
	does := map[bool]string{true: "writes to", false: "reads"}[a.IsWrite()]
	return l.core.Invalid(kernel.GapTrust, th.ID, a.PC, "the guest %s %s directly, not through its functions", does, l.core.VariableName(o.addr))
}
