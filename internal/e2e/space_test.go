package e2e

import (
	"testing"

	"landgo/internal/result"
)

// TestAddresses: programs that ask much of the guest's addresses are controlled all the
// same, and have the ones that they need.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		source string
		flags  []string
	}{
		{"-DBIG", nil}, {"-DLOW", []string{"-no-pie"}}, {"-DCHAIN", nil}, {"-DWIDE", nil}, {"-DPAGES", nil},
	} {
		t.Run(c.source, func(t *testing.T) {
			g := guest(t, "space.c", append(c.flags, c.source)...)
			r := run(t, "run", "--json", "--max-threads", "400", "--time", "60s", "--out", "none", g).decode(t)
			if r.Verdict != result.Verified {
				t.Errorf("%s %s (%s)", r.Verdict, r.Problem, r.Reason)
			}
			if c.source == "-DCHAIN" && r.Threads < 130 || c.source == "-DWIDE" && r.Threads < 250 {
				t.Errorf("%d threads", r.Threads)
			}
		})
	}
}
