package guests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kinds are landgo's names for bugs.
var kinds = []string{
	"assertion", "deadlock", "livelock", "segfault", "illegal-instruction", "divide-error",
	"use-after-free", "double-free", "invalid-free", "heap-overflow", "double-allocation", "stack-use-after-end", "stack-overflow", "lock-misuse", "leak", "uninitialised-read",
	"race",
}

func everything(t *testing.T) []Guest {
	t.Helper()
	linux, err := Linux()
	if err != nil {
		t.Fatal(err)
	}
	bench, err := Bench()
	if err != nil {
		t.Fatal(err)
	}
	all := append(linux, bench...)
	papers, err := Papers()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range papers {
		i := slices.IndexFunc(bench, func(g Guest) bool { return g.Name == p.Name })
		if i < 0 {
			all = append(all, p)
		} else if bench[i].Executions != p.Executions || bench[i].Verdict != p.Verdict {
			t.Errorf("%s: papers.json and anchors.json differ", p.Name)
		}
	}
	return all
}

// heapKinds are those whose messages are landgo's own words.
var heapKinds = []string{"use-after-free", "double-free", "invalid-free", "heap-overflow", "double-allocation", "stack-use-after-end", "leak", "uninitialised-read"}

func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range everything(t) {
		if seen[g.Name] {
			t.Errorf("two guests build to %s", g.Name)
		}
		seen[g.Name] = true
		source, err := os.ReadFile(g.Source)
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
		}
		if g.Variant == "fixed" && !strings.Contains(string(source), "FIXED") {
			t.Errorf("%s is built from the same code as the fault", g.Name)
		}
		if !slices.Contains(PointLists, g.PP) {
			t.Errorf("%s: unknown preemption points %q", g.Name, g.PP)
		}
		for i, f := range g.Failures {
			if !slices.Contains(kinds, f.Kind) {
				t.Errorf("%s: unknown kind %q", g.Name, f.Kind)
			}
			if i > 0 && f.Preemptions < g.Failures[0].Preemptions {
				t.Errorf("%s: the first failure isn't the cheapest", g.Name)
			}
			if !strings.Contains(string(source), f.Hint) && !slices.Contains(heapKinds, f.Kind) {
				t.Errorf("%s: the source doesn't say %q", g.Name, f.Hint)
			}
			if f.At != "" && !regexp.MustCompile(`\b`+f.At+`\(`).Match(source) {
				t.Errorf("%s: the source has no function %s", g.Name, f.At)
			}
		}
		if (g.Verdict == Bug) != (len(g.Failures) > 0) {
			t.Errorf("%s: verdict %s with %d failures", g.Name, g.Verdict, len(g.Failures))
		}
	}
}

// TestEverySourceExpectsSomething keeps a guest from being built and never
// checked.
func TestEverySourceExpectsSomething(t *testing.T) {
	all := everything(t)
	for _, pattern := range []string{"linux/*.c", "bench/*.c", "papers/*.c"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(files))
		}
		for _, f := range files {
			if f == "bench/counter.c" {
				continue // measured, not checked: it has a futex and no libc
			}
			if !slices.ContainsFunc(all, func(g Guest) bool { return g.Source == f }) {
				t.Errorf("%s has no row in a table", f)
			}
		}
	}
}

// TestMakefileReadsTheSameRows: make finds the rows with sed, Go with its JSON
// decoder.
func TestMakefileReadsTheSameRows(t *testing.T) {
	for file, list := range map[string]func() ([]Guest, error){"bench/anchors.json": Bench, "papers/papers.json": Papers} {
		table, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, l := range strings.Split(string(table), "\n") {
			if m := regexp.MustCompile(`.*"name": *"([^"]*)"`).FindStringSubmatch(l); m != nil {
				lines = append(lines, m[1])
			}
		}
		all, err := list()
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, g := range all {
			rows = append(rows, g.Name)
		}
		if !slices.Equal(lines, rows) {
			t.Errorf("%s: one row a line, please: make sees %v, Go %v", file, lines, rows)
		}
	}
}

func TestFind(t *testing.T) {
	g, err := Find("peterson-N2-BAD")
	if err != nil {
		t.Fatal(err)
	}
	if s := g.Sizes(); s["N"] != 2 || s["BAD"] != 1 || len(s) != 2 {
		t.Errorf("sizes of %s: %v", g.Name, s)
	}
	if _, err := Find("no such guest"); err == nil {
		t.Error("found a guest that isn't there")
	}
}
