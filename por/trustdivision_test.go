package por

import (
	"fmt"
	"reflect"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// TestTrustDivision: trust and rounder in units visit what they visit in one go. All
// counts are the same with any number of workers, and when the search is killed again
// and again.
func TestTrustDivision(t *testing.T) {
	programsOf, kills := 150, 0
	if testing.Short() {
		programsOf = 40
	}
	created, standing := programs(false, false), rapid.Custom(func(t *rapid.T) *model.Program { return drawStanding(t, false, false) })
	waits := polling()
	for seed, seen := 0, 0; seen < programsOf; seed++ {
		p := created.Example(seed)
		if seed%5 > 2 {
			p = standing.Example(seed)
		}
		if seed%5 == 2 {
			p = waits.Example(seed)
		}
		judge := judged(t, p, judgeLimit)
		if judge == nil || len(judge.traces) < 3 {
			continue
		}
		seen++
		for k := -1; k < 3; k += 1 + seed%3 {
			name, opts := "trust", single
			if k >= 0 {
				name, opts.Bounds = []string{"rounder", "rounder:early=0"}[seed%2], Bounds{{Rounds, k}}
			}
			n, err := agreeTrustDivision(name, p, seed, opts)
			if kills += n; err != nil {
				t.Fatalf("%s, rounds=%d, seed %d: %v\n%v", name, k, seed, err, p)
			}
		}
	}
	if kills < programsOf/10 {
		t.Errorf("only %d kills", kills)
	}
}

// agreeTrustDivision is that for one program. How the search is divided, and among how
// many, is a matter of n, as is whether it is killed.
func agreeTrustDivision(name string, p *model.Program, n int, opts Options) (kills int, err error) {
	whole, err := explore(name, p, opts)
	if err != nil {
		return 0, err
	}
	opts.WarmUp, opts.UnitSteps, opts.batchUnits = uint64(2+n%50), uint64(1+n%40), 2+n%7
	one, err := together(name, p, 1, opts)
	if err != nil {
		return 0, err
	}
	if visited(one.stats) != visited(whole.stats) || !reflect.DeepEqual(keys(one), keys(whole)) {
		return 0, fmt.Errorf("%+v in parts, %+v in one go", one.stats, whole.stats)
	}
	jobs := allWorkers[1+n%3]
	if many, err := together(name, p, jobs, opts); err != nil || many.stats != one.stats || !reflect.DeepEqual(keys(many), keys(one)) {
		return 0, fmt.Errorf("%d workers: %+v, %v; one %+v", jobs, many.stats, err, one.stats)
	}
	if n%3 > 0 {
		return 0, nil
	}
	s, kills, err := interrupted(name, p, 1+n%2, opts)
	if err == nil && (s.stats != one.stats || !sameOutcomes(s, one)) {
		err = fmt.Errorf("after %d kills: %+v, undisturbed %+v", kills, s.stats, one.stats)
	}
	return kills, err
}

// visited are the counts that don't depend on how a search is divided.
func visited(s Stats) [4]uint64 {
	return [4]uint64{s.Executions, s.Blocked, s.Pruned, s.Restarts}
}

func keys(s *survey) map[string]outcome {
	m := map[string]outcome{}
	for k, v := range s.traces {
		m[k] = v.outcome
	}
	return m
}

// TestTrustDivisionLarger: the same on programs with many traces, one with loops.
func TestTrustDivisionLarger(t *testing.T) {
	for _, p := range []*model.Program{model.MutexInc(3, 3), model.Micro(2, 3), model.LastZero(8), model.Philosophers(5, false), model.TTASLock(3)} {
		whole, _ := runModel(t, "trust", p, single)
		opts := single
		opts.WarmUp, opts.UnitSteps = 50, 200
		var one Stats
		for _, jobs := range allWorkers {
			opts.Crew = plainHands{p, jobs}
			s, _ := runModel(t, "trust", p, opts)
			if one == (Stats{}) {
				one = s
			}
			if visited(s) != visited(whole) || !s.Complete || s != one {
				t.Errorf("%d workers: %+v; one %+v, in one go %+v", jobs, s, one, whole)
			}
		}
		t.Logf("%d executions, %d transitions and %d again; in one go %d and %d", one.Executions, one.Transitions, one.Replayed, whole.Transitions, whole.Replayed)
	}
}
