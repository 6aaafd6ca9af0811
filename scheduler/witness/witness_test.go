package witness

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// write is a store of 4 bytes by an instruction.
func write(pc uint64) *trace.Access {
	return &trace.Access{Addr: 0x8000, Size: 4, PC: pc, Flags: trace.Write}
}

// TestUnexamined: a pair of places conflicts unless a lock is held at both, or a point
// is before both.
func TestUnexamined(t *testing.T) {
	for _, c := range []struct {
		name  string
		sight func(s Sights)
		pairs int
	}{
		{"nothing held", func(s Sights) {
			s.Sight(1, write(1), nil, false)
			s.Sight(2, write(2), nil, false)
		}, 1},
		{"one lock at both", func(s Sights) {
			s.Sight(1, write(1), []uint64{7, 8}, false)
			s.Sight(2, write(2), []uint64{8}, false)
		}, 0},
		{"not always held", func(s Sights) {
			s.Sight(1, write(1), []uint64{8}, false)
			s.Sight(1, write(1), []uint64{7}, false)
			s.Sight(2, write(2), []uint64{8}, false)
		}, 1},
		{"points before both", func(s Sights) {
			s.Sight(1, write(1), nil, true)
			s.Sight(2, write(2), nil, true)
		}, 0},
		{"a point before one", func(s Sights) {
			s.Sight(1, write(1), nil, true)
			s.Sight(2, write(2), nil, false)
		}, 1},
		{"one thread", func(s Sights) {
			s.Sight(1, write(1), nil, false)
			s.Sight(1, write(2), nil, false)
		}, 0},
		{"a handler and its thread", func(s Sights) {
			s.Sight(1, write(1), nil, false)
			s.Sight(^trace.TID(1), write(2), nil, false)
		}, 1},
		{"reads", func(s Sights) {
			s.Sight(1, &trace.Access{Addr: 0x8000, Size: 4, PC: 1}, nil, false)
			s.Sight(2, &trace.Access{Addr: 0x8000, Size: 4, PC: 2}, nil, false)
		}, 0},
		{"bytes in common", func(s Sights) {
			s.Sight(1, write(1), nil, false)
			s.Sight(2, &trace.Access{Addr: 0x8003, Size: 8, PC: 2}, nil, false)
			s.Sight(2, &trace.Access{Addr: 0x8004, Size: 4, PC: 3}, nil, false)
		}, 1},
		{"one pair of instructions, two places", func(s Sights) {
			for n := range uint64(2) {
				for th := range trace.TID(2) {
					s.Sight(th, &trace.Access{Addr: 0x8000 + 8*n, Size: 4, PC: uint64(th), Flags: trace.Write}, nil, false)
				}
			}
		}, 1},
	} {
		s := Sights{}
		if c.sight(s); len(s.Unexamined()) != c.pairs {
			t.Errorf("%s: %+v", c.name, s.Unexamined())
		}
		if again := SightsOf(s.List()); !slices.Equal(again.Unexamined(), s.Unexamined()) {
			t.Errorf("%s: out of a list: %+v", c.name, again.Unexamined())
		}
	}
}

// TestPairsInOrder: pairs come by address, and say which threads made them.
func TestPairsInOrder(t *testing.T) {
	s := Sights{}
	for n := range uint64(8) {
		at := 0x8000 + 64*(n*5%8)
		s.Sight(1, &trace.Access{Addr: at, Size: 4, PC: 2 * at, Flags: trace.Write}, nil, false)
		s.Sight(trace.TID(2+n), &trace.Access{Addr: at, Size: 4, PC: at}, nil, false)
	}
	pairs := s.Unexamined()
	if len(pairs) != 8 || !slices.IsSortedFunc(pairs, func(a, b Pair) int { return int(a.First.Addr) - int(b.First.Addr) }) {
		t.Fatalf("%+v", pairs)
	}
	for _, p := range pairs {
		if p.First.PC >= p.Second.PC || p.B != 1 || p.A < 2 {
			t.Errorf("%+v", p)
		}
	}
}

// filled has every field set to something, by which n records differ.
func filled(n uint64) Met {
	var m Met
	v := reflect.ValueOf(&m).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case bool:
			f.SetBool(true)
		case string:
			f.SetString(fmt.Sprintf("text %d", n))
		case Ascending:
			f.Set(reflect.ValueOf(Ascending{n, n + 10}))
		case trace.Points, uint64:
			f.SetUint(1 << n)
		case Long:
			f.Set(reflect.ValueOf(Long{Steps: int(n)}))
		case Busy:
			f.Set(reflect.ValueOf(Busy{Insns: n}))
		default:
			panic(v.Type().Field(i).Name + " isn't filled")
		}
	}
	return m
}

// TestAddAll: no field is forgotten where one record is added to another, and none is shared with
// a clone.
func TestAddAll(t *testing.T) {
	one, other := filled(1), filled(2)
	var sum Met
	if sum.Add(&one); !reflect.DeepEqual(sum, one) {
		t.Errorf("added to nothing: %+v", sum)
	}
	kept := sum.Clone()
	sum.Add(&other)
	if !reflect.DeepEqual(kept, one) {
		t.Errorf("a clone has changed: %+v", kept)
	}
	if want := (Ascending{1, 2, 11, 12}); !slices.Equal(sum.Races, want) || !slices.Equal(sum.Unbroken, want) || sum.Points != 6 || sum.Rules != 6 {
		t.Errorf("together: %+v", sum)
	}
	if sum.Long.Steps != 2 || sum.Busy.Insns != 2 || sum.Meant != "text 1" || sum.Wrote != "text 1" {
		t.Errorf("of two: %+v", sum)
	}
	back := other.Clone()
	if back.Add(&one); back.Meant != "text 1" || back.Wrote != "text 2" || back.Long.Steps != 2 {
		t.Errorf("the other way round: %+v", back)
	}
}

// TestTouched: points of accesses are met, and instructions that race by name.
func TestTouched(t *testing.T) {
	var m Met
	m.Touched([]trace.Access{*write(1)}, nil)
	if m.Points != trace.PointMem || len(m.Races) != 0 {
		t.Errorf("a store: %+v", m)
	}
	m.Touched([]trace.Access{{PC: 2, Flags: trace.Atomic}}, nil)
	for range 2 {
		m.Touched([]trace.Access{*write(5), *write(3), *write(4)}, map[uint64]bool{3: true, 5: true})
	}
	if m.Points != trace.PointMem|trace.PointAtomic || !slices.Equal(m.Races, []uint64{3, 5}) {
		t.Errorf("in all: %+v", m)
	}
}

// TestPointsOfTries: a try that failed was at the same points as one that didn't.
func TestPointsOfTries(t *testing.T) {
	for try, failed := range map[trace.OpKind]trace.OpKind{
		trace.OpTryLock: trace.OpTryLockFail, trace.OpSemTryWait: trace.OpSemTryWaitFail,
		trace.OpTryReadLock: trace.OpTryReadLockFail, trace.OpTryWriteLock: trace.OpTryWriteLockFail,
	} {
		if PointsOf(try) != PointsOf(failed) || !PointsOf(try).Has(trace.PointLock|trace.PointSync) {
			t.Errorf("%v: %v, %v", try, PointsOf(try), PointsOf(failed))
		}
	}
	if PointsOf(trace.OpYield) != 0 || PointsOf(trace.OpFutexWait) != trace.PointSync|trace.PointLock|trace.PointUnlock {
		t.Errorf("a yield: %v, a futex: %v", PointsOf(trace.OpYield), PointsOf(trace.OpFutexWait))
	}
}

// saw is a record of a System's, one of several.
func saw(n int) *Record {
	r := NewRecord()
	for i := range n + 1 {
		r.Call(fmt.Sprint("call", i))
		r.Sight(trace.TID(i), write(uint64(i)), []uint64{7, uint64(n)}, n == 0)
	}
	r.Instructions, r.Met = uint64(n)+10, filled(uint64(n))
	return &r
}

// TestHear: to hear two statements one after the other, or their sum, makes the same record. Out of a
// file they are the same.
func TestHear(t *testing.T) {
	one, other, both := NewRecord(), NewRecord(), NewRecord()
	for n := range 3 {
		one.Hear(saw(n).Statement())
	}
	sum := saw(0).Take()
	for n := 1; n < 3; n++ {
		sum.Add(saw(n).Statement())
	}
	other.Hear(sum)
	text, err := json.Marshal(sum)
	var read Statement
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if both.Hear(&read); err != nil || one.Instructions != 33 || !slices.Equal(one.Calls(), []string{"call0", "call1", "call2"}) || len(one.Unexamined()) != 0 {
		t.Errorf("%v; %d instructions, calls %v, pairs %v", err, one.Instructions, one.Calls(), one.Unexamined())
	}
	for _, o := range []*Record{&other, &both} {
		if !reflect.DeepEqual(&one, o) {
			t.Errorf("one by one: %+v\ntogether: %+v", &one, o)
		}
	}
}

// TestTake: what was taken isn't in the next statement, and what is put on record after it is.
func TestTake(t *testing.T) {
	r := saw(2)
	kept := r.Look(nil)
	r.Sight(1, write(1), nil, false)
	if s := r.Take(); len(s.Sightings) != 1 || s.Instructions != 12 || len(s.Calls) != 3 || !s.Met.Ran {
		t.Errorf("taken: %+v", s)
	}
	if len(kept) != 0 || !reflect.DeepEqual(r.Statement().Met, Met{}) || r.Instructions != 0 {
		t.Errorf("left: %+v", r)
	}
	if r.Call("call2"); !slices.Equal(r.Calls(), []string{"call2"}) {
		t.Errorf("after it: %v", r.Calls())
	}
}

// walk is a path of one letter a step. Its code is the instruction at which the step began, and odd for
// thread 1. Capital letters are in the program's source, others in a library.
func walk(letters string, now map[trace.TID]Step) *Path {
	p := &Path{Now: now, HasLine: func(pc uint64) bool { return pc < 'a' }, Name: func(t trace.TID) string { return fmt.Sprint("0.", t) },
		Caller: func(_ trace.TID, pc uint64) uint64 { return 1000 + pc }}
	far := map[trace.TID]uint64{}
	for _, l := range letters {
		th := trace.TID(l & 1)
		p.Steps = append(p.Steps, Step{Transition: &trace.Transition{Thread: th}, PC: uint64(l), Insns: far[th]})
		far[th] += 10
	}
	for th, n := range far {
		if now != nil {
			now[th] = Step{Insns: n}
		}
	}
	return p
}

// TestLong: an execution is long by the place at which most of its steps began, if there are
// many in the program's own source.
func TestLong(t *testing.T) {
	repeat := func(letters string, n int) string { return string(slices.Repeat([]byte(letters), n)) }
	for _, tc := range []struct {
		letters string
		want    Long
	}{
		{repeat("AB", 5), Long{Steps: 10, PC: 'A', Part: 5, Turns: 5, Threads: []string{"0.1"}}},
		{repeat("B", 3) + repeat("c", 20), Long{Steps: 23, PC: 'B', Part: 3, Turns: 3, Threads: []string{"0.0"}}},
		{repeat("B", 1) + repeat("c", 40), Long{Steps: 41, PC: 1000 + 'c', Part: 40, Turns: 40, Threads: []string{"0.1"}}},
	} {
		if got := walk(tc.letters, nil).Long(); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v", tc.letters, got)
		}
	}
}

// TestWay: the way goes up to the third turn of the last loop, and not of an earlier one at the
// same place.
func TestWay(t *testing.T) {
	letters := "AA" + string(slices.Repeat([]byte("b"), 200)) + string(slices.Repeat([]byte("Ad"), 20))
	way := walk(letters, map[trace.TID]Step{}).Long().Way
	want := []trace.Segment{{Thread: "0.1", Until: 20}, {Thread: "0.0", Until: 2000}, {Thread: "0.1", Until: 30}, {Thread: "0.0", Until: 2010},
		{Thread: "0.1", Until: 40}, {Thread: "0.0", Until: 2020}, {Thread: "0.1", Until: 50}, {Thread: "0.0", Until: 2030}}
	if got := fmt.Sprintf("%+v", way); got != fmt.Sprintf("%+v", want) {
		t.Errorf("the way is\n%v, want\n%+v", got, want)
	}
	if way := walk("AAA", map[trace.TID]Step{}).Long().Way; way != nil {
		t.Errorf("of three turns: %v", way)
	}
}

// TestBuffered: how many stores a buffer has had at once.
func TestBuffered(t *testing.T) {
	p := walk("AAAAA", nil)
	stored := []trace.Access{{Flags: trace.Buffered | trace.Write}}
	for i, update := range []bool{false, false, true, false, false} {
		tr := p.Steps[i].Transition
		if tr.Accesses = stored; update {
			tr.Updates, tr.Of, tr.Thread = true, 1, 9
		}
	}
	if l := p.Long(); l.Buffered != 3 {
		t.Errorf("%d", l.Buffered)
	}
}
