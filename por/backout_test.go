package por

import (
	"errors"
	"fmt"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs whose threads back out: they add to a word, find a value with which they can't go on, take
// their addition back and try again. Searches are spared the tries that fail. Two judges, as in
// await_test.go: one goes through all states that there are with such tries, the other runs all
// interleavings without.

// backing draws programs of two or three threads with locks of that kind.
func backing() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 2)
		p := &model.Program{Bytes: 24, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 6) == 5, Calm: true, Backs: true,
			Init: map[int]byte{0: 4, 8: byte(pick(t, "init", 5))}}
		usual := pick(t, "usual", 3) > 0
		for i := range n {
			var code []model.Instr
			if i == 0 && !p.Standing {
				for k := 1; k < n; k++ {
					code = append(code, model.Instr{Code: model.Create, A: k})
				}
			}
			for k := 1 + pick(t, "length", 4-n); k > 0; k-- {
				a, v := 8*pick(t, "where", 2), int64(pick(t, "value", 3))
				if usual {
					a = 0
				}
				kind := pick(t, "kind", 12)
				if usual {
					kind = pick(t, "kind", 24)
				}
				switch kind {
				case 0:
					code = append(code, model.Instr{Code: model.Load, A: a, R: 2}, model.Instr{Code: model.Set, R: 2})
				case 1:
					code = append(code, model.Instr{Code: model.Store, A: a, C: v})
				case 2:
					code = append(code, model.Instr{Code: model.FetchAdd, A: a, R: 2, C: v - 1})
				case 3:
					code = append(code, model.Instr{Code: model.Add, A: a, C: v - 1})
				case 4: // it tries once
					code = append(code, model.Instr{Code: model.FetchAdd, A: a, R: 0, C: -4}, model.Instr{Code: model.JumpIf, C: 4, A: len(code) + 4},
						model.Instr{Code: model.Add, A: a, C: 4}, model.Instr{Code: model.Jump, A: len(code) + 5}, model.Instr{Code: model.Add, A: a, C: 4})
				default:
					backOut(t, &code, a, usual)
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// backOut writes a section between taking a lock and giving it back.
func backOut(t *rapid.T, code *[]model.Instr, a int, usual bool) {
	put := func(in ...model.Instr) { *code = append(*code, in...) }
	tests := []func(int64) bool{
		func(v int64) bool { return v == 4 }, func(v int64) bool { return v > 0 }, func(v int64) bool { return v > 1 },
		func(v int64) bool { return v != 4 }, func(v int64) bool { return v < 3 },
	}
	test := func(k int) model.Instr {
		f := tests[k]
		return model.Instr{Code: model.Call, C: int64(k), F: func(r *[model.NumRegs]int64) {
			if v := r[0]; f(v) {
				r[0] = 1
			} else {
				r[0] = 0
			}
		}}
	}
	writes := pick(t, "writes", 2) == 0
	adds, goes := int64(-1), 1
	if writes {
		adds, goes = -4, 0
	}
	waits := goes
	if !usual {
		goes, waits = pick(t, "goes", len(tests)), pick(t, "waits", len(tests))
	} else if pick(t, "other", 6) == 0 {
		waits = pick(t, "waits", len(tests))
	}
	back := -adds
	if pick(t, "back", 12) == 11 {
		back++
	}
	keeps := pick(t, "keeps", 8) == 7
	try := func(goes int) {
		put(model.Instr{Code: model.FetchAdd, A: a, C: adds})
		if keeps {
			put(model.Instr{Code: model.Call, F: func(r *[model.NumRegs]int64) { r[3] = r[0] }})
		}
		put(test(goes))
	}
	out := func() int { put(model.Instr{}); return len(*code) - 1 }
	first := -1
	if pick(t, "first", 2) == 0 { // a try before the loop, or those in the loop alone
		g := goes
		if pick(t, "another", 8) == 7 {
			g = pick(t, "goes first", len(tests))
		}
		try(g)
		first = out()
	}
	head := len(*code)
	if first < 0 {
		try(goes)
		first = out()
	}
	if pick(t, "result", 2) == 0 {
		put(model.Instr{Code: model.Add, A: a, C: back})
	} else {
		put(model.Instr{Code: model.FetchAdd, A: a, R: 4, C: back}, model.Instr{Code: model.Set, R: 4})
	}
	last := -1
	if pick(t, "waiting", 5) > 0 {
		wait := len(*code)
		put(model.Instr{Code: model.Load, A: a}, test(waits), model.Instr{Code: model.JumpIf, A: wait})
	}
	if (*code)[head].Code == model.FetchAdd && (*code)[head].C == adds {
		put(model.Instr{Code: model.Set}, model.Instr{Code: model.Jump, A: head})
	} else {
		try(goes)
		last = out()
		put(model.Instr{Code: model.Jump, A: head})
	}
	end := len(*code)
	(*code)[first] = model.Instr{Code: model.JumpIf, C: 1, A: end}
	if last >= 0 {
		(*code)[last] = model.Instr{Code: model.JumpIf, C: 1, A: end}
	}
	put(model.Instr{Code: model.Set})
	if keeps && pick(t, "forgets", 2) == 0 {
		put(model.Instr{Code: model.Set, R: 3})
	}
	switch pick(t, "inside", 3) {
	case 0:
		put(model.Instr{Code: model.Load, A: 16, R: 2})
	case 1:
		put(model.Instr{Code: model.Store, A: 16, C: int64(1 + pick(t, "stored", 2))})
	}
	if pick(t, "gives back", 12) > 0 {
		put(model.Instr{Code: model.Add, A: a, C: -adds})
	}
}

// mostStates bounds the judge.
const mostStates = 6000

// everyState goes through all states of a program. endless: from some no end can be reached.
func everyState(p *model.Program) (all map[outcome]*price, endless bool, err error) {
	s := newSurvey(p)
	s.Restarted()
	m := s.m
	at := map[trace.Digest]int{}
	var before [][]int
	ends := map[int]bool{}
	var walk func(from int) error
	end := func(from int, e Ending) {
		s.outcomes[s.outcome(e)] = &price{}
		ends[from] = true
	}
	walk = func(from int) error {
		d, err := m.Digest()
		if err != nil {
			return err
		}
		n, known := at[d]
		if !known {
			n = len(before)
			at[d], before = n, append(before, nil)
		}
		if from >= 0 {
			before[n] = append(before[n], from)
		}
		if known {
			return nil
		}
		if n > mostStates {
			return errTooLarge
		}
		mark, ready, left := m.Mark(), false, false
		for _, t := range m.Threads(nil) {
			left = left || t.Status != trace.Exited
			if t.Status != trace.Ready {
				continue
			}
			ready = true
			x, err := m.Step(t.ID, 0)
			if err != nil {
				return err
			}
			switch x.End {
			case trace.EndProcess:
				end(n, EndedProcess)
			case trace.EndBug:
				end(n, EndedBug)
			default:
				if err := walk(n); err != nil {
					return err
				}
			}
			m.Rewind(mark)
		}
		if !ready && left {
			end(n, EndedStuck)
		} else if !ready {
			end(n, EndedProcess)
		}
		return nil
	}
	if err := walk(-1); err != nil {
		return nil, false, err
	}
	var todo []int
	for n := range ends {
		todo = append(todo, n)
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range before[n] {
			if !ends[b] {
				ends[b] = true
				todo = append(todo, b)
			}
		}
	}
	return s.outcomes, len(ends) < len(before), nil
}

// agreeBacks compares the searches with both judges.
func agreeBacks(p *model.Program, limit uint64) (fewer bool, err error) {
	all, endless, err := everyState(p)
	if err != nil {
		return false, err
	}
	check := func(found *survey) error {
		for o := range all {
			if found.outcomes[o] == nil {
				return fmt.Errorf("missed %+v", o)
			}
		}
		stuck := false
		for o := range found.outcomes {
			if stuck = stuck || o.ending == EndedStuck; all[o] == nil && !(endless && o.ending == EndedStuck) {
				return fmt.Errorf("invented %+v", o)
			}
		}
		if endless && !stuck {
			return fmt.Errorf("missed that some executions have no end")
		}
		return nil
	}
	var steps *survey
	for last := (*survey)(nil); ; last = steps {
		steps = newSurvey(p)
		if last != nil {
			steps.m.Backed(last.m)
		}
		steps.r.awaiting = true
		steps.r.Await(true)
		if steps, err = exhaustTo(steps, limit); !errors.Is(err, trace.ErrFiner) {
			break
		}
	}
	if err != nil {
		return false, err
	}
	if !steps.stats.Complete || steps.longest > 40 {
		return false, errTooLarge
	}
	if err := check(steps); err != nil {
		return false, fmt.Errorf("without tries that fail: %w", err)
	}
	for _, search := range awaitingSearches {
		spare = nil
		found, err := explore(search, p, single)
		spare = nil
		if err == nil {
			err = check(found)
		}
		same := found.m.BacksAs(steps.m) // else the judge knows more than the search need
		for c := range steps.traces {
			if err == nil && same && found.traces[c] == nil {
				err = fmt.Errorf("missed a trace of %d", len(steps.traces))
			}
		}
		if n := int(found.stats.Executions); err == nil && same && (search == "optimal" || search == "trust") && (n != len(steps.traces) || found.stats.Blocked > 0) {
			err = fmt.Errorf("%d executions of %d traces, %d blocked", n, len(steps.traces), found.stats.Blocked)
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", search, err)
		}
	}
	return steps.m.BacksOut(), nil
}

func TestBacks(t *testing.T) {
	sparing(t, backing(), func(p *model.Program) (bool, error) { return agreeBacks(p, spinLimit) })
}

// TestBackMutants: the programs of TestBacks show each rule of back-outs that is left out.
func TestBackMutants(t *testing.T) {
	for f := model.Unmoved; f <= model.KeepsAdding; f++ {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, backing(), 6000, func(p *model.Program) error {
				p.BacksBadly = f
				_, err := agreeBacks(p, spinLimit)
				return err
			})
		})
	}
}

// TestSoakBacks is TestBacks on as many programs as LANDGO_SOAK says.
func TestSoakBacks(t *testing.T) {
	soakSparing(t, backing(), func(p *model.Program) (bool, error) { return agreeBacks(p, spinLimit) })
}
