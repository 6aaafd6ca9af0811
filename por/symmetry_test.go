package por

import (
	"fmt"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs with threads that are alike, under the searches that know it. One judge runs all
// interleavings: it says which states and bugs there are, if threads that are alike may change
// places. The other runs those in which they begin in order: it says which traces there are
// then.

// alikes draws programs of two to four threads that are alike, beside a first thread that
// creates them, and perhaps another.
func alikes() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "alike", 2)
		p := &model.Program{Bytes: 16, Mutexes: 2, Conds: 1, Sems: []int{pick(t, "sem", 2)}, Barriers: []int{2}, RWLocks: 0, Calm: true, Alike: n,
			Standing: pick(t, "standing", 3) == 0, MainEnds: pick(t, "mainends", 4) == 3}
		joins := !p.Standing && pick(t, "joins", 2) == 0
		other := pick(t, "other", 3) == 0
		code := func(label string, base, length int) (code []model.Instr) {
			put := func(in ...model.Instr) { code = append(code, in...) }
			for k := length; k > 0; k-- {
				a, v := 8*pick(t, label+" where", 2), int64(1+pick(t, label+" value", 2))
				switch pick(t, label+" kind", 15) {
				case 0, 1:
					put(model.Instr{Code: model.Store, A: a, C: v})
				case 2:
					put(model.Instr{Code: model.Load, A: a, R: 1}, model.Instr{Code: model.StoreR, A: 8 - a, R: 1, C: v})
				case 3:
					put(model.Instr{Code: model.FetchAdd, A: a, R: 2, C: v})
				case 4:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.FetchAdd, A: a, R: 2, C: v}, model.Instr{Code: model.Unlock})
				case 5:
					put(model.Instr{Code: model.Lock, A: int(v - 1)}, model.Instr{Code: model.Lock, A: int(2 - v)}, model.Instr{Code: model.Unlock}, model.Instr{Code: model.Unlock, A: 1})
				case 6:
					put(model.Instr{Code: model.TryLock, A: 1, R: 1}, model.Instr{Code: model.JumpIf, R: 1, C: 0, A: base + len(code) + 3}, model.Instr{Code: model.Unlock, A: 1})
				case 7:
					put(model.Instr{Code: model.SemPost})
				case 8:
					put(model.Instr{Code: model.SemWait})
				case 9:
					put(model.Instr{Code: model.Barrier})
				case 10:
					put(model.Instr{Code: model.CompareEx, A: a, R: 1, C: 0, D: v})
				case 11:
					put(model.Instr{Code: model.Load, A: a, R: 1}, model.Instr{Code: model.AssNe, A: len(code), R: 1, C: v + 1})
				case 12:
					put(model.Instr{Code: model.Choose, R: 3, C: 2})
				case 13:
					put(model.Instr{Code: model.Add, A: a, C: v})
				default:
					put(model.Instr{Code: model.Yield})
				}
			}
			return code
		}
		var first []model.Instr
		if !p.Standing {
			if other {
				first = append(first, model.Instr{Code: model.Create, A: n + 1})
			}
			first = append(first, code("before", len(first), pick(t, "before", 2))...)
			for i := range n {
				first = append(first, model.Instr{Code: model.Create, A: 1 + i})
			}
		}
		first = append(first, code("main", len(first), pick(t, "main", 2))...)
		if joins {
			for i := range n {
				first = append(first, model.Instr{Code: model.Join, A: 1 + i})
			}
			first = append(first, model.Instr{Code: model.Load, R: 1}, model.Instr{Code: model.AssNe, A: 99, R: 1, C: int64(pick(t, "final", 3))})
		}
		p.Threads = append(p.Threads, first)
		same := code("same", 0, 1+pick(t, "length", 5-n))
		for range n {
			p.Threads = append(p.Threads, same)
		}
		if other {
			p.Threads = append(p.Threads, code("other", 0, 1+pick(t, "others", 2)))
		}
		return p
	})
}

// agreeAlike compares the searches with the judges.
func agreeAlike(p *model.Program, limit uint64, f fault) error {
	all, err := exhaust(p, limit)
	if err != nil {
		return err
	}
	if !all.stats.Complete {
		return errTooLarge
	}
	for _, search := range blendingSearches {
		judge := newSurvey(p)
		judge.r.symmetric, judge.r.blending = true, true
		judge.r.Symmetry(true)
		judge.r.Blend(true)
		if judge, err = exhaustTo(judge, limit); err != nil {
			return err
		}
		if !judge.stats.Complete {
			return errTooLarge
		}
		if err := sameEnds(all, judge); err != nil {
			return fmt.Errorf("in order: %w", err)
		}
		if err := agreeInOrder(search, p, judge, f); err != nil {
			return fmt.Errorf("%s: %w", search, err)
		}
	}
	return nil
}

func sameEnds(all, found *survey) error {
	for o := range all.outcomes {
		if found.outcomes[o] == nil {
			return fmt.Errorf("missed %+v", o)
		}
	}
	for o := range found.outcomes {
		if all.outcomes[o] == nil {
			return fmt.Errorf("invented %+v", o)
		}
	}
	return nil
}

// agreeInOrder compares a search with the judge of what there is where threads begin in order.
func agreeInOrder(search string, p *model.Program, judge *survey, f fault) error {
	opts := single
	opts.fault = f
	found := newSurvey(p)
	found.r.symmetric, found.r.blending = true, true
	e, err := New(search+":symmetry=1", opts)
	if err != nil {
		return err
	}
	if found.stats, err = e.Run(found.r, found); err != nil {
		return err
	}
	if err := sameEnds(judge, found); err != nil {
		return err
	}
	for c := range judge.traces {
		if found.traces[c] == nil {
			return fmt.Errorf("missed a trace of %d", len(judge.traces))
		}
	}
	switch {
	case search != "optimal":
	case int(found.stats.Executions) != len(judge.traces):
		return fmt.Errorf("%d executions of %d traces", found.stats.Executions, len(judge.traces))
	case found.stats.Blocked > 0 && !casts(p) && !crowded(p):
		return fmt.Errorf("%d blocked executions of %d traces", found.stats.Blocked, len(judge.traces))
	}
	return nil
}

// TestAlike: threads that are alike begin in order without loss, and optimal runs each trace
// that is left once.
func TestAlike(t *testing.T) {
	onRandom(t, alikes(), func(p *model.Program) error { return agreeAlike(p, spinLimit, sound) })
}

// TestAlikeMutants: a rule that is missing is found, by the searches or by the judge.
func TestAlikeMutants(t *testing.T) {
	last := func(p *model.Program) *[]model.Instr { return &p.Threads[p.Alike] }
	for name, wrong := range map[string]func(p *model.Program){
		"a thread that does more": func(p *model.Program) { *last(p) = append([]model.Instr{{Code: model.Store, C: 7}}, *last(p)...) },
		"a thread told its number": func(p *model.Program) {
			for i := 1; i <= p.Alike; i++ {
				p.Threads[i] = append([]model.Instr{{Code: model.Set, R: 4, C: int64(i)}}, p.Threads[i]...)
			}
		},
		"one joined alone": func(p *model.Program) {
			code := p.Threads[0]
			for i, in := range code {
				if in.Code == model.Join {
					p.Threads[0] = append(append(append([]model.Instr{}, code[:i+1]...), model.Instr{Code: model.Load, R: 5}), code[i+1:]...)
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) { findAlike(t, wrong, sound) })
	}
	for _, f := range []fault{unfreed, keepAsleep, dropBacktrack, noPending} {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) { findAlike(t, func(*model.Program) {}, f) })
	}
}

func findAlike(t *testing.T, wrong func(*model.Program), f fault) {
	findsFault(t, alikes(), 3000, func(p *model.Program) error {
		wrong(p)
		return agreeAlike(p, spinLimit, f)
	})
}

// TestSoakAlike is TestAlike on as many programs as LANDGO_SOAK says.
func TestSoakAlike(t *testing.T) {
	gen := alikes()
	soakBatches(t, func(seed uint64) bool {
		return soakOne(t, seed, func(rt *rapid.T) {
			p := gen.Draw(rt, "program")
			if err := agreeAlike(p, spinLimit, sound); err != nil && err != errTooLarge {
				tellFinding(rt, err, p)
			}
		})
	}, func() string { return "" })
}
