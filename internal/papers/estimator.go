package main

import (
	"fmt"
	"math"
	"slices"

	"landgo/guests"
)

// The estimator's error: what it says after a share of the executions, over what
// there turn out to be.

var shares = []float64{0.01, 0.05, 0.25, 0.5}

// estimated are the searches whose estimates are measured, each on the guests that
// end within its limits. optimal stands for those of them that learn of a branch
// by a race; trust and rounder look for revisits.
var estimated = []struct {
	search, bound string
	executions    uint64
	seconds       float64
}{{"optimal", "", 250_000, 15}, {"trust", "", 20_000, 5}, {"rounder", "rounds=2", 20_000, 5}}

// Guests with fewer executions than that have no hundredth to speak of.
const fewest = 100

func estimator(l *lab) error {
	var names []string
	for _, list := range []func() ([]guests.Guest, error){guests.Linux, guests.Bench, guests.Papers} {
		rows, err := list()
		if err != nil {
			return err
		}
		for _, g := range rows {
			if g.Verdict == guests.Verified && g.Bound == "" && !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	summary := newTable("search", "guests", "median after 1 %", "5 %", "25 %", "50 %", "least at 50 %", "greatest at 50 %")
	for _, e := range estimated {
		t, ratios := errors(l, names, run{search: e.search, bound: e.bound, executions: e.executions, seconds: e.seconds})
		l.fill("estimator_"+e.search, t.String())
		summary.add(summarised(e.search, len(t.rows)-len(marks), ratios)...)
	}
	l.fill("estimator_summary", summary.String())
	return nil
}

// summarised is a search's row of the summary.
func summarised(search string, guests int, ratios [][]float64) []string {
	cells := []string{"`" + search + "`", fmt.Sprint(guests)}
	for _, r := range ratios {
		cells = append(cells, fmt.Sprintf("%.2f", quantile(slices.Clone(r), 0.5)))
	}
	half := ratios[len(ratios)-1]
	for _, at := range []float64{0, 1} {
		cells = append(cells, fmt.Sprintf("%.2f", quantile(slices.Clone(half), at)))
	}
	return cells
}

// marks are the quantiles below a table of errors.
var marks = []struct {
	name string
	at   float64
}{{"least", 0}, {"median", 0.5}, {"greatest", 1}}

// errors are the estimator's of a search on each of the guests: a table, and the
// ratios by share.
func errors(l *lab, names []string, of run) (*table, [][]float64) {
	t := newTable("guest", "executions", "estimate/executions after 1 %", "5 %", "25 %", "50 %")
	ratios := make([][]float64, len(shares))
	for _, name := range names {
		of.guest = bench(name)
		o := l.run(of)
		n := o[0].Executions
		if !o[0].ended() || n < fewest {
			continue
		}
		var runs []run
		for _, s := range shares {
			runs = append(runs, run{guest: of.guest, search: of.search, bound: of.bound, executions: uint64(math.Ceil(s * float64(n)))})
		}
		o = l.run(runs...)
		cells := []string{name, thousands(n)}
		for i, x := range o {
			if x.Estimate.Executions == 0 {
				cells = append(cells, "-") // the first execution says nothing
				continue
			}
			r := float64(x.Estimate.Executions) / float64(n)
			ratios[i] = append(ratios[i], r)
			cells = append(cells, fmt.Sprintf("%.2f", r))
		}
		t.add(cells...)
	}
	for _, q := range marks {
		cells := []string{"**" + q.name + "**", ""}
		for i := range shares {
			cells = append(cells, fmt.Sprintf("**%.2f**", quantile(slices.Clone(ratios[i]), q.at)))
		}
		t.add(cells...)
	}
	return t, ratios
}
