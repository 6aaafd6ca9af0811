package por

import (
	"math"
	"testing"

	"landgo/por/internal/model"
	"landgo/por/trust"

	"pgregory.net/rapid"
)

// shareSeen keeps the shares that a search of graphs had at each execution's end,
// and those that it reported.
type shareSeen struct {
	walk    *graphWalk
	at, got []float64
}

func (s *shareSeen) Ended(*Execution) bool {
	s.at = append(s.at, s.walk.Done())
	return true
}
func (s *shareSeen) Progress(p Progress) { s.got = append(s.got, p.Share) }
func (s *shareSeen) Restarted()          {}

// shares runs trust or rounder.
func shares(t *testing.T, name string, p *model.Program, opts Options) (*shareSeen, *graphDivision) {
	t.Helper()
	spec, err := ParseSpec(name)
	if err != nil {
		t.Fatal(err)
	}
	sys, seen := model.New(p), &shareSeen{}
	b := &graphDivision{spec: spec, opts: opts, root: sys.Mark()}
	b.own = newGraphWalk(sys, seen, spec, &b.opts)
	seen.walk = b.own
	if err := b.once(nil); err != nil || !b.own.ends.Complete {
		t.Fatalf("%v, %+v", err, b.own.counts())
	}
	return seen, b
}

// TestTrustEstimate: what is done never falls, is more after each execution that is
// distinguished, and is everything in the end; in parts too.
func TestTrustEstimate(t *testing.T) {
	created, standing := programs(false, false), rapid.Custom(func(t *rapid.T) *model.Program { return drawStanding(t, false, false) })
	for seed, seen := 0, 0; seen < 300; seed++ {
		p := created.Example(seed)
		if seed%2 > 0 {
			p = standing.Example(seed)
		}
		judge := judged(t, p, judgeLimit)
		if judge == nil || len(judge.traces) < 3 {
			continue
		}
		seen++
		for k := -1; k < 3; k++ {
			name, opts := "trust", single
			if k >= 0 {
				name, opts.Bounds = []string{"rounder", "rounder:early=0"}[seed/2%2], Bounds{{Rounds, k}}
			}
			whole, b := shares(t, name, p, opts)
			last := 0.0
			for i, share := range whole.at {
				if share < last-1e-9 || i > 0 && share <= 0 {
					t.Fatalf("%s, rounds=%d: a share of %v after %v at execution %d\n%v", name, k, share, last, i, p)
				}
				last = share
			}
			if share := b.own.Done(); math.Abs(share-1) > 1e-9 {
				t.Fatalf("%s, rounds=%d: a share of %v in the end\n%v", name, k, share, p)
			}
			opts.WarmUp, opts.UnitSteps, opts.batchUnits = uint64(2+seed%50), uint64(1+seed%40), 2+seed%7
			parts, _ := shares(t, name, p, opts)
			last = 0
			for i, share := range parts.got {
				if share < last-1e-9 || share <= 0 || i == len(parts.got)-1 && math.Abs(share-1) > 1e-9 {
					t.Fatalf("%s in parts, rounds=%d: shares of %v\n%v", name, k, parts.got, p)
				}
				last = share
			}
		}
	}
}

// TestTrustEstimateError: a search's estimated size when a quarter of the executions
// are done, and a half, is within a factor that is known.
func TestTrustEstimateError(t *testing.T) {
	for _, c := range []struct {
		name string
		prog *model.Program
		most float64
	}{
		{"nwriters 7", model.NWriters(7), 2.5}, {"micro 2 3", model.Micro(2, 3), 3.5}, {"fib_bench 3", model.FibBench(3, 34), 1.6},
		{"mutex_inc 6 1", model.MutexInc(6, 1), 2}, {"mutex_inc 3 3", model.MutexInc(3, 3), 1.5}, {"peterson 2", model.Peterson(2), 3},
		{"indexer 13", model.Indexer(13, false), 1.1}, {"filesystem 18", model.FileSystem(18), 1.1}, {"two_cells 3", model.TwoCells(3), 5},
	} {
		st, _ := runModel(t, "trust", c.prog, single)
		for _, part := range []uint64{4, 2} {
			opts := single
			opts.MaxExecutions = st.Executions / part
			var seen progress
			s, _ := New("trust", opts)
			got, err := s.Run(model.New(c.prog), &seen)
			if err != nil {
				t.Fatal(err)
			}
			if len(seen.shares) == 0 {
				t.Fatalf("%s: no share", c.name)
			}
			off := float64(got.Executions) / seen.shares[len(seen.shares)-1] / float64(st.Executions)
			if off > c.most || off < 1/c.most {
				t.Errorf("%s: %.2f of the true number at 1/%d", c.name, off, part)
			}
		}
	}
}

// TestTrustEstimateLooks: to look for revisits early changes nothing of the search: with
// nothing told apart all counts are the same.
func TestTrustEstimateLooks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := soaked(false, false).Draw(rt, "program")
		if judged(rt, p.Program, p.limit) == nil {
			rt.Skip("too large")
		}
		for k := -1; k < 2; k++ {
			name, opts := "trust", single
			if k >= 0 {
				name, opts.Bounds = "rounder", Bounds{{Rounds, k}}
			}
			_, with := shares(t, name, p.Program, opts)
			spec, _ := ParseSpec(name)
			sys := model.New(p.Program)
			w := newGraphWalk(sys, &shareSeen{walk: with.own}, spec, &opts)
			cfg := trust.Config{Limit: int32(k), OneEvent: true, Unmerged: true, Without: trust.Weights}
			w.Walk = trust.New(cfg)
			w.begin()
			if _, err := w.Explore(false, func() (bool, error) { return false, nil }); err != nil {
				rt.Fatal(err)
			}
			want := with.own.counts()
			want.Complete = false
			if w.counts() != want || w.Cut != with.own.Cut {
				rt.Fatalf("%+v, %v without; %+v, %v\n%v", w.counts(), w.Cut, want, with.own.Cut, p.Program)
			}
		}
	})
}
