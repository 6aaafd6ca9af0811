package main

import (
	"os"
	"path/filepath"
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
	names = append(names, "indexer-N2-K1")
	for _, f := range failures {
		names = append(names, f.guest)
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
	for _, c := range slices.Concat(withoutReduction, static, persistent, dynamic) {
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
// experiment, and each that is filled in stands on some page.
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
	for _, m := range regexp.MustCompile(`fill\("([a-z0-9_]+)",`).FindAllStringSubmatch(code.String(), -1) {
		filled[m[1]] = true
	}
	onPages := map[string]bool{}
	templates, err := pages.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range templates {
		text, err := pages.ReadFile("pages/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
			onPages[m[1]] = true
			if !filled[m[1]] {
				t.Errorf("%s asks for %s, which nothing fills in", f.Name(), m[1])
			}
		}
	}
	for name := range filled {
		if !onPages[name] {
			t.Errorf("%s is filled in, and no page asks for it", name)
		}
	}
}

// TestPublish: pages are written from kept tables, with a note where one is missing.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	keep := filepath.Join(dir, "kept.json")
	l := newLab()
	l.fill("rounds", "| the rounds |")
	l.took["rounds"] = 120
	if err := l.remember(keep); err != nil {
		t.Fatal(err)
	}
	again := newLab()
	if err := again.recall(keep); err != nil {
		t.Fatal(err)
	}
	if err := again.publish(dir, filepath.Join(dir, "papers"), true); err == nil {
		t.Error("pages without tables")
	}
	if again = newLab(); again.recall(keep) != nil {
		t.Fatal("it can't be read twice")
	}
	if err := again.publish(dir, filepath.Join(dir, "papers"), false); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{"papers/rounder.md": "| the rounds |", "papers/bugs.md": missing, "papers.md": "that took 2 minutes"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s hasn't %q", page, want)
		}
	}
}

// TestCompared: equal, of the same shape, or different with the reason.
func TestCompared(t *testing.T) {
	for _, c := range []struct {
		paper, ours []uint64
		want        string
	}{
		{[]uint64{6, 7}, []uint64{6, 7}, "equal"}, {[]uint64{6, 7}, []uint64{6, 6}, "same shape"}, {[]uint64{6, 27}, []uint64{6, 6}, "differs: why"},
	} {
		if got := compared(c.paper, c.ours, "why"); got != c.want {
			t.Errorf("%v and %v: %q, want %q", c.paper, c.ours, got, c.want)
		}
	}
}

// TestChoose: a name that isn't one is no experiment.
func TestChoose(t *testing.T) {
	if all, err := choose("thesis,paths", false); err != nil || len(all) != 2 || all[0].name != "thesis" {
		t.Error(all, err)
	}
	if _, err := choose("theses", false); err == nil {
		t.Error("theses is taken for an experiment")
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
