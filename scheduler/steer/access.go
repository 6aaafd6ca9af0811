package steer

import (
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// The fate of the accesses that a run made: a thread's own, and those of a tick.

// sectionLock stands for a section without interrupts, in the lists of locks
// that a thread holds.
const sectionLock = 1 << 42

var sectionHolds = []uint64{sectionLock}

// threadDid records accesses to shared memory by a thread.
func (f *tails) threadDid(u *turn, as []trace.Access) {
	as = f.withoutNote(u.th, as)
	u.tr.Accesses = append(u.tr.Accesses, as...)
	f.tailDid(u.th, as)
	f.in.stores(f.core.edit(u.th.ID), as)
	var holds []uint64
	if !f.in.on.Get() {
		holds = sectionHolds
	}
	f.core.Sharing.Sight(u.th.ID, as, holds, f.proc.run.Allow > 0)
	for i := range as {
		a := &as[i]
		if f.conflictsWithTicks(a) && (f.in.on.Get() || !f.in.isScheduling(a)) {
			f.step.wide = true
		}
	}
}

func (f *tails) conflictsWithTicks(a *trace.Access) (conflict bool) {
	granules(a, func(g uint64, bytes uint8) {
		k := f.known.Ticked[g]
		conflict = conflict || k.Writes&bytes != 0 || a.IsWrite() && k.Reads&bytes != 0
	})
	return conflict
}

// granules calls f for each 8 bytes that an access touches, with a bit for each
// byte of them.
func granules(a *trace.Access, f func(g uint64, bytes uint8)) {
	for at, end := a.Addr, a.Addr+uint64(a.Size); at < end; {
		next := min(at&^7+8, end)
		f(at>>3, uint8((1<<(next-at)-1)<<(at&7)))
		at = next
	}
}

func (k *fixed) isScheduling(a *trace.Access) bool {
	for _, r := range k.scheduling {
		if a.Addr >= r.Lo && a.Addr+uint64(a.Size) <= r.Hi {
			return true
		}
	}
	return false
}

// tickDid learns what ticks do to memory. Threads' earlier accesses to it count
// differently from then on.
func (f *tails) tickDid(as []trace.Access) {
	for i := range as {
		a := &as[i]
		granules(a, func(g uint64, bytes uint8) {
			by := known.Bytes{Reads: bytes}
			if a.IsWrite() {
				by.Writes = bytes
			}
			if f.known.Ticked.Add(g, by) {
				f.core.Refine()
			}
		})
	}
}

// withoutNote has a thread's accesses, but for the first store to its own state after
// it was switched to: it notes that it runs. That is a part of the switch, as what
// comes before landgo_switch is in kernels with annotations; and between ready and
// running landgo sees no difference.
func (f *tails) withoutNote(th *thread, as []trace.Access) []trace.Access {
	if f.in.profile == nil || !th.own.Tail || th.own.Noted || f.in.on.Get() {
		return as
	}
	at, ok := f.in.translate(th.own.Number + f.in.profile.State.Offset)
	for i := range as {
		if a := &as[i]; ok && a.IsWrite() && a.Addr == at && uint64(a.Size) == f.in.profile.State.Size {
			f.core.edit(th.ID).own.Noted = true
			return slices.Concat(as[:i], as[i+1:])
		}
	}
	return as
}
