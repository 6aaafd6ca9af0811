package por

import (
	"fmt"

	"landgo/por/internal/model"
)

// disagreeWithin compares a search under bounds with the judge: what it reaches
// at each value up to the limit of the first bound is what some schedule
// within it reaches. exact: the search runs each of these schedules, so that
// it must have seen the least price of each.
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

// boundings are the bounds that every judged program goes through.
var boundings = []struct {
	search string
	bounds Bounds
}{
	{"bounded", Bounds{{Preempt, 2}}},
	{"bounded", Bounds{{Fair, 1}}},
	{"bounded", Bounds{{Delay, 2}}},
	{"bounded", Bounds{{Switches, 6}}},
	{"bounded", Bounds{{Preempt, 1}, {Fair, 0}}},
	{"bounded", Bounds{{Preempt, 1}, {Fair, 1}}},
}

// checkBoundings runs them.
func checkBoundings(p *model.Program, judge *survey, opts Options) error {
	for _, b := range boundings {
		opts := opts
		opts.Bounds, opts.Iterate = b.bounds, true
		if err := disagreeWithin(b.search, p, judge, opts, true); err != nil {
			return err
		}
	}
	for _, search := range []string{"bpor"} {
		for _, bounds := range []Bounds{{{Preempt, 0}}, {{Preempt, 1}}, {{Preempt, 2}}, {{Fair, 0}}, {{Fair, 1}}, {{Preempt, 0}, {Fair, 0}}, {{Preempt, 1}, {Fair, 0}}} {
			opts := opts
			opts.Bounds = bounds
			if err := disagreeWithin(search, p, judge, opts, false); err != nil {
				return err
			}
		}
	}
	return nil
}
