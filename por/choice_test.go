package por

import (
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Choices of data, assumptions, and calls that the search has fail, against exhaustive
// search on random programs.

func TestDifferentialChoices(t *testing.T) {
	single := func(_ *rapid.T, p *model.Program, judge *survey) error { return agreeAll(p, judge, true) }
	steps := func(opts Options) func(*rapid.T, *model.Program, *survey) error {
		return func(_ *rapid.T, p *model.Program, judge *survey) error { return agreeSteps(p, judge, opts) }
	}
	var seen, coarse sample
	t.Run("single", func(t *testing.T) { differ(t, chosen(false, false), 200, &seen, single) })
	t.Run("coarse", func(t *testing.T) { differ(t, chosen(true, false), 80, &coarse, steps(Options{})) })
	t.Run("merged", func(t *testing.T) { differ(t, chosen(false, true), 50, &coarse, steps(Options{OneEvent: true})) })
	t.Run("divided", func(t *testing.T) {
		differ(t, chosen(false, false), 40, &coarse, func(rt *rapid.T, p *model.Program, judge *survey) error {
			return agreeAllDivided(p, judge, pick(rt, "division", 40*7*3))
		})
	})
	t.Log(&seen)
	t.Log(&coarse)
}

// TestChoiceCounts: executions by formula.
func TestChoiceCounts(t *testing.T) {
	choose := func(n int64) model.Instr { return model.Instr{Code: model.Choose, C: n} }
	fail := model.Instr{Code: model.MayFail}
	assume := model.Instr{Code: model.Assume, C: 1}
	store := model.Instr{Code: model.StoreR}
	for _, c := range []struct {
		name       string
		threads    [][]model.Instr
		faults     int
		executions uint64
		assumed    uint64
	}{
		{"two threads choose of three", [][]model.Instr{{choose(3)}, {choose(3)}}, 0, 3 * 3, 0},
		{"three threads choose of two, twice", [][]model.Instr{{choose(2), choose(2)}, {choose(2), choose(2)}, {choose(2), choose(2)}}, 0, 4 * 4 * 4, 0},
		{"what they choose is stored, in either order", [][]model.Instr{{choose(3), store}, {choose(3), store}}, 0, 2 * 3 * 3, 0},
		{"one of three is assumed", [][]model.Instr{{choose(3), assume}}, 0, 3, 2},
		{"one of three is assumed, by two", [][]model.Instr{{choose(3), assume}, {choose(3), assume}}, 0, 9, 8},
		{"none of three calls fails", [][]model.Instr{{fail}, {fail}, {fail}}, 0, 1, 0},
		{"one of three calls fails", [][]model.Instr{{fail}, {fail}, {fail}}, 1, 1 + 3, 0},
		{"up to two of three calls fail", [][]model.Instr{{fail}, {fail}, {fail}}, 2, 1 + 3 + 3, 0},
		{"up to two of a thread's three calls fail", [][]model.Instr{{fail, fail, fail}}, 2, 1 + 3 + 3, 0},
	} {
		p := &model.Program{Bytes: 16, Threads: c.threads, Standing: true, Faults: c.faults}
		for _, name := range []string{"sleep", "dpor", "source", "optimal", "nidhugg", "trust"} {
			s, err := explore(name, p, Options{OneEvent: true, Unmerged: true})
			if err != nil || s.stats.Executions != c.executions || s.stats.Assumed != c.assumed || s.stats.Blocked > 0 && name == "optimal" {
				t.Errorf("%s, %s: %+v, %v; want %d executions, %d assumed away", c.name, name, s.stats, err, c.executions, c.assumed)
			}
		}
	}
}

// TestChoiceIsNoPreemption: within any bound all outcomes are explored.
func TestChoiceIsNoPreemption(t *testing.T) {
	choose := func(r int) model.Instr { return model.Instr{Code: model.Choose, R: r, C: 3} }
	p := &model.Program{Bytes: 16, Threads: [][]model.Instr{{choose(0), choose(1)}, {choose(0)}}, Standing: true}
	for _, b := range []string{"preempt=0", "delay=0", "switches=1"} { // a switch comes where a thread ends
		for _, name := range []string{"none", "bpor"} {
			bounds, err := ParseBounds(b)
			if err != nil {
				t.Fatal(err)
			}
			if kindNamed(name).check(bounds) != nil {
				continue
			}
			s, err := explore(name, p, Options{OneEvent: true, Unmerged: true, Bounds: bounds, Iterate: true})
			if err != nil || len(s.outcomes) != 27 {
				t.Errorf("%s within %s: %d ends of 27, %v", name, b, len(s.outcomes), err)
			}
		}
	}
}

// TestSignalsWithoutDelay: without a delay a signal wakes the first waiter only, and each
// further one is a delay.
func TestSignalsWithoutDelay(t *testing.T) {
	waits := []model.Instr{{Code: model.Lock}, {Code: model.CondWait}, {Code: model.Unlock}}
	p := &model.Program{Bytes: 16, Mutexes: 1, Conds: 1, Threads: [][]model.Instr{waits, waits, waits, {{Code: model.Signal}}}, Standing: true}
	for delays, want := range []uint64{1, 8} {
		s, err := explore("bounded", p, Options{OneEvent: true, Unmerged: true, Bounds: Bounds{{Delay, delays}}})
		if err != nil || s.stats.Executions != want {
			t.Errorf("within %d delays: %+v, %v; want %d executions", delays, s.stats, err, want)
		}
	}
}

// TestChoiceMutants: what is wrong with choices is found.
func TestChoiceMutants(t *testing.T) {
	for _, m := range []struct {
		name     string
		fault    fault
		searches []string
		wrong    func(p *model.Program)
	}{
		{"the first outcome only", oneOutcome, []string{"dpor", "source", "optimal", "nidhugg", "classic", "trust"}, nil},
		{"a thread kept asleep", keepAsleep, []string{"sleep", "source", "optimal"}, nil},
		{"all outcomes on the way to a reversed step", everyOutcome, []string{"optimal"}, nil},
		{"a backtrack point dropped", dropBacktrack, []string{"dpor", "source", "optimal", "trust"}, nil},
		{"how many failed isn't of the state", sound, []string{"stateful"}, func(p *model.Program) { p.Forgetful = true }},
	} {
		for _, search := range m.searches {
			t.Run(m.name+"/"+search, func(t *testing.T) {
				gen := chosen(false, false)
				for n := range 3000 {
					p := gen.Example(n)
					judge := judged(t, p.Program, p.limit)
					if judge == nil {
						continue
					}
					run := *p.Program
					if m.wrong != nil {
						m.wrong(&run)
					}
					opts := Options{OneEvent: true, Unmerged: true, MaxExecutions: 2 * judgeLimit, fault: m.fault}
					if err := disagree(search, &run, judge, opts); err != nil {
						t.Logf("found by program %d: %v", n, err)
						return
					}
				}
				t.Error("not found")
			})
		}
	}
	t.Run("a step's end that the others' failures decide/optimal", func(t *testing.T) {
		gen := chosen(true, false)
		for n := range 3000 {
			p := gen.Example(n)
			run := *p.Program
			run.Eager = true
			judge, err := exhaust(&run, p.limit)
			if err != nil {
				t.Fatal(err)
			}
			if judge.clash != "" {
				t.Logf("found by program %d: %v", n, judge.clash)
				return
			}
		}
		t.Error("not found")
	})
}
