package scheduler

import (
	"testing"

	"landgo/internal/trace"
)

// TestListedAgain: with store buffers a list is made where the latest one is. A description stays if the
// same thread is at its place and nothing else was put there.
func TestListedAgain(t *testing.T) {
	l := &listing{kept: []trace.Thread{{ID: 0, Role: 1}, {}, {ID: 2, Role: 3}, {}, {ID: 4, Role: 5}}}
	listed := func(buffer bool) []trace.Thread {
		dst := l.again(l.Present.Threads[:0], 0)
		if buffer {
			dst = append(dst, trace.Thread{ID: 1, Updates: true})
		}
		for _, id := range []trace.TID{2, 4} {
			dst = l.again(dst, id)
		}
		l.Present.Threads = dst
		return dst
	}
	check := func(what string, buffer bool) {
		t.Helper()
		var roles, want []uint64
		for _, d := range listed(buffer) {
			roles = append(roles, d.Role)
		}
		if want = []uint64{1, 3, 5}; buffer {
			want = []uint64{1, 0, 3, 5}
		}
		if len(roles) != len(want) {
			t.Fatalf("%s: %d threads, not %d", what, len(roles), len(want))
		}
		for i := range want {
			if roles[i] != want[i] {
				t.Errorf("%s: thread number %d is described by %d, not %d", what, i, roles[i], want[i])
			}
		}
	}
	check("the first", false)
	check("the same", false)
	check("a buffer comes", true)
	check("it is there still", true)
	check("and goes", false)
	l.Present.Threads[1].Role = 9 // a wait that was let run out
	l.altered = true
	check("one was altered", false)
}

// BenchmarkListedAgain lists a hundred threads about which there is nothing new, and copies them all.
func BenchmarkListedAgain(b *testing.B) {
	for name, altered := range map[string]bool{"there": false, "copied": true} {
		b.Run(name, func(b *testing.B) {
			l := &listing{altered: altered}
			for i := range trace.TID(100) {
				l.kept = append(l.kept, trace.Thread{ID: i})
			}
			for range b.N {
				dst := l.Present.Threads[:0]
				for i := range trace.TID(100) {
					dst = l.again(dst, i)
				}
				l.Present.Threads = dst
			}
		})
	}
}
