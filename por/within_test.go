package por

import (
	"fmt"
	"strings"

	"landgo/por/internal/model"
)

// disagreeWithin compares a search under bounds with the judge. At each value
// up to the limit of the first bound it reaches all that some schedule within the
// value reaches, and no more. A bound cuts something off only if some schedule is beyond it, and
// nothing is missed if it doesn't. exact: the search runs each of these schedules,
// so it must have seen the least price of each.
func disagreeWithin(name string, p *model.Program, judge *survey, opts Options, exact bool) error {
	s, err := explore(name, p, opts)
	if err != nil {
		return err
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s, %v: %s", name, opts.Bounds, fmt.Sprintf(format, args...))
	}
	if !s.stats.Complete || s.clash != "" && !spins(p) {
		return fail("incomplete: %+v, %s", s.stats, s.clash)
	}
	limit := opts.Bounds[0].Limit
	if s.stats.Pruned > 0 && judge.dearest.of(opts.Bounds) <= limit {
		return fail("%d pruned, and nothing is beyond the bound", s.stats.Pruned)
	}
	if s.stats.Pruned == 0 {
		for o := range judge.outcomes {
			if _, found := s.outcomes[o]; !found {
				return fail("missed %+v, though nothing was cut off", o)
			}
		}
	}
	// A search without order may show a dearer execution of a trace than need be:
	// the judge knows the least price.
	if kind, _, _ := strings.Cut(name, ":"); kindNamed(kind).Unordered {
		for c, got := range s.traces {
			if known := judge.traces[c]; known != nil {
				got.price = known.price
			}
		}
		for o := range s.outcomes {
			if known := judge.outcomes[o]; known != nil {
				s.outcomes[o] = known
			}
		}
	}
	for o, least := range judge.outcomes {
		got, found := s.outcomes[o]
		if want := least.of(opts.Bounds); want <= limit && (!found || exact && got.of(opts.Bounds) != want) {
			return fail("missed %+v at %d", o, want)
		}
	}
	for o, got := range s.outcomes {
		if _, ok := judge.outcomes[o]; !ok || got.of(opts.Bounds) > limit {
			return fail("invented %+v at %d", o, got.of(opts.Bounds))
		}
	}
	if spins(p) {
		return nil
	}
	for c, least := range judge.traces {
		got, found := s.traces[c]
		if want := least.price.of(opts.Bounds); want <= limit && (!found || exact && got.price.of(opts.Bounds) != want) {
			return fail("missed trace %x at %d, %+v", c, want, least.outcome)
		}
	}
	for c, got := range s.traces {
		if _, ok := judge.traces[c]; !ok || got.price.of(opts.Bounds) > limit {
			return fail("invented trace %x at %d", c, got.price.of(opts.Bounds))
		}
	}
	return nil
}

// bounding is a search within bounds that every judged program goes through.
// iterate: by ascending bound, which has to show each trace at its least price.
type bounding struct {
	search  string
	bounds  string
	iterate bool
}

var boundings = []bounding{
	{"bounded", "preempt=2", true},
	{"bounded", "fair=1", true},
	{"bounded", "delay=2", true},
	{"bounded", "switches=6", true},
	{"bounded", "preempt=1,fair=0", true},
	{"bounded", "preempt=1,fair=1", true},
	{"bpor", "preempt=0", false},
	{"bpor", "preempt=1", false},
	{"bpor", "preempt=2", true},
	{"bpor", "fair=0", false},
	{"bpor", "fair=1", true},
	{"bpor", "preempt=0,fair=0", false},
	{"bpor", "preempt=1,fair=0", true},
	{"bpor", "preempt=1,fair=1", false},
	{"bpor:sleep=0", "preempt=1", false},
	{"bpor:optimised=0", "preempt=1", false},
	{"bpor:optimised=0", "fair=0", false},
	{"nidhugg-bpor", "preempt=0", false},
	{"nidhugg-bpor", "preempt=1", false},
	{"nidhugg-bpor", "preempt=2", true},
	{"source-bpor", "preempt=0", false},
	{"source-bpor", "preempt=1", false},
	{"source-bpor", "preempt=2", true},
	{"lazy-bpor", "preempt=0", false},
	{"lazy-bpor", "preempt=1", false},
	{"lazy-bpor", "preempt=2", false},
}

// coarsely are those for programs with steps of many events.
var coarsely = []bounding{
	{"bounded", "preempt=1", true},
	{"bpor", "preempt=0", false},
	{"bpor", "preempt=1", true},
	{"bpor", "preempt=2", false},
	{"bpor", "fair=0", false},
	{"bpor", "preempt=1,fair=0", false},
	{"nidhugg-bpor", "preempt=1", false},
	{"source-bpor", "preempt=1", false},
	{"lazy-bpor", "preempt=1", false},
}

func yields(p *model.Program) bool {
	for _, code := range p.Threads {
		for _, in := range code {
			if in.Code == model.Yield {
				return true
			}
		}
	}
	return false
}

// checkBoundings runs them.
func checkBoundings(list []bounding, p *model.Program, judge *survey, opts Options) error {
	for _, b := range list {
		if !wanted(b.search) || p.Together && b.search == "lazy-bpor" {
			continue // its guests let one wait run out at a time
		}
		bounds, err := ParseBounds(b.bounds)
		if err != nil {
			return err
		}
		if _, fair := bounds.Limit(Fair); fair && !yields(p) {
			continue // nothing is beyond a fair bound
		}
		opts.Bounds, opts.Iterate = bounds, b.iterate
		if err := disagreeWithin(b.search, p, judge, opts, b.iterate); err != nil {
			return err
		}
	}
	return nil
}
