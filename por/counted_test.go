package por

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs that count the turns of their loops, under optimal, for which all turns are one step.
// Two judges, as in await_test.go: one runs each turn for itself, the other steps of all turns.

// counting draws programs of two or three threads. One waits in loops that end after some
// turns, back off for longer and longer, count what they find, or keep the count.
// With buffers there are fences, too, and loads of what a thread has stored.
func counting(buffers bool) *rapid.Generator[*model.Program] {
	kinds := 14
	if buffers {
		kinds = 18
	}
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 2)
		p := &model.Program{Bytes: 24, Standing: true, Mutexes: 1, Calm: true, Counts: true, Undeclared: pick(t, "undeclared", 3) == 0,
			Buffers: buffers, Init: map[int]byte{0: byte(pick(t, "init", 2))}}
		spins := 0
		for range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			for k := 1 + pick(t, "length", 5-n); k > 0; k-- {
				a, v, r := 8*pick(t, "where", 2), int64(pick(t, "value", 3)), pick(t, "register", 2)
				kind := pick(t, "kind", kinds)
				if kind < 6 && spins > 1 {
					kind += 6
				}
				if kind < 6 {
					spins++
					spinCounted(t, &code, kind, a, v, int64(2+pick(t, "turns", 2)))
					continue
				}
				switch kind {
				case 6:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Unlock})
				case 7:
					put(model.Instr{Code: model.Load, A: a, R: r}, model.Instr{Code: model.AssNe, A: len(code), R: r, C: v})
				case 8:
					put(model.Instr{Code: model.FetchAdd, A: a, R: r, C: 1})
				case 9:
					put(model.Instr{Code: model.Add, A: a, R: r, C: 1})
				case 14:
					put(model.Instr{Code: model.Fence})
				case 15: // a store, and a load of it, or of the other word
					put(model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Load, A: []int{a, 8 - a}[r], R: r})
				case 10: // until it has a value
					put(model.Instr{Code: model.Load, A: a, R: r}, model.Instr{Code: model.JumpNe, R: r, C: v, A: len(code)})
				default:
					put(model.Instr{Code: model.Store, A: a, C: v})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// spinCounted writes a loop that looks at a until it has the value v, or for this many turns.
func spinCounted(t *rapid.T, code *[]model.Instr, kind, a int, v, turns int64) {
	const count, found = 4, 3
	put := func(in ...model.Instr) { *code = append(*code, in...) }
	at := func() int { return len(*code) }
	clear := pick(t, "clear", 4) > 0
	put(model.Instr{Code: model.Set, R: count})
	if pick(t, "first", 4) == 0 { // what was there first decides
		put(model.Instr{Code: model.Load, A: a, R: 5})
	}
	head := at()
	switch kind {
	case 0, 1: // it gives up
		put(model.Instr{Code: model.Load, A: a, R: found}, model.Instr{Code: model.JumpIf, R: found, C: v, A: head + 4},
			model.Instr{Code: model.AddI, R: count, C: 1}, model.Instr{Code: model.JumpNe, R: count, C: turns, A: head})
	case 2: // it backs off, at most for so long
		put(model.Instr{Code: model.Load, A: a, R: found}, model.Instr{Code: model.JumpIf, R: found, C: v, A: head + 5},
			model.Instr{Code: model.JumpIf, R: count, C: turns, A: head}, model.Instr{Code: model.AddI, R: count, C: 1}, model.Instr{Code: model.Jump, A: head})
	case 3: // it adds what it finds
		put(model.Instr{Code: model.Load, A: a, R: found}, model.Instr{Code: model.JumpIf, R: found, C: v, A: head + 6},
			model.Instr{Code: model.AddR, R: 6, A: found}, model.Instr{Code: model.AddI, R: count, C: 1},
			model.Instr{Code: model.JumpNe, R: count, C: turns, A: head}, model.Instr{Code: model.Nop})
	case 4: // it takes the value, or gives up
		put(model.Instr{Code: model.CompareEx, A: a, R: found, C: v, D: v + 1}, model.Instr{Code: model.JumpIf, R: found, C: 1, A: head + 4},
			model.Instr{Code: model.AddI, R: count, C: 1}, model.Instr{Code: model.JumpNe, R: count, C: turns, A: head})
	case 5: // it writes the count down
		put(model.Instr{Code: model.Load, A: a, R: found}, model.Instr{Code: model.JumpIf, R: found, C: v, A: head + 5},
			model.Instr{Code: model.StoreR, A: 16, R: count}, model.Instr{Code: model.AddI, R: count, C: 1}, model.Instr{Code: model.JumpNe, R: count, C: turns, A: head})
	}
	if clear {
		put(model.Instr{Code: model.Set, R: count})
	}
	switch pick(t, "after", 3) {
	case 0:
		put(model.Instr{Code: model.StoreR, A: 16, R: found})
	case 1:
		put(model.Instr{Code: model.StoreR, A: 16, R: count})
	}
}

// countedLimit is how many executions a program may have, each turn for itself.
const countedLimit = 1500

// agreeCounted compares optimal and trust with both judges.
func agreeCounted(p *model.Program, limit uint64) (collapsed bool, err error) {
	turns, err := exhaust(p, limit)
	if err != nil {
		return false, err
	}
	if !turns.stats.Complete {
		return false, errTooLarge
	}
	var steps *survey
	for last := (*survey)(nil); ; last = steps {
		steps = newSurvey(p)
		if last != nil {
			steps.m.Uncounted(last.m)
		}
		steps.r.awaiting = true
		steps.r.Await(true)
		steps, err = exhaustTo(steps, limit)
		if errors.Is(err, trace.ErrFiner) {
			continue
		}
		if err != nil {
			return false, err
		}
		break
	}
	if !steps.stats.Complete {
		return false, errTooLarge
	}
	if err := allOutcomes(turns, steps); err != nil {
		return false, fmt.Errorf("steps of all turns: %w", err)
	}
	for _, search := range []string{"optimal", "trust"} {
		spare = nil
		found, err := explore(search, p, single)
		spare = nil
		if err == nil {
			err = allOutcomes(turns, found)
		}
		for c := range steps.traces {
			if err == nil && found.traces[c] == nil && pure(p) {
				err = fmt.Errorf("missed a trace of %d", len(steps.traces))
			}
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", search, err)
		}
	}
	return steps.stats.Executions < turns.stats.Executions, nil
}

// allOutcomes reports where a survey found other outcomes than all.
func allOutcomes(all, found *survey) error {
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

func TestCounted(t *testing.T) {
	sparing(t, counting(false), func(p *model.Program) (bool, error) { return agreeCounted(p, countedLimit) })
}

// TestCountedMutants: the programs of TestCounted show each rule of counted spins that is left
// out.
func TestCountedMutants(t *testing.T) {
	for f := model.AnyExit; f <= model.LeadsNowhere; f++ {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, counting(false), 6000, func(p *model.Program) error {
				p.CountsBadly = f
				_, err := agreeCounted(p, countedLimit)
				return err
			})
		})
	}
}

// TestSoakCounted is TestCounted on as many programs as LANDGO_SOAK says.
func TestSoakCounted(t *testing.T) {
	soakSparing(t, counting(false), func(p *model.Program) (bool, error) { return agreeCounted(p, countedLimit) })
}

// countedBuffers compares searches for which all turns of a loop are one step with the machine of
// the paper, which runs each turn for itself and has store buffers. It reports whether there
// are fewer executions than with all turns.
func countedBuffers(p *model.Program, limit uint64) (collapsed bool, err error) {
	want := model.Outcomes(p)
	for _, p.Lazy = range []bool{false, true} {
		opts := bufferOptions
		opts.MaxExecutions = limit
		for _, name := range []string{"dpor", "source", "optimal"} {
			r, err := runBuffered(name, p, opts)
			if err != nil {
				return false, err
			}
			if !r.stats.Complete {
				return false, errTooLarge
			}
			if got := sorted(r.outcomes); !slices.Equal(got, want) {
				return false, fmt.Errorf("%s, updates last: %v: %d outcomes, want %d:\n%v\nwant\n%v", name, p.Lazy, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if name != "optimal" {
				continue
			}
			p.Counts = false
			turns, err := runBuffered(name, p, opts)
			if p.Counts = true; err != nil {
				return false, err
			}
			collapsed = collapsed || !turns.stats.Complete || r.stats.Executions < turns.stats.Executions
		}
	}
	return collapsed, nil
}

func TestCountedBuffers(t *testing.T) {
	gen, fewer := counting(true), 0
	for n := range 150 {
		p := gen.Example(n)
		less, err := countedBuffers(p, bufferOptions.MaxExecutions)
		if err != nil {
			t.Fatalf("program %d: %v\n%v", n, err, p)
		}
		if less {
			fewer++
		}
	}
	if fewer < 30 {
		t.Errorf("%d programs have fewer executions", fewer)
	}
}

// TestCountedBufferMutants: such programs show the rules about what a turn leaves behind.
func TestCountedBufferMutants(t *testing.T) {
	for f := model.AnyExit; f <= model.AllDead; f++ {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, counting(true), 2000, func(p *model.Program) error {
				p.CountsBadly = f
				_, err := countedBuffers(p, bufferOptions.MaxExecutions)
				return err
			})
		})
	}
}

// TestSoakCountedBuffers is TestCountedBuffers on as many programs as LANDGO_SOAK says.
func TestSoakCountedBuffers(t *testing.T) {
	soakSparing(t, counting(true), func(p *model.Program) (bool, error) { return countedBuffers(p, bufferOptions.MaxExecutions) })
}
