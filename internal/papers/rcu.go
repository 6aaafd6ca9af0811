package main

import (
	"fmt"

	"landgo/internal/result"
)

// The thesis's tables of RCU: traces within 1 and 4 preemptions, and the least bound that
// shows a failure with the traces there. Theirs is the kernel's (here: version 3.0), ours
// is guests/papers/rcu.c. So only the order of the columns can be compared.

// A failure is a row of them. Figures are those of version 3.0; 0 where the slides have
// none.
type failure struct {
	name, guest string
	fails       bool      // here
	naive, bpor [2]uint64 // traces within 1 and 4 preemptions
	dpor        uint64    // traces without a bound
	found       string    // with BPOR: traces and least bound
	lazy        string
}

var failures = []failure{
	{"none", "rcu-N2", false, [2]uint64{3, 50}, [2]uint64{44, 5634}, 0, "", ""},
	{"1", "rcu-N2-F1", true, [2]uint64{3, 50}, [2]uint64{44, 275}, 247, "275, 4", "141, 3"},
	{"2", "rcu-N2-F2", true, [2]uint64{}, [2]uint64{}, 4, "6, 1", "4, 1"},
	{"3", "rcu-N2-F3", true, [2]uint64{3, 50}, [2]uint64{44, 1627}, 2372, "none", "none"},
	{"4", "rcu-N2-F4", true, [2]uint64{}, [2]uint64{}, 78, "47, 2", "51, 2"},
	{"5", "rcu-N2-F5", false, [2]uint64{3, 49}, [2]uint64{44, 4155}, 12426, "none", "none"},
	{"6", "rcu-N2-F6", true, [2]uint64{}, [2]uint64{}, 1, "1, 0", "1, 0"},
}

func rcu(l *lab) error {
	within := newTable("failure", "guest", "Naive-BPOR: thesis, 1", "4", "`naive-bpor`: 1", "2", "4", "Classic-BPOR: thesis, 1", "4", "`bpor`: 1", "2", "4", "comparison")
	least := newTable("failure", "guest", "DPOR: thesis", "`source`", "Nidhugg-BPOR: thesis, traces and bound", "`nidhugg-bpor`", "`bpor`", "Lazy-BPOR: thesis", "`lazy-bpor`", "comparison")
	for _, f := range failures {
		rcuWithin(l, within, f)
		rcuLeast(l, least, f)
	}
	l.fill("rcu_within", within.String())
	l.fill("rcu_least", least.String())
	return nil
}

// shown reports whether the thesis's bounded search finds the failure.
func (f failure) shown() bool { return f.found != "" && f.found != "none" }

// rcuWithin adds the traces of a failure within 1, 2 and 4 preemptions. They are of the
// thesis's shape if naive-bpor runs fewer than bpor, and both find what they do there.
func rcuWithin(l *lab, t *table, f failure) {
	cells := []string{f.name, f.guest}
	shape := true
	var by [2][]outcome
	for i, search := range []string{"naive-bpor", "bpor"} {
		by[i] = l.run(alone(f.guest, search, 1), alone(f.guest, search, 2), alone(f.guest, search, 4))
	}
	for i, paper := range [][2]uint64{f.naive, f.bpor} {
		for k, n := range paper {
			text := figure(n)
			if n > 0 && i == 1 && k == 1 && f.shown() {
				text += " F"
			}
			cells = append(cells, text)
		}
		for k, o := range by[i] {
			cells = append(cells, withFinding(o))
			shape = shape && runsOf(by[0][k]) <= runsOf(by[1][k])
		}
	}
	naive, last := by[0][len(by[0])-1], by[1][len(by[1])-1]
	why := "Naive-BPOR runs more"
	if shape && f.naive[1] > 0 {
		switch {
		case f.fails && !f.shown():
			shape, why = false, "the kernel's doesn't fail"
		case naive.Verdict == result.Buggy:
			shape, why = false, "Naive-BPOR finds it, too"
		}
	}
	t.add(append(cells, shapeOr(shape, why))...)
	l.want(f.fails == (last.Verdict == result.Buggy) || !last.ended(), "%s: bpor within 4 preemptions says %s", f.guest, last.Verdict)
}

// rcuLeast adds the least bound that shows a failure. The rows are of the thesis's shape
// if Lazy-BPOR needs no larger bound than Nidhugg-BPOR, and both find what DPOR does.
func rcuLeast(l *lab, t *table, f failure) {
	source := l.run(run{guest: bench(f.guest), search: "source", executions: 100_000, seconds: 20})[0]
	cells := []string{f.name, f.guest, figure(f.dpor), withFinding(source)}
	bounds := map[string]int{}
	for _, c := range []struct{ search, paper string }{{"nidhugg-bpor", f.found}, {"bpor", "-"}, {"lazy-bpor", f.lazy}} {
		if c.paper != "-" {
			cells = append(cells, c.paper)
		}
		text := "none"
		bounds[c.search] = -1
		for k := 0; k <= 4; k++ {
			o := l.run(alone(f.guest, c.search, k))[0]
			if o.Verdict == result.Buggy {
				text, bounds[c.search] = fmt.Sprintf("%s, %d", thousands(runsOf(o)), k), k
				break
			}
			if !o.ended() {
				text = o.counted(o.Executions)
				break
			}
			if o.Verdict == result.Verified {
				break // the bound cuts nothing off
			}
		}
		cells = append(cells, text)
	}
	shape := bounds["lazy-bpor"] <= bounds["nidhugg-bpor"] && (source.Verdict == result.Buggy) == (bounds["nidhugg-bpor"] >= 0)
	why := "the bounded searches and DPOR don't find the same"
	if f.fails && !f.shown() {
		shape, why = false, "the kernel's doesn't fail"
	}
	t.add(append(cells, shapeOr(shape, why))...)
}

// figure is a number of the paper, "" if it has none.
func figure(n uint64) string {
	if n == 0 {
		return ""
	}
	return thousands(n)
}

// withFinding is executions and blocked ones, and F if the last of them fails.
func withFinding(o outcome) string {
	if o.Verdict == result.Buggy {
		return both(o) + " F"
	}
	return both(o)
}

func shapeOr(shape bool, why string) string {
	if shape {
		return "same shape"
	}
	return "differs: " + why
}
