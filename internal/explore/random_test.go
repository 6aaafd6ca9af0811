package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"landgo/guests/random"
	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// TestRandomPrograms: the programs are random C programs, as compilers make them of
// musl and glibc. On them optimal, TruSt and one more in turn reach the final
// states and bugs that exhaustive search reaches, at every granularity.
// LANDGO_SOAK_GUESTS=N in the environment runs N programs with a fresh seed;
// LANDGO_SEED gives a seed, and LANDGO_PROGRAM one program of it.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	seed, n, only, soak := randomRun(t, 1, 20)
	limit := uint64(300)
	if soak {
		limit = 3000
	}
	compared, tooLarge, buggy, refused := 0, 0, 0, map[string]int{}
	var guest string
	for i := range n {
		if i%randomBatch == 0 {
			guest = compileRandom(t, []string{"musl-gcc", "gcc"}[i/randomBatch%2], seed+uint64(i/randomBatch), min(randomBatch, n-i))
		}
		if only >= 0 && i != only {
			continue
		}
		c := config.Default()
		c.Guest, c.Args = guest, []string{strconv.Itoa(i % randomBatch)}
		for _, to := range randomComparisons(i) {
			c.PP, _, _ = trace.ParsePoints(to.pp)
			c.Search = to.searches[0] // it decides on the steps, of its judge too
			want, complete, err := explore(t, "none", c, limit)
			if err != nil {
				refused[err.Error()]++
				continue
			}
			if !complete {
				tooLarge++
				continue
			}
			if slices.ContainsFunc(ending(want), func(end string) bool { return len(end) != 16 }) {
				buggy++
			}
			for _, search := range to.searches {
				got, complete, err := explore(t, search, c, 3*limit)
				compared++
				redundant := search == "optimal" && to.pp == "mem" && got.executions > want.executions
				if err != nil || !complete || redundant || !slices.Equal(ending(got), ending(want)) {
					t.Errorf("seed %d, program %d, %s at %s: complete %v, error %v, %d executions of %d\n got %v\nwant %v\n%s",
						seed, i, search, to.pp, complete, err, got.executions, want.executions, got.states, want.states,
						random.Program(seed+uint64(i/randomBatch), i%randomBatch))
				}
			}
		}
	}
	t.Logf("%d searches compared, %d spaces with bugs, %d too large, refused: %v", compared, buggy, tooLarge, refused)
	if only < 0 && (compared < n || buggy == 0) {
		t.Errorf("%d searches compared and %d bugs on %d programs: the test tests little", compared, buggy, n)
	}
}

// randomRun is the extent of a test of random programs: n programs from a seed, or
// what the environment says (TestRandomPrograms). only: the one program, or -1.
func randomRun(t *testing.T, seed uint64, n int) (_ uint64, _, only int, soak bool) {
	t.Helper()
	if v, err := strconv.Atoi(os.Getenv("LANDGO_SOAK_GUESTS")); err == nil {
		seed, n, soak = rand.Uint64N(1<<32), v, true
	}
	if v, err := strconv.ParseUint(os.Getenv("LANDGO_SEED"), 10, 64); err == nil {
		seed = v
	}
	only = -1
	if v, err := strconv.Atoi(os.Getenv("LANDGO_PROGRAM")); err == nil {
		only, n = v, max(n, v+1)
	}
	t.Logf("seed %d, %d programs", seed, n)
	return seed, n, only, soak
}

// randomBatch is how many programs are in one source: it compiles in the time of
// one.
const randomBatch = 60

// comparison has the searches that exhaustive search judges at one granularity.
type comparison struct {
	pp       string
	searches []string
}

// randomComparisons are those for program i. TruSt takes single events: merged
// steps leave out ends of a process that differ only in what its unfinished
// threads had done for themselves, so its judge doesn't merge either.
func randomComparisons(i int) []comparison {
	searches := []string{"optimal", agreeing[i%len(agreeing)]}
	out := []comparison{{pp: "mem", searches: []string{"trust"}}}
	for _, pp := range []string{"mem", "yield,lock,unlock", "atomic", "yield", "lock", "unlock"} {
		out = append(out, comparison{pp: pp, searches: searches})
	}
	return out
}

// ending is how executions end, without how often.
func ending(e *ends) []string { return slices.Sorted(maps.Keys(e.states)) }

// compileRandom builds the programs of a seed into one guest.
func compileRandom(t *testing.T, cc string, seed uint64, n int) string {
	t.Helper()
	return compile.Text(t, cc, random.Source(seed, n))
}

// explore runs a search up to a number of executions, over the steps of c.Search.
func explore(t *testing.T, search string, c config.Config, limit uint64) (e *ends, complete bool, err error) {
	t.Helper()
	s, err := session.Open(c, nil)
	if err != nil {
		return nil, false, fmt.Errorf("opening: %w", err)
	}
	defer s.Close()
	e = &ends{Session: s, states: map[string]int{}}
	spec, err := por.ParseSpec(c.Search)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := por.New(search, por.Options{EndsAnywhere: true, OneEvent: c.PP.Has(trace.MemPoints), Unmerged: spec.Kind().SingleEvents, MaxExecutions: limit})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := engine.Run(s.Guest, e)
	return e, stats.Complete, err
}
