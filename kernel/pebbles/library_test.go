package pebbles

import (
	"encoding/json"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The thread libraries of guests/pebbles, by brute force: that the good ones
// are good and how many preemptions each mistake takes is found without any
// reduction. The same rows are landgo's own test.

var sources = filepath.Join("..", "..", "guests", "pebbles")

// expectation is a row of expect.json.
type expectation struct {
	Name    string
	Library string
	Variant string
	Test    string
	Threads int
	Verdict string
	Bugs    []failure
	// I386 are the bugs of the i386 build where they are others.
	I386 []failure
}

type failure struct {
	Kind        string
	Preemptions int
	Hint        string
}

func expectations(t *testing.T) []expectation {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(sources, "expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Guests []expectation }
	if err := json.Unmarshal(b, &table); err != nil {
		t.Fatal(err)
	}
	return table.Guests
}

// kind is landgo's name of a bad end.
func kind(end string) string {
	switch {
	case strings.HasPrefix(end, "status"):
		return "assertion"
	case strings.HasPrefix(end, "fault"):
		return "segfault"
	}
	return end
}

func TestExpectationsAreTheProgramsBuilt(t *testing.T) {
	out, err := exec.Command("make", "-s", "-C", sources, "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	built := strings.Fields(string(out))
	var expected []string
	for _, e := range expectations(t) {
		expected = append(expected, e.Name)
	}
	slices.Sort(built)
	slices.Sort(expected)
	if !slices.Equal(built, expected) {
		t.Errorf("make builds\n%v\nexpect.json has\n%v", built, expected)
	}
}

// TestLeastPreemptions: each wrong library fails with the number of preemptions
// in the table and with none less, and the good ones don't fail with one.
func TestLeastPreemptions(t *testing.T) {
	leastPreemptions(t, guestDir)
}

// TestLeastPreemptionsOnI386: the same of the builds for i386.
func TestLeastPreemptionsOnI386(t *testing.T) {
	needs32(t)
	leastPreemptions(t, guestDir32)
}

func leastPreemptions(t *testing.T, dir string) {
	for _, e := range expectations(t) {
		if e.Library == "abi" {
			continue
		}
		if dir == guestDir32 && e.I386 != nil {
			e.Bugs = e.I386
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			want, limit := -1, 1
			if e.Verdict == "bug" {
				want, limit = e.Bugs[0].Preemptions, e.Bugs[0].Preemptions
			}
			w := openWorld(t, filepath.Join(dir, e.Name), Config{})
			search := enumerator{w: w}
			if n := search.least(limit); n != want {
				t.Fatalf("fails with %d preemptions (%s), want %d; printed:\n%s", n, search.bad, want, w.k.Output(1))
			}
			if len(w.names) != e.Threads {
				t.Errorf("%d threads, want %d", len(w.names), e.Threads)
			}
			if want < 0 {
				if search.runs < 10 {
					t.Errorf("tried %d executions only", search.runs)
				}
				return
			}
			b := e.Bugs[0]
			if b.Kind == "use-after-free" {
				b.Kind = "segfault" // to a reader without the mappings
			}
			if kind(search.bad) != b.Kind || !strings.Contains(string(w.k.Output(1)), b.Hint) {
				t.Errorf("ends with %s, want %s with %q; printed:\n%s", search.bad, b.Kind, b.Hint, w.k.Output(1))
			}
		})
	}
}

// TestGoodLibrariesUnderManyPreemptions: schedules at random, with as many
// switches as there can be.
func TestGoodLibrariesUnderManyPreemptions(t *testing.T) {
	const schedules = 300
	for _, e := range expectations(t) {
		if e.Verdict != "verified" || e.Library == "abi" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, e.Name, Config{})
			start := w.mark()
			for seed := int64(0); seed < schedules; seed++ {
				if w.random(rand.New(rand.NewSource(seed))); w.end != goodEnd {
					t.Fatalf("seed %d ends with %s; printed:\n%s", seed, w.end, w.k.Output(1))
				}
				w.rewind(start)
			}
		})
	}
}

// random runs the guest to its end, each time a random thread for a few
// instructions.
func (w *world) random(r *rand.Rand) {
	longest := 1 + r.Intn(40)
	for turns := 0; w.end == ""; turns++ {
		ts := w.ready()
		switch {
		case len(ts) == 0:
			w.end = "deadlock"
		case turns > 1<<16:
			w.end = "no end"
		default:
			w.run(ts[r.Intn(len(ts))], uint64(1+r.Intn(longest)))
		}
	}
}
