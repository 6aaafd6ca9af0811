package por

import (
	"math"
	"testing"

	"landgo/por/internal/model"
)

// The differential test must be able to fail: searches with one rule left out
// disagree with the judge on one of its programs.
func TestMutants(t *testing.T) {
	reduced := []string{"dpor", "dpor:sleep=0", "dpor:figure=3,sleep=0", "dpor:figure=4,sleep=0", "dpor:figure=3,sleep=0,mark=1", "classic", "nidhugg", "source", "optimal"}
	asleep := []string{"sleep", "stateful", "dpor", "dpor:figure=3", "dpor:figure=4", "nidhugg", "source", "optimal"}
	graphs := []string{"trust"}
	for _, m := range []struct {
		name     string
		fault    fault
		searches []string
	}{
		{"a backtrack point dropped", dropBacktrack, reduced},
		{"a thread kept asleep", keepAsleep, asleep},
		{"pending blocked operations left out", noPending, reduced},
		{"the process's end left out", noProcessEnd, reduced},
		{"sleep sets as in the paper", paperSleep, []string{"dpor", "dpor:figure=3", "dpor:figure=4"}},
		{"no new persistent set where one is given up", noFresh, []string{"dpor:figure=3,sleep=0,mark=1"}},
		{"a revisit dropped", dropBacktrack, graphs},
		{"a revisit's maximality ignored", notMaximal, graphs},
		{"what blocked and cut off threads would have done left out", noPending, graphs},
	} {
		for _, search := range m.searches {
			t.Run(m.name+"/"+search, func(t *testing.T) {
				hunt(t, func(p *model.Program, judge *survey) error {
					return disagree(search, p, judge, Options{OneEvent: true, Unmerged: true, MaxExecutions: 2 * judgeLimit, fault: m.fault})
				})
			})
		}
	}
	for _, m := range []struct {
		name   string
		fault  fault
		bounds Bounds
	}{
		{"a backtrack point dropped", dropBacktrack, Bounds{{Preempt, 1}}},
		{"a thread kept asleep", keepAsleep, Bounds{{Preempt, 1}}},
		{"a conservative point skipped", noConservative, Bounds{{Preempt, 0}}},
		{"a conservative point skipped", noConservative, Bounds{{Preempt, 1}, {Fair, 0}}},
		{"pending blocked operations left out", noPending, Bounds{{Preempt, 1}}},
		{"the process's end left out", noProcessEnd, Bounds{{Preempt, 1}}},
	} {
		for _, search := range conservative {
			if kindNamed(search).check(m.bounds) != nil {
				continue
			}
			t.Run(m.name+"/"+search+"/"+m.bounds.String(), func(t *testing.T) {
				hunt(t, func(p *model.Program, judge *survey) error {
					return disagreeWithin(search, p, judge, Options{OneEvent: true, Unmerged: true, fault: m.fault, Bounds: m.bounds}, false)
				})
			})
		}
	}
	t.Run("a thread that displaces one left open/rounder", func(t *testing.T) {
		hunt(t, func(p *model.Program, judge *survey) error {
			opts := single
			opts.fault = anyDisplacer
			opts.WarmUp = math.MaxUint64 // or the end of a quota could save it from going round for ever
			return checkRounder(p, judge, len(judge.traces)%3, opts)
		})
	})
	t.Run("naive-bpor", func(t *testing.T) {
		hunt(t, func(p *model.Program, judge *survey) error {
			return disagreeWithin("naive-bpor", p, judge, Options{OneEvent: true, Unmerged: true, Bounds: Bounds{{Preempt, 0}}}, false)
		})
	})
	t.Run("the spin rule in sum", func(t *testing.T) {
		hunt(t, func(p *model.Program, judge *survey) error {
			wrong := *p
			wrong.SpinInSum = true
			return disagree("none", &wrong, judge, Options{})
		})
	})
}

// conservative are the reductions within a bound.
var conservative = []string{"bpor", "nidhugg-bpor", "source-bpor"}

// judgements are those of the programs of hunt, by number.
var judgements = map[int]judgement{}

type judgement struct {
	prog  *model.Program
	judge *survey // nil: too large
}

// huntLimit is the number of a soak's programs among which each mutant has to be
// found.
const huntLimit = 5000

// hunt runs f on programs of a soak until it fails.
func hunt(t *testing.T, f func(*model.Program, *survey) error) {
	t.Helper()
	gen := soaked(false, false)
	met := 0
	for n := 0; met < huntLimit; n++ {
		j, known := judgements[n]
		if !known {
			p := gen.Example(n)
			j = judgement{p.Program, judged(t, p.Program, p.limit)}
			judgements[n] = j
		}
		if j.judge == nil {
			continue
		}
		met++
		if err := f(j.prog, j.judge); err != nil {
			t.Logf("found by program %d: %v", met, err)
			return
		}
	}
	t.Errorf("%d programs didn't find it", huntLimit)
}
