package por

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"landgo/por/internal/model"
)

// hands is a Crew of model machines. keep is the survey of the search's
// observer, of accepted units.
type hands struct {
	p        *model.Program
	n        int
	surveys  []*survey
	keep     *survey
	together int // times that it was hired
}

func (h *hands) Hire() (workers []Worker, err error) {
	h.surveys = nil
	h.together++
	for range h.n {
		s := newSurvey(h.p)
		h.surveys = append(h.surveys, s)
		root := s.m.Mark()
		workers = append(workers, Worker{
			Begin: func() System { s.m.Rewind(root); s.r = &recorder{System: s.m}; return s.r },
			Obs:   s,
			Seen:  func() any { seen := *s; s.Restarted(); return &seen },
		})
	}
	return workers, nil
}

func (h *hands) Keep(seen any)                 { h.keep.merge(seen.(*survey)) }
func (h *hands) Restart(w int) (System, error) { return model.New(h.p), nil }
func (h *hands) Failed(int)                    {}

// together runs a search with several workers, which come early and rest often.
func together(name string, p *model.Program, jobs int, opts Options) (*survey, error) {
	h := &hands{p: p, n: jobs, keep: &survey{}}
	h.keep.Restarted()
	opts.Crew = h
	opts.WarmUp, opts.UnitSteps = cmp.Or(opts.WarmUp, 5), cmp.Or(opts.UnitSteps, 7)
	s, err := explore(name, p, opts)
	s.merge(h.keep)
	return s, err
}

// merge adds what another survey saw.
func (s *survey) merge(o *survey) {
	if o.clash != "" {
		s.clash = o.clash
	}
	for k, v := range o.outcomes {
		if old, ok := s.outcomes[k]; ok {
			v.least(old)
		}
		s.outcomes[k] = v
	}
	for k, v := range o.traces {
		if old, ok := s.traces[k]; ok {
			if old.outcome != v.outcome {
				s.clash = fmt.Sprintf("%v and %v", old, v)
			}
			v.price.least(&old.price)
		}
		s.traces[k] = v
	}
}

// splitting lists the searches that can be split.
func splitting() (names []string) {
	for _, k := range Kinds() {
		if k.whole == "" && !k.NeedsBound && k.run == nil {
			names = append(names, k.Name)
		}
	}
	return append(names, "dpor:figure=3", "dpor:figure=4")
}

// allWorkers are the numbers of workers of the tests.
var allWorkers = []int{1, 2, 3, 8}

// TestTogether: a search in batches finds what an undivided one does: the same
// final states and bugs, the same traces, as many executions. Where all branches
// are known from the start, all counts are the same. And however many workers there
// are, all counts are the same.
func TestTogether(t *testing.T) {
	programsOf := 60 // the soak divides more (soakDivided)
	if testing.Short() {
		programsOf = 30
	}
	for _, coarse := range []bool{false, true} {
		for seed, seen := 0, 0; seen < programsOf; seed++ {
			p := programs(coarse, false).Example(seed)
			judge := judged(t, p, judgeLimit)
			if judge == nil {
				continue
			}
			seen++
			if err := agreeDivided(p, judge, seed, Options{OneEvent: !coarse, Unmerged: true}); err != nil {
				t.Fatalf("%v\n%v", err, p)
			}
		}
	}
}

// agreeDivided is that for one program. How searches are divided, and among how
// many, is a matter of n.
func agreeDivided(p *model.Program, judge *survey, n int, opts Options) error {
	opts.UnitSteps, opts.batchUnits = uint64(1+n%40), 2+n%7
	jobs := allWorkers[1+n%3]
	for _, name := range splitting() {
		if !wanted(name) {
			continue
		}
		one, err := together(name, p, 1, opts)
		if err == nil && one.clash != "" && !spins(p) {
			err = fmt.Errorf("%s", one.clash)
		}
		if err == nil {
			err = compare(name, p, judge, one, Options{}) // optimal may run some in vain (treedivision.go)
		}
		if err != nil {
			return fmt.Errorf("%s, divided: %w", name, err)
		}
		if name == "none" || name == "sleep" {
			if whole, _ := explore(name, p, opts); whole.stats != one.stats {
				return fmt.Errorf("%s: %+v, undivided %+v", name, one.stats, whole.stats)
			}
		}
		if many, err := together(name, p, jobs, opts); err != nil || many.stats != one.stats || !reflect.DeepEqual(many.traces, one.traces) {
			return fmt.Errorf("%s, %d workers: %+v, %v; one has %+v", name, jobs, many.stats, err, one.stats)
		}
	}
	return nil
}

var largerPrograms = []*model.Program{model.FibBench(3, 1000), model.MutexInc(3, 1), model.LastZero(5), model.Micro(3, 1)}

// TestTogetherLarger: as many executions as an undivided search has, and the
// same counts with any number of workers, on programs in which much is in
// progress at a time.
func TestTogetherLarger(t *testing.T) {
	for _, p := range largerPrograms {
		for _, name := range []string{"optimal", "source", "dpor", "nidhugg"} {
			opts := Options{OneEvent: true, Unmerged: true}
			whole, _ := runModel(t, name, p, opts)
			for i, steps := range []uint64{20, 300, 2000} {
				opts.UnitSteps, opts.WarmUp, opts.batchUnits = steps, 2, []int{24, 3, 12}[i]
				var one Stats
				for _, jobs := range allWorkers {
					opts.Crew = plainHands{p, jobs}
					st, _ := runModel(t, name, p, opts)
					if one == (Stats{}) {
						one = st
					}
					if st.Executions != whole.Executions || !st.Complete || st != one {
						t.Errorf("%s, stints of %d, %d workers: %+v; one worker has %+v, undivided %+v", name, steps, jobs, st, one, whole)
					}
				}
				t.Logf("%s: %d blocked, %d transitions; undivided %d, %d", name, one.Blocked, one.Transitions, whole.Blocked, whole.Transitions)
			}
		}
	}
}

// plainHands is a Crew of model machines without observers.
type plainHands struct {
	p *model.Program
	n int
}

func (h plainHands) Hire() (workers []Worker, err error) {
	for range h.n {
		m := model.New(h.p)
		root := m.Mark()
		workers = append(workers, Worker{Begin: func() System { m.Rewind(root); return m }, Obs: &tally{}})
	}
	return workers, nil
}
func (h plainHands) Keep(any)                    {}
func (h plainHands) Restart(int) (System, error) { return model.New(h.p), nil }
func (h plainHands) Failed(int)                  {}

// TestTogetherMutant: these tests see a walk that takes for covered what another
// hasn't finished.
func TestTogetherMutant(t *testing.T) {
	p := largerPrograms[0]
	whole, _ := runModel(t, "optimal", p, Options{OneEvent: true, Unmerged: true})
	for _, steps := range []uint64{20, 50, 100, 300} {
		opts := Options{OneEvent: true, Unmerged: true, WarmUp: 2, UnitSteps: steps, fault: calmSleep}
		if st, _ := runModel(t, "optimal", p, opts); st.Executions < whole.Executions {
			return
		}
	}
	t.Error("nothing was missed")
}

// TestTogetherBounded: the same for rounds of growing bounds. The steps run again
// to come back to where a bound struck depend on the division, not on the workers.
func TestTogetherBounded(t *testing.T) {
	for _, p := range []*model.Program{model.Micro(2, 2), model.MutexInc(2, 2), model.LastZero(2)} {
		for bound := 0; bound <= 3; bound++ {
			opts := Options{Bounds: Bounds{{Preempt, bound}}, Iterate: bound%2 == 0}
			whole, err := explore("none", p, opts)
			if err != nil {
				t.Fatal(err)
			}
			var one Stats
			for _, jobs := range allWorkers {
				many, err := together("none", p, jobs, opts)
				if jobs == 1 {
					one = many.stats
				}
				st := many.stats
				st.Replayed = whole.stats.Replayed
				if err != nil || many.stats != one || st != whole.stats || !reflect.DeepEqual(many.traces, whole.traces) {
					t.Errorf("bound %d, %d workers: %+v, %v; one has %+v, undivided %+v", bound, jobs, many.stats, err, one, whole.stats)
				}
			}
		}
	}
}

// TestTogetherSampling: divided runs are the same ones: all counts are those of
// a search that makes them in a row, and the first bug is the same.
func TestTogetherSampling(t *testing.T) {
	for _, name := range []string{"random:runs=500", "pct:runs=500,d=2", "pos:runs=500,seed=7"} {
		for _, p := range []*model.Program{model.Micro(3, 2), model.Philosophers(3, false)} {
			var whole, found first
			want, _ := runModel(t, name, p, Options{})
			s, _ := New(name, Options{})
			stopped, err := s.Run(model.New(p), &whole)
			if err != nil {
				t.Fatal(err)
			}
			for i, jobs := range allWorkers {
				opts := Options{WarmUp: uint64(1 + 100*i), UnitSteps: uint64(1 + 50*i), Crew: plainHands{p, jobs}}
				if st, _ := runModel(t, name, p, opts); st != want {
					t.Errorf("%s, %d workers: %+v, undivided %+v", name, jobs, st, want)
				}
				found = first{}
				opts.Crew = finders{plainHands{p, jobs}, &found}
				s, _ := New(name, opts)
				if st, err := s.Run(model.New(p), &found); err != nil || st != stopped || !slices.Equal(found.path, whole.path) {
					t.Errorf("%s, %d workers: %+v, %v, %v; undivided %+v, %v", name, jobs, st, err, found.path, stopped, whole.path)
				}
			}
		}
	}
}

// TestTogetherStops: an observer that has seen enough stops all.
func TestTogetherStops(t *testing.T) {
	var polls atomic.Int64
	stop := func() bool { return polls.Add(1) > 5000 }
	s, err := together("optimal", model.Micro(4, 3), 3, Options{OneEvent: true, Stop: stop})
	if err != nil || s.stats.Complete || s.stats.Executions == 0 {
		t.Errorf("%+v, %v", s.stats, err)
	}
}

// first notes the first execution that ends with a bug, and stops there.
type first struct {
	path []PathStep
}

func (f *first) Ended(x *Execution) bool {
	if x.Ending != EndedBug && x.Ending != EndedStuck {
		return true
	}
	f.path = x.Path(nil)
	return false
}
func (f *first) Progress(Progress) {}
func (f *first) Restarted()        { f.path = nil }

// finders is a Crew whose workers stop at the first bug.
type finders struct {
	plainHands
	found *first
}

func (h finders) Hire() (workers []Worker, err error) {
	workers, _ = h.plainHands.Hire()
	for i := range workers {
		f := &first{}
		workers[i].Obs, workers[i].Seen = f, func() any { path := f.path; f.path = nil; return path }
	}
	return workers, nil
}

func (h finders) Keep(seen any) {
	if path := seen.([]PathStep); path != nil && h.found.path == nil {
		h.found.path = path
	}
}

// TestTogetherFirstBug: the bug that stops a search is the same one, after the
// same counts, with any number of workers.
func TestTogetherFirstBug(t *testing.T) {
	searches, found := append(splitting(), "bounded"), 0
	for seed := 0; seed < 60; seed++ {
		p := programs(seed%2 == 0, false).Example(seed)
		if judged(t, p, judgeLimit) == nil {
			continue
		}
		for _, name := range searches {
			opts := Options{WarmUp: 10, UnitSteps: 15}
			if name == "bounded" {
				opts.Bounds, opts.Iterate = Bounds{{Preempt, 2}}, true
			}
			var want *first
			var one Stats
			for _, jobs := range allWorkers {
				f := &first{}
				opts.Crew = finders{plainHands{p, jobs}, f}
				s, err := New(name, opts)
				if err != nil {
					t.Fatal(err)
				}
				st, err := s.Run(model.New(p), f)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want, one = f, st
				}
				if f.path != nil {
					found++
				}
				if st != one || !slices.Equal(f.path, want.path) {
					t.Fatalf("%s, %d workers: %+v, %v; one has %+v, %v\n%v", name, jobs, st, f.path, one, want.path, p)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no program with a bug")
	}
}

// TestWhole: which searches go on several workers. The others say why not.
func TestWhole(t *testing.T) {
	for text, whole := range map[string]bool{"none": false, "bounded": false, "sleep": false, "dpor": false, "nidhugg": false, "source": false, "optimal": false,
		"trust": false, "rounder": false, "random": false, "pct": false, "pos": false,
		"dpor:sleep=0": true, "dpor:figure=3,mark=1": true, "dpor:static=1": true, "classic": true, "stateful": true,
		"bpor": true, "naive-bpor": true, "nidhugg-bpor": true, "source-bpor": true, "lazy-bpor": true} {
		s, err := ParseSpec(text)
		if err != nil || (s.Whole() != "") != whole {
			t.Errorf("%s: %q, %v", text, s.Whole(), err)
		}
	}
}
