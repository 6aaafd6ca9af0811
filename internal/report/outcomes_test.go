package report

import (
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestOutcomes: several outputs are on the first line and in a table; one isn't worth
// a line.
func TestOutcomes(t *testing.T) {
	r := &result.Result{Verdict: result.Verified, Granularity: "mem", Guest: result.Guest{Path: "x"}, Outcomes: []result.Outcome{
		{Output: "counter = 2\n", Executions: 3},
		{Output: "a\nb\x1b\n", Executions: 1, Replay: "landgo replay --schedule s1:0 x"},
	}}
	var b strings.Builder
	Text(&b, r, Style{Width: 100})
	for _, want := range []string{
		"has a bug, but the output differs\n",
		"2 outcomes, by what was written to standard output, in 4 executions:\n",
		"  `counter = 2`     3 executions\n",
		"  `a | b\\x1b`       1 execution\n      landgo replay --schedule s1:0 x\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	r.Outcomes = r.Outcomes[:1]
	b.Reset()
	Text(&b, r, Style{Width: 100})
	if strings.Contains(b.String(), "outcome") || strings.Contains(b.String(), "differs") {
		t.Errorf("one outcome:\n%s", b.String())
	}
	r.OtherOutcomes, r.Replay = 0, &result.Replay{}
	b.Reset()
	Text(&b, r, Style{Width: 100})
	if !strings.Contains(b.String(), "counter = 2") {
		t.Errorf("a replay doesn't show the output:\n%s", b.String())
	}
}
