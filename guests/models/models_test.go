package models

import (
	"fmt"
	"slices"
	"testing"

	"landgo/guests"
	"landgo/guests/enumerate"
	"landgo/internal/trace"
)

// differences lists where a guest's table and its model's enumeration disagree.
func differences(g guests.Guest, p *enumerate.Program) []string {
	var d []string
	say := func(format string, a ...any) { d = append(d, fmt.Sprintf(format, a...)) }
	r, err := enumerate.Full(p, trace.MemPoints)
	if err != nil {
		return []string{err.Error()}
	}
	var want, got []string
	for _, f := range g.Failures {
		want = append(want, fmt.Sprintf("%s at %d preemptions", f.Kind, f.Preemptions))
	}
	for _, b := range r.Bugs {
		got = append(got, fmt.Sprintf("%s at %d preemptions", b.Kind, b.Preemptions))
	}
	if !slices.Equal(want, got) {
		say("table has %v, enumeration finds %v", want, got)
	}
	if g.Executions != 0 && g.Executions != r.Traces {
		say("table has %d executions, enumeration %d", g.Executions, r.Traces)
	}
	if g.Verdict == guests.Verified && r.Traces < 2 {
		say("a single trace: verified says nothing")
	}
	if g.Threads != 0 && g.Threads != len(p.Threads) {
		say("table has %d threads, model %d", g.Threads, len(p.Threads))
	}
	for k, n := range g.Within {
		if n != r.Within[min(k, len(r.Within)-1)] {
			say("table has %v traces within 0, 1, ... preemptions, enumeration %v", g.Within, r.Within)
			break
		}
	}
	return d
}

// linux is the guests that have a model. The others have their numbers by hand,
// and say how.
func linux(t *testing.T) []guests.Guest {
	t.Helper()
	all, err := guests.Linux()
	if err != nil {
		t.Fatal(err)
	}
	var modelled []guests.Guest
	for _, g := range all {
		_, ok := Linux[g.Program]
		switch {
		case ok && g.Judge == "enumerated":
			modelled = append(modelled, g)
		case ok || g.Judge != "by hand" || g.Note == "":
			t.Errorf("%s: has a model: %v, numbers: %q, note: %q", g.Name, ok, g.Judge, g.Note)
		}
	}
	if len(modelled) != 2*len(Linux) {
		t.Errorf("%d guests and twins for %d models", len(modelled), len(Linux))
	}
	return modelled
}

func TestLinux(t *testing.T) {
	for _, g := range linux(t) {
		t.Run(g.Name, func(t *testing.T) {
			for _, d := range differences(g, Linux[g.Program](g.Variant == "fixed")) {
				t.Error(d)
			}
		})
	}
}

// TestSwappedTwins is the harness's own test: a fault in its twin's place, and
// a twin in its fault's, must both be noticed.
func TestSwappedTwins(t *testing.T) {
	for _, g := range linux(t) {
		if len(differences(g, Linux[g.Program](g.Variant != "fixed"))) == 0 {
			t.Errorf("%s: nothing noticed with the other twin's model", g.Name)
		}
	}
}

// TestPoints: a fault shows at its list of preemption points and at no coarser
// one.
func TestPoints(t *testing.T) {
	for _, g := range linux(t) {
		if g.Verdict != guests.Bug {
			continue
		}
		for _, list := range guests.PointLists {
			points, _, err := trace.ParsePoints(list)
			if err != nil {
				t.Fatal(err)
			}
			r, err := enumerate.Full(Linux[g.Program](false), points)
			if err != nil {
				t.Fatal(err)
			}
			shows := len(r.Bugs) > 0 && string(r.Bugs[0].Kind) == g.Failures[0].Kind
			if shows != (list == g.PP) {
				t.Errorf("%s: at --pp %s the enumeration finds %v, the table says %s", g.Name, list, r.Bugs, g.PP)
			}
			if list == g.PP {
				break
			}
		}
	}
}

// tooBig are the rows whose trace prefixes don't fit into an enumeration
// without reduction; other tools vouch for them, and smaller rows of the same
// programs are counted here.
var tooBig = []string{
	"indexer-N14", "indexer-N15", "indexer-N13-MUTEX", "indexer-N14-MUTEX", "indexer-N15-MUTEX",
	"filesystem-N18", "filesystem-N20", "filesystem-N22", "ticketlock-N4", "ticketlock-N5",
	"writer_readers-N12", "lastzero-N10", "din_phil-N8-OK",
	"fib_bench-N5-BAD", // N=3 and N=4 need 5 and 7 preemptions: two for each turn but the first
}

// TestBench compares the anchors of up to 5,040 executions (in -short, 2,000).
func TestBench(t *testing.T) {
	all, err := guests.Bench()
	if err != nil {
		t.Fatal(err)
	}
	limit, counted := 5040, 0
	if testing.Short() {
		limit = 2000
	}
	for _, g := range all {
		model, ok := Bench[g.Program]
		if !ok {
			t.Errorf("%s has no model", g.Name)
			continue
		}
		if g.Executions > limit || slices.Contains(tooBig, g.Name) {
			continue
		}
		counted++
		t.Run(g.Name, func(t *testing.T) {
			p := model(Sizes(g.Sizes()))
			if len(g.Failures) > 0 || g.Executions == 0 || g.Within != nil {
				for _, d := range differences(g, p) {
					t.Error(d)
				}
				return
			}
			n, err := enumerate.Count(p)
			if err != nil {
				t.Fatal(err)
			}
			if n != g.Executions {
				t.Errorf("the anchors have %d executions, enumeration %d", g.Executions, n)
			}
		})
	}
	if counted < 45 {
		t.Errorf("only %d rows were compared", counted)
	}
}
