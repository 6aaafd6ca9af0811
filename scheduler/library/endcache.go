package library

import (
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// The end of a thread's cache (--malloc native). glibc's allocator keeps what a
// thread freed in a cache of the thread's own, and its arena while it lives. At a
// thread's end glibc gives both back, and the next thread gets the same blocks.
//
// Where landgo carries a thread's end out, it has the thread call glibc's function
// for that first. The call stands where the start routine's did, so that it returns
// to where the start routine would return: landgo ends the thread there. It is a call
// of the allocator like another: an event that depends on all its calls, in one piece.
//
// A thread that never allocated has nothing to give back. The first thread keeps its
// cache in glibc too; musl's allocator has none.

// endsCache is glibc's function that gives a thread's cache and arena back.
const endsCache = "__malloc_arena_thread_freeres"

// cache is the state of a followed allocator's cache for a thread.
type cache uint8

const (
	cacheNone   cache = iota // it has allocated nothing, or is the first thread
	cacheFilled              // it has made a call
	cacheEnded               // it is giving the cache back, or has; retval is set
)

// findEndsCache looks for that function, where it is the library's.
func (l *heapCalls) findEndsCache() {
	if !l.cfg.OwnAllocator || l.cfg.Tested || l.libc != elffile.Glibc || l.ownAllocator {
		return
	}
	for addr, b := range l.roles {
		if b.Name == endsCache && !b.Own {
			l.endsCache = addr
		}
	}
}

// fillsCache notes that a thread makes a call of the followed allocator.
func (l *heapCalls) fillsCache(th edit) {
	if l.endsCache == 0 || th.cache != cacheNone || th.exitPC == 0 {
		return
	}
	switch th.role {
	case profile.InsideAllocator, profile.MallocUsableSize:
	case profile.Free:
		if th.arg(0) != 0 {
			th.cache = cacheFilled
		}
	default:
		th.cache = cacheFilled
	}
}

// endCache sends a thread that is about to end, with a result, into that function. It
// reports whether there was need to. A thread that ends with a lock ends as a bug.
func (l *Library) endCache(th edit, retval uint64) (bool, error) {
	if th.cache != cacheFilled || th.native || l.known.Native || l.lives.ownEnds() || l.exitMisuse(th.thread) != nil {
		return false, nil
	}
	if err := l.leavesWait(th, true); err != nil {
		return false, err
	}
	th.cache, th.Returned = cacheEnded, retval
	l.machine.Write64(th.exitSP, th.exitPC)
	th.Regs.RIP, th.Regs.RSP = l.endsCache, th.exitSP
	th.Set |= trace.RIP | trace.RSP
	return true, nil
}

// resumeEnd gives a thread that has come back from there the result that it ends with.
func (th edit) resumeEnd() {
	if th.cache == cacheEnded {
		th.Regs.RAX = th.Returned
		th.Set |= trace.RAX
	}
}
