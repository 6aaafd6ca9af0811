package linux

import "landgo/kernel"

// Robust futexes (Linux's Documentation/locking/robust-futex-ABI): each thread
// keeps a list of the locks that it holds, and one that it is about to take or
// release, in its own memory. At its exit the kernel walks the list.
//
//	head:  next entry | offset from an entry to its futex word | pending entry
//	entry: next entry (bit 0: a futex with priority inheritance)

const (
	robustHeadSize = 24
	// maxRobust bounds the walk, because a list may be circular (Linux has the same).
	maxRobust = 2048
)

func doSetRobustList(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] != robustHeadSize {
		return einval
	}
	c.set(&c.t.robustList, c.a[0])
	return 0
}

// doGetRobustList: musl asks whether robust lists exist.
func doGetRobustList(c *call, o *kernel.Outcome) uint64 {
	t := c.t
	if c.a[0] != 0 {
		if t = c.k.roster.numbered(c.a[0]); t == nil {
			return esrch
		}
	}
	if c.k.user.copyOut(c.a[2], pair(robustHeadSize, 0)[:8]) != 0 {
		return efault
	}
	return c.k.user.copyOut(c.a[1], pair(c.get(&t.robustList), 0)[:8])
}

// robustFutexes appends the futexes that t holds on its robust list. One with
// priority inheritance that isn't on the list stays owned by the dead, and a
// lock of it fails with ESRCH.
func (qs *queues) robustFutexes(t *thread, held []departure) []departure {
	head := qs.log.Get(&t.robustList)
	if head != 0 && qs.user.canRead(head, robustHeadSize) {
		offset, pending := qs.log.Read64(head+8), qs.log.Read64(head+16)
		entry := qs.log.Read64(head)
		for n := 0; entry&^1 != head && entry&^1 != 0 && n < maxRobust; n++ {
			// The pending one may or may not be on the list yet.
			if entry&^1 != pending&^1 {
				held = qs.addRobust(held, t, entry, offset)
			}
			if !qs.user.canRead(entry&^1, 8) {
				break
			}
			entry = qs.log.Read64(entry &^ 1)
		}
		if pending&^1 != 0 {
			held = qs.addRobust(held, t, pending, offset)
		}
	}
	return held
}

func (qs *queues) addRobust(held []departure, t *thread, entry, offset uint64) []departure {
	addr := entry&^1 + offset
	if addr&3 != 0 || !qs.user.canWrite(addr, 4) || uint64(qs.log.Read32(addr))&futexTIDMask != t.number {
		return held
	}
	return append(held, departure{addr: addr, pi: entry&1 != 0})
}
