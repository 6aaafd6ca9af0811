package race

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"testing"

	"landgo/internal/trace"

	"pgregory.net/rapid"
)

// TestRewind: going back and on in another way is as if one had gone that way
// at first.
func TestRewind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, wrong, right := executions.Draw(t, "head"), executions.Draw(t, "wrong"), executions.Draw(t, "right")
		d, fresh := New(Config{}), New(Config{})
		run := func(d *Detector, steps []trace.Transition) {
			for i := range steps {
				d.Step(&steps[i])
			}
		}
		run(d, head)
		k := d.Mark()
		run(d, wrong)
		inner := d.Mark()
		run(d, head)
		d.Rewind(inner)
		d.Rewind(k)
		before := len(d.log)
		d.Forget()
		run(d, right)
		run(fresh, head)
		fresh.Forget()
		run(fresh, right)
		if got, want := strings.Join(found(d), ", "), strings.Join(found(fresh), ", "); got != want {
			t.Fatalf("found %s, fresh %s", got, want)
		}
		d.Rewind(k)
		if len(d.log) != before {
			t.Fatalf("a log of %d, was %d", len(d.log), before)
		}
	})
}

func step(t trace.TID, parts ...any) *trace.Transition {
	x := &trace.Transition{Thread: t}
	for _, p := range parts {
		switch p := p.(type) {
		case trace.Access:
			x.Accesses = append(x.Accesses, p)
		case trace.Op:
			x.Did(p)
		case trace.TID:
			x.Wakes = append(x.Wakes, p)
		}
	}
	return x
}

func read(pc uint64) trace.Access { return trace.Access{Addr: 64, Size: 8, PC: pc} }
func write(pc uint64) trace.Access {
	return trace.Access{Addr: 64, Size: 8, PC: pc, Flags: trace.Write}
}
func lock(obj uint64) trace.Op   { return trace.Op{Kind: trace.OpLock, Obj: obj} }
func unlock(obj uint64) trace.Op { return trace.Op{Kind: trace.OpUnlock, Obj: obj} }

// TestModes: the example of Blum and Gibson, Fig. 3: an access before a
// critical section races with one after another thread's: the sections could
// have come in the other order. Pure happens-before doesn't see it in this
// order.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		want int
	}{{HB, 0}, {Limited, 1}} {
		d := New(Config{Mode: c.mode})
		d.Step(step(0, trace.Op{Kind: trace.OpCreate, Obj: 1}, trace.Op{Kind: trace.OpCreate, Obj: 2}))
		d.Step(step(1, write(1), lock(8), unlock(8)))
		d.Step(step(2, lock(8), unlock(8), write(2)))
		if n := len(d.Candidates()); n != c.want {
			t.Errorf("mode %d: %d candidates, want %d", c.mode, n, c.want)
		}
	}
}

// TestClasses: a pair is confirmed by its second order; one instruction's pair
// with itself by another thread's coming first.
func TestClasses(t *testing.T) {
	d := New(Config{})
	k := d.Mark()
	d.Step(step(0, write(1)))
	d.Step(step(1, read(2)))
	c := d.Candidates()[0]
	if !c.AFirst || c.BFirst || c.BothOrders() || c.Shown.Earlier.Thread != 0 || c.Shown.Later.Step != 1 {
		t.Errorf("one order: %+v", c)
	}
	d.Rewind(k)
	d.Step(step(1, read(2)))
	d.Step(step(0, write(1)))
	if !c.BothOrders() || len(d.Candidates()) != 1 {
		t.Errorf("both orders: %+v", c)
	}

	d = New(Config{})
	k = d.Mark()
	d.Step(step(0, write(1)))
	d.Step(step(1, write(1)))
	if c = d.Candidates()[0]; c.BothOrders() {
		t.Errorf("one instruction, one order: %+v", c)
	}
	d.Rewind(k)
	d.Step(step(1, write(1)))
	d.Step(step(0, write(1)))
	if !c.BothOrders() {
		t.Errorf("one instruction, both orders: %+v", c)
	}
}

// TestSynchronisation: what orders two accesses, in each mode; and what looks as
// if it did.
func TestSynchronisation(t *testing.T) {
	op := func(k trace.OpKind, obj uint64) trace.Op { return trace.Op{Kind: k, Obj: obj} }
	once := func(arg uint64) trace.Op { return trace.Op{Kind: trace.OpOnce, Obj: 8, Arg: arg} }
	flag := func(pc uint64, f trace.AccessFlags) trace.Access {
		return trace.Access{Addr: 128, Size: 4, PC: pc, Flags: f}
	}
	const locked = trace.Write | trace.RMW | trace.Atomic
	drop := func(pc uint64, before int64) trace.Access { // of a reference, and whether it was the last
		a := flag(pc, locked)
		blend, _ := trace.TestedAddition(a.Size, -1, 1, before)
		a.SetBlend(blend)
		return a
	}
	seq := func(steps ...*trace.Transition) []*trace.Transition { return steps }
	for _, c := range []struct {
		name        string
		steps       []*trace.Transition
		hb, limited bool // ordered
	}{
		{"nothing", seq(step(0, write(1)), step(1, read(2))), false, false},
		{"create", seq(step(0, write(1), op(trace.OpCreate, 1), trace.TID(1)), step(1, read(2))), true, true},
		{"what its creator does later", seq(step(0, op(trace.OpCreate, 1), trace.TID(1), write(1)), step(1, read(2))), false, false},
		{"join", seq(step(1, write(1), op(trace.OpExit, 1)), step(0, op(trace.OpJoin, 1), read(2))), true, true},
		{"try to join", seq(step(1, write(1), op(trace.OpExit, 1)), step(0, op(trace.OpTryJoin, 1), read(2))), true, true},
		{"try to join in vain", seq(step(1, write(1)), step(0, op(trace.OpTryJoinFail, 1), read(2))), false, false},
		{"mutex, before and after", seq(step(0, write(1), lock(8), unlock(8)), step(1, lock(8), unlock(8), read(2))), true, false},
		{"mutex, within", seq(step(0, lock(8), write(1), unlock(8)), step(1, lock(8), read(2), unlock(8))), true, true},
		{"two mutexes", seq(step(0, lock(8), write(1), unlock(8)), step(1, lock(9), read(2), unlock(9))), false, false},
		{"mutex by a try", seq(step(0, lock(8), write(1), unlock(8)), step(1, op(trace.OpTryLock, 8), read(2), unlock(8))), true, true},
		{"a try in vain", seq(step(0, lock(8), write(1)), step(1, op(trace.OpTryLockFail, 8), read(2))), false, false},
		{"writer, reader", seq(step(0, op(trace.OpWriteLock, 8), write(1), op(trace.OpWriteUnlock, 8)), step(1, op(trace.OpReadLock, 8), read(2), op(trace.OpReadUnlock, 8))), true, true},
		{"reader, writer", seq(step(0, op(trace.OpReadLock, 8), read(1), op(trace.OpReadUnlock, 8)), step(1, op(trace.OpWriteLock, 8), write(2), op(trace.OpWriteUnlock, 8))), true, true},
		{"a reader that writes, reader", seq(step(0, op(trace.OpReadLock, 8), write(1), op(trace.OpReadUnlock, 8)), step(1, op(trace.OpReadLock, 8), read(2), op(trace.OpReadUnlock, 8))), false, false},
		{"signal", seq(step(0, write(1), op(trace.OpCondSignal, 8), trace.TID(1)), step(1, read(2))), true, true},
		{"broadcast", seq(step(0, write(1), op(trace.OpCondBroadcast, 8), trace.TID(2), trace.TID(1)), step(1, read(2))), true, true},
		{"a signal to another", seq(step(0, write(1), op(trace.OpCondSignal, 8), trace.TID(2)), step(1, read(2))), false, false},
		{"a wait that runs out", seq(step(0, write(1), op(trace.OpCondSignal, 8)), step(1, op(trace.OpCondTimeout, 8), read(2))), false, false},
		{"semaphore", seq(step(0, write(1), op(trace.OpSemPost, 8)), step(1, op(trace.OpSemWait, 8), read(2))), true, true},
		{"semaphore by a try", seq(step(0, write(1), op(trace.OpSemPost, 8)), step(1, op(trace.OpSemTryWait, 8), read(2))), true, true},
		{"a semaphore's value", seq(step(0, write(1), op(trace.OpSemPost, 8)), step(1, op(trace.OpSemGet, 8), read(2))), false, false},
		{"barrier", seq(step(0, write(1), op(trace.OpBarrierArrive, 8)), step(1, op(trace.OpBarrierArrive, 8)), step(1, op(trace.OpBarrierLeave, 8), read(2))), true, true},
		{"barrier, round after round", seq(step(0, op(trace.OpBarrierArrive, 8)), step(1, op(trace.OpBarrierArrive, 8)), step(0, op(trace.OpBarrierLeave, 8), write(1)), step(1, op(trace.OpBarrierLeave, 8), read(2))), false, false},
		{"once", seq(step(0, once(trace.OnceBegins), write(1), once(trace.OnceEnds)), step(1, once(trace.OnceDone), read(2))), true, true},
		{"a thread that found it done", seq(step(0, write(1), once(trace.OnceDone)), step(1, once(trace.OnceDone), read(2))), false, false},
		{"locked instructions", seq(step(0, write(1), flag(3, locked)), step(1, flag(4, locked), read(2))), true, false},
		{"references dropped, none the last", seq(step(0, write(1), drop(3, 3)), step(1, drop(4, 2), read(2))), false, false},
		{"references dropped, then the last", seq(step(0, write(1), drop(3, 2)), step(1, drop(4, 1), read(2))), true, false},
		{"references dropped, a plain locked one behind", seq(step(0, write(1), drop(3, 3)), step(1, flag(4, locked), read(2))), true, false},
		{"a reference dropped behind a locked one", seq(step(0, write(1), flag(3, locked)), step(1, drop(4, 3), read(2))), true, false},
		{"a locked one that fails to exchange", seq(step(0, write(1), flag(3, trace.Atomic|trace.FailedCAS)), step(1, flag(4, locked), read(2))), false, false},
		{"a locked one and a plain load", seq(step(0, write(1), flag(3, locked)), step(1, flag(4, 0), read(2))), false, false},
		{"relaxed: plain accesses", seq(step(0, write(1), flag(3, trace.Write)), step(1, flag(4, 0), read(2))), false, false},
		{"futex", seq(step(0, write(1), op(trace.OpFutexWake, 8), trace.TID(1)), step(1, read(2))), true, true},
		{"a futex's wait that runs out", seq(step(0, write(1), op(trace.OpFutexWake, 8)), step(1, op(trace.OpFutexTimeout, 8), read(2))), false, false},
		{"requeue", seq(step(0, write(1), op(trace.OpFutexRequeue, 8), trace.TID(1)), step(1, read(2))), true, true},
		{"futex with priorities", seq(step(0, op(trace.OpFutexLockPI, 8), write(1), op(trace.OpFutexUnlockPI, 8)), step(1, op(trace.OpFutexLockPI, 8), read(2))), true, true},
		{"futex with priorities by a try", seq(step(0, write(1), op(trace.OpFutexUnlockPI, 8)), step(1, op(trace.OpFutexTryPI, 8), read(2))), true, false},
		{"make_runnable", seq(step(1, op(trace.OpDeschedule, 1)), step(0, write(1), op(trace.OpMakeRunnable, 1), trace.TID(1)), step(1, read(2))), true, true},
		{"make_runnable of a thread that runs", seq(step(0, write(1), op(trace.OpMakeRunnable, 1)), step(1, read(2))), false, false},
		// One lock for all, however a kernel reports it.
		{"interrupts off", seq(step(0, lock(0), write(1), unlock(0)), step(1, lock(0), read(2), unlock(0))), true, true},
	} {
		for _, m := range []struct {
			mode    Mode
			ordered bool
		}{{HB, c.hb}, {Limited, c.limited}} {
			d := New(Config{Mode: m.mode})
			for _, x := range c.steps {
				d.Step(x)
			}
			_, racing := d.found[Pair{1, 2}]
			if racing == m.ordered {
				t.Errorf("%s, mode %d: racing is %v", c.name, m.mode, racing)
			}
		}
	}
}

// TestAtomicLoad: a plain load of a variable that is declared as atomic may be a
// sequentially consistent one, and acquires what a locked instruction released.
func TestAtomicLoad(t *testing.T) {
	d := New(Config{Atomic: ofAddress(func(addr uint64) bool { return addr&^7 == 128 })})
	d.Step(step(0, write(1), trace.Access{Addr: 128, Size: 4, PC: 3, Flags: trace.Write | trace.RMW | trace.Atomic}))
	d.Step(step(1, trace.Access{Addr: 128, Size: 4, PC: 4}, read(2)))
	if d.found[Pair{1, 2}] != nil {
		t.Errorf("%v", found(d))
	}
}

// TestKinds: what the standards call no race, and what the allocator orders, are distinguished
// from data races, and the least kind counts.
func TestKinds(t *testing.T) {
	kind := func(want Kind, steps ...*trace.Transition) {
		t.Helper()
		d := New(Config{Atomic: func(pc, addr uint64) Atomicity {
			switch {
			case addr == 128 || pc == 77:
				return Declared
			case addr == 256:
				return Perhaps
			}
			return Plain
		}})
		for _, x := range steps {
			d.Step(x)
		}
		if c := d.Candidates(); len(c) != 1 || c[0].Kind != want {
			t.Errorf("%v, want one of kind %v", found(d), want)
		}
	}
	at := func(addr, pc uint64, flags trace.AccessFlags) trace.Access {
		return trace.Access{Addr: addr, Size: 4, PC: pc, Flags: flags}
	}
	const w, locked = trace.Write, trace.Write | trace.RMW | trace.Atomic
	reuse := trace.Op{Kind: trace.OpReuse, Obj: 64, Size: 16}
	kind(Data, step(0, at(64, 1, w)), step(1, at(64, 2, 0)))
	kind(Data, step(0, at(64, 1, w)), step(1, at(64, 2, locked)))
	kind(Sync, step(0, at(64, 1, locked)), step(1, at(64, 2, locked)))
	kind(Sync, step(0, at(128, 1, w)), step(1, at(128, 2, 0)))
	kind(Sync, step(0, at(128, 1, w)), step(1, at(64, 2, 0)), step(1, at(128, 2, 0)))
	kind(Data, step(0, at(128, 1, w), at(64, 1, w)), step(1, at(64, 2, 0), at(128, 2, 0)))
	kind(Recycled, step(0, at(64, 1, w), reuse), step(1, at(64, 2, w)))
	kind(Recycled, step(0, at(64, 1, w)), step(1, reuse, at(64, 2, w)))
	kind(Data, step(0, at(64, 1, w)), step(1, reuse, at(64, 2, w)), step(0, at(64, 1, w)))
	kind(Recycled, step(0, at(64, 1, w)), step(1, trace.Op{Kind: trace.OpReuse, Obj: 0, Size: 1 << 30}, at(64, 2, w))) // more than is known
	// Of memory whose type isn't known, and of what is atomic by the instruction.
	kind(Unclear, step(0, at(256, 1, w)), step(1, at(256, 2, 0)))
	kind(Unclear, step(0, at(256, 1, w)), step(1, at(256, 2, locked)))
	kind(Sync, step(0, at(256, 77, w)), step(1, at(256, 77, 0)))
	kind(Unclear, step(0, at(256, 77, w)), step(1, at(256, 2, 0)))
	kind(Data, step(0, at(64, 77, w)), step(1, at(64, 2, 0)))
	kind(Data, step(0, at(256, 1, w)), step(1, at(256, 2, 0)), step(0, at(64, 1, w)), step(1, at(64, 2, 0)))
	// An access that has no order with the end of its block's life.
	kind(Data, step(0, at(64, 1, 0)), step(1, trace.Op{Kind: trace.OpFree, Obj: 64, Size: 16, PC: 9}))
}

// TestRecycledGone: a candidate that was taken for the allocator's doing is one
// as soon as it is seen within one life, and its orders are of those times only.
func TestRecycledGone(t *testing.T) {
	d := New(Config{})
	k := d.Mark()
	d.Step(step(0, write(1), trace.Op{Kind: trace.OpReuse, Obj: 64, Size: 16}))
	d.Step(step(1, write(2)))
	c := d.Candidates()[0]
	if c.Kind != Recycled || !c.AFirst || c.Bare {
		t.Fatalf("%+v", c)
	}
	d.Rewind(k)
	d.Step(step(1, write(2)))
	d.Step(step(0, read(3), write(1)))
	if c.Kind != Data || c.AFirst || !c.BFirst || !c.Bare || len(d.News()) == 0 {
		t.Errorf("%+v, news %v", c, d.News())
	}
}

// TestBare: a candidate is bare as soon as one of its accesses comes without a
// preemption point right before it, whenever that is.
func TestBare(t *testing.T) {
	d := New(Config{})
	d.Step(step(0, write(1)))
	d.Step(step(1, read(2)))
	c := d.Candidates()[0]
	if c.Bare {
		t.Errorf("bare, with a point before each: %+v", c)
	}
	d.Step(step(0, trace.Access{Addr: 8, Size: 8, PC: 5}, write(1)))
	if !c.Bare {
		t.Errorf("not bare, with one in the middle of a step: %+v", c)
	}
	d.Forget()
	if len(d.Candidates()) != 0 {
		t.Error("candidates are left")
	}
}

// TestNeighbours: mode Adjacent knows a program's own synchronisation, whatever
// it is made of. Happens-before doesn't know flags.
func TestNeighbours(t *testing.T) {
	flag := func(pc uint64, flags trace.AccessFlags) trace.Access {
		return trace.Access{Addr: 128, Size: 4, PC: pc, Flags: flags}
	}
	for mode, want := range map[Mode]string{HB: "1 then 4 data, 2 then 3 data", Adjacent: "2 then 3 data"} {
		d := New(Config{Mode: mode})
		d.Step(step(0, write(1)))
		d.Step(step(0, flag(2, trace.Write)))
		d.Step(step(1, flag(3, 0)))
		d.Step(step(1, read(4)))
		if got := strings.Join(found(d), ", "); got != want {
			t.Errorf("mode %d: %s, want %s", mode, got, want)
		}
	}
}

// TestAdd: it makes no difference which detector watched which execution, nor
// in which order.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, other := executions.Draw(t, "one"), executions.Draw(t, "other")
		run := func(d *Detector, steps []trace.Transition) {
			k := d.Mark()
			for i := range steps {
				d.Step(&steps[i])
			}
			d.Rewind(k)
		}
		text := func(d *Detector) string {
			var all []string
			for _, c := range d.Candidates() {
				all = append(all, fmt.Sprintf("%+v", *c))
			}
			sort.Strings(all)
			return strings.Join(all, "\n")
		}
		a, b, both := New(Config{}), New(Config{}), New(Config{})
		run(a, one)
		run(b, other)
		run(both, other)
		run(both, one)
		if from := a.Add(b); len(from) != len(a.Changed()) {
			t.Fatalf("%d from the other, %d changed", len(from), len(a.Changed()))
		}
		// Of equal sightings at different steps either may stay.
		step := regexp.MustCompile(`(Step|Insn|Write|Size):\w+ ?`)
		if got, want := step.ReplaceAllString(text(a), ""), step.ReplaceAllString(text(both), ""); got != want {
			t.Fatalf("added:\n%s\nwatched by one:\n%s", got, want)
		}
	})
}

// TestClass: what a candidate is called, by what a search saw.
func TestClass(t *testing.T) {
	for _, c := range []struct {
		is               Candidate
		complete, failed bool
		want             Class
	}{
		{Candidate{AFirst: true, BFirst: true}, true, false, Benign},
		{Candidate{AFirst: true}, true, false, FalsePositive},
		{Candidate{AFirst: true, BFirst: true}, false, false, Untested},
		{Candidate{AFirst: true, BFirst: true, Bare: true}, true, false, Untested},
		{Candidate{AFirst: true, BFirst: true, Bare: true}, false, true, Buggy},
		{Candidate{AFirst: true, BFirst: true, Kind: Recycled}, true, false, FalsePositive},
	} {
		if got := c.is.Class(c.complete, c.failed); got != c.want {
			t.Errorf("%+v, complete %v, failed %v: %v, want %v", c.is, c.complete, c.failed, got, c.want)
		}
	}
}

// TestManyInstructions: where a thousand instructions race with each other, the pairs that are
// distinguished have an end; where races are bugs, they have none.
func TestManyInstructions(t *testing.T) {
	const n = 160
	for _, mode := range []Mode{HB, Limited, Adjacent} {
		d := New(Config{Mode: mode, Fine: true})
		for round := range n {
			for pc := range uint64(n) {
				d.Step(step(1, write(pc)))
				d.Step(step(2, write(n+(pc+uint64(round))%n)))
			}
		}
		if got := len(d.Candidates()); mode == Adjacent && got < n*n || mode != Adjacent && got != mostCandidates {
			t.Errorf("mode %v: %d pairs of %d", mode, got, n*n)
		}
	}
}

// TestLongStep: an access that comes after an unlock isn't beneath the lock, however many come
// before it in the step.
func TestLongStep(t *testing.T) {
	for _, c := range []Config{{Mode: HB}, {Mode: Limited}} {
		d := New(c)
		for id := trace.TID(1); id <= 2; id++ {
			parts := []any{lock(8)}
			for i := range uint64(100_000) {
				parts = append(parts, trace.Access{Addr: 4096 + 8*i, Size: 8, PC: 1, Flags: trace.Write})
			}
			d.Step(step(id, append(parts, unlock(8), write(2))...))
		}
		if n := len(d.Candidates()); n != 1 {
			t.Errorf("%v: %d candidates, not 1", c.Mode, n)
		}
	}
}
