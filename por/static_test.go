package por

import (
	"testing"

	"landgo/por/internal/model"
)

// TestStatic: of two threads that work on bytes of their own a static set has one, and
// of threads that go on to the same byte all. If a variable is one object (static=2),
// so are its elements, and hardly anything is left out.
func TestStatic(t *testing.T) {
	p := &model.Program{Bytes: 32, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Load}, {Code: model.Store, C: 1}, {Code: model.Store, A: 8, C: 1}},
		{{Code: model.Store, A: 16, C: 1}, {Code: model.Load, A: 24}},
	}}
	opts := Options{OneEvent: true, Unmerged: true, Variable: func(uint64) (lo, size uint64) { return 0, 1 << 20 }}
	for search, want := range map[string]uint64{
		"none": 10, "dpor:static=1,dynamic=0,sleep=0": 1, "dpor:static=2,dynamic=0,sleep=0": 9, // the last step of the last thread meets nothing
		"dpor:static=2,sleep=0": 1, "dpor:static=2": 1,
	} {
		if st, _ := runModel(t, search, p, opts); st.Executions != want || !st.Complete {
			t.Errorf("%s: %+v, want %d executions", search, st, want)
		}
	}
	p.Threads[1][1] = model.Instr{Code: model.Store, A: 8, C: 2}
	all, _ := runModel(t, "none", p, opts)
	within, _ := runModel(t, "dpor:static=1,dynamic=0,sleep=0", p, opts)
	if within.Executions < 2 || within.Executions >= all.Executions || within.Restarts == 0 {
		t.Errorf("%+v within static sets, %+v without", within, all)
	}
}

// TestStaticAndDynamic: a persistent set that must hold the first step chosen is
// larger than one that needn't (Flanagan and Godefroid, §5.3). The first thread's step
// meets what the others do later; a static set begins with the one that meets nothing.
func TestStaticAndDynamic(t *testing.T) {
	p := &model.Program{Bytes: 40, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Store, C: 1}},
		{{Code: model.Store, A: 8, C: 1}, {Code: model.Store, A: 16, C: 1}, {Code: model.Load}},
		{{Code: model.Store, A: 24, C: 1}, {Code: model.Store, A: 32, C: 1}, {Code: model.Load}},
	}}
	opts := Options{OneEvent: true, Unmerged: true}
	count := func(search string) uint64 {
		st, _ := runModel(t, search, p, opts)
		return st.Transitions
	}
	both, dynamic, static := count("dpor:sleep=0,static=1"), count("dpor:sleep=0"), count("dpor:sleep=0,static=1,dynamic=0")
	if both >= dynamic || both > static {
		t.Errorf("%d transitions with both, %d with dynamic sets, %d with static ones", both, dynamic, static)
	}
}

// TestStaticWaker: a thread that waits may be let go on by a step that its wait doesn't
// depend on, here by the last arrival at a barrier. So that belongs to the set, too.
func TestStaticWaker(t *testing.T) {
	p := &model.Program{Bytes: 8, Standing: true, Barriers: []int{2}, Threads: [][]model.Instr{
		{{Code: model.Barrier}, {Code: model.Store, C: 1}},
		{{Code: model.Store, C: 2}},
		{{Code: model.Barrier}},
	}}
	judge, err := exhaust(p, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{OneEvent: true, Unmerged: true}
	for _, search := range []string{"dpor:sleep=0,static=1", "dpor:static=1,dynamic=0"} {
		opts.fault = sound
		if err := disagree(search, p, judge, opts); err != nil {
			t.Error(err)
		}
		if opts.fault = noWakers; disagree(search, p, judge, opts) == nil {
			t.Errorf("%s: nothing lost without what lets a thread go on", search)
		}
	}
}

// TestStaticSleeps: finding 29. A static set that sleeps as a whole ends an execution
// before it shows that another thread has to come first, where the sleeper is cut off
// by a bug.
func TestStaticSleeps(t *testing.T) {
	p := &model.Program{Bytes: 16, Mutexes: 2, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Lock}, {Code: model.Store, Size: 4}, {Code: model.Lock, A: 1}, {Code: model.Unlock, A: 1}},
		{{Code: model.Load}, {Code: model.Load, R: 1, Size: 4}, {Code: model.AssNe, R: 1, A: 1, C: 1}},
		{{Code: model.CompareEx, R: 1, D: 1, Size: 4}},
	}}
	judge, err := exhaust(p, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{OneEvent: true, Unmerged: true}
	if err := disagree("dpor:static=1", p, judge, opts); err != nil {
		t.Error(err)
	}
	if opts.fault = deadToTheWorld; disagree("dpor:static=1", p, judge, opts) == nil {
		t.Error("nothing lost where a set may sleep as a whole")
	}
}

// TestStaticFails: finding 30. Line 4 takes a compare-and-exchange that failed for a
// write, as it may succeed where it is reversed. A static set for which it is a read
// held back the thread that line 5 asked for, and with it an earlier race.
func TestStaticFails(t *testing.T) {
	p := &model.Program{Bytes: 16, Mutexes: 1, Merge: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Join, A: 2}},
		{{Code: model.Load}, {Code: model.Load}, {Code: model.StoreR, C: 1}, {Code: model.Load, Size: 4}},
		{{Code: model.Lock}, {Code: model.CompareEx, R: 1, D: 1}, {Code: model.Unlock}},
	}}
	judge, err := exhaust(p, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, search := range []string{"dpor:figure=4,sleep=0,static=2", "dpor:figure=3,sleep=0,mark=1,static=1"} {
		opts := Options{OneEvent: true}
		if err := disagree(search, p, judge, opts); err != nil {
			t.Error(err)
		}
		if opts.fault = asSeen; disagree(search, p, judge, opts) == nil {
			t.Errorf("%s: nothing lost where a failure is taken for all that a step may do", search)
		}
	}
}

// TestStaticOptions: an option without effect isn't taken in silence.
func TestStaticOptions(t *testing.T) {
	for text, ok := range map[string]bool{"dpor:dynamic=0": false, "dpor:dynamic=0,static=2": true, "dpor:static=3": false} {
		if _, err := ParseSpec(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
