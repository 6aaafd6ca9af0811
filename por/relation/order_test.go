package relation

import (
	"math/rand"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// run is an execution that a test makes up, with the order that is tested.
type run struct {
	o      *Order
	events []*Event
	wakes  [][]trace.TID // by event
}

const threads = 3

func newRun() *run {
	r := &run{o: New()}
	r.o.Ready = func(int32, trace.TID) bool { return true }
	r.o.Widen(threads)
	return r
}

func (r *run) push(e *Event) int32 {
	var first trace.Op
	if len(e.Ops) > 0 {
		first = e.Ops[0]
	}
	r.o.Push(e, first)
	r.events, r.wakes = append(r.events, e), append(r.wakes, nil)
	return int32(len(r.events) - 1)
}

func (r *run) wake(t trace.TID) {
	r.o.Wake(t)
	last := len(r.wakes) - 1
	r.wakes[last] = append(r.wakes[last], t)
}

func (r *run) pop() {
	r.o.Pop()
	r.events, r.wakes = r.events[:len(r.events)-1], r.wakes[:len(r.wakes)-1]
}

// edge reports whether event i comes before event j because the two depend or,
// let, because i woke j's thread for it.
func (r *run) edge(i, j int) (dependent, let bool) {
	t := r.events[j].Thread
	for k := j - 1; k > i; k-- {
		if r.events[k].Thread == t {
			return r.events[i].Dependent(r.events[j]), false
		}
	}
	return r.events[i].Dependent(r.events[j]), slices.Contains(r.wakes[i], t)
}

// closure is happens-before by its definition.
func (r *run) closure() (before [][]bool) {
	n := len(r.events)
	for j := range n {
		row := make([]bool, n)
		for i := j - 1; i >= 0; i-- {
			if dep, let := r.edge(i, j); dep || let {
				row[i] = true
				for k := range i {
					row[k] = row[k] || before[i][k]
				}
			}
		}
		before = append(before, row)
	}
	return before
}

// anyEvent makes up an event that never waits.
func anyEvent(rnd *rand.Rand) *Event {
	e := &Event{Thread: trace.TID(rnd.Intn(threads))}
	access := func() trace.Access {
		a := trace.Access{Addr: uint64(0x100 + rnd.Intn(20)), Size: uint32(1 + rnd.Intn(8))}
		if rnd.Intn(2) == 0 {
			a.Flags = trace.Write
		}
		if rnd.Intn(4) == 0 {
			a.Flags |= trace.Buffered
		}
		return a
	}
	for range rnd.Intn(3) {
		e.Accesses = append(e.Accesses, access())
	}
	if rnd.Intn(8) == 0 {
		read := access()
		read.Flags = 0
		e.Waits = []trace.Access{read}
	}
	kinds := []trace.OpKind{trace.OpTryLock, trace.OpTryLockFail, trace.OpUnlock, trace.OpSemPost, trace.OpSemGet, trace.OpSemTryWait, trace.OpSyscall, trace.OpOnceLook, trace.OpOncePass,
		trace.OpFree, trace.OpReuse, trace.OpPage}
	for range rnd.Intn(2) {
		o := trace.Op{Kind: kinds[rnd.Intn(len(kinds))], Obj: uint64(0x104 + 8*rnd.Intn(2)), Arg: uint64(rnd.Intn(2))}
		if rnd.Intn(2) == 0 {
			o.Obj, o.Size = 0x200+o.Obj, 4
			if rnd.Intn(3) == 0 {
				o.Obj, o.Size = o.Obj-0x200+4, 8 // bytes of the accesses
			}
			e.Accesses = append(e.Accesses, trace.Access{Addr: o.Obj + uint64(rnd.Intn(8)), Size: 1})
		}
		e.Ops = append(e.Ops, o)
	}
	if rnd.Intn(40) == 0 {
		e.Advance, e.Global = true, true
	}
	return e
}

// anyRun makes up an execution, with events that are taken back and followed by
// others.
func anyRun(rnd *rand.Rand, next func(*rand.Rand) *Event) *run {
	r := newRun()
	for range 30 + rnd.Intn(30) {
		if len(r.events) > 0 && rnd.Intn(4) == 0 {
			for range rnd.Intn(min(6, len(r.events))) {
				r.pop()
			}
		}
		r.push(next(rnd))
		if rnd.Intn(6) == 0 {
			r.wake(trace.TID(rnd.Intn(threads)))
		}
	}
	if rnd.Intn(4) == 0 {
		r.push(&Event{Thread: 1, Global: true}) // the end of the process
	}
	return r
}

// TestBefore: the clocks say what the definition says, whatever was taken back.
func TestBefore(t *testing.T) {
	for seed := range int64(300) {
		r := anyRun(rand.New(rand.NewSource(seed)), anyEvent)
		for j, row := range r.closure() {
			for i := range j {
				if got := r.o.Before(int32(i), int32(j)); got != row[i] {
					t.Fatalf("seed %d: event %d before %d: %v, want %v\n%+v\n%+v", seed, i, j, got, row[i], r.events[i], r.events[j])
				}
			}
		}
	}
}

// TestConflicts: with any base, Conflicts finds all events that an event depends
// on and that aren't in the base, newest first.
func TestConflicts(t *testing.T) {
	for seed := range int64(300) {
		rnd := rand.New(rand.NewSource(seed))
		r := anyRun(rnd, anyEvent)
		if r.events[len(r.events)-1].Global {
			r.pop()
		}
		base := make([]int32, r.o.Width())
		if rnd.Intn(4) > 0 {
			copy(base, r.o.Clock(int32(rnd.Intn(len(r.events)))))
		}
		for range 10 {
			e := anyEvent(rnd)
			e.Wild = rnd.Intn(8) == 0
			var want []int32
			for i := len(r.events) - 1; i >= 0; i-- {
				if f := r.events[i]; f.Thread != e.Thread && base[f.Thread] <= int32(i) && f.Dependent(e) {
					want = append(want, int32(i))
				}
			}
			got := slices.DeleteFunc(r.o.Conflicts(e, base, nil), func(i int32) bool { return r.events[i].Thread == e.Thread })
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v, of %+v", seed, got, want, e)
			}
		}
	}
}

// TestRaces: where nothing waits, two events race if they depend and nothing
// orders them but that.
func TestRaces(t *testing.T) {
	next := func(rnd *rand.Rand) *Event {
		e := anyEvent(rnd)
		e.Ops, e.Waits, e.Global, e.Advance = nil, nil, false, false
		return e
	}
	for seed := range int64(300) {
		r := anyRun(rand.New(rand.NewSource(seed)), next)
		before := r.closure()
		races := 0
		for j := range r.events {
			for i := range j {
				dep, let := r.edge(i, j)
				racing := dep && !let && r.events[i].Thread != r.events[j].Thread
				for k := i + 1; k < j && racing; k++ {
					racing = !before[k][i] || !before[j][k]
				}
				listed := slices.ContainsFunc(r.o.Races, func(x Race) bool { return int(x.First) == i && int(x.Second) == j })
				if racing {
					races++
				}
				if racing != listed {
					t.Fatalf("seed %d: events %d and %d race: %v, want %v", seed, i, j, listed, racing)
				}
			}
		}
		if races != len(r.o.Races) {
			t.Fatalf("seed %d: %d races, want %d: some are listed twice", seed, len(r.o.Races), races)
		}
	}
}

// does makes an event of one operation on object 1.
func does(t trace.TID, k trace.OpKind, arg uint64) *Event {
	return &Event{Thread: t, Ops: []trace.Op{{Kind: k, Obj: 1, Arg: arg}}}
}

// TestReversible: of operations that wait, those pairs race whose second could have
// come first.
func TestReversible(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []*Event
		want   [][2]int32
	}{
		{"a lock races with the lock before, not with the unlock that let it in",
			[]*Event{does(0, trace.OpLock, 0), does(0, trace.OpUnlock, 0), does(1, trace.OpLock, 0)}, [][2]int32{{0, 2}}},
		{"two sections, of which each could come first",
			[]*Event{does(0, trace.OpLock, 0), does(0, trace.OpUnlock, 0), does(1, trace.OpLock, 0), does(1, trace.OpUnlock, 0), does(2, trace.OpLock, 0)}, [][2]int32{{0, 2}, {2, 4}}},
		{"a semaphore of one: the wait needs the post",
			[]*Event{does(0, trace.OpSemPost, 0), does(1, trace.OpSemWait, 1)}, nil},
		{"a semaphore with enough: it doesn't",
			[]*Event{does(0, trace.OpSemPost, 0), does(1, trace.OpSemWait, 2)}, [][2]int32{{0, 1}}},
		{"a join needs the exit",
			[]*Event{does(0, trace.OpExit, 0), does(1, trace.OpJoin, 0)}, nil},
		{"readers don't race, a writer does with those that were there before",
			[]*Event{does(0, trace.OpReadLock, 0), does(1, trace.OpReadLock, 0), does(0, trace.OpReadUnlock, 0), does(1, trace.OpReadUnlock, 0), does(2, trace.OpWriteLock, 0)}, [][2]int32{{1, 4}, {0, 4}}},
		{"a recursive lock races with what another thread had",
			[]*Event{does(0, trace.OpLock, 0), does(0, trace.OpLock, 0), does(0, trace.OpUnlock, 0), does(0, trace.OpUnlock, 0), does(1, trace.OpLock, 0)}, [][2]int32{{0, 4}}},
	} {
		r := newRun()
		for _, e := range c.events {
			r.push(e)
		}
		var got [][2]int32
		for _, x := range r.o.Races {
			got = append(got, [2]int32{x.First, x.Second})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: races %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPending: an operation that is blocked at the end races with the acquire of
// the thread that has the lock.
func TestPending(t *testing.T) {
	r := newRun()
	r.push(does(0, trace.OpLock, 0))
	r.push(does(0, trace.OpYield, 0))
	e := does(1, trace.OpLock, 0)
	var got []int32
	r.o.Pending(e, e.Ops[0], func(c int32, _ []int32) { got = append(got, c) })
	if !slices.Equal(got, []int32{0}) {
		t.Errorf("races with %v, want the lock", got)
	}
}

// TestMayBeCoenabled: what a thread does while it has a lock isn't enabled with a
// lock of it, what it does without may be.
func TestMayBeCoenabled(t *testing.T) {
	r := newRun()
	lock := does(0, trace.OpLock, 0)
	for _, e := range []*Event{lock, does(0, trace.OpYield, 0), does(0, trace.OpUnlock, 0), does(0, trace.OpYield, 0), does(0, trace.OpExit, 0)} {
		r.push(e)
	}
	for i, want := range []bool{true, false, false, true, true} {
		if got := r.o.MayBeCoenabled(int32(i), lock.Ops[0]); got != want {
			t.Errorf("event %d: %v", i, got)
		}
	}
	if r.o.MayBeCoenabled(4, does(1, trace.OpJoin, 0).Ops[0]) {
		t.Error("a join with the exit that it waits for")
	}
}

// BenchmarkCommuting: one more increment of a counter that two threads have incremented 20,000
// times, with another counter's in the same word between.
func BenchmarkCommuting(b *testing.B) {
	r := newRun()
	add := func(t trace.TID, addr uint64) *Event {
		e := access(t, addr, trace.Write|trace.Atomic|trace.RMW)
		e.Accesses[0].Size = 4
		e.Accesses[0].SetBlend(trace.BlendAdd)
		return e
	}
	for i := range 20_000 {
		r.push(add(trace.TID(i%2), uint64(i%16/15*4)))
	}
	more := add(0, 0)
	b.ResetTimer()
	for range b.N {
		r.push(more)
		r.pop()
	}
}
