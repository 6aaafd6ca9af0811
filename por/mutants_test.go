package por

import (
	"testing"

	"landgo/por/internal/model"
)

// The differential test must be able to fail: searches with one rule left out
// disagree with the judge on one of its programs.
func TestMutants(t *testing.T) {
	reduced := []string{"dpor", "dpor:sleep=0", "dpor:figure=3,sleep=0", "dpor:figure=4,sleep=0", "classic", "nidhugg", "source", "optimal"}
	asleep := []string{"sleep", "stateful", "dpor", "dpor:figure=3", "dpor:figure=4", "nidhugg", "source", "optimal"}
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
	} {
		for _, search := range m.searches {
			t.Run(m.name+"/"+search, func(t *testing.T) {
				hunt(t, func(p *model.Program, judge *survey) error {
					return disagree(search, p, judge, Options{OneEvent: true, Unmerged: true, fault: m.fault})
				})
			})
		}
	}
	t.Run("the spin rule in sum", func(t *testing.T) {
		hunt(t, func(p *model.Program, judge *survey) error {
			wrong := *p
			wrong.SpinInSum = true
			return disagree("none", &wrong, judge, Options{})
		})
	})
}

// hunt runs f on the differential test's programs until it fails.
func hunt(t *testing.T, f func(*model.Program, *survey) error) {
	t.Helper()
	gen := programs(false, false)
	for n := 0; n < programsPerTest; n++ {
		p := gen.Example(n)
		judge := judged(t, p)
		if judge == nil {
			continue
		}
		if err := f(p, judge); err != nil {
			t.Logf("found by program %d: %v", n, err)
			return
		}
	}
	t.Errorf("%d programs didn't find it", programsPerTest)
}
