package explore

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/trace"
)

// searchesAgree checks that every search has the ends that exhaustive search
// has, and returns those.
func searchesAgree(t *testing.T, c config.Config) []string {
	t.Helper()
	want := slices.Sorted(maps.Keys(explored(t, "none", c).states))
	for _, search := range []string{"sleep", "dpor", "source", "optimal"} {
		if got := explored(t, search, c); !slices.Equal(slices.Sorted(maps.Keys(got.states)), want) {
			t.Errorf("%v, %s: ends %v, want those of %v", c.PP, search, got.states, want)
		}
	}
	return want
}

// TestLooks: where no preemption point is, how far a step goes depends on the
// objects on its way, and every search knows it (scheduler/library/look.go).
func TestLooks(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.File(t, "musl-gcc", "testdata/looks.c")
	for kind, name := range []string{"mutex", "spin lock", "semaphore", "writer by writer", "reader by writer", "writer by reader", "once", "signal by signal"} {
		t.Run(name, func(t *testing.T) {
			c.Args = []string{strconv.Itoa(kind)}
			points := []trace.Points{trace.PointYield, trace.PointYield | trace.PointUnlock, trace.PointYield | trace.PointAtomic, trace.PointYield | trace.PointLock}
			if name == "signal by signal" {
				points = points[:1] // five threads
			}
			for _, c.PP = range points {
				if ends := searchesAgree(t, c); len(ends) < 2 {
					t.Errorf("%v: only one end: the test can't tell", c.PP)
				}
			}
		})
	}
}

// TestOutcomes: results that the order decides.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.File(t, "musl-gcc", "testdata/outcomes.c")
	for kind, tt := range []struct {
		name string
		ends int    // with points at every access, 0: any number
		bug  string // part of each bug's text
	}{
		{"a wait that runs out", 2, ""},
		{"a try to join", 3, ""}, // in vain: the process may end first, or the thread
		{"a lock with priority inheritance", 2, ""},
		{"an error-checking lock", 2, ""},
		{"a recursive lock", 2, ""},
		// In time, while held, too early: before the lock or, by the time that
		// the unlock comes, between the two.
		{"a mutex destroyed by another", 3, "destroyed"},
		{"a semaphore destroyed by another", 2, "destroyed"},
		{"a mutex made anew by assignment", 1, ""},
		{"a process that ends in a cycle with a timed wait", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.Args = []string{strconv.Itoa(kind)}
			for _, c.PP = range []trace.Points{trace.MemPoints, trace.PointYield, trace.PointYield | trace.PointLock, trace.PointYield | trace.PointUnlock} {
				ends := searchesAgree(t, c)
				if c.PP == trace.MemPoints && tt.ends > 0 && len(ends) != tt.ends {
					t.Errorf("ends %q, want %d", ends, tt.ends)
				}
				for _, end := range ends {
					if strings.Contains(end, " ") && (tt.bug == "" || !strings.Contains(end, tt.bug)) {
						t.Errorf("%v: %s", c.PP, end)
					}
				}
			}
		})
	}
}
