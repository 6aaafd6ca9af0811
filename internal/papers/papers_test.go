package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"landgo/guests"
	"landgo/internal/result"
	"landgo/por"
)

// TestTablesNameWhatThereIs: a guest or a search that was renamed would fail
// only after a quarter of an hour.
func TestTablesNameWhatThereIs(t *testing.T) {
	var names []string
	for _, s := range synthetics {
		names = append(names, s.guest)
	}
	for _, c := range curves {
		names = append(names, c.guest)
	}
	names = append(names, atTwoGuests...)
	for _, f := range append(slices.Clone(preemptionFaults), fairFaults...) {
		names = append(names, f.guest)
	}
	for _, s := range structures {
		names = append(names, s.name)
	}
	for _, w := range within {
		names = append(names, w.guest)
	}
	for _, n := range names {
		if _, err := guests.Find(n); err != nil {
			t.Error(err)
		}
	}
	for _, h := range append(slices.Clone(hunters), shown...) {
		sound(t, h.search, h.bound)
	}
	for _, c := range slices.Concat(withoutReduction, static, dynamic) {
		sound(t, c.search, "")
	}
	for _, b := range slices.Concat(boundings, observed) {
		sound(t, b.search, "preempt=1")
	}
	for columns := 3; columns <= 4; columns++ {
		for i := range columns {
			search, bounds := columnSearch(columns, i)
			for _, b := range bounds {
				sound(t, search, b.name)
			}
		}
	}
}

// sound checks that por takes a search with a bound.
func sound(t *testing.T, search, bound string) {
	t.Helper()
	var bounds por.Bounds
	if bound != "" {
		var err error
		if bounds, err = por.ParseBounds(bound); err != nil {
			t.Error(err)
			return
		}
	}
	if _, err := por.New(search, por.Options{Bounds: bounds}); err != nil {
		t.Errorf("%s %s: %v", search, bound, err)
	}
}

// TestEverySearchHunts: each search stands in the table of times to the first
// bug, with each of its measures.
func TestEverySearchHunts(t *testing.T) {
	for _, k := range por.Kinds() {
		if !slices.ContainsFunc(hunters, func(h hunter) bool {
			name, _, _ := strings.Cut(h.search, ":")
			return name == k.Name
		}) {
			t.Errorf("search %s isn't in the table", k.Name)
		}
	}
	for _, s := range shown {
		if !slices.Contains(hunters, s) {
			t.Errorf("%v is shown, and isn't run", s)
		}
	}
}

// TestPageNamesTables: each table that a page asks for is filled in by some
// experiment. Each that is filled in is on the page of all tables, and the summary
// asks for no more.
func TestPageNamesTables(t *testing.T) {
	var code strings.Builder
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") {
			b, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			code.Write(b)
		}
	}
	filled := map[string]bool{"indexer": true, "filesystem": true, "bugs_preemption": true, "bugs_fair": true}
	for _, c := range curves {
		filled["coverage_"+c.name] = true
	}
	for _, e := range estimated {
		filled["estimator_"+e.search] = true
	}
	for _, m := range regexp.MustCompile(`fill\("([a-z_]+)",`).FindAllStringSubmatch(code.String(), -1) {
		filled[m[1]] = true
	}
	asked := map[string]bool{}
	for _, m := range regexp.MustCompile(`{{\.([a-z0-9_]+)}}`).FindAllStringSubmatch(tables, -1) {
		asked[m[1]] = true
		if !filled[m[1]] {
			t.Errorf("the page asks for %s, which nothing fills in", m[1])
		}
	}
	for name := range filled {
		if !asked[name] {
			t.Errorf("%s is filled in, and the page doesn't ask for it", name)
		}
	}
	for _, m := range regexp.MustCompile(`{{\.([a-z0-9_]+)}}`).FindAllStringSubmatch(page, -1) {
		if !asked[m[1]] {
			t.Errorf("the summary asks for %s, which the page of all tables hasn't", m[1])
		}
	}
}

// TestSummarised: the summary of the estimator has medians, and the extremes at half.
func TestSummarised(t *testing.T) {
	got := strings.Join(summarised("optimal", 3, [][]float64{{1, 2, 3}, {4, 6, 5}, {7}, {0.5, 9, 1}}), " ")
	if want := "`optimal` 3 2.00 5.00 7.00 1.00 0.50 9.00"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCounted(t *testing.T) {
	for _, c := range []struct {
		r    result.Result
		want string
	}{
		{result.Result{Verdict: result.Verified}, "1,234"},
		{result.Result{Verdict: result.Budget, Problem: result.OutOfExecutions}, "> 1,234"},
		{result.Result{Verdict: result.Budget, Problem: result.OutOfTime}, "time"},
	} {
		if got := (outcome{&c.r}).counted(1234); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.r.Verdict, c.r.Problem, got, c.want)
		}
	}
}

func TestPebblesBugs(t *testing.T) {
	all, err := pebblesBugs("../../guests/pebbles/expect.json")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(all, "pebbles/spin-sem_if-sem") || slices.Contains(all, "pebbles/spin-sem") {
		t.Errorf("%v", all)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if q := quantile([]float64{3, 1, 2}, 0.5); q != 2 {
		t.Errorf("median %v, want 2", q)
	}
	if table := newTable("a", "b"); true {
		table.add("1", "2")
		if want := "| a | b |\n|---|---|\n| 1 | 2 |"; table.String() != want {
			t.Errorf("%q, want %q", table, want)
		}
	}
}

// TestSameOrder: two rows order their columns alike, or which pairs are reversed.
func TestSameOrder(t *testing.T) {
	columns := []string{"a", "b", "c"}
	for _, tt := range []struct {
		paper, ours []float64
		want        string
	}{
		{[]float64{2, 6, 1}, []float64{5, 9, 5}, "same shape"},
		{[]float64{2, 6, 1}, []float64{4, 9, 5}, "differs: a before c"},
		{[]float64{0, 6, 1}, []float64{1, 9, 5}, "same shape"},
		{[]float64{2, 6, 1}, []float64{3, 2, 0}, "differs: b before a; a before c; b before c"},
	} {
		if got := sameOrder(columns, tt.paper, tt.ours); got != tt.want {
			t.Errorf("%v and %v: %q, want %q", tt.paper, tt.ours, got, tt.want)
		}
	}
}
