package por

import (
	"errors"
	"fmt"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs that count references, under the searches that know of counts above a bound
// (Counter). Two judges, as in commute_test.go: one knows nothing of it. The other runs all
// interleavings too, and says so if an addition that blends finds too little in one.

// referring draws programs of two to four threads that take references and give them back.
func referring() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 3)
		p := &model.Program{Bytes: 24, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 4) == 3, Mutexes: 1, Calm: true,
			Init: map[int]byte{0: byte(pick(t, "first", 6)), 8: byte(1 + pick(t, "second", 4))}}
		for i := range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			started := 1
			for k := 1 + pick(t, "length", 6-n); k > 0; k-- {
				if i == 0 && !p.Standing && started < n && pick(t, "start", 2) == 0 {
					put(model.Instr{Code: model.Create, A: started})
					started++
				}
				a, v := 8*pick(t, "where", 2), int64(1)
				if pick(t, "more", 6) == 0 {
					v = 2
				}
				switch pick(t, "kind", 16) {
				case 0, 1, 2: // take one
					put(model.Instr{Code: model.Add, A: a, C: v})
				case 3: // and see that there was one
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: v})
				case 4, 5, 6, 7, 8: // give one back
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: -v})
				case 9, 10: // the last one does something
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: -v}, model.Instr{Code: model.JumpNe, R: 1, C: 1, A: len(code) + 3},
						model.Instr{Code: model.Store, A: 16, C: v})
				case 11: // or mustn't be
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: -v}, model.Instr{Code: model.AssNe, A: len(code), R: 1, C: 1})
				case 12:
					put(model.Instr{Code: model.Add, A: a, C: -v})
				case 13:
					put(model.Instr{Code: model.Load, A: a, R: 2})
				case 14:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.AddTest, A: a, R: 1, C: -v}, model.Instr{Code: model.Unlock})
				default:
					put(model.Instr{Code: model.Store, A: a, C: v})
				}
			}
			for ; i == 0 && !p.Standing && started < n; started++ {
				put(model.Instr{Code: model.Create, A: started})
			}
			if i == 0 && !p.Standing && pick(t, "joins", 2) == 0 {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Join, A: k})
				}
				put(model.Instr{Code: model.AddTest, A: 0, R: 1, C: -1})
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// agreeCounts compares the searches with the judges. fewer: optimal ran fewer executions than
// without.
func agreeCounts(p *model.Program, limit uint64, f fault) (fewer bool, err error) {
	return agreeAdditions(p, limit, true, false, f, "source", "optimal")
}

// agreeAdditions does so for some searches. The program tells them counts that stay above zero, tested
// additions, or both.
func agreeAdditions(p *model.Program, limit uint64, counting, testing bool, f fault, searches ...string) (fewer bool, err error) {
	all, err := exhaust(p, limit)
	if err != nil {
		return false, err
	}
	if !all.stats.Complete {
		return false, errTooLarge
	}
	for _, search := range searches {
		opts := single
		opts.fault = f
		found := newSurvey(p)
		found.r.blending, found.r.counting, found.r.testing = true, counting, testing
		e, err := New(search, opts)
		if err != nil {
			return false, err
		}
		if found.stats, err = e.Run(found.r, found); err != nil {
			return false, err
		}
		if err := allOutcomes(all, found); err != nil {
			return false, fmt.Errorf("%s: %w", search, err)
		}
		judge := newSurvey(p)
		judge.r.blending, judge.r.counting, judge.r.testing = true, counting, testing
		judge.m.Below(found.m)
		judge.m.AtOnce = true
		judge.r.Blend(true)
		judge.r.Count(search != "sleep") // it has no order to look at counts in
		judge.r.Test(true)
		if search != "sleep" {
			judge.m.Between(found.m)
			judge.r.awaiting = true
			judge.r.Await(true)
		}
		judge, err = exhaustTo(judge, limit)
		switch {
		case errors.Is(err, trace.ErrFiner):
			return false, fmt.Errorf("%s: a count isn't above zero everywhere, and that wasn't seen", search)
		case err != nil:
			return false, err
		case !judge.stats.Complete:
			return false, errTooLarge
		case judge.clash != "":
			return false, fmt.Errorf("two executions of one trace differ: %s", judge.clash)
		}
		for c := range judge.traces {
			if found.traces[c] == nil {
				return false, fmt.Errorf("%s: missed a trace of %d", search, len(judge.traces))
			}
		}
		if search == "optimal" && (int(found.stats.Executions) != len(judge.traces) || found.stats.Blocked > 0) {
			return false, fmt.Errorf("%d executions of %d traces, %d blocked", found.stats.Executions, len(judge.traces), found.stats.Blocked)
		}
		fewer = int(found.stats.Executions) < len(all.traces)
	}
	return fewer, nil
}

func TestCountsAbove(t *testing.T) {
	sparing(t, referring(), func(p *model.Program) (bool, error) { return agreeCounts(p, spinLimit, sound) })
}

// TestCountsTold: all additions that an execution's orders tell apart are told at its end, so
// that the search begins again but once.
func TestCountsTold(t *testing.T) {
	p := &model.Program{Bytes: 8, Standing: true, Init: map[int]byte{0: 4}}
	for range 4 {
		p.Threads = append(p.Threads, []model.Instr{{Code: model.AddTest, A: 0, R: 1, C: -1}})
	}
	found := newSurvey(p)
	found.r.blending, found.r.counting = true, true
	e, err := New("optimal", single)
	if err != nil {
		t.Fatal(err)
	}
	st, err := e.Run(found.r, found)
	if err != nil || st.Restarts != 1 || st.Executions != 24 {
		t.Errorf("%d executions after %d restarts: %v", st.Executions, st.Restarts, err)
	}
}

// TestCountsAboveMutants: what is left out of the rules is found.
func TestCountsAboveMutants(t *testing.T) {
	for _, f := range []fault{unwatched, asItWas, behindIt, freely} {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, referring(), 3000, func(p *model.Program) error {
				_, err := agreeCounts(p, spinLimit, f)
				return err
			})
		})
	}
}

// TestSoakCounts is TestCountsAbove on as many programs as LANDGO_SOAK says.
func TestSoakCounts(t *testing.T) {
	soakSparing(t, referring(), func(p *model.Program) (bool, error) { return agreeCounts(p, spinLimit, sound) })
}
