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
		s := &survey{m: model.New(h.p)}
		s.Restarted()
		s.r = &recorder{System: s.m}
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
			v = v.least(old)
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
			judge := judged(t, p)
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
