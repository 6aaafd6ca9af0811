package library

import (
	"hash/fnv"
	"strconv"
	"strings"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Where the trusted allocator's blocks lie. Each thread has addresses of its own, by its name, so
// its allocations don't depend on other threads.

const (
	// The first thread and its first children have an arena of their own each.
	ownArenas, ownArena = 32, 5 << 30
	// Its further children have a small one of their own. Deeper threads have one by a
	// hash of their names; and for what finds no place there all these have one of the
	// far ones.
	smallArenas, smallArena   = 480, 16 << 20
	hashedArenas, hashedArena = 16384, 8 << 20
	farArenas, farArena       = 16, 3 << 30

	// siblingStep is how many hashed places lie between those of two threads that one
	// deeper thread creates in turn. It is odd, so siblings never meet; and few multiples
	// of it are near 0, where the chains are.
	siblingStep = 10127

	smallBegin  = kernel.HeapLo + ownArenas*ownArena
	hashedBegin = smallBegin + smallArenas*smallArena
	farBegin    = hashedBegin + hashedArenas*hashedArena

	largestBlock = 2 << 30 // as much as a guest may have
	// mappedFrom is from which size on an allocator of a C library maps memory, far
	// above its heap.
	mappedFrom = 128 << 10
)

// arenas are one thread's. A buffer of stdio's never lies where a block of the user's lay
// in another execution: else stdio's accesses to it would look like some to the user's
// memory.
type arenas struct{ user, library *heap.Arena }

// HeapRange is where the trusted allocator's blocks are, but for a hole in it.
func HeapRange(img *image.Image) (all, hole emu.Range) {
	all = emu.Range{Lo: kernel.HeapLo, Hi: kernel.HeapHi}
	if kernel.HasLowHeap(img.File) {
		all.Lo, hole = kernel.LowHeapLo, emu.Range{Lo: kernel.LowHeapHi, Hi: kernel.HeapLo}
	}
	return all, hole
}

// EveryRange is where the memory of an allocator is that is followed: wherever the
// guest has memory at all.
func EveryRange() emu.Range { return emu.Range{Lo: 1 << 16, Hi: kernel.GuestHi} }

// arenasOf are those of a thread; nil if there are none left (see arenaPlace).
func (l *heapCalls) arenasOf(t trace.TID) *arenas {
	for int(t) >= len(l.arenas) {
		l.arenas = append(l.arenas, nil)
	}
	if l.arenas[t] == nil {
		base, size := arenaPlace(l.core.Name(t))
		for _, other := range l.arenas {
			if other != nil && other.user.Base() == base {
				return nil
			}
		}
		cut := base + size - libraryShare(size)
		l.arenas[t] = &arenas{l.heap.NewArena(base, cut, largestBlock), l.heap.NewArena(cut, base+size, libraryShare(size))}
		if base == kernel.HeapLo && l.lowHeap { // other threads' memory is mapped on a real machine
			const cut = kernel.LowHeapHi - (kernel.LowHeapHi-kernel.LowHeapLo)/16
			l.arenas[t].user.Low(kernel.LowHeapLo, cut, mappedFrom)
			l.arenas[t].library.Low(cut, kernel.LowHeapHi, mappedFrom)
		}
	}
	return l.arenas[t]
}

// reach makes sure that a thread's arena has a place for a block, if any has. It
// returns the thread that has the addresses for it, if another has: then there is
// none.
func (l *heapCalls) reach(th *thread, n, align uint64) (other trace.TID, ok bool) {
	a := l.arenaFor(th)
	if th.quiet.on || !a.NeedsFar(n, align) {
		return 0, true
	}
	base := farBegin + hashOf(l.core.Name(th.ID))%farArenas*farArena
	if other, taken := l.far[base]; taken && other != th.ID {
		return other, false
	}
	l.far[base] = th.ID // for good: a name has the same addresses in all executions
	a.Far(base, base+farArena)
	return 0, true
}

// arenaFor is where a thread allocates now; nil if it has no arena.
func (l *heapCalls) arenaFor(th *thread) *heap.Arena {
	switch a := l.arenasOf(th.ID); {
	case a == nil:
		return nil
	case th.quiet.on:
		return a.library
	default:
		return a.user
	}
}

// arenaPlace is where the arena of a thread with a name is, and its size.
func arenaPlace(name string) (base, size uint64) {
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	switch n, _ := strconv.ParseUint(last, 10, 64); {
	case len(parts) > 2:
	case n < ownArenas:
		return kernel.HeapLo + n*ownArena, ownArena
	case n < ownArenas+smallArenas:
		return smallBegin + (n-ownArenas)*smallArena, smallArena
	}
	// The same link again and again: the places follow each other, so that a chain
	// of creations never meets itself.
	first := len(parts) - 1
	for first > 1 && parts[first-1] == last {
		first--
	}
	n, _ := strconv.ParseUint(last, 10, 64)
	h := hashOf(strings.Join(parts[:first], ".")) + n*siblingStep + uint64(len(parts)-1-first)
	return hashedBegin + h%hashedArenas*hashedArena, hashedArena
}

// hashOf is a hash whose low bits differ where the names differ in their last byte only.
// FNV's own don't: the last byte reaches few of its bits. So they are mixed (MurmurHash3).
func hashOf(name string) uint64 {
	f := fnv.New64a()
	f.Write([]byte(name))
	h := f.Sum64()
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// libraryShare is the size of an arena's last part: what stdio, and the making of
// threads, allocate for themselves.
func libraryShare(size uint64) uint64 {
	if size < ownArena {
		return size / 4
	}
	return size / 16
}

// isLibraryPart reports whether an address is where stdio's own blocks lie.
func isLibraryPart(addr uint64) bool {
	const low = kernel.LowHeapHi - kernel.LowHeapLo
	if addr-kernel.LowHeapLo < low {
		return addr-kernel.LowHeapLo >= low-low/16
	}
	switch {
	case addr >= farBegin:
		return false
	case addr >= hashedBegin:
		return (addr-hashedBegin)%hashedArena >= hashedArena-libraryShare(hashedArena)
	case addr >= smallBegin:
		return (addr-smallBegin)%smallArena >= smallArena-libraryShare(smallArena)
	}
	return (addr-kernel.HeapLo)%ownArena >= ownArena-libraryShare(ownArena)
}
