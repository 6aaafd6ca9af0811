package por

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"landgo/por/internal/model"
	"landgo/trace"
)

// hands is a Crew of model machines, with a survey each.
type hands struct {
	p       *model.Program
	n       int
	surveys []*survey
	roots   []trace.Mark
}

func (h *hands) Hire() (workers []Worker, err error) {
	for len(h.surveys) < h.n {
		s := newSurvey(h.p)
		h.surveys, h.roots = append(h.surveys, s), append(h.roots, s.r.Mark())
	}
	for i, s := range h.surveys {
		s.r.Rewind(h.roots[i])
		workers = append(workers, Worker{s.r, s})
	}
	return workers, nil
}

func (h *hands) Settle() (bool, error) { return false, nil }

// together runs a search with several workers, who share as much as they can,
// and puts together what they saw.
func together(name string, p *model.Program, jobs int, opts Options) (*survey, error) {
	h := &hands{p: p, n: jobs - 1}
	opts.Crew, opts.restless = h, true
	s, err := explore(name, p, opts)
	for _, o := range h.surveys {
		s.merge(o)
	}
	return s, err
}

// merge adds what another survey saw.
func (s *survey) merge(o *survey) {
	for k, v := range o.outcomes {
		if old, ok := s.outcomes[k]; ok {
			v.least(old)
		}
		s.outcomes[k] = v
	}
	for k, v := range o.traces {
		if old, ok := s.traces[k]; ok && old.outcome != v.outcome {
			s.clash = fmt.Sprintf("%v and %v", old, v)
		}
		s.traces[k] = v
	}
}

// splitting lists the searches that can be split.
func splitting() (names []string) {
	for _, k := range Kinds() {
		if k.split && !k.NeedsBound && k.strategy != nil {
			names = append(names, k.Name)
		}
	}
	return append(names, "dpor:figure=3", "dpor:figure=4")
}

// TestTogether: several workers find what one finds: the same final states and
// bugs, the same traces, as many executions; and where all branches are known
// from the start, all counts are the same.
func TestTogether(t *testing.T) {
	programsOf := 150
	if testing.Short() {
		programsOf = 30
	}
	if n, err := strconv.Atoi(os.Getenv("LANDGO_SOAK")); err == nil {
		programsOf = n
	}
	for _, coarse := range []bool{false, true} {
		opts := Options{OneEvent: !coarse, Unmerged: true}
		for seed, seen := 0, 0; seen < programsOf; seed++ {
			p := programs(coarse, false).Example(seed)
			judge := judged(t, p, judgeLimit)
			if judge == nil {
				continue
			}
			seen++
			for _, name := range splitting() {
				jobs := 2 + seed%3
				s, err := together(name, p, jobs, opts)
				if err == nil && s.clash != "" {
					err = fmt.Errorf("%s", s.clash)
				}
				if err == nil {
					err = compare(name, p, judge, s, opts)
				}
				if err != nil {
					t.Fatalf("%s, %d jobs: %v\n%v", name, jobs, err, p)
				}
				if name == "none" || name == "sleep" {
					if one, _ := explore(name, p, opts); one.stats != s.stats {
						t.Fatalf("%s, %d jobs: %+v, one has %+v\n%v", name, jobs, s.stats, one.stats, p)
					}
				}
			}
		}
	}
}

// larger runs a search by several workers on a program too large for the judge.
func larger(t *testing.T, name string, p *model.Program, jobs int, opts Options) Stats {
	opts.Crew, opts.WarmUp = &plainHands{p: p, n: jobs - 1}, 2
	s, err := New(name, opts)
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Run(model.New(p), &tally{})
	if err != nil || !st.Complete {
		t.Fatalf("%s, %d jobs: %+v, %v", name, jobs, st, err)
	}
	return st
}

// plainHands is a Crew of model machines with nobody who looks on.
type plainHands struct {
	p *model.Program
	n int
}

func (h *plainHands) Hire() (workers []Worker, err error) {
	for range h.n {
		workers = append(workers, Worker{model.New(h.p), &tally{}})
	}
	return workers, nil
}
func (h *plainHands) Settle() (bool, error) { return false, nil }

var largerPrograms = []*model.Program{model.FibBench(3, 1000), model.MutexInc(3, 1), model.LastZero(5), model.Micro(3, 1)}

// TestTogetherLarger: as many executions as one worker has, whenever workers
// look at each other, on programs in which much is in progress at a time.
func TestTogetherLarger(t *testing.T) {
	for _, p := range largerPrograms {
		for _, name := range []string{"optimal", "source", "dpor", "nidhugg"} {
			one, _ := runModel(t, name, p, Options{OneEvent: true, Unmerged: true})
			for i, look := range []uint32{1, 7, 31, 127} {
				opts := Options{OneEvent: true, Unmerged: true, look: look}
				if st := larger(t, name, p, 2+i%2, opts); st.Executions != one.Executions {
					t.Errorf("%s: %d executions, one worker has %d", name, st.Executions, one.Executions)
				}
			}
		}
	}
}

// TestTogetherMutant: that test sees a worker that takes for covered what
// another hasn't finished.
func TestTogetherMutant(t *testing.T) {
	one, _ := runModel(t, "optimal", largerPrograms[0], Options{OneEvent: true, Unmerged: true})
	for range 20 {
		if st := larger(t, "optimal", largerPrograms[0], 3, Options{OneEvent: true, Unmerged: true, look: 7, fault: calmSleep}); st.Executions < one.Executions {
			return
		}
	}
	t.Error("nothing was missed")
}

// TestTogetherBounded: the same for rounds of growing bounds.
func TestTogetherBounded(t *testing.T) {
	for _, p := range []*model.Program{model.Micro(2, 2), model.MutexInc(2, 2), model.LastZero(2)} {
		for bound := 0; bound <= 3; bound++ {
			opts := Options{Bounds: Bounds{{Preempt, bound}}, Iterate: bound%2 == 0}
			one, err := explore("none", p, opts)
			if err != nil {
				t.Fatal(err)
			}
			many, err := together("none", p, 3, opts)
			if err != nil || many.stats != one.stats {
				t.Errorf("bound %d: %+v, %v; one has %+v", bound, many.stats, err, one.stats)
			}
		}
	}
}

// TestTogetherStops: an observer that has seen enough stops all.
func TestTogetherStops(t *testing.T) {
	var mu sync.Mutex
	polls := 0
	stop := func() bool { mu.Lock(); defer mu.Unlock(); polls++; return polls > 5000 }
	s, err := together("optimal", model.Micro(4, 3), 3, Options{OneEvent: true, Stop: stop})
	if err != nil || s.stats.Complete || s.stats.Executions == 0 {
		t.Errorf("%+v, %v", s.stats, err)
	}
}

func TestWhole(t *testing.T) {
	for text, whole := range map[string]bool{"none": false, "optimal": false, "dpor": false, "dpor:sleep=0": true, "classic": true} {
		s, err := ParseSpec(text)
		if err != nil || (s.Whole() != "") != whole {
			t.Errorf("%s: %q, %v", text, s.Whole(), err)
		}
	}
}

// TestTogetherEarlier: a branch that another worker is still exploring excuses
// only what begins with it (wakeup.go). With "what it is a weak initial of"
// instead, most of these runs lost executions, up to half of them.
func TestTogetherEarlier(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for name, p := range map[string]*model.Program{"fib 2": model.FibBench(2, 1000), "fib 3": model.FibBench(3, 1000), "micro 2 2": model.Micro(2, 2)} {
		for _, search := range []string{"optimal", "source", "dpor"} {
			one, _ := runModel(t, search, p, Options{OneEvent: true, Unmerged: true})
			for i := range rounds {
				opts := Options{OneEvent: true, Unmerged: true, Crew: &hands{p: p, n: 1 + i%3}, WarmUp: uint64(i), restless: i%2 == 0}
				if many, _ := runModel(t, search, p, opts); many.Executions != one.Executions || !many.Complete {
					t.Fatalf("%s, %s, round %d: %+v, one worker has %+v", name, search, i, many, one)
				}
			}
		}
	}
}
