package spins

import (
	"slices"
	"testing"

	"landgo/internal/trace"
)

// at is a read of 4 bytes.
func at(addr uint64) trace.Access { return trace.Access{Addr: addr, Size: 4, PC: addr} }

// with is an access with flags.
func with(a trace.Access, flags trace.AccessFlags) trace.Access {
	a.Flags = flags
	return a
}

// TestDisturbs: what a step of another thread has to do so that a loop's next turn may be another one.
func TestDisturbs(t *testing.T) {
	waits := []trace.Access{at(0x100), at(0x200)}
	for _, tc := range []struct {
		what string
		tr   trace.Transition
		want bool
	}{
		{"a store", trace.Transition{Accesses: []trace.Access{with(at(0x200), trace.Write)}}, true},
		{"a store to a part", trace.Transition{Accesses: []trace.Access{with(at(0x203), trace.Write)}}, true},
		{"a store beside", trace.Transition{Accesses: []trace.Access{with(at(0x204), trace.Write)}}, false},
		{"a read", trace.Transition{Accesses: []trace.Access{at(0x200)}}, false},
		{"a store of what is there", trace.Transition{Accesses: []trace.Access{with(at(0x200), trace.Write|trace.Silent)}}, false},
		{"a store into a buffer", trace.Transition{Accesses: []trace.Access{with(at(0x200), trace.Write|trace.Buffered)}}, false},
		{"an unlock", trace.Transition{Ops: []trace.Op{{Kind: trace.OpUnlock, Obj: 0x100, Size: 40}}}, true},
		{"a try that failed", trace.Transition{Ops: []trace.Op{{Kind: trace.OpTryLockFail, Obj: 0x100, Size: 40}}}, false},
		{"an object without bytes", trace.Transition{Ops: []trace.Op{{Kind: trace.OpCreate, Obj: 0x100}}}, false},
	} {
		if got := Disturbs(&tc.tr, waits); got != tc.want {
			t.Errorf("%s: %v", tc.what, got)
		}
	}
}

// TestOrdered: reads come by their code, each once, and the list that is given stays as it is.
func TestOrdered(t *testing.T) {
	reads := []trace.Access{at(3), at(1), at(2), at(1)}
	if got := Ordered(reads); !slices.Equal(got, []trace.Access{at(1), at(2), at(3)}) || reads[0] != at(3) {
		t.Errorf("%v of %v", got, reads)
	}
}

// TestSameRead: to read again is a turn, and to write what was read isn't.
func TestSameRead(t *testing.T) {
	read, write := at(8), with(at(8), trace.Write)
	other := at(9)
	for _, tc := range []struct {
		a, next *trace.Access
		want    bool
	}{{&read, &read, true}, {&read, &write, false}, {&write, &write, true}, {&write, &read, true}, {&read, &other, false}} {
		if got := SameRead(tc.a, tc.next); got != tc.want {
			t.Errorf("%+v, then %+v: %v", tc.a, tc.next, got)
		}
	}
}

// TestSameSteps: two turns are the same by their accesses and operations. That a thread may be sent
// signals is none.
func TestSameSteps(t *testing.T) {
	turn, yield, lock := trace.Op{Kind: trace.OpTurn}, trace.Op{Kind: trace.OpYield}, trace.Op{Kind: trace.OpLock, Obj: 8}
	step := func(reads []trace.Access, ops ...trace.Op) *trace.Transition {
		return &trace.Transition{Accesses: reads, Ops: ops}
	}
	one, two := []trace.Access{at(1)}, []trace.Access{at(1), at(2)}
	for _, tc := range []struct {
		a, b *trace.Transition
		want bool
	}{
		{step(one, yield), step(one, yield), true},
		{step(one, turn, yield), step(one, yield, turn, turn), true},
		{step(one, yield), step(one), false},
		{step(one), step(one, lock), false},
		{step(one, lock), step(one, trace.Op{Kind: trace.OpLock, Obj: 16}), false},
		{step(one), step(two), false},
		{step(one), step([]trace.Access{at(2)}), false},
	} {
		if got, back := SameSteps(tc.a, tc.b), SameSteps(tc.b, tc.a); got != tc.want || back != tc.want {
			t.Errorf("%+v and %+v: %v, %v", tc.a, tc.b, got, back)
		}
	}
}

// TestTaken: a turn that gives back what it has taken, and nothing else, leaves no lock behind.
func TestTaken(t *testing.T) {
	on := func(k trace.OpKind, obj uint64) trace.Op { return trace.Op{Kind: k, Obj: obj} }
	lock, unlock := on(trace.OpLock, 1), on(trace.OpUnlock, 1)
	for _, tc := range []struct {
		ops   []trace.Op
		gives bool
	}{
		{[]trace.Op{lock, unlock}, true},
		{[]trace.Op{lock, on(trace.OpLock, 2), unlock, on(trace.OpUnlock, 2)}, true},
		{[]trace.Op{lock}, false},
		{[]trace.Op{unlock, lock}, false},
		{[]trace.Op{on(trace.OpReadLock, 1), unlock}, false},
		{[]trace.Op{on(trace.OpReadLock, 1), on(trace.OpWriteLock, 2), on(trace.OpReadUnlock, 1), on(trace.OpWriteUnlock, 2)}, true},
	} {
		var has Taken
		gives := true
		for _, op := range tc.ops {
			gives = gives && PlainLock(op.Kind) && has.Did(op)
		}
		if gives = gives && len(has) == 0; gives != tc.gives {
			t.Errorf("%+v: %v", tc.ops, gives)
		}
	}
	for _, k := range []trace.OpKind{trace.OpTryLock, trace.OpSemWait, trace.OpYield} {
		if PlainLock(k) {
			t.Errorf("others only wait for %v", k)
		}
	}
}

// TestPeriod: the shortest period of a loop is found, if all of what is looked at has it.
func TestPeriod(t *testing.T) {
	loop := func(n, period int) (pcs []uint64) {
		for i := range n {
			pcs = append(pcs, uint64(i%period))
		}
		return pcs
	}
	broken := loop(3*MaxPeriod, 3)
	broken[2*MaxPeriod] = 7
	for _, tc := range []struct {
		pcs  []uint64
		want int
	}{
		{loop(3*MaxPeriod, 1), 1}, {loop(3*MaxPeriod, 7), 7}, {loop(2*MaxPeriod, MaxPeriod), MaxPeriod},
		{loop(3*MaxPeriod, MaxPeriod+1), 0}, {loop(2*MaxPeriod-1, 1), 0}, {broken, 0},
		{append([]uint64{9, 9, 9}, loop(2*MaxPeriod, 5)...), 5},
	} {
		if got := Period(tc.pcs); got != tc.want {
			t.Errorf("%d instructions: %d, want %d", len(tc.pcs), got, tc.want)
		}
	}
}

// TestRounds: a loop's turns count as yields after its first ones, and a thread that goes on elsewhere
// begins anew.
func TestRounds(t *testing.T) {
	var r Rounds
	walk := func(pcs ...uint64) (yields int) {
		for _, pc := range pcs {
			var is bool
			if r, is = r.Reaches(pc); is {
				yields++
			}
		}
		return yields
	}
	// The first turn is looked for after a stretch without any.
	straight := func(from uint64) (pcs []uint64) {
		for i := range uint64(roundSteps + 1) {
			pcs = append(pcs, from+i)
		}
		return pcs
	}
	turns := func(n int, pcs ...uint64) []uint64 { return slices.Repeat(pcs, n) }
	walk(straight(1000)...)
	at := uint64(1000 + roundSteps)
	if n := walk(turns(roundsFirst, 5, at)...); n != 0 {
		t.Errorf("%d of the first turns are yields", n)
	}
	if n := walk(turns(10, 5, at)...); n != 10 {
		t.Errorf("%d of the next 10 turns are", n)
	}
	if n := walk(straight(2000)...); n != 0 {
		t.Errorf("%d elsewhere", n)
	}
	if n := walk(turns(3, at, 5)...); n != 0 {
		t.Errorf("%d of another loop's first turns", n)
	}
}
