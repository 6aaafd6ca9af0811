package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"landgo/internal/report"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/internal/wire"
)

// withBug is a result with a bug of some preemptions.
func withBug(preemptions int, schedule string) *result.Result {
	return &result.Result{Verdict: result.Buggy, Guest: result.Guest{Path: "guest.elf"}, Granularity: "mem",
		Bugs: []*result.Bug{{Kind: trace.Assertion, Message: "x > 0", Thread: "0.1", Preemptions: preemptions, Schedule: schedule}}}
}

// TestEarly: a bug is shown half a second after it was found, and so is each shorter
// one, but not one that is as long. The final report has standard output for itself. A
// run that is over by then shows nothing.
func TestEarly(t *testing.T) {
	old := soon
	soon = 20 * time.Millisecond
	t.Cleanup(func() { soon = old })
	for _, c := range []struct {
		wait        time.Duration
		args        []string
		first, last string // of what is on standard error
	}{
		{300 * time.Millisecond, []string{"run", "guest.elf"}, "landgo: found: assertion: x > 0 (7 preemptions); landgo goes on\n", "landgo: shorter one: 7 -> 1 preemption: assertion: x > 0 (1 preemption); landgo goes on\n"},
		{300 * time.Millisecond, []string{"run", "--quiet", "guest.elf"}, "", ""},
		{0, []string{"run", "guest.elf"}, "", ""},
	} {
		ownDir(t)
		f := &fake{result: withBug(1, "s1:0000002a:0@10"), act: func(_ context.Context, o wire.Observer) {
			k := o
			k.SoFar(withBug(7, ""))
			time.Sleep(c.wait)
			k.SoFar(withBug(7, ""))
			k.SoFar(withBug(7, "s1:0000002a:0@9")) // its story is known: the line is the same
			k.SoFar(withBug(1, "s1:0000002a:0@10"))
		}}
		status, stdout, stderr := call(t, f, c.args...)
		if status != result.ExitBug || strings.Count(stdout, "x > 0") != 1 || stderr != c.first+c.last {
			t.Errorf("%v: status %d\n%s\nstandard error:\n%s", c.args, status, stdout, stderr)
		}
	}
}

// TestEarlyOnTerminal: a shorter bug, and the end, take the place of what was shown, as
// long as all of it is on the screen.
func TestEarlyOnTerminal(t *testing.T) {
	for _, rows := range []int{40, 4} {
		var w bytes.Buffer
		e := &early{w: &w, rows: rows, final: true, style: report.Style{Width: 80}, display: report.NewProgress(&w, report.ProgressStyle{Terminal: true, Width: 80})}
		e.latest = withBug(7, "s1:0000002a:0@10")
		e.show()
		first := w.String()
		e.take(withBug(7, "s1:0000002a:0@10"))
		if w.Len() != len(first) || !strings.Contains(first, ": assertion: x > 0") || !strings.Contains(first, "s1:0000002a:0@10") {
			t.Fatalf("%q", w.String())
		}
		lines := strings.Count(first, "\n")
		e.timer = time.NewTimer(time.Hour)
		e.take(withBug(2, "s1:0000002a:0@9"))
		second := w.String()[len(first):]
		erased := strings.HasPrefix(second, "\x1b["+string(rune('0'+lines/10))+string(rune('0'+lines%10))+"A\r\x1b[J") || lines < 10 && strings.HasPrefix(second, "\x1b["+string(rune('0'+lines))+"A\r\x1b[J")
		if erased != (rows == 40) || !strings.Contains(second, "shorter one: 7 -> 2 preemptions") {
			t.Errorf("%d rows: %d lines, then %q", rows, lines, second)
		}
		n := w.Len()
		e.end()
		if end := w.String()[n:]; strings.Contains(end, "\x1b[J") != (rows == 40) {
			t.Errorf("%d rows: ends with %q", rows, end)
		}
		n = w.Len()
		e.take(withBug(1, "s1:0000002a:0@8"))
		if w.Len() != n {
			t.Errorf("shown after the end: %q", w.String()[n:])
		}
	}
}

// TestRowsOf: a line that is longer than the terminal is wide takes several rows.
func TestRowsOf(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a\n": 1, "\n\n": 2, strings.Repeat("x", 80) + "\n": 1, strings.Repeat("x", 81) + "\nb\n": 3} {
		if got := rowsOf(text, 80); got != want {
			t.Errorf("%q: %d rows, want %d", text, got, want)
		}
	}
}
