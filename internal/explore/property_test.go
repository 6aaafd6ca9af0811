package explore

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// withHeader builds a program that includes landgo's header.
func withHeader(t testing.TB, cc, file string, flags ...string) string {
	t.Helper()
	headers, err := filepath.Abs(filepath.Join("..", "..", "guests"))
	if err != nil {
		t.Fatal(err)
	}
	return compile.File(t, cc, file, append([]string{"-I" + headers}, flags...)...)
}

// exploredProperties runs a whole search, and says what it ends in: final states, and bugs.
// The search decides on the steps, or another, whose judge it is.
func exploredProperties(t *testing.T, search string, c config.Config, limit uint64) (e *ends, complete bool) {
	t.Helper()
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e = &ends{Session: s, states: map[string]int{}}
	spec, err := por.ParseSpec(c.Search)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := por.New(search, por.Options{OneEvent: s.OneEvent(), Unmerged: spec.Kind().SingleEvents, MaxExecutions: limit})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := engine.Run(s.Guest, e)
	if err != nil {
		t.Fatalf("%s of %v: %v", search, c.Args, err)
	}
	return e, stats.Complete
}

// TestPropertiesAgree: on random programs with conditions and with a register that is to be
// linearizable, the searches that leave executions out find the bugs that all executions
// have, and the same final states. LANDGO_SOAK_GUESTS=N runs N programs with a fresh seed.
func TestPropertiesAgree(t *testing.T) {
	t.Parallel()
	seed, n, only := uint64(3), 24, -1
	if v, err := strconv.Atoi(os.Getenv("LANDGO_SOAK_GUESTS")); err == nil {
		seed, n = rand.Uint64(), v
	}
	if v, err := strconv.ParseUint(os.Getenv("LANDGO_SEED"), 10, 64); err == nil {
		seed = v
	}
	if v, err := strconv.Atoi(os.Getenv("LANDGO_PROGRAM")); err == nil {
		only = v
	}
	others := []string{"sleep", "dpor", "source", "trust", "nidhugg", "stateful"}
	bugs, compared := map[string]int{}, 0
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if only >= 0 && i != only {
			continue
		}
		letters, condition := "ABCabcM", string("awe"[r.IntN(3)])+string("01234"[r.IntN(5)])
		if r.IntN(2) == 0 {
			letters, condition = "WwRRIJZ", "n"
		}
		var threads []string
		for k := 2 + r.IntN(4)/3; k > 0; k-- {
			var b strings.Builder
			for n := 1 + r.IntN(5-k); n > 0; n-- {
				b.WriteByte(letters[r.IntN(len(letters))])
			}
			threads = append(threads, b.String())
		}
		c := config.Default()
		c.Guest = withHeader(t, []string{"gcc", "musl-gcc"}[i%2], filepath.Join("testdata", "properties.c"), "-O1")
		c.Args = []string{strings.Join(threads, "/"), condition}
		c.PP, c.KeepGoing = trace.MemPoints, true
		for _, search := range []string{"optimal", others[i%len(others)]} {
			c.Search = search
			want, complete := exploredProperties(t, "none", c, 3000)
			if !complete {
				continue
			}
			for _, e := range ending(want) {
				if len(e) != 16 {
					bugs[strings.Fields(e)[0]]++
				}
			}
			compared++
			got, complete := exploredProperties(t, search, c, 20000)
			if !complete || !slices.Equal(ending(got), ending(want)) || search == "optimal" && got.executions > want.executions {
				t.Errorf("seed %d, program %d, %s of %q: complete %v, %d executions of %d\n got %v\nwant %v", seed, i, search, c.Args, complete, got.executions, want.executions, got.states, want.states)
			}
		}
	}
	t.Logf("%d searches compared; bugs: %v", compared, bugs)
	if only < 0 && (compared < n || len(bugs) < 2) {
		t.Errorf("%d searches compared, and bugs %v: the test tests little", compared, bugs)
	}
}

// TestPropertyGuests: the guests of guests/properties have the verdicts that their comments
// say, by the default search and by optimal, with both C libraries, and a bug is replayed.
func TestPropertyGuests(t *testing.T) {
	t.Parallel()
	for i, want := range []struct {
		name, define string
		kind         trace.BugKind // "": verified
		executions   int           // of optimal: as many traces as there are orders of calls and accesses
	}{
		{"treiber", "", trace.Linearizability, 0},
		{"treiber", "FIXED", "", 0},
		{"ms_queue", "", trace.Linearizability, 0},
		{"ms_queue", "FIXED", "", 0},
		{"hw_queue", "", trace.Linearizability, 0},
		{"hw_queue", "FIXED", "", 0},
		{"lazy_set", "", trace.Linearizability, 0},
		{"lazy_set", "FIXED", "", 0},
		{"ring", "", trace.Linearizability, 0},
		{"ring", "FIXED", "", 0},
		{"register", "", trace.Linearizability, 0},
		{"register", "FIXED", "", 0},
		{"accounts", "", trace.Invariant, 0},
		{"accounts", "FIXED", "", 0},
		{"handshake", "", trace.Unreached, 0},
		{"handshake", "FIXED", "", 0},
	} {
		flags := []string{"-O1"}
		if want.define != "" {
			flags = append(flags, "-D"+want.define)
		}
		c := config.Default()
		c.Guest = withHeader(t, []string{"gcc", "musl-gcc"}[i/2%2], filepath.Join("..", "..", "guests", "properties", want.name+".c"), flags...)
		for _, pp := range []trace.Points{0, trace.MemPoints} {
			c := c
			if pp != 0 {
				c.PP, c.Deepen = pp, false
			}
			r, err := Run(context.Background(), c, nil)
			switch {
			case err != nil:
				t.Errorf("%s %s: %v", want.name, want.define, err)
			case want.kind == "" && (r.Verdict != result.Verified || len(r.Warnings) > 0):
				t.Errorf("%s %s: %s, %s; want it verified (%v)", want.name, want.define, r.Verdict, r.Reason, r.Warnings)
			case want.kind != "" && (r.Bug == nil || r.Bug.Kind != want.kind):
				t.Errorf("%s %s: %s, %s, %+v; want a bug %s", want.name, want.define, r.Verdict, r.Reason, r.Bug, want.kind)
			case want.kind == trace.Linearizability && (len(r.Bug.Calls) < 2 || !slices.ContainsFunc(r.Bug.Calls, func(c result.Call) bool { return c.Unexplained })):
				t.Errorf("%s: the calls are %+v", want.name, r.Bug.Calls)
			}
			if pp != 0 && want.executions != 0 && r != nil && int(r.Executions) != want.executions {
				t.Errorf("%s %s: %d executions, want %d", want.name, want.define, r.Executions, want.executions)
			}
		}
	}
}
