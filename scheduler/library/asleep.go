package library

import (
	"strings"

	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Where landgo leaves functions to the guest's own code (distrust.go, --locks tested), their
// waits are calls of the kernel's on words of memory. The function on the
// thread's stack says what they are for.

// asleep says what a thread waits for that sleeps at a word. It goes by the innermost function on
// its stack with a known meaning.
func (l *Library) asleep(t trace.TID, at uint64) (w scheduler.Wait, ok bool) {
	w = scheduler.Wait{Thread: t, Obj: at, Owner: trace.NoThread}
	if of := l.core.Controlled(at); of != trace.NoThread && of != t { // pthread_join isn't always on the stack
		w.For, w.Owner, w.Name = "thread", of, l.core.Name(of)
		return w, true
	}
	for i, pc := range l.core.Stack(t) {
		if i > 0 {
			pc--
		}
		f, found := l.image.SymbolAt(pc)
		if !found {
			continue
		}
		w.For = l.sleepsFor(l.meant[f.Addr].Role)
		if l.libc == elffile.Glibc && strings.HasPrefix(f.Name, "__new_sem_wait_slow") { // which sem_wait ends in
			w.For = "semaphore"
		}
		if w.For != "" {
			w.Name = l.core.VariableName(at)
			return w, true
		}
	}
	return w, false
}

// sleepsFor names the thing that a function with a role sleeps for, "" if it doesn't, or not at a word of
// its object's.
func (l *Library) sleepsFor(r profile.Role) string {
	a := &acts[r]
	if !onObject(r) {
		return ""
	}
	switch a.kind {
	case kindMutex:
		return "mutex"
	case kindCond:
		if l.libc == elffile.Musl {
			return "" // at a word on its stack
		}
		return "condition variable"
	case kindSem:
		return "semaphore"
	case kindRWLock:
		return "read-write lock"
	case kindBarrier:
		return "barrier"
	case kindOnce:
		return "once"
	}
	return ""
}
