package por

import (
	"fmt"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs with steps that have the same effect in both orders, under the searches that know it
// (Kind.blends). Two judges run all interleavings. One knows nothing of it: it says which states
// and bugs there are. The other says which traces there are, of the finer independence.

// blending draws programs of two to four threads with counters whose results aren't used, and
// barriers for all threads or for some.
func blending() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 3)
		p := &model.Program{Bytes: 16, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 4) == 3, Mutexes: 1, Calm: true,
			Barriers: []int{2 + pick(t, "parties", n-1)}}
		loops := pick(t, "loops", 3) == 0
		for i := range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			if i == 0 && !p.Standing {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Create, A: k})
				}
			}
			for k := 1 + pick(t, "length", 6-n); k > 0; k-- {
				a, v, head := 8*pick(t, "where", 2), int64(1+pick(t, "value", 3)), len(code)
				switch pick(t, "kind", 16) {
				case 0, 1, 2, 3:
					put(model.Instr{Code: model.Add, A: a, C: v})
				case 4:
					put(model.Instr{Code: []model.Code{model.And, model.Or, model.Xor}[v-1], A: a, C: int64(pick(t, "mask", 4))})
				case 5:
					put(model.Instr{Code: model.Add, A: a + 4*pick(t, "half", 2), C: v, Size: 4})
				case 6, 7, 8, 9:
					put(model.Instr{Code: model.Barrier})
				case 10:
					put(model.Instr{Code: model.Load, A: a, R: 1})
				case 11:
					put(model.Instr{Code: model.Store, A: a, C: v})
				case 12:
					put(model.Instr{Code: model.FetchAdd, A: a, R: 1, C: v})
				case 13:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.Add, A: a, C: v}, model.Instr{Code: model.Unlock})
				case 14:
					put(model.Instr{Code: model.Load, A: a, R: 1}, model.Instr{Code: model.AssNe, A: len(code), R: 1, C: v})
				default:
					if loops {
						put(model.Instr{Code: model.Load, A: a, R: 1}, model.Instr{Code: model.JumpNe, R: 1, C: v, A: head})
					} else {
						put(model.Instr{Code: model.CompareEx, A: a, R: 1, C: v, D: v + 1})
					}
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// blendingSearches are those that know of it.
var blendingSearches = []string{"sleep", "source", "optimal"}

// agreeBlends compares the searches with the judges. awaits: optimal is spared polls, and so is
// the judge of its traces.
func agreeBlends(p *model.Program, limit uint64, f fault) error {
	all, err := exhaust(p, limit)
	if err != nil {
		return err
	}
	if !all.stats.Complete {
		return errTooLarge
	}
	for _, search := range blendingSearches {
		judge := newSurvey(p)
		judge.r.blending = true
		judge.r.Blend(true)
		if search != "sleep" {
			judge.r.awaiting = true
			judge.r.Await(true)
		}
		if judge, err = exhaustTo(judge, limit); err != nil {
			return err
		}
		if !judge.stats.Complete {
			return errTooLarge
		}
		if judge.clash != "" {
			return fmt.Errorf("two executions of one trace differ: %s", judge.clash)
		}
		if err := agreeBlend(search, p, all, judge, f); err != nil {
			return fmt.Errorf("%s: %w", search, err)
		}
	}
	return nil
}

func agreeBlend(search string, p *model.Program, all, judge *survey, f fault) error {
	opts := single
	opts.fault = f
	found := newSurvey(p)
	found.r.blending = true
	e, err := New(search, opts)
	if err != nil {
		return err
	}
	if found.stats, err = e.Run(found.r, found); err != nil {
		return err
	}
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
	if spins(p) && (search != "optimal" || !pure(p) || combines(p)) {
		return nil
	}
	for c := range judge.traces {
		if found.traces[c] == nil {
			return fmt.Errorf("missed a trace of %d", len(judge.traces))
		}
	}
	if search != "optimal" {
		return nil
	}
	if int(found.stats.Executions) != len(judge.traces) {
		return fmt.Errorf("%d executions of %d traces", found.stats.Executions, len(judge.traces))
	}
	if found.stats.Blocked > 0 && !casts(p) && !crowded(p) {
		return fmt.Errorf("%d blocked executions of %d traces", found.stats.Blocked, len(judge.traces))
	}
	return nil
}

// combines reports whether a program has an and or an or: what memory would be without one of
// several isn't known, so that a loop may be tried in vain.
func combines(p *model.Program) bool {
	for _, code := range p.Threads {
		for _, in := range code {
			if in.Code == model.And || in.Code == model.Or {
				return true
			}
		}
	}
	return false
}

// crowded reports whether more threads meet at a barrier than it is for. Which of them are in a
// round is a matter of order then. The last of a round wakes an arrival that sleeps, although
// that could be in the round.
func crowded(p *model.Program) bool {
	users := 0
	for _, code := range p.Threads {
		for _, in := range code {
			if in.Code == model.Barrier {
				users++
				break
			}
		}
	}
	return users > p.Barriers[0]
}

func TestBlends(t *testing.T) {
	onRandom(t, blending(), func(p *model.Program) error { return agreeBlends(p, spinLimit, sound) })
}

// TestBlendMutants: what is left out of the rules is found, by the searches or by the judge.
func TestBlendMutants(t *testing.T) {
	for name, wrong := range map[string]func(p *model.Program){
		"a result that is used":     func(p *model.Program) { p.Careless = true },
		"a round without a last":    func(p *model.Program) { p.Endless = true },
		"a barrier's serial thread": func(p *model.Program) { p.Serial = true },
	} {
		t.Run(name, func(t *testing.T) {
			findsFault(t, blending(), 3000, func(p *model.Program) error {
				wrong(p)
				return agreeBlends(p, spinLimit, sound)
			})
		})
	}
	for _, f := range []fault{keepAsleep, dropBacktrack, nearAwait} {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, blending(), 3000, func(p *model.Program) error { return agreeBlends(p, spinLimit, f) })
		})
	}
}

// TestSoakBlends is TestBlends on as many programs as LANDGO_SOAK says.
func TestSoakBlends(t *testing.T) {
	gen := blending()
	soakBatches(t, func(seed uint64) bool {
		return soakOne(t, seed, func(rt *rapid.T) {
			p := gen.Draw(rt, "program")
			if err := agreeBlends(p, spinLimit, sound); err != nil && err != errTooLarge {
				tellFinding(rt, err, p)
			}
		})
	}, func() string { return "" })
}
