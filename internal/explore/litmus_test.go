package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/litmus"
	"landgo/internal/part"
	"landgo/internal/result"
)

// memoryRun explores a guest, and says what its executions print, sorted.
func memoryRun(t *testing.T, c config.Config) (*result.Result, []string) {
	t.Helper()
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range r.Outcomes {
		got = append(got, strings.TrimSpace(o.Output))
	}
	slices.Sort(got)
	return r, got
}

// litmusStep is of how many litmus tests one is run: of all in a soak.
func litmusStep(usual int) int {
	if os.Getenv("LANDGO_SOAK_LITMUS") != "" {
		return 1
	}
	return usual
}

// TestLitmus: of litmus tests compiled by gcc, the search has just the outcomes that the
// machine of package litmus has under the same memory model. Where it says that a verdict is
// one under x86-TSO, store buffers add none. LANDGO_SOAK_LITMUS has it run all tests.
func TestLitmus(t *testing.T) {
	t.Parallel()
	every := litmusStep(23)
	robust, fragile := 0, 0
	for i, x := range litmus.Cycles(200) {
		if i%every != 0 {
			continue
		}
		cfg, r, sc, tso := litmusUnderSC(t, fmt.Sprint(x.Cycle), x)
		claims, warning := memoryOf(r)
		if claims == (warning != "") || claims && !slices.Equal(sc, tso) {
			t.Errorf("%v: memory %s, %q; SC has %q, TSO %q\n%v", x.Cycle, r.Certificate.Memory, warning, sc, tso, x.Program)
		}
		if claims {
			robust++
		} else {
			fragile++
		}
		cfg.Model = config.ModelTSO
		if r, got := memoryRun(t, cfg); r.Verdict != result.Verified || r.OtherOutcomes > 0 || !slices.Equal(got, tso) {
			t.Errorf("%v: with store buffers %s (%s) with %q, want %q\n%v", x.Cycle, r.Verdict, r.Reason, got, tso, x.Program)
		}
	}
	if robust == 0 || fragile == 0 {
		t.Errorf("%d tests are robust, %d aren't", robust, fragile)
	}
	t.Logf("%d tests are robust, %d aren't", robust, fragile)
}

// litmusUnderSC runs a litmus test under sequential consistency. sc and tso are the outcomes that it has to have.
func litmusUnderSC(t *testing.T, name string, x *litmus.Test) (cfg config.Config, r *result.Result, sc, tso []string) {
	t.Helper()
	cfg = config.Default()
	cfg.Model = config.ModelSC
	cfg.Guest, cfg.Out, cfg.Jobs = compile.Text(t, "gcc", x.Source(), "-O1"), config.NoFile, 1
	r, got := memoryRun(t, cfg)
	sc, tso = litmus.OutcomesOf(x.Program, litmus.SC, x.Tell), litmus.OutcomesOf(x.Program, litmus.TSO, x.Tell)
	if r.Verdict != result.Verified || r.OtherOutcomes > 0 || !slices.Equal(got, sc) {
		t.Errorf("%s: %s (%s) with %q, want %q\n%v", name, r.Verdict, r.Reason, got, sc, x.Program)
	}
	return cfg, r, sc, tso
}

// TestLitmusMixed: the same of tests of mixed sizes, where loads find stores of their own thread in part.
// No search finds more or less.
func TestLitmusMixed(t *testing.T) {
	t.Parallel()
	part.Row(t)
	programs := 10
	if os.Getenv("LANDGO_SOAK_LITMUS") != "" {
		programs = 80
	}
	for i, x := range litmus.Mixed(programs) {
		cfg, r, sc, tso := litmusUnderSC(t, fmt.Sprint(i), x)
		if claims, _ := memoryOf(r); claims && !slices.Equal(sc, tso) {
			t.Errorf("%d: memory %s; SC has %q, TSO %q\n%v", i, r.Certificate.Memory, sc, tso, x.Program)
		}
		cfg.Model, cfg.Deepen, cfg.ObserveStdout = config.ModelTSO, false, true
		for _, search := range []string{"optimal", "source", "dpor", "sleep", config.Stateful} {
			cfg.Search = search
			if r, got := memoryRun(t, cfg); r.Verdict != result.Verified || r.OtherOutcomes > 0 || !slices.Equal(got, tso) {
				t.Errorf("%d, %s: with store buffers %s (%s) with %q, want %q\n%v", i, search, r.Verdict, r.Reason, got, tso, x.Program)
			}
		}
	}
}

// TestLitmusForAll: the same of tests with one membarrier in place of all fences.
func TestLitmusForAll(t *testing.T) {
	t.Parallel()
	every := litmusStep(29)
	n, fewer := 0, 0
	for _, c := range litmus.Cycles(200) {
		if len(c.Program.Threads) < 3 {
			continue
		}
		for _, x := range c.ForAll() {
			if n++; n%every != 0 {
				continue
			}
			want := litmus.OutcomesOf(x.Program, litmus.TSO, x.Tell)
			if free := litmus.OutcomesOf(x.Unfenced(), litmus.TSO, x.Tell); len(want) < len(free) {
				fewer++
			}
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.Jobs, cfg.Model = compile.Text(t, "gcc", x.Source(), "-O1"), config.NoFile, 1, config.ModelTSO
			for _, search := range []string{"optimal", "source", "stateful"} {
				cfg.Search, cfg.Deepen, cfg.ObserveStdout = search, false, true
				if r, got := memoryRun(t, cfg); r.Verdict != result.Verified || r.OtherOutcomes > 0 || !slices.Equal(got, want) {
					t.Errorf("%s: %v: %s (%s) with %q, want %q\n%v", search, x.Cycle, r.Verdict, r.Reason, got, want, x.Program)
				}
			}
		}
	}
	if t.Logf("%d of %d tests, in %d the membarrier matters", n/every, n, fewer); fewer == 0 {
		t.Error("a poor sample")
	}
}

// TestMemoryGuests: the classics of guests/memory are right under sequential consistency, and
// under x86-TSO as their table says. A guest with a bug there isn't claimed to be free of it,
// and its twin with fences is. Store buffers make at most one more step of a store.
func TestMemoryGuests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../guests/memory/memory.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct {
		Name, TSO, Fixed string
		Asymmetric       bool // its fences aren't between the store and the load
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("../../guests/memory/*.c")
	if err != nil || len(sources) != len(table) {
		t.Errorf("%d programs, %d in the table, %v", len(sources), len(table), err)
	}
	for _, g := range table {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			for _, twin := range []struct {
				want  string
				flags []string
			}{{g.TSO, []string{"-O1"}}, {g.Fixed, []string{"-O1", "-DFIXED"}}} {
				if twin.want == "" {
					continue
				}
				cfg := config.Default()
				cfg.Model = config.ModelSC
				cfg.Guest, cfg.Out, cfg.Jobs = compile.File(t, "gcc", "../../guests/memory/"+g.Name+".c", twin.flags...), config.NoFile, 1
				r, _ := memoryRun(t, cfg)
				steps := float64(r.Transitions) / float64(r.Executions)
				if claims, _ := memoryOf(r); r.Verdict != result.Verified || claims && twin.want != "verified" || !claims && len(twin.flags) > 1 && !g.Asymmetric {
					t.Errorf("%v: %s (%s), memory %s, %v", twin.flags, r.Verdict, r.Reason, r.Certificate.Memory, r.Warnings)
				}
				cfg.Model = config.ModelTSO
				if r, _ = memoryRun(t, cfg); string(r.Verdict) != twin.want {
					t.Errorf("%v: with store buffers %s (%s), want %s", twin.flags, r.Verdict, r.Reason, twin.want)
				}
				if with := float64(r.Transitions) / float64(r.Executions); r.Verdict == result.Verified && with > 2*steps {
					t.Errorf("%v: %.1f steps an execution, and %.1f with store buffers", twin.flags, steps, with)
				}
			}
		})
	}
}
