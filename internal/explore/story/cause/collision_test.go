package cause

import (
	"slices"
	"testing"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestAwaited: what a thread waits for at the end is in the cause, though another collision
// comes before it.
func TestAwaited(t *testing.T) {
	for _, c := range []struct {
		waits result.Addr
		want  string
	}{
		{0, "thread 2 changes balance (guest.c:21) after thread 1's read (guest.c:11), and before that thread went on"},
		{total, "thread 2 changes total (guest.c:22) after thread 1's read (guest.c:12), and before that thread went on"},
		{other, "thread 2 changes balance (guest.c:21) after thread 1's read (guest.c:11), and before that thread went on"},
	} {
		cs, _ := newCase(step(1, reads(balance, 11, 0)), step(1, reads(total, 12, 0)), preempting(step(2, writes(balance, 21, 1))), step(2, writes(total, 22, 1)))
		b := result.Bug{Waits: []result.Wait{{Thread: "1", Address: c.waits}}}
		if cs.collisions(&b); b.Cause != c.want {
			t.Errorf("waits for %v: %q, want %q", c.waits, b.Cause, c.want)
		}
	}
}

// TestCollision: the cause is another thread's write between two accesses of the one
// that was preempted, and not one under a lock that all of them hold.
func TestCollision(t *testing.T) {
	begun, between, again := step(1, reads(balance, 11, 0)), preempting(step(2, writes(balance, 21, 1))), step(1, writes(balance, 12, 1))
	anew := preempting(step(2, does(trace.OpFree, balance, 20), writes(balance, 21, 1)))
	anew.Ops[0].Size = 8
	looked := preempting(step(2, reads(balance, 22, 0)))
	locked := func(t trace.TID, m made) record.Beat {
		return step(t, does(trace.OpLock, lock, 1), m, does(trace.OpUnlock, lock, 2))
	}
	under := []record.Beat{locked(1, reads(balance, 13, 0)), preempting(locked(2, writes(balance, 23, 1))), locked(1, writes(balance, 14, 1))}
	for _, c := range []struct {
		name  string
		beats []record.Beat
		want  string
	}{
		{"between two", []record.Beat{begun, between, again}, "thread 2 changes balance (guest.c:21) between thread 1's read (guest.c:11) and its write (guest.c:12)"},
		{"after one", []record.Beat{begun, between}, "thread 2 changes balance (guest.c:21) after thread 1's read (guest.c:11), and before that thread went on"},
		{"a write behind a read", []record.Beat{again, looked, between}, "thread 2 changes balance (guest.c:21) after thread 1's write (guest.c:12), and before that thread went on"},
		{"the memory's next life", []record.Beat{begun, anew, again}, "thread 2 changes balance (guest.c:21) before thread 1's write (guest.c:12)"},
		{"all under a lock", under, "thread 2 changes balance (guest.c:23) between thread 1's read (guest.c:13) and its write (guest.c:14)"},
		{"some under a lock", append(slices.Clone(under), begun, between, again), "thread 2 changes balance (guest.c:21) between thread 1's read (guest.c:11) and its write (guest.c:12)"},
	} {
		cs, _ := newCase(c.beats...)
		var b result.Bug
		if cs.collisions(&b); b.Cause != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.Cause, c.want)
		}
	}
}
