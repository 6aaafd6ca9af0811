package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"landgo/internal/result"
)

// reports are those of a search of a minute that would take an hour.
func reports() (list []result.Progress) {
	for s := 0; s <= 60; s += 4 {
		p := result.Progress{Phase: "searching", Executions: uint64(s) * 1500, Elapsed: time.Duration(s) * time.Second}
		if s > 0 {
			p.Explored, p.Left = float64(s)/3600, time.Hour-p.Elapsed
		}
		if s > 30 {
			p.Bugs = 1
		}
		list = append(list, p)
	}
	return list
}

func TestProgress(t *testing.T) {
	for name, style := range map[string]ProgressStyle{
		"progress-plain.txt":    {Width: 80},
		"progress-limited.txt":  {Width: 80, Limited: true},
		"progress-terminal.txt": {Width: 50, Terminal: true},
	} {
		var b bytes.Buffer
		p := NewProgress(&b, style)
		for _, r := range reports() {
			p.Progress(r)
		}
		p.Close()
		golden(t, name, b.Bytes())
	}
}

// TestProgressOfAShortRun: what is over before a line is due says nothing, and
// a terminal is left as it was.
func TestProgressOfAShortRun(t *testing.T) {
	var plain, terminal bytes.Buffer
	for _, p := range []*Progress{NewProgress(&plain, ProgressStyle{}), NewProgress(&terminal, ProgressStyle{Terminal: true, Width: 80})} {
		p.Progress(result.Progress{Phase: "searching"})
		p.Progress(result.Progress{Phase: "searching", Executions: 9, Elapsed: time.Second, Left: time.Hour})
		p.Close()
		p.Close()
	}
	if plain.Len() != 0 {
		t.Errorf("plain: %q", plain.String())
	}
	if b := terminal.Bytes(); !bytes.HasSuffix(b, []byte("\r\x1b[K")) || bytes.Contains(b, []byte("\n")) {
		t.Errorf("terminal: %q", b)
	}
}

// TestJobsTable: the spaces under way are drawn over those drawn before, and
// nothing of them is left.
func TestJobsTable(t *testing.T) {
	var b strings.Builder
	p := NewProgress(&b, ProgressStyle{Terminal: true, Width: 120, Limited: true})
	r := result.Progress{Phase: "searching", Executions: 10, Elapsed: time.Second, Verified: 1, Waiting: 3,
		Jobs: []result.JobProgress{{PP: "yield,lock", Running: true, Executions: 5, Explored: 0.25, Left: 90 * time.Second},
			{PP: "yield,race=main+0x12+worker+0x5+0x401234+f+0x1", Executions: 33}}}
	p.Progress(r)
	first := b.String()
	for _, want := range []string{"running", "25%", "90 s left", "yield,lock\n", "suspended", "race=main+0x12+worker+0x5 and 2 more", "1 set verified, 3 not begun"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%q", want, first)
		}
	}
	r.Elapsed, r.Jobs = 2*time.Second, r.Jobs[:1]
	p.Progress(r)
	second := strings.TrimPrefix(b.String(), first)
	if !strings.HasPrefix(second, "\x1b[3A\r\x1b[K") || !strings.HasSuffix(second, "\x1b[J") {
		t.Errorf("four lines are overwritten with three by %q", second)
	}
	p.Close()
	if got := strings.TrimPrefix(b.String(), first+second); got != "\x1b[2A\r\x1b[K\x1b[J" {
		t.Errorf("the table is taken away by %q", got)
	}
	var plain strings.Builder
	p = NewProgress(&plain, ProgressStyle{Limited: true})
	r.Elapsed = 10 * time.Second
	p.Progress(r)
	if got := plain.String(); !strings.HasSuffix(got, ", at yield,lock\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("plain: %q", got)
	}
}

// TestProgressRises: where the estimates grow, what is left is no more than a lower bound.
func TestProgressRises(t *testing.T) {
	r := result.Progress{Phase: "searching", Executions: 10, Explored: 0.25, Left: 90 * time.Second}
	if text := progressText(r); !strings.HasSuffix(text, ", about 90 s left") {
		t.Error(text)
	}
	if r.Rises = true; !strings.HasSuffix(progressText(r), ", 90 s or more left") {
		t.Error(progressText(r))
	}
}
