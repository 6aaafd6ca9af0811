package por

import (
	"fmt"
	"slices"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs whose threads may go round a loop for nothing, under searches that have them stop there for good. One
// judge runs all executions, with such turns. The other runs all without a turn that another follows, and counts
// those that are cut.

// rounds draws programs with loops of several accesses.
func rounds() *rapid.Generator[*model.Program] {
	one, two := loops(), retries()
	return rapid.Custom(func(t *rapid.T) *model.Program {
		p := one
		if pick(t, "retries", 2) > 0 {
			p = two
		}
		q := p.Draw(t, "program")
		q.Budget, q.Calm, q.Parks, q.MainEnds = 0, true, true, pick(t, "mainends", 5) == 4
		if q.Standing = q.Standing || pick(t, "standing", 2) > 0; q.Standing && q.Threads[0] != nil {
			var code []model.Instr
			for _, in := range q.Threads[0] {
				if in.Code != model.Create {
					code = append(code, in)
				}
			}
			if len(code) < len(q.Threads[0]) {
				q.Threads[0] = code
			}
		}
		if k := pick(t, "waits", len(q.Threads)); pick(t, "timed", 3) == 0 { // for a lock that another thread keeps
			q.Mutexes = 2
			q.Threads[k] = append(slices.Clone(q.Threads[k]), model.Instr{Code: model.Lock, A: 1, R: 3, Timed: true}, model.Instr{Code: model.Load, A: 8 * pick(t, "looks", 2), R: 2},
				model.Instr{Code: model.StoreR, A: 8 * pick(t, "tells", 2), R: 3, C: 1})
			other := (k + 1) % len(q.Threads)
			code := []model.Instr{{Code: model.Lock, A: 1}}
			for _, in := range q.Threads[other] {
				if in.Code == model.Jump || in.Code == model.JumpIf || in.Code == model.JumpNe {
					in.A++
				}
				code = append(code, in)
			}
			q.Threads[other] = code
		}
		return q
	})
}

// TestParkMutants: the programs of TestParked show each rule that is left out.
func TestParkMutants(t *testing.T) {
	for f := model.AnyTurn; f <= model.AnyTime; f++ {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, rounds(), 6000, func(p *model.Program) error {
				p.ParksBadly = f
				_, err := agreeParked(p, spinLimit)
				return err
			})
		})
	}
}

// agreeParked compares the searches with both judges. fewer: an execution was left out.
func agreeParked(p *model.Program, limit uint64) (fewer bool, err error) {
	all, err := exhaust(p, limit)
	if err != nil {
		return false, err
	}
	if !all.stats.Complete {
		return false, errTooLarge
	}
	for _, search := range []string{"source", "optimal"} {
		judge := newSurvey(p)
		judge.r.awaiting, judge.r.parking = true, true
		judge.r.Await(true)
		judge.r.Park(true)
		if judge, err = exhaustTo(judge, limit); err != nil {
			return false, err
		}
		if !judge.stats.Complete {
			return false, errTooLarge
		}
		if err := allOutcomes(all, judge); err != nil {
			return false, fmt.Errorf("without turns for nothing: %w", err)
		}
		found := newSurvey(p)
		found.r.parking = true
		e, err := New(search, single)
		if err != nil {
			return false, err
		}
		if found.stats, err = e.Run(found.r, found); err != nil {
			return false, err
		}
		if err := allOutcomes(all, found); err != nil {
			return false, fmt.Errorf("%s: %w", search, err)
		}
		for c := range judge.traces {
			if found.traces[c] == nil {
				return false, fmt.Errorf("%s: missed a trace of %d", search, len(judge.traces))
			}
		}
		if n := int(found.stats.Executions); search == "optimal" && n != len(judge.traces) {
			return false, fmt.Errorf("%d executions of %d traces, %d blocked", n, len(judge.traces), found.stats.Blocked)
		}
		fewer = len(judge.traces) < len(all.traces)
	}
	return fewer, nil
}

func TestParked(t *testing.T) {
	sparing(t, rounds(), func(p *model.Program) (bool, error) { return agreeParked(p, spinLimit) })
}

// TestSoakParked is TestParked on as many programs as LANDGO_SOAK says.
func TestSoakParked(t *testing.T) {
	soakSparing(t, rounds(), func(p *model.Program) (bool, error) { return agreeParked(p, spinLimit) })
}
