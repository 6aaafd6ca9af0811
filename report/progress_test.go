package report

import (
	"bytes"
	"testing"
	"time"

	"landgo/result"
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
