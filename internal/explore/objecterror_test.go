package explore

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestObjectErrors: landgo's model of the synchronisation objects returns what each C
// library returns on the machine that the test runs on, and sets errno as it does.
func TestObjectErrors(t *testing.T) {
	t.Parallel()
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			var calls strings.Builder
			run := exec.Command(compile.File(t, cc, "testdata/errors.c"))
			run.Stderr = &calls
			figures, err := run.Output()
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(calls.String(), "\n"); n < 100 {
				t.Fatalf("the program makes %d calls", n)
			}
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.PP = compile.File(t, cc, "testdata/errors.c", "-DWANT="+strings.TrimSuffix(string(figures), ",")), config.NoFile, trace.MemPoints
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if r.Verdict != result.Verified {
				t.Errorf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
			}
		})
	}
}
