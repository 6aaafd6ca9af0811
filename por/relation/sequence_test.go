package relation

import (
	"slices"
	"testing"
	"time"

	"landgo/internal/trace"
)

func access(t trace.TID, addr uint64, f trace.AccessFlags) *Event {
	return &Event{Thread: t, Accesses: []trace.Access{{Addr: addr, Size: 4, Flags: f}}}
}

// TestExcuse: thread 3's write beside a race leaves v out. It does so until an event comes that depends
// on it and can be of v.
func TestExcuse(t *testing.T) {
	r := newRun()
	r.o.Widen(4)
	for _, e := range []*Event{access(0, 0, trace.Write), access(1, 0, trace.Write)} {
		r.push(e)
	}
	s, race := NewSequence(r.o, true), r.o.Races[0]
	insert := func(e *Event) (x Excuse) {
		s.Reverse(race)
		s.Start()
		if s.Weak(&Step{Event: *e}, true) == Perhaps {
			s.Excused()
		}
		s.Excuse(&x)
		return x
	}
	for _, c := range []struct {
		name        string
		next        *Event
		want, again bool // again: a new look gives an excuse
	}{
		{"a write of other bytes", access(2, 16, trace.Write), true, true},
		{"a read of its bytes", access(2, 24, 0), false, false},
		{"a read of its bytes after the first event", access(0, 24, 0), true, true},
		{"a step of its thread", access(3, 32, 0), false, true},
	} {
		x := insert(access(3, 24, trace.Write))
		from := int32(r.o.Len())
		r.o.Looked = from
		r.push(c.next)
		if got := x.Stands(r.o, race, from); got != c.want {
			t.Errorf("%s: the excuse stands: %v", c.name, got)
		}
		if how := insert(access(3, 24, trace.Write)); how.given != c.again {
			t.Errorf("%s: a new look excuses it: %v", c.name, how.given)
		}
		if r.o.Pop(); r.o.Looked != from {
			t.Errorf("%d events are left that were looked at, of %d", r.o.Looked, from)
		}
	}
	if x := insert(access(3, 0, 0)); x.given || x.Stands(r.o, race, 2) {
		t.Error("a step that depends on v is no excuse")
	}
}

// TestExcusesAddition: an addition excuses a race as long as others beside it leave it room. One more is a
// reason to look again.
func TestExcusesAddition(t *testing.T) {
	r := newRun()
	r.o.Widen(4)
	drop := func(thread trace.TID, before int64) *Event {
		e := access(thread, 24, trace.Write|trace.RMW)
		blend, more := trace.TestedAddition(e.Accesses[0].Size, -1, 1, before)
		e.Accesses[0].SetBlend(blend)
		e.More = more
		return e
	}
	for _, e := range []*Event{access(0, 0, trace.Write), access(1, 0, trace.Write)} {
		r.push(e)
	}
	s, race := NewSequence(r.o, true), r.o.Races[0]
	look := func(b *Event) (x Excuse) {
		s.Reverse(race)
		if s.Start(); s.Weak(&Step{Event: *b}, true) == Perhaps {
			s.Excused()
		}
		s.Excuse(&x)
		return x
	}
	sleeper := drop(3, 3) // one more may come before a thread finds one reference
	x := look(sleeper)
	if !x.given {
		t.Fatal("an addition that nothing depends on is no excuse")
	}
	from := int32(r.o.Len())
	r.push(drop(2, 3))
	if x.Stands(r.o, race, from) {
		t.Error("the excuse stands, whatever room there is")
	}
	if x = look(sleeper); !x.given {
		t.Error("there is room for one more, and it is no excuse")
	}
	r.push(drop(2, 2))
	if x = look(sleeper); x.given {
		t.Error("there is no room for two more, and it is an excuse")
	}
}

// TestSequence: x is written by thread 0 and then by 1; between them 1 writes y
// and 2 writes z. To reverse the race, 1 writes y and x; z may come as well.
func TestSequence(t *testing.T) {
	r := newRun()
	x0, y1, z2, x1 := access(0, 0, trace.Write), access(1, 8, trace.Write), access(2, 16, trace.Write), access(1, 0, trace.Write)
	for _, e := range []*Event{x0, y1, z2, x1} {
		r.push(e)
	}
	if len(r.o.Races) != 1 {
		t.Fatalf("%d races, want one", len(r.o.Races))
	}
	s := NewSequence(r.o, true)
	s.Reverse(r.o.Races[0])
	s.Start()
	if s.From != 0 || s.First || s.Single() || s.Varies || !slices.Equal(s.Items(), []int32{1, -1}) {
		t.Fatalf("from %d, items %v", s.From, s.Items())
	}
	step := func(e *Event) *Step { return &Step{Event: *e} }
	for _, c := range []struct {
		name string
		e    *Event
		want Verdict
	}{
		{"its first step", y1, Initial},
		{"a first step of the rest", z2, Initial},
		{"a step that nothing in it depends on", access(3, 24, trace.Write), Perhaps},
		{"one that e' depends on", access(3, 0, 0), No},
	} {
		r.o.Widen(4)
		s.Reverse(r.o.Races[0])
		s.Start()
		if got := s.Weak(step(c.e), true); c.want == Initial && got == No || c.want != Initial && got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// A reader of z after it: what v says nothing of becomes part of it.
	s.Start()
	if got := s.Weak(step(access(3, 16, 0)), true); got != No || !slices.Equal(s.Items(), []int32{1, 2, -1}) {
		t.Errorf("%v, and v is %v: want it to have grown by z", got, s.Items())
	}
	s.Start()
	s.Remove(step(y1))
	if !slices.Equal(s.Items(), []int32{-1}) || s.Event(-1).Accesses[0].Addr != 0 {
		t.Errorf("without its first step v is %v", s.Items())
	}
}

// TestSequenceVaries: a compare-and-exchange that failed may succeed in its new
// place, and then depends on a read between.
func TestSequenceVaries(t *testing.T) {
	r := newRun()
	r.push(access(0, 0, trace.Write))
	r.push(access(2, 0, 0))
	r.push(access(1, 0, trace.Atomic|trace.FailedCAS))
	s := NewSequence(r.o, true)
	i := slices.IndexFunc(r.o.Races, func(x Race) bool { return x.Second == 2 })
	s.Reverse(r.o.Races[i])
	s.Start()
	if !s.Varies || !s.Last.Accesses[0].IsWrite() {
		t.Error("the exchange isn't taken for one that may succeed")
	}
	if !s.First || s.Begins(-1) != Perhaps {
		t.Error("that it comes first counts as settled")
	}
}

// TestStepKeeps: a step that is kept, cleared and used again owns what it has.
func TestStepKeeps(t *testing.T) {
	e := access(1, 8, trace.Write)
	e.Ops = []trace.Op{{Kind: trace.OpTryLockFail, Obj: 1}}
	var s Step
	s.Copy(e)
	if !s.Blur(true) || s.Ops[0].Kind != trace.OpTryLock || e.Ops[0].Kind != trace.OpTryLockFail {
		t.Error("a blurred copy changes what it was copied from, or nothing")
	}
	s.Clear()
	if s.Begin(&trace.Thread{ID: 2, Pending: trace.Op{Kind: trace.OpAccess}, PendingAccess: trace.Access{Addr: 24}}); s.Thread != 2 || len(s.Ops) != 0 || s.Accesses[0].Addr != 24 {
		t.Errorf("begins with %+v", s.Event)
	}
}

// BenchmarkStarts: a race at the beginning of an execution of 20,000 events, few of them
// dependent, against branches of threads that have few events, or none, behind it.
func BenchmarkStarts(b *testing.B) {
	r := newRun()
	const threads = 4
	r.o.Widen(threads + 1)
	r.push(access(0, 0, trace.Write))
	r.push(access(1, 0, trace.Write))
	for i := range 20_000 {
		t := trace.TID(2 + i%2)
		r.push(access(t, 8+8*uint64(t)+64*uint64(i%100), trace.Write))
	}
	r.push(access(threads, 1<<20, trace.Write))
	s := NewSequence(r.o, true)
	s.Reverse(r.o.Races[0])
	ended := &Step{Event: *access(0, 0, 0)}
	late := &Step{Event: *access(threads, 1<<20, trace.Write)}
	b.ResetTimer()
	for range b.N {
		s.Start()
		s.Starts(ended, true)
		s.Starts(late, true)
	}
}

// TestSequenceOfLoop: what a race with a try takes is no more where a thousand turns of a loop
// come after it than where a few do.
func TestSequenceOfLoop(t *testing.T) {
	took := func(turns int) time.Duration {
		r := newRun()
		r.push(access(0, 0, trace.Write))
		r.push(access(1, 0, trace.Atomic|trace.FailedCAS))
		for range turns {
			r.push(access(0, 0, trace.Write))
			r.push(access(1, 0, 0))
		}
		s := NewSequence(r.o, true)
		least := time.Hour
		for range 40 {
			begun := time.Now()
			for range 50 {
				s.Reverse(r.o.Races[0])
			}
			least = min(least, time.Since(begun))
		}
		if !s.Varies || s.From != 0 {
			t.Fatal("the first race isn't that of the exchange")
		}
		return least
	}
	few, many := took(8), took(2_000)
	t.Logf("8 turns: %v, 2,000: %v", few, many)
	if many > 10*few {
		t.Errorf("8 turns take %v, 2,000 %v", few, many)
	}
}
