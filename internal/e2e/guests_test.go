package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/guests"
	"landgo/internal/compile"
	"landgo/internal/result"
)

// smallRow is up to how many executions a row is run on a second build; larger ones are run
// on musl-O2 only. A soak and `make bench` run all rows on all builds, and they alone those
// beyond largeRow.
const (
	smallRow = 200
	largeRow = 10_000
)

// soaks: every row is run on every build.
var soaks = os.Getenv("LANDGO_SOAK") != ""

// inTurn is one of several ways, another for the next guest; in a soak it is all.
func inTurn[T any](i int, ways ...T) []T {
	if soaks {
		return ways
	}
	return ways[i%len(ways):][:1]
}

// explore runs landgo on a guest of the tables, at the finest granularity.
func explore(t *testing.T, g guests.Guest, build string, flags ...string) *result.Result {
	t.Helper()
	path := compile.Guest(t, g.Binary(build))
	args := append([]string{"run", "--json", "--quiet", "--out", "none"}, append(slices.Clone(g.Flags), flags...)...)
	if g.KeepGoing {
		args = append(args, "--keep-going")
	}
	return run(t, append(args, path)...).decode(t)
}

// differences lists what a result hasn't got of what is expected of a guest.
func differences(g guests.Guest, r *result.Result) (all []string) {
	differ := func(what string, got, want any) {
		if got != want {
			all = append(all, fmt.Sprintf("%s %v, want %v", what, got, want))
		}
	}
	differ("verdict", string(r.Verdict), g.Verdict)
	if g.Executions > 0 {
		differ("executions", r.Executions, uint64(g.Default()))
		if !slices.ContainsFunc(g.Failures, func(f guests.Failure) bool { return f.Kind == "deadlock" }) {
			// The search doesn't know the future of a thread that stays blocked
			// on a lock, so a deadlock can cost runs in vain.
			differ("blocked", r.Blocked, uint64(0))
		}
	} else if g.Verdict == guests.Verified && g.Threads != 1 && !g.Early && !g.Spins && r.Executions+r.Blocked < 2 { // a hand-over by a loop has one
		differ("executions", r.Executions, "at least 2")
	}
	if g.Threads > 0 && g.Verdict == guests.Verified {
		differ("threads", r.Threads, g.Threads)
	}
	if len(g.Failures) == 0 || r.Bug == nil {
		return all
	}
	differ("concurrent", !r.Bug.BeforeThreads, g.Concurrent)
	// Of several bugs the one with the fewest preemptions is shown, and of the
	// tables' rows the first has the fewest. Of those with many the proof takes
	// too long.
	least := g.Failures[0].Preemptions
	differ("preemptions", r.Bug.Preemptions, least)
	if least <= 2 {
		differ("minimal", r.Bug.Minimal, result.Proven)
	}
	for _, f := range g.Failures {
		if !fails(r.Bug, f) {
			continue
		}
		if f.At != "" && !slices.ContainsFunc(r.Bug.Stack, func(fr result.Frame) bool { return fr.Function == f.At }) {
			all = append(all, fmt.Sprintf("the stack lacks %s: %+v", f.At, r.Bug.Stack))
		}
		return all
	}
	return append(all, fmt.Sprintf("bug %s (%s), want one of %+v", r.Bug.Kind, r.Bug.Message, g.Failures))
}

// fails reports whether a bug is the failure that a table speaks of.
func fails(b *result.Bug, f guests.Failure) bool {
	return string(b.Kind) == f.Kind && strings.Contains(b.Message, f.Hint)
}

// report makes one error of a guest's differences.
func report(t *testing.T, g guests.Guest, build string, r *result.Result) {
	t.Helper()
	if d := differences(g, r); len(d) > 0 {
		t.Errorf("%s: %s\n(%s)", g.Binary(build), strings.Join(d, "\n"), r.Reason)
	}
}

func linux(t *testing.T) []guests.Guest {
	t.Helper()
	all, err := guests.Linux()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLinuxGuests: every fault is found, with the least number of preemptions,
// and every twin is verified, on each build in turn. With the twins exchanged, the same
// check has to fail: it is the test of the test.
func TestLinuxGuests(t *testing.T) {
	all := linux(t)
	for i := 0; i < len(all); i += 2 {
		bad, fixed := all[i], all[i+1]
		t.Run(bad.Name, func(t *testing.T) {
			t.Parallel()
			var first *result.Result
			builds := inTurn(i/2, guests.Builds...)
			if fixed.Spins {
				builds = guests.Builds
			}
			for _, build := range builds {
				ofBad, ofFixed := explore(t, bad, build), explore(t, fixed, build)
				if first == nil {
					first = ofFixed
				}
				// The count of a wait that changes nothing is landgo's own
				// convention, but the same one for every compiler.
				if fixed.Spins && (ofFixed.Executions != first.Executions || ofFixed.Transitions != first.Transitions) {
					t.Errorf("%s: %d executions, %s has %d", fixed.Binary(build), ofFixed.Executions, guests.Builds[0], first.Executions)
				}
				report(t, bad, build, ofBad)
				report(t, fixed, build, ofFixed)
				if len(differences(fixed, ofBad)) == 0 || len(differences(bad, ofFixed)) == 0 {
					t.Errorf("%s: the check doesn't tell it from its twin", bad.Binary(build))
				}
			}
		})
	}
}

// TestCoarser: each fault shows at the coarsest points that its table names,
// and at no coarser ones.
func TestCoarser(t *testing.T) {
	const build = "musl-O2"
	for i, g := range linux(t) {
		if g.Verdict != guests.Bug || !soaks && i/2%2 > 0 {
			continue // TestLeastPreemptions has the other half
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			for _, points := range guests.PointLists {
				r := explore(t, g, build, "--pp", points)
				if points == g.PP {
					if r.Bug == nil || !fails(r.Bug, g.Failures[0]) {
						t.Errorf("--pp %s: %s (%s) %+v", points, r.Verdict, r.Reason, r.Bug)
					}
					return
				}
				if r.Bug != nil && fails(r.Bug, g.Failures[0]) {
					t.Errorf("the bug shows at --pp %s already, not only at %s", points, g.PP)
				}
			}
		})
	}
}

// TestLeastPreemptions: exhaustive search finds no bug with a preemption less
// than the tables say, and one with that many.
func TestLeastPreemptions(t *testing.T) {
	const build = "musl-O2"
	for i, g := range linux(t) {
		if g.Verdict != guests.Bug || !soaks && i/2%2 == 0 {
			continue // TestCoarser has the other half
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			least := g.Failures[0].Preemptions
			if least > 0 {
				r := explore(t, g, build, "--search", "none", "--bound", fmt.Sprintf("preempt=%d", least-1))
				if r.Verdict != result.Bounded {
					t.Errorf("with %d preemptions: %s (%s)", least-1, r.Verdict, r.Reason)
				}
			}
			r := explore(t, g, build, "--search", "none", "--bound", fmt.Sprintf("preempt=%d", least))
			if r.Bug == nil || !fails(r.Bug, g.Failures[0]) || r.Bug.Preemptions != least {
				t.Errorf("with %d preemptions: %s (%s) %+v", least, r.Verdict, r.Reason, r.Bug)
			}
		})
	}
}

// TestBenchRows: the counts of one search agree with the anchors. By default, rows with threads that are
// alike have fewer.
func TestBenchRows(t *testing.T) {
	rows, err := guests.Bench()
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range rows {
		if g.Executions > largeRow && !soaks {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			var first *result.Result
			for n, build := range []string{"musl-O2", "musl-O1", "glibc-O2", "glibc-O1"} {
				if n > 0 && n-1 != i%3 && !soaks {
					continue // another row is run on it
				}
				r := explore(t, g, build, "--search", "optimal", "--pp", "mem")
				report(t, g, build, r)
				if first == nil {
					first = r
					if d := explore(t, g, build); d.Verdict != r.Verdict {
						t.Errorf("%s: by default %s, want %s", g.Binary(build), d.Verdict, r.Verdict)
					}
				}
				// A spinning row has no count to agree with but its own.
				if g.Spins && r.Executions != first.Executions {
					t.Errorf("%s: %d executions, another build has %d", g.Binary(build), r.Executions, first.Executions)
				}
				if r.Executions > smallRow && !soaks {
					return
				}
			}
		})
	}
}

// TestPaperGuests: the programs of the papers do what their table says. Of a
// space that is large the first part is looked at; `make papers` runs the rest.
func TestPaperGuests(t *testing.T) {
	rows, err := guests.Papers()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rows {
		if _, err := os.Stat(filepath.Join(top, "guests/papers", g.Program+".c")); err != nil {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			if g.Bound != "" {
				r := explore(t, g, "musl-O2", "--search", "bounded", "--bound", g.Bound)
				if found := len(g.Failures) > 0 && r.Bug != nil && fails(r.Bug, g.Failures[0]); r.Verdict != result.Bounded && !found {
					t.Errorf("%s (%s) %+v", r.Verdict, r.Reason, r.Bug)
				}
				return
			}
			part := uint64(800)
			if soaks {
				part = 2000
			}
			if g.Verdict == guests.Bug {
				part = 20_000
			}
			r := explore(t, g, "musl-O2", "--max-executions", fmt.Sprint(part))
			if g.Verdict == guests.Verified && r.Executions == part && (g.Executions == 0 || uint64(g.Executions) > part) {
				if r.Bug != nil {
					t.Errorf("%+v", r.Bug)
				}
				return
			}
			report(t, g, "musl-O2", r)
		})
	}
}

// TestSharingFromTheStart: verdict and executions don't depend on when sharing
// was learned.
func TestSharingFromTheStart(t *testing.T) {
	rows, err := guests.Bench()
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range append(rows, linux(t)...) {
		if g.Executions == 0 || !soaks && (g.Executions > smallRow || i/2%3 > 0) {
			continue // twins lie beside each other in the tables: a third of the pairs
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			build := []string{"glibc-O1", "musl-O2"}[i/2%2]
			r := explore(t, g, build, "--all-shared")
			if string(r.Verdict) != g.Verdict || r.Executions != uint64(g.Default()) {
				t.Errorf("%s: %s, %d executions, want %s, %d (%s)",
					g.Binary(build), r.Verdict, r.Executions, g.Verdict, g.Default(), r.Reason)
			}
		})
	}
}

// fewGuests are those that the Makefile of guests builds in all ways: its FEW.
func fewGuests(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "guests/Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if names, ok := strings.CutPrefix(line, "FEW "); ok {
			return strings.Fields(names)[1:] // behind :=
		}
	}
	t.Fatal("guests/Makefile has no FEW")
	return nil
}

// TestOtherImages: a position-independent guest has all that the other builds
// have. A stripped one has the same bugs; without symbols libc's own code is
// searched, and that may take longer than a test.
func TestOtherImages(t *testing.T) {
	for _, kind := range []string{"pie", "stripped"} {
		for _, name := range fewGuests(t) {
			g, err := guests.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(g.Binary(kind), func(t *testing.T) {
				t.Parallel()
				if kind == "pie" {
					report(t, g, kind, explore(t, g, kind))
					return
				}
				// With --time, which search comes when depends on the clock; without
				// it a bug comes after the same steps on every machine.
				var limits []string
				if g.Verdict == guests.Verified {
					limits = []string{"--time", "2s", "--processor-time"}
				}
				r := explore(t, g, kind, limits...)
				cut := r.Verdict == result.Budget && limits != nil && r.Problem == result.OutOfTime
				if string(r.Verdict) != g.Verdict && !cut || r.Bug != nil && string(r.Bug.Kind) != g.Failures[0].Kind {
					t.Errorf("%s (%s) %+v", r.Verdict, r.Reason, r.Bug)
				}
			})
		}
	}
}
