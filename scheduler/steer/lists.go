package steer

import (
	"slices"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/profile"
)

// The kernel's own lists of threads, as its profile describes them.

// runner is the number of the thread that runs, whose stack pointer is given.
func (k *reading) runner(sp uint64) uint64 {
	if k.profile.Stack != 0 {
		return (sp - 1) &^ (k.profile.Stack - 1) // an empty stack's pointer is its end
	}
	n, _ := k.word(k.profile.Current)
	return n
}

func (k *reading) idleOnes() (all []uint64) {
	for _, v := range k.profile.Idle {
		if n, ok := k.word(v); ok && n != 0 {
			all = append(all, n)
		}
	}
	return all
}

// listed are the threads that are ready, by the kernel's lists and tables.
func (k *reading) listed() (all []uint64) {
	for i := range k.profile.Lists {
		k.walk(&k.profile.Lists[i], func(n uint64) {
			if k.saysReady(n) {
				all = append(all, n)
			}
		})
	}
	for _, t := range k.profile.Tables {
		for n := t.Lo; n+k.profile.Size <= t.Hi; n += k.profile.Size {
			if k.saysReady(n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// walk calls f for the threads in a list.
func (k *reading) walk(l *profile.ThreadList, f func(n uint64)) {
	for _, first := range l.First {
		p, ok := k.word(first)
		for range maxListed {
			if !ok || p == 0 || p >= l.Variable.Lo && p < l.Variable.Hi {
				break
			}
			n := p - l.Link
			next, mapped := k.word(n + l.Next)
			if !mapped {
				break
			}
			f(n)
			if next == p {
				break
			}
			p = next
		}
	}
}

// memberOf reads a number in a thread's structure.
func (k *reading) memberOf(n uint64, m debuginfo.Member) (v int64, ok bool) {
	pa, ok := k.translate(n + m.Offset)
	if !ok {
		return 0, false
	}
	return m.Signed(k.machine.Read64(pa)), true
}

func (k *reading) saysReady(n uint64) bool {
	v, ok := k.memberOf(n, k.profile.State)
	return ok && slices.Contains(k.profile.Ready, v)
}

func (k *reading) saysEnded(n uint64) bool {
	v, ok := k.memberOf(n, k.profile.State)
	return ok && slices.Contains(k.profile.Ended, v)
}

func (k *reading) priorityOf(n uint64) int64 {
	if k.profile.Priority.Size == 0 {
		return 0
	}
	v, _ := k.memberOf(n, k.profile.Priority)
	return v
}

// members are all that is in some lists.
func (k *reading) members(lists []profile.ThreadList) (all []uint64) {
	for i := range lists {
		k.walk(&lists[i], func(n uint64) { all = append(all, n) })
	}
	return all
}

// maxListed bounds a list of threads: one that is being written to can be a ring.
const maxListed = 4096
