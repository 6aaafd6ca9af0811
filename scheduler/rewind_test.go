package scheduler

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler/names"
)

// fake is a guest that schedules its threads itself, and whose code never runs: its
// machine has no processor. It keeps a number for each thread.
type fake struct {
	*System
	own []int
	log []fakeSave
}

type fakeSave struct {
	t   trace.TID
	own int
}

func (f *fake) Keep(t trace.TID) { f.log = append(f.log, fakeSave{t, f.own[t]}) }

func (f *fake) TakeUp(n, _ int) {
	for i := len(f.log) - 1; i >= n; i-- {
		f.own[f.log[i].t] = f.log[i].own
	}
	f.log = f.log[:n]
}

func (f *fake) Word(uint64) (uint64, bool) { return 0, false }

func (f *fake) Registers(t trace.TID) emu.Regs { return f.Thread(t).Regs }

const fakeThreads = 4

// newFake makes one with some threads that exist.
func newFake(t testing.TB) *fake {
	t.Helper()
	m, err := emu.New(emu.Config{Space: 1 << 20, Code: []emu.Range{{Lo: 0x1000, Hi: 0x2000}}, NoEngine: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	f := &fake{System: New(Config{MaxThreads: 16}, m, image.Of(&elffile.File{Machine: elffile.X86_64, Kernel: elffile.Bare})), own: make([]int, fakeThreads)}
	f.Steer(f)
	f.Ensure(fakeThreads - 1)
	for id := range trace.TID(fakeThreads) {
		*f.Thread(id) = Thread{ID: id, Exists: true}
		if id > 0 {
			if _, err := f.Intern(0, uint64(id)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

// TestRewindState: whatever is done to threads, cells, memory and steps, by the core and
// by a guest that schedules itself, a rewind brings all of it back.
func TestRewindState(t *testing.T) {
	f := newFake(t)
	root := f.Mark()
	type look struct {
		Threads []Thread
		Own     []int
		Ran     bool
		Words   [4]uint64
		Steps   int
	}
	now := func() (l look) {
		for id := range trace.TID(fakeThreads) {
			l.Threads = append(l.Threads, *f.Thread(id))
		}
		l.Own, l.Ran, l.Steps = slices.Clone(f.own), f.ranOut.Get(), len(f.steps)
		for i := range l.Words {
			l.Words[i] = f.machine.Read64(0x8000 + 8*uint64(i))
		}
		return l
	}
	rapid.Check(t, func(t *rapid.T) {
		f.Rewind(root)
		marks, looks := []trace.Mark{root}, []look{now()}
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			id := rapid.Custom(func(t *rapid.T) trace.TID { return trace.TID(rapid.IntRange(0, fakeThreads-1).Draw(t, "id")) }).Draw(t, "thread")
			v := rapid.Uint64Range(1, 9).Draw(t, "value")
			switch rapid.SampledFrom([]string{"thread", "own", "cell", "memory", "step", "mark", "rewind", "try"}).Draw(t, "operation") {
			case "thread":
				f.Save(id)
				f.Thread(id).Insns, f.Thread(id).Exists = v, v != 3
			case "own":
				f.Save(id)
				f.own[id] = int(v)
			case "cell":
				f.machine.PutFlag(&f.ranOut, v%2 == 1)
			case "memory":
				f.machine.Write64(0x8000+8*uint64(id), v)
			case "step":
				tr, err := f.Begin(id, 0, 0, v)
				if err != nil {
					t.Fatal(err)
				}
				f.own[id]++
				f.Thread(id).Insns++
				f.Done(tr)
				f.Idle()
			case "mark":
				marks, looks = append(marks, f.Mark()), append(looks, now())
			case "rewind":
				k := rapid.IntRange(0, len(marks)-1).Draw(t, "mark")
				f.Rewind(marks[k])
				marks, looks = marks[:k+1], looks[:k+1]
				if got := now(); !reflect.DeepEqual(got, looks[k]) {
					t.Fatalf("after a rewind:\n%+v\nit was:\n%+v", got, looks[k])
				}
			case "try":
				before := now()
				f.TryOut(func() {
					f.Save(id)
					f.own[id], f.Thread(id).Insns = -1, 99
					f.machine.PutFlag(&f.ranOut, !f.ranOut.Get())
					f.machine.Write64(0x8000, 99)
				})
				if got := now(); !reflect.DeepEqual(got, before) {
					t.Fatalf("after something was tried:\n%+v\nit was:\n%+v", got, before)
				}
			}
		}
	})
}

// TestSpinnersWake: a thread that spins goes on with the first write to what its loop
// reads, and not with a write beside it, nor with one that changes nothing.
func TestSpinnersWake(t *testing.T) {
	f := newFake(t)
	reads := []trace.Access{{Addr: 0x8000, Size: 4, PC: 0x1000}}
	for _, c := range []struct {
		name  string
		write trace.Access
		wakes bool
	}{
		{"its word", trace.Access{Addr: 0x8000, Size: 4, Flags: trace.Write}, true},
		{"a byte of it", trace.Access{Addr: 0x8003, Size: 1, Flags: trace.Write}, true},
		{"beside it", trace.Access{Addr: 0x8004, Size: 4, Flags: trace.Write}, false},
		{"a read", trace.Access{Addr: 0x8000, Size: 4}, false},
		{"the same value", trace.Access{Addr: 0x8000, Size: 4, Flags: trace.Write | trace.Silent}, false},
	} {
		k := f.Mark()
		f.Save(1)
		f.Thread(1).Stand = StandRun
		f.SpinOn(1, reads)
		f.WakeSpinners(&trace.Transition{Thread: 2, Accesses: []trace.Access{c.write}})
		if woke := f.Thread(1).Stand != StandSpin; woke != c.wakes {
			t.Errorf("a write of %s: woken is %v", c.name, woke)
		}
		f.Rewind(k)
	}
}

// TestFiner: that points became finer is told once, and counted.
func TestFiner(t *testing.T) {
	f := newFake(t)
	if f.Settled() || f.Learned() != 0 {
		t.Fatal("points became finer by nothing")
	}
	f.Refine()
	if !f.Refined() || !f.Settled() || f.Settled() || f.Learned() != 1 {
		t.Errorf("told wrongly; %d times learned", f.Learned())
	}
}

// TestLearn: one System takes over what another has learned, if both number threads
// alike.
func TestLearn(t *testing.T) {
	a, b := newFake(t), newFake(t)
	if _, err := a.Intern(1, 1); err != nil {
		t.Fatal(err)
	}
	a.Known().Exits = true
	a.Known().Contended.Add(0x8000)
	if news, err := b.Learn(a.Knowledge()); err != nil || !news {
		t.Fatalf("news is %v, %v", news, err)
	}
	if id, ok := b.Lookup("0.1.1"); !ok || id != fakeThreads {
		t.Errorf("thread 0.1.1 is %d, %v", id, ok)
	}
	if !b.Known().Exits || !maps.Equal(b.Known().Contended, a.Known().Contended) {
		t.Errorf("got %+v", b.Known())
	}
	if news, err := b.Learn(a.Knowledge()); err != nil || news {
		t.Errorf("the same is news: %v, %v", news, err)
	}
	other := newFake(t)
	if _, err := other.Intern(2, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Learn(a.Knowledge()); !errors.Is(err, names.ErrOther) {
		t.Errorf("other numbers of threads: %v", err)
	}
}

// TestSavedOnce: between two marks a thread is kept once, and goes back to what it was at
// each of them; what was cut off counts for nothing.
func TestSavedOnce(t *testing.T) {
	s := &state{threads: make([]thread, 2)}
	s.threads[1].ID = 1
	mark := func() {
		s.serial++
		s.marks = append(s.marks, mark{threads: s.threadLog.Len()})
	}
	keep := func(id int, insns uint64) {
		if th := &s.threads[id]; !s.savedSince(th.ID) {
			s.save(th.ID)
		}
		s.threads[id].Insns = insns
	}
	rewind := func(k int) {
		s.takeUp(&s.marks[k])
		s.marks = s.marks[:k+1]
	}
	check := func(what string, kept int, first, second uint64) {
		t.Helper()
		if s.threadLog.Len() != kept || s.threads[0].Insns != first || s.threads[1].Insns != second {
			t.Fatalf("%s: %d kept, threads at %d and %d; want %d, %d and %d", what, s.threadLog.Len(), s.threads[0].Insns, s.threads[1].Insns, kept, first, second)
		}
	}
	mark()
	keep(0, 1)
	keep(0, 2)
	check("twice", 1, 2, 0)
	keep(1, 7)
	mark()
	keep(0, 3)
	keep(0, 4)
	check("after a mark", 3, 4, 7)
	rewind(1)
	check("back", 2, 2, 7)
	keep(1, 8)
	keep(0, 5)
	check("again", 4, 5, 8)
	rewind(0)
	check("all the way", 0, 0, 0)
	keep(1, 9)
	keep(0, 9)
	check("anew", 2, 9, 9)
	rewind(0)
	check("and back", 0, 0, 0)
}
