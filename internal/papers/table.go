package main

import (
	"fmt"
	"sort"
	"strings"
)

// A table is one in Markdown.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

func (t *table) add(cells ...string) {
	if len(cells) != len(t.head) {
		panic(fmt.Sprintf("papers: a row of %d cells in a table of %d: %q", len(cells), len(t.head), cells))
	}
	t.rows = append(t.rows, cells)
}

func (t *table) String() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.head)
	b.WriteString(strings.Repeat("|---", len(t.head)) + "|\n")
	for _, r := range t.rows {
		line(r)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// thousands writes a count with commas.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// seconds writes a time.
func seconds(s float64) string {
	switch {
	case s < 0.1:
		return fmt.Sprintf("%.3f s", s)
	case s < 10:
		return fmt.Sprintf("%.2f s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// times writes a factor.
func times(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// quantile is the q-quantile of values, which it sorts.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sort.Float64s(values)
	return values[int(q*float64(len(values)-1)+0.5)]
}
