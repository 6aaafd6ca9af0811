package por

import (
	"errors"
	"fmt"
	"testing"

	"landgo/internal/part"
	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs whose threads load a word and then change it by an exchange, under the searches for which both are one
// step. Two judges, as in backout_test.go: one runs all loads and exchanges for themselves, the other
// all interleavings of such steps.

// hinting draws programs of two or three threads with exchanges behind loads.
func hinting() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 2)
		p := &model.Program{Bytes: 24, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 6) == 5, Mutexes: 1, Calm: true, Hints: true,
			Init: map[int]byte{0: byte(pick(t, "init", 3))}}
		usual := pick(t, "usual", 2) > 0
		for i := range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			if i == 0 && !p.Standing {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Create, A: k})
				}
			}
			for k := 1 + pick(t, "length", 4-n); k > 0; k-- {
				a, v := 8*(pick(t, "where", 4)/3), int64(pick(t, "value", 4))
				switch kind := pick(t, "kind", 20); {
				case kind < 12 || usual && kind < 16:
					exchanges(t, &code, a)
				case kind == 12:
					put(model.Instr{Code: model.Store, A: a, C: v})
				case kind == 13:
					put(model.Instr{Code: model.Add, A: a, C: v - 1})
				case kind == 14:
					put(model.Instr{Code: model.AddTest, A: a, R: 5, C: 1 - 2*(v%2), D: v / 2})
				case kind == 15:
					put(model.Instr{Code: model.FetchAdd, A: a, R: 5, C: v - 1})
				case kind == 16:
					put(model.Instr{Code: model.Load, A: a, R: 5})
				case kind == 17:
					put(model.Instr{Code: model.Load, A: a, R: 5}, model.Instr{Code: model.AssNe, A: len(code), R: 5, C: v})
				case kind == 18:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Unlock})
				default: // a part of the word
					put(model.Instr{Code: model.Store, A: a, C: v, Size: 4})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// exchanges writes a load, and an exchange of what it has loaded.
func exchanges(t *rapid.T, code *[]model.Instr, a int) {
	const r, flag, count, first = 0, 1, 2, 3
	put := func(in ...model.Instr) { *code = append(*code, in...) }
	here := func() int { return len(*code) }
	c := int64(1 + pick(t, "by", 2))
	swap := model.Instr{Code: model.CasAdd, A: a, R: r, C: c, D: flag}
	if pick(t, "set", 3) == 0 {
		swap.Code = model.CasSet
	}
	load := model.Instr{Code: model.Load, A: a, R: r}
	// What is looked at between the two: 0 nothing, or whether to go on.
	test := func(out *[]int, again int) {
		switch x := int64(pick(t, "of", 3)); pick(t, "test", 6) {
		case 0: // out, with a value
			*out = append(*out, here())
			put(model.Instr{Code: model.JumpIf, R: r, C: x})
		case 1: // again, with a value
			put(model.Instr{Code: model.JumpIf, R: r, C: x, A: again})
		case 2: // out, from a value on
			put(model.Instr{Code: model.Call, F: func(g *[model.NumRegs]int64) { g[4] = b2i(g[r] > x) }})
			*out = append(*out, here())
			put(model.Instr{Code: model.JumpIf, R: 4, C: 1})
		}
	}
	var out []int
	head := here()
	switch kind := pick(t, "shape", 12); kind {
	case 0, 1, 2: // it loads again
		put(load)
		test(&out, head)
		put(swap, model.Instr{Code: model.JumpIf, R: flag, A: head})
	case 3, 4: // it goes on with what it has found
		put(load)
		inner := here()
		test(&out, head)
		put(swap, model.Instr{Code: model.JumpIf, R: flag, A: inner})
	case 5: // it begins with an exchange
		put(model.Instr{Code: model.Set, R: r, C: int64(pick(t, "guess", 3))}, swap)
		out = append(out, here())
		put(model.Instr{Code: model.JumpIf, R: flag, C: 1})
		inner := here()
		test(&out, head)
		put(swap, model.Instr{Code: model.JumpIf, R: flag, A: inner})
	case 6, 7: // a lock
		inner := head
		put(load, model.Instr{Code: model.JumpIf, R: r, C: 1, A: head}, model.Instr{Code: model.Exchange, A: a, R: r, C: 1}, model.Instr{Code: model.JumpIf, R: r, C: 1, A: inner})
		if pick(t, "gives back", 4) > 0 {
			put(model.Instr{Code: model.Load, A: 16, R: 5}, model.Instr{Code: model.Store, A: a})
		}
	case 8: // it counts what fails
		put(model.Instr{Code: model.Set, R: count}, load)
		inner := here()
		put(swap)
		out = append(out, here())
		put(model.Instr{Code: model.JumpIf, R: flag, C: 1}, model.Instr{Code: model.AddI, R: count, C: 1}, model.Instr{Code: model.Jump, A: inner + b2n(pick(t, "loads again", 2) == 1)*-1})
	case 9: // it keeps what it found first
		put(load, model.Instr{Code: model.Set, R: first}, model.Instr{Code: model.AddR, R: first, A: r})
		inner := here()
		put(swap, model.Instr{Code: model.JumpIf, R: flag, A: inner})
	case 10: // once
		put(load)
		test(&out, head)
		if pick(t, "other", 2) == 0 {
			put(model.Instr{Code: model.Set, R: r, C: int64(pick(t, "expected", 3))})
		}
		put(swap)
	default: // with something on the way
		put(load, model.Instr{Code: model.Store, A: 16, C: c}, swap, model.Instr{Code: model.JumpIf, R: flag, A: head})
	}
	for _, pc := range out {
		(*code)[pc].A = here()
	}
	switch pick(t, "after", 4) {
	case 0, 1:
		put(model.Instr{Code: model.Set, R: r}, model.Instr{Code: model.Set, R: flag})
	case 2:
		put(model.Instr{Code: model.Set, R: flag})
	}
	put(model.Instr{Code: model.Set, R: 4})
}

func b2i(b bool) int64 { return int64(b2n(b)) }

func b2n(b bool) int {
	if b {
		return 1
	}
	return 0
}

// agreeHints compares the searches with both judges. fewer: there are fewer executions than with loads and exchanges
// apart.
func agreeHints(p *model.Program, limit uint64) (fewer bool, err error) {
	all, err := exhaust(p, limit)
	if err != nil {
		return false, err
	}
	if !all.stats.Complete {
		return false, errTooLarge
	}
	for _, search := range []string{"source", "optimal"} {
		found := newSurvey(p)
		found.r.blending, found.r.testing = true, true
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
		judge, err := hintedJudge(p, found, limit)
		if err != nil {
			return false, fmt.Errorf("%s: %w", search, err)
		}
		if err := allOutcomes(all, judge); err != nil {
			return false, fmt.Errorf("with loads and exchanges as one step: %w", err)
		}
		if judge.clash != "" {
			return false, fmt.Errorf("two executions of one trace differ: %s", judge.clash)
		}
		same := found.m.HintsAs(judge.m) // else the judge knows more than the search need
		for c := range judge.traces {
			if same && found.traces[c] == nil {
				return false, fmt.Errorf("%s: missed a trace of %d", search, len(judge.traces))
			}
		}
		if n := int(found.stats.Executions); same && search == "optimal" && n != len(judge.traces) {
			return false, fmt.Errorf("%d executions of %d traces, %d blocked", n, len(judge.traces), found.stats.Blocked)
		}
		fewer = int(found.stats.Executions) < len(all.traces)
	}
	return fewer, nil
}

// hintedJudge runs all interleavings, with what a search has learned, and learns the rest.
func hintedJudge(p *model.Program, found *survey, limit uint64) (judge *survey, err error) {
	for last := found; ; last = judge {
		judge = newSurvey(p)
		judge.m.Hinted(last.m)
		judge.r.blending, judge.r.testing, judge.r.awaiting = true, true, true
		judge.r.Blend(true)
		judge.r.Test(true)
		judge.r.Await(true)
		if judge, err = exhaustTo(judge, limit); !errors.Is(err, trace.ErrFiner) {
			break
		}
	}
	if err == nil && !judge.stats.Complete {
		err = errTooLarge
	}
	return judge, err
}

func TestHints(t *testing.T) {
	sparing(t, hinting(), func(p *model.Program) (bool, error) { return agreeHints(p, spinLimit) })
}

// TestHintMutants: the programs of TestHints show each rule of hints that is left out.
func TestHintMutants(t *testing.T) {
	for f := model.EqualPairs; f <= model.StillBlends; f++ {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			part.Row(t) // each takes seconds
			findsFault(t, hinting(), 15000, func(p *model.Program) error {
				p.HintsBadly = f
				_, err := agreeHints(p, spinLimit)
				return err
			})
		})
	}
}

// TestHintedOnce: n threads that add by compare-and-exchange have n! executions, whether they load again where that
// fails or not. So have locks that are looked at.
func TestHintedOnce(t *testing.T) {
	cas := model.Instr{Code: model.CasAdd, C: 1, D: 1}
	for name, code := range map[string][]model.Instr{
		"loads again": {{Code: model.Load}, cas, {Code: model.JumpIf, R: 1, A: 0}, {Code: model.Set}},
		"goes on":     {{Code: model.Load}, cas, {Code: model.JumpIf, R: 1, A: 1}, {Code: model.Set}},
		"a lock":      {{Code: model.Load}, {Code: model.JumpIf, C: 1}, {Code: model.Exchange, C: 1}, {Code: model.JumpIf, C: 1}, {Code: model.Store}},
	} {
		for n, want := 2, 2; n <= 4; n++ {
			p := &model.Program{Bytes: 8, Standing: true, Calm: true, Hints: true}
			for range n {
				p.Threads = append(p.Threads, code)
			}
			found := newSurvey(p)
			found.r.blending, found.r.testing = true, true
			e, err := New("optimal", single)
			if err != nil {
				t.Fatal(err)
			}
			if st, err := e.Run(found.r, found); err != nil || int(st.Executions) != want || st.Blocked > 0 {
				t.Errorf("%s, %d threads: %d executions, %d blocked, want %d: %v", name, n, st.Executions, st.Blocked, want, err)
			}
			want *= n + 1
		}
	}
}

// TestSoakHints is TestHints on as many programs as LANDGO_SOAK says.
func TestSoakHints(t *testing.T) {
	soakSparing(t, hinting(), func(p *model.Program) (bool, error) { return agreeHints(p, spinLimit) })
}
