package record

import (
	"slices"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

const lock, cond = 8, 24 // objects; the lock has a name

// guest has threads with their numbers for names, and no lines.
type guest struct{}

func (guest) Name(t trace.TID) string         { return string('0' + rune(t)) }
func (guest) Variable(uint64) (string, bool)  { return "balance", true }
func (guest) VariableName(addr uint64) string { return map[uint64]string{lock: "lock"}[addr] }
func (guest) Frames([]uint64) []result.Frame  { return nil }
func (guest) Atomic(pc, addr uint64) bool     { return false }
func (guest) IsBuffer(t trace.TID) bool       { return false }

// did is a beat of a thread's in which it makes accesses.
func did(t trace.TID, accesses ...trace.Access) Beat {
	return Beat{Step: por.PathStep{Thread: t}, Accesses: accesses, Values: make([]Value, len(accesses))}
}

func read(addr uint64) trace.Access  { return trace.Access{Addr: addr, Size: 4} }
func write(addr uint64) trace.Access { return trace.Access{Addr: addr, Size: 4, Flags: trace.Write} }

// with has a beat do operations at its accesses.
func (b Beat) with(ops ...trace.Op) Beat { b.Ops = ops; return b }

// recorded is a record of beats, of threads that are named by their numbers.
func recorded(beats ...Beat) *Run {
	return New(guest{}, beats...)
}

// TestConflicts: the nearest access of a thread that conflicts with another, and the write
// that another reads. Reads don't conflict, nor do accesses of other bytes.
func TestConflicts(t *testing.T) {
	r := recorded(did(1, read(64), write(128)), did(2, write(64)), did(1, read(128)), did(1, write(64), read(64)))
	mine := r.AccessAt(At{1, 0})
	if x, ok := r.LastConflict(1, At{1, 0}, mine); !ok || x != (At{0, 0}) {
		t.Errorf("the last before it: %v, %v", x, ok)
	}
	if x, ok := r.FirstConflict(1, 1, mine); !ok || x != (At{3, 0}) {
		t.Errorf("the first after it: %v, %v", x, ok)
	}
	if x, ok := r.LastConflict(2, At{0, 0}, r.AccessAt(At{3, 0})); ok {
		t.Errorf("there is none before the first beat: %v", x)
	}
	if x, ok := r.FirstConflict(2, 0, r.AccessAt(At{0, 1})); ok {
		t.Errorf("thread 2 has none to other bytes: %v", x)
	}
	for x, want := range map[At]struct {
		w  At
		by trace.TID
	}{{2, 0}: {At{0, 1}, 1}, {3, 1}: {At{3, 0}, 1}, {3, 0}: {At{1, 0}, 2}} {
		if w, by, ok := r.Source(x); !ok || w != want.w || by != want.by {
			t.Errorf("the write before %v: %v of thread %d, %v", x, w, by, ok)
		}
	}
	if x := r.LastOf(2, r.End(), r.AccessAt(At{0, 1})); x.Beat != -1 {
		t.Errorf("thread 2's access to other bytes: %v", x)
	}
}

// TestOperations: what comes between two accesses, before a beat, and under which locks.
func TestOperations(t *testing.T) {
	r := recorded(
		did(1, read(64), read(64)).with(trace.Op{Kind: trace.OpLock, Obj: lock, At: 1}),
		did(2, write(64)).with(trace.Op{Kind: trace.OpLock, Obj: lock, At: 0}, trace.Op{Kind: trace.OpFree, Obj: 64, Size: 8, At: 1}),
		did(1, read(64)).with(trace.Op{Kind: trace.OpReadLock, Obj: 40, At: 0}, trace.Op{Kind: trace.OpJoin, Obj: 2, At: 1}),
	)
	if !r.Freed(At{1, 0}, At{2, 0}, 68) || r.Freed(At{0, 0}, At{1, 0}, 68) || r.Freed(At{1, 0}, At{2, 0}, 72) {
		t.Error("the block of 64 to 71 is freed between thread 2's write and thread 1's read, and no other")
	}
	if r.Together(At{0, 0}, At{1, 0}) || !r.Together(At{0, 1}, At{1, 0}) {
		t.Error("the lock is held at thread 1's second read, and not at its first")
	}
	if r.Joins(1, 2, 2) || !r.Joins(1, 2, 3) || r.Joins(2, 2, 3) {
		t.Error("thread 1 joins thread 2 in the last beat")
	}
	if got := r.ReadHeld(1, At{2, 0}); !slices.Equal(got, []uint64{40}) {
		t.Errorf("held for reading: %v", got)
	}
	if r.BeforeThreads() {
		t.Error("there are two threads")
	}
}

// TestWaitsOfRecord: a wait's condition was tested under the lock, or wasn't; and a thread
// that was woken finds a new value of what it tested, or the old one.
func TestWaitsOfRecord(t *testing.T) {
	taken := trace.Op{Kind: trace.OpLock, Obj: lock, At: 0}
	waits := trace.Op{Kind: trace.OpCondWait, Obj: cond, At: 1}
	signals := trace.Op{Kind: trace.OpCondSignal, Obj: cond, At: 1}
	signal := did(2, write(64)).with(signals)
	again := did(1, read(64))
	again.Held = []string{"lock"}
	again.Values[0].Raw = 1
	for _, c := range []struct {
		name         string
		waiter       Beat
		tested, news bool
	}{
		{"tested under the lock", did(1, read(64)).with(taken, waits), true, true},
		{"tested without it", did(1, read(64)).with(waits), false, false},
		{"something else was tested", did(1, read(128)).with(taken, waits), false, false},
	} {
		r := recorded(signal, c.waiter, again)
		wait := r.WaitedAt(1, cond, 2)
		if wait == nil || r.WaitedAt(2, cond, 2) != nil || r.WaitedAt(1, cond, 1) != nil {
			t.Fatalf("%s: the wait is %v", c.name, wait)
		}
		if w := r.entered(&result.Wait{Thread: "1", Address: cond}); w == nil || w.Beat != wait.Beat {
			t.Errorf("%s: entered by %v", c.name, w)
		}
		if got := r.TestedFor(*wait, r.Calls(cond, trace.OpCondSignal)[0]); got != c.tested {
			t.Errorf("%s: tested %v", c.name, got)
		}
		if got := r.News(1, 1, 2); got != c.news {
			t.Errorf("%s: news %v", c.name, got)
		}
		r.Beats[2].Values[0].Raw = 0
		if r.News(1, 1, 2) {
			t.Errorf("%s: the old value is news", c.name)
		}
	}
}

// TestHeld: a step's locks are those that it ends with, and each operation has those after it.
func TestHeld(t *testing.T) {
	b := did(1, read(64)).with(trace.Op{Kind: trace.OpLock, Obj: lock, At: 0}, trace.Op{Kind: trace.OpUnlock, Obj: lock, At: 1})
	b.Held = []string{"other"}
	r := recorded(b)
	for n, want := range []int{1, 2, 1} {
		if got := r.HeldAfter(&b, n); len(got) != want || got[0] != "other" {
			t.Errorf("after %d operations: %q", n, got)
		}
	}
	if got := r.Held(At{0, 0}); len(got) != 2 {
		t.Errorf("at the access: %q", got)
	}
}
