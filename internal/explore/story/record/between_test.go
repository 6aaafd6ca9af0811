package record

import (
	"testing"

	"landgo/internal/trace"
)

// TestAlone: accesses before the first creation of a thread are alone, and a thread begins with its
// first access if it has taken no lock before.
func TestAlone(t *testing.T) {
	r := recorded(
		did(1, write(64), write(64)).with(trace.Op{Kind: trace.OpCreate, Obj: 2, At: 1}),
		did(2).with(trace.Op{Kind: trace.OpLock, Obj: lock}),
		did(2, read(64)), did(3, read(64)),
	)
	if !r.Alone(At{0, 0}) || r.Alone(At{0, 1}) || r.Alone(At{2, 0}) {
		t.Error("only the first write comes before the creation")
	}
	if r.Begins(2, At{2, 0}) || !r.Begins(3, At{3, 0}) {
		t.Error("thread 2 takes a lock first, thread 3 does nothing")
	}
	if !r.WaitsBetween(2, At{0, 0}, At{2, 0}) || r.WaitsBetween(3, At{0, 0}, At{3, 0}) {
		t.Error("thread 2 may have to wait for the lock")
	}
	if !r.Uses(3, r.AccessAt(At{0, 0})) || r.Uses(3, &trace.Access{Addr: 128, Size: 4}) {
		t.Error("thread 3 uses the bytes at 64, and no others")
	}
	if r.OnlyWrite(At{0, 0}) || r.WrittenFrom(At{1, 0}, r.AccessAt(At{2, 0})) || !r.WrittenFrom(At{0, 1}, r.AccessAt(At{2, 0})) {
		t.Error("thread 1 writes the bytes twice, the second time before thread 2 begins")
	}
}

// TestStale: between two reads of a number, another thread changed what the thread read besides.
func TestStale(t *testing.T) {
	const word, besides = LowestVariable, LowestVariable + 64
	reads := did(1, read(word), read(besides))
	for _, c := range []struct {
		name    string
		changed uint64
		raw     uint64
		want    bool
	}{
		{"another value", besides, 1, true}, {"the same value", besides, 0, false}, {"other memory", besides + 64, 1, false},
	} {
		other := did(2, write(c.changed))
		other.Values[0].Raw = c.raw
		r := recorded(reads, other, did(1, write(word)))
		if got := r.Stale(1, At{0, 0}, At{2, 0}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
