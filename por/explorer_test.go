package por

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

// finer is a System whose points become finer at some step: its machine runs
// coarse steps until then. The finer machine is another one; both begin alike.
type finer struct {
	System
	fine  System
	steps int // until it learns
}

func (f *finer) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	f.steps--
	x, err := f.System.Step(t, c)
	if f.steps == 0 {
		return x, fmt.Errorf("learned: %w", ErrFiner)
	}
	return x, err
}

func (f *finer) Digest() (trace.Digest, error) { return f.System.(Hasher).Digest() }

// Rewind to the root, once it has learned, is to the finer program's root.
func (f *finer) Rewind(m trace.Mark) {
	if f.steps <= 0 && f.fine != nil {
		f.System, f.fine = f.fine, nil
	}
	f.System.Rewind(m)
}

// plain are options with nothing but a bound, where a search needs one: a wide
// one.
func plain(name string) Options {
	name, _, _ = strings.Cut(name, ":")
	k := kindNamed(name)
	opts := Options{OneEvent: k.SingleEvents, Unmerged: k.SingleEvents}
	if k.NeedsBound {
		opts.Bounds = Bounds{{k.Bounds[0], 9}}
	}
	return opts
}

// everySearch lists the searches, those that sample with few runs.
func everySearch() (names []string) {
	for _, k := range Kinds() {
		for _, p := range k.Params {
			if p.Name == "runs" {
				k.Name += ":runs=200"
			}
		}
		names = append(names, k.Name)
	}
	return names
}

// TestFiner: whenever points become finer, the counts in the end are those that
// the finer system alone gives.
func TestFiner(t *testing.T) {
	fine := model.MutexInc(3, 1)
	coarse := *fine
	coarse.Coarse = true
	for i, name := range everySearch() {
		want, _ := runModel(t, name, fine, plain(name))
		for _, at := range [][]int{{1, 5, 14}, {2, 9, 30}}[i%2] {
			s, _ := New(name, plain(name))
			var seen tally
			got, err := s.Run(&finer{System: model.New(&coarse), fine: model.New(fine), steps: at}, &seen)
			if err != nil {
				t.Fatal(err)
			}
			if got.Restarts != 1 {
				t.Errorf("%s, learned at step %d: %d restarts", name, at, got.Restarts)
			}
			got.Restarts = 0
			if got != want || seen.ends[EndedProcess] != int(want.Executions) {
				t.Errorf("%s, learned at step %d: %+v, want %+v", name, at, got, want)
			}
		}
	}
}

// TestStepFails: an error that isn't ErrFiner ends the search.
func TestStepFails(t *testing.T) {
	m := model.New(model.Micro(2, 1))
	why := errors.New("an unknown system call")
	m.Finer = why
	s, _ := New("optimal", Options{})
	if st, err := s.Run(m, &tally{}); !errors.Is(err, why) || st.Complete {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestStops(t *testing.T) {
	p := model.Micro(2, 3)
	for _, name := range everySearch() {
		opts := plain(name)
		opts.MaxExecutions = 17
		st, seen := runModel(t, name, p, opts)
		if st.Executions != 17 || seen.ends[EndedProcess] != 17 || st.Complete {
			t.Errorf("%s with MaxExecutions: %+v", name, st)
		}
		polls := 0
		opts = plain(name)
		opts.Stop = func() bool { polls++; return polls == 3 }
		st, _ = runModel(t, name, p, opts)
		if polls != 3 || st.Complete {
			t.Errorf("%s with Stop: %+v after %d polls", name, st, polls)
		}
		s, _ := New(name, plain(name))
		seen = &tally{stop: func(x *Execution) bool { return x.Preemptions > 0 }}
		st, err := s.Run(model.New(p), seen)
		if err != nil || st.Complete || st.Executions == 0 {
			t.Errorf("%s stopped by its observer: %+v", name, st)
		}
	}
}

// The sequences of a long execution's races take little memory, and no longer than
// the user waits: that of the i-th of n races has i steps.
func TestManyRaces(t *testing.T) {
	const n = 1500
	p := model.TwoWriters(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	st, _ := runModel(t, "optimal", p, Options{OneEvent: true, MaxExecutions: 3})
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; st.Executions != 3 || got > 60<<20 {
		t.Errorf("%d executions took %d MiB, where a step of what is wanted needs 8 bytes", st.Executions, got>>20)
	}
	if st.Weighed < 10*st.Transitions {
		t.Errorf("%d events were looked at to reverse the races of %d", st.Weighed, st.Transitions)
	}
	seen := &tally{}
	amid := 0
	s, _ := New("optimal", Options{OneEvent: true, Stop: func() bool {
		if seen.ends[EndedProcess] == 1 {
			amid++
		}
		return amid == 1
	}})
	if st, err := s.Run(model.New(p), seen); err != nil || st.Executions != 1 || st.Transitions != 2*n+7 {
		t.Errorf("%d executions of %d transitions, %v: the races of the first weren't left", st.Executions, st.Transitions, err)
	}
}

// progress keeps what a search reports.
type progress struct {
	tally
	shares []float64
	counts []uint64
}

func (p *progress) Progress(r Progress) {
	p.shares, p.counts = append(p.shares, r.Share), append(p.counts, r.Stats.Executions)
}

// TestEstimate: the share never falls by much, and is near the truth on a
// space whose size is known.
func TestEstimate(t *testing.T) {
	for _, name := range []string{"none", "optimal"} {
		p := model.NWriters(7)
		if name == "none" {
			p = model.Micro(2, 2)
		}
		var seen progress
		s, _ := New(name, Options{OneEvent: true, Unmerged: true})
		st, err := s.Run(model.New(p), &seen)
		if err != nil {
			t.Fatal(err)
		}
		if len(seen.shares) < 3 {
			t.Fatalf("%s: %d reports", name, len(seen.shares))
		}
		for i, share := range seen.shares {
			at := 4096 * float64(i+1) / float64(st.Transitions)
			if share <= 0 || share > 1 || share < at/3 || share > at*3 {
				t.Errorf("%s: after %.3f of all transitions the share is %.3f", name, at, share)
			}
		}
	}
}

// TestMoves: on trees of known size the true number lies between the estimates since a quarter of
// the executions, or near them. Where the tree is even, these are close to each other.
func TestMoves(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    *model.Program
		even bool
	}{
		{"none", model.Micro(2, 2), false},
		{"optimal", model.NWriters(7), true},
		{"optimal", model.Micro(2, 3), false},
		{"optimal", model.LastZero(8), false},
	} {
		var seen progress
		opts := Options{OneEvent: true, Unmerged: true, look: 7}
		s, _ := New(tt.name, opts)
		st, err := s.Run(model.New(tt.p), &seen)
		if err != nil {
			t.Fatal(err)
		}
		var m Moves
		truth, half := float64(st.Executions), false
		for i, share := range seen.shares {
			n := seen.counts[i]
			m.Note(n, share)
			least, most := m.Range(n, share)
			if least > float64(n)/share+1 || most < float64(n)/share-1 {
				t.Errorf("%s: %v isn't in %v to %v", tt.name, float64(n)/share, least, most)
			}
			if half || float64(n) < truth/2 {
				continue
			}
			half = true
			if truth < least/1.5 || truth > most*1.5 {
				t.Errorf("%s: half of %v executions are run, and estimates lie between %v and %v", tt.name, truth, least, most)
			}
			if tt.even && most > 1.5*least {
				t.Errorf("%s: the tree is even, and estimates lie between %v and %v", tt.name, least, most)
			}
			t.Logf("%s: %v, %v to %v", tt.name, truth, least, most)
		}
		if !half {
			t.Errorf("%s: %d reports, none past half of the executions", tt.name, len(seen.shares))
		}
	}
	var m Moves
	m.Note(10, 0.5)
	m.Note(100, 0.1)
	m.Note(400, 0.2)
	if least, most := m.Range(400, 0.2); least != 1000 || most != 2000 {
		t.Errorf("%v to %v", least, most)
	}
	if m.Rises(400, 0.2) || m.Rises(0, 0) {
		t.Error("an estimate alone doesn't rise")
	}
	m.Note(600, 0.2)
	if !m.Rises(600, 0.2) || m.Rises(600, 0.25) || m.Rises(600, 0.4) {
		t.Error("estimates rise that have grown, up to the last one")
	}
	m.Note(8, 0.1) // again from the start
	if least, most := m.Range(8, 0.1); least != 80 || most != 80 {
		t.Errorf("%v to %v", least, most)
	}
	if least, most := m.Range(8, 0); least != 0 || most != 0 {
		t.Errorf("%v to %v", least, most)
	}
}

// TestPath: an execution's steps replay to the same state.
func TestPath(t *testing.T) {
	p := model.Philosophers(3, false)
	m := model.New(p)
	s, _ := New("optimal", Options{OneEvent: true, Unmerged: true})
	checked := 0
	_, err := s.Run(m, &tally{stop: func(x *Execution) bool {
		path := x.Path(nil)
		if len(path) != x.Len() {
			t.Fatalf("%d steps of %d", len(path), x.Len())
		}
		again := model.New(p)
		preemptions := 0
		for _, step := range path {
			tr, err := again.Step(step.Thread, step.Choice)
			if err != nil || tr.Begin != step.Begin || tr.Last != step.Last {
				t.Fatalf("%+v became %v, %v", step, tr, err)
			}
			if step.Preemption {
				preemptions++
			}
		}
		if again.State() != m.State() || preemptions != x.Preemptions {
			t.Errorf("a replay leads elsewhere, or %d preemptions are %d", x.Preemptions, preemptions)
		}
		checked++
		return false
	}})
	if err != nil || checked != 7 {
		t.Errorf("%d executions, %v", checked, err)
	}
}

// learning is a division of one unit, which learns of finer points.
type learning struct{ x *explorer }

func (l learning) deal() ([]unit, error) { return []unit{l}, nil }
func (l learning) count(int)             {}
func (l learning) merge() error          { return nil }
func (l learning) progress() Progress    { return Progress{} }
func (l learning) pack() ([]byte, error) { return nil, nil }
func (l learning) work(_, _ int, b *batch) (unitEnding, error) {
	l.x.budget.begin(b, 0)
	b.limit.Store(0) // another unit has ended the search:
	l.x.pollWithin(1 << 20)
	b.limit.Store(1)
	return l.x.endUnit(true, nil)
}

// TestBeginsAgain: a search that begins again looks at all races, though its last
// unit was told to give up while it looked at some.
func TestBeginsAgain(t *testing.T) {
	spec, _ := ParseSpec("source")
	x := newExplorer(model.New(model.MutexInc(2, 1)), &tally{}, spec, Options{})
	x.root = x.sys.Mark()
	workers, _, err := x.hire()
	if err != nil {
		t.Fatal(err)
	}
	if err := x.inBatches(learning{x}, workers); err != nil || !x.finer {
		t.Fatalf("learned %v, %v", x.finer, err)
	}
	if x.pollWithin(1) {
		t.Error("races are left out after the search began again")
	}
}
