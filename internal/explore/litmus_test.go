package explore

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/litmus"
	"landgo/internal/result"
)

// TestLitmus: of litmus tests compiled by gcc, the search has just the outcomes that the
// machine of package litmus has under the same memory model; and where it says that a verdict
// is one under x86-TSO, store buffers add none. LANDGO_SOAK_LITMUS has it run all tests.
func TestLitmus(t *testing.T) {
	t.Parallel()
	every := 23
	if os.Getenv("LANDGO_SOAK_LITMUS") != "" {
		every = 1
	}
	robust, fragile := 0, 0
	for i, x := range litmus.Cycles(200) {
		if i%every != 0 {
			continue
		}
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.Jobs = compile.Text(t, "gcc", x.Source(), "-O1"), config.NoFile, 1
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range r.Outcomes {
			got = append(got, strings.TrimSpace(o.Output))
		}
		slices.Sort(got)
		sc, tso := litmus.OutcomesOf(x.Program, litmus.SC, x.Tell), litmus.OutcomesOf(x.Program, litmus.TSO, x.Tell)
		if r.Verdict != result.Verified || r.OtherOutcomes > 0 || !slices.Equal(got, sc) {
			t.Errorf("%v: %s (%s) with %q, want %q\n%v", x.Cycle, r.Verdict, r.Reason, got, sc, x.Program)
		}
		claims, warning := memoryOf(r)
		if claims == (warning != "") || claims && !slices.Equal(sc, tso) {
			t.Errorf("%v: memory %s, %q; SC has %q, TSO %q\n%v", x.Cycle, r.Certificate.Memory, warning, sc, tso, x.Program)
		}
		if claims {
			robust++
		} else {
			fragile++
		}
	}
	if robust == 0 || fragile == 0 {
		t.Errorf("%d tests are robust, %d aren't", robust, fragile)
	}
	t.Logf("%d tests are robust, %d aren't", robust, fragile)
}
