package relation

import (
	"fmt"
	"testing"

	"landgo/internal/trace"
)

// BenchmarkLock: a thread takes a lock n times, holding it at the end of each step, and ends. Another one, which waits for
// it, could have come before none of these steps but the first. The time is linear in n.
func BenchmarkLock(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			lock, unlock := trace.Op{Kind: trace.OpLock, Obj: 64}, trace.Op{Kind: trace.OpUnlock, Obj: 64}
			for range b.N {
				o := New()
				o.Widen(2)
				o.Push(&Event{Thread: 0, Ops: []trace.Op{lock}}, lock)
				for range n {
					o.Push(&Event{Thread: 0, Ops: []trace.Op{unlock, lock}}, unlock)
				}
				o.Push(&Event{Thread: 0, Ops: []trace.Op{unlock}}, unlock)
				o.Push(&Event{Thread: 1, Ops: []trace.Op{lock}}, lock)
			}
		})
	}
}
