package relation

import (
	"math/rand/v2"
	"testing"

	"landgo/internal/trace"
)

// depend reports whether two transitions do.
func depend(a, b *trace.Transition) bool {
	e, f := NewEvent(a), NewEvent(b)
	return e.Dependent(&f)
}

func TestDependent(t *testing.T) {
	op := func(k trace.OpKind, obj, arg uint64) trace.Transition {
		return trace.Transition{Ops: []trace.Op{{Kind: k, Obj: obj, Arg: arg, Size: 0}}}
	}
	mem := func(addr uint64, size uint32, f trace.AccessFlags) trace.Transition {
		return trace.Transition{Accesses: []trace.Access{{Addr: addr, Size: size, Flags: f}}}
	}
	ends := func(k trace.OpKind) trace.Transition {
		return trace.Transition{Ops: []trace.Op{{Kind: k, Obj: 0x100, Size: 40}}}
	}
	sized := trace.Transition{Ops: []trace.Op{{Kind: trace.OpLock, Obj: 0x100, Size: 40}}}
	for _, c := range []struct {
		name string
		a, b trace.Transition
		want bool
	}{
		{"reads", mem(8, 4, 0), mem(8, 4, 0), false},
		{"a read and a write", mem(8, 4, 0), mem(8, 4, trace.Write), true},
		{"a silent write is a write", mem(8, 4, 0), mem(8, 4, trace.Write|trace.Silent), true},
		{"a failed compare-and-exchange is a read", mem(8, 4, 0), mem(8, 4, trace.Atomic|trace.FailedCAS), false},
		{"neighbours", mem(8, 4, trace.Write), mem(12, 4, trace.Write), false},
		{"one byte in common", mem(8, 5, trace.Write), mem(12, 4, 0), true},
		{"locks of one mutex", op(trace.OpLock, 1, 0), op(trace.OpLock, 1, 0), true},
		{"locks of two", op(trace.OpLock, 1, 0), op(trace.OpLock, 2, 0), false},
		{"failing trylocks", op(trace.OpTryLockFail, 1, 0), op(trace.OpTryLockFail, 1, 0), false},
		{"a failing trylock and an unlock", op(trace.OpTryLockFail, 1, 0), op(trace.OpUnlock, 1, 0), true},
		{"a mutex and a semaphore at one address", op(trace.OpLock, 1, 0), op(trace.OpSemPost, 1, 0), false},
		{"posts", op(trace.OpSemPost, 1, 0), op(trace.OpSemPost, 1, 0), false},
		{"a post and a wait", op(trace.OpSemPost, 1, 0), op(trace.OpSemWait, 1, 0), true},
		{"readers", op(trace.OpReadLock, 1, 0), op(trace.OpReadUnlock, 1, 0), false},
		{"a reader and a writer", op(trace.OpReadLock, 1, 0), op(trace.OpWriteLock, 1, 0), true},
		{"arrivals", op(trace.OpBarrierArrive, 1, 0), op(trace.OpBarrierArrive, 1, 0), true},
		{"arriving and leaving", op(trace.OpBarrierArrive, 1, 0), op(trace.OpBarrierLeave, 1, 0), false},
		{"signal and wait", op(trace.OpCondSignal, 1, 0), op(trace.OpCondWait, 1, 0), true},
		{"exits of two threads", op(trace.OpExit, 1, 0), op(trace.OpExit, 2, 0), false},
		{"exit and join", op(trace.OpExit, 1, 0), op(trace.OpJoin, 1, 0), true},
		{"system calls that change nothing", op(trace.OpSyscall, 1, 0), op(trace.OpSyscall, 1, 0), false},
		{"one that changes something", op(trace.OpSyscall, 1, 0), op(trace.OpSyscall, 1, 1), true},
		{"yields", op(trace.OpYield, 0, 0), op(trace.OpYield, 0, 0), false},
		{"a read of a mutex's bytes", mem(0x110, 4, 0), sized, true},
		{"a read beside it", mem(0x128, 4, 0), sized, false},
		{"a store that a buffer takes", mem(0x110, 4, trace.Write|trace.Buffered), sized, false},
		{"and the end of its block", mem(0x110, 4, trace.Write|trace.Buffered), ends(trace.OpFree), true},
		{"or of its page", mem(0x110, 4, trace.Write|trace.Buffered), ends(trace.OpPage), true},
		{"a load that a buffer answers, and the end of its block", mem(0x110, 4, trace.Buffered), ends(trace.OpFree), true},
		{"a block beside it", mem(0x128, 4, trace.Write|trace.Buffered), ends(trace.OpFree), false},
		{"the process's end", trace.Transition{End: trace.EndProcess}, mem(8, 4, 0), true},
		{"a bug", trace.Transition{End: trace.EndBug}, op(trace.OpYield, 0, 0), true},
		{"an advance of the clock", op(trace.OpAdvance, 0, 0), mem(8, 4, 0), true},
	} {
		c.b.Thread = 1
		if depend(&c.a, &c.b) != c.want || depend(&c.b, &c.a) != c.want {
			t.Errorf("%s: want %v", c.name, c.want)
		}
	}
	for a := range dependentOps {
		for b := range dependentOps {
			if dependentOps[a][b] != dependentOps[b][a] {
				t.Errorf("%v and %v: not symmetric", trace.OpKind(a), trace.OpKind(b))
			}
		}
	}
}

// Events of one access each take a shorter way, which says the same as the longer one.
func TestDependentSingle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 18))
	flags := []trace.AccessFlags{trace.Write, trace.Atomic, trace.Silent, trace.Buffered, trace.Unordered, trace.FailedCAS, trace.RMW}
	event := func(thread trace.TID) Event {
		a := trace.Access{Addr: uint64(r.IntN(12)), Size: 1 << r.IntN(4)}
		for _, f := range flags {
			if r.IntN(3) == 0 {
				a.Flags |= f
			}
		}
		return Event{Thread: thread, Choice: trace.Choice(r.IntN(3)), Accesses: []trace.Access{a}}
	}
	var count [2]int
	for range 200_000 {
		e, f := event(0), event(1)
		longer := f
		longer.Waits = []trace.Access{{Addr: 1 << 20, Size: 8}} // conflicts with neither
		want := e.Dependent(&longer)
		if got := e.Dependent(&f); got != want || f.Dependent(&e) != want {
			t.Fatalf("%+v and %+v: %v, want %v", e.Accesses[0], f.Accesses[0], got, want)
		}
		if want {
			count[1]++
		} else {
			count[0]++
		}
	}
	if min(count[0], count[1]) < 20_000 {
		t.Errorf("%d independent, %d dependent", count[0], count[1])
	}
}
