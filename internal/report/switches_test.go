package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"landgo/internal/result"
)

// TestInPassing: code without debug information has no line 0.
func TestInPassing(t *testing.T) {
	for _, c := range []struct {
		frame result.Frame
		want  string
	}{
		{result.Frame{Function: "add", File: "a.c", Line: 7}, ", line 7"},
		{result.Frame{Function: "pthread_kill"}, ", in pthread_kill"},
		{result.Frame{}, ""},
	} {
		if got := inPassing(c.frame); got != c.want {
			t.Errorf("%+v: %q, want %q", c.frame, got, c.want)
		}
	}
}

// TestLegend: many threads in a row with one origin share a line, by their numbers.
func TestLegend(t *testing.T) {
	at := result.Frame{Function: "main", File: "a.c", Line: 9}
	starts := []result.ThreadStart{{Thread: "0", Function: "main"}}
	for _, name := range []string{"0.1", "0.10", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"} {
		starts = append(starts, result.ThreadStart{Thread: name, Function: "work", Created: &at})
	}
	starts = append(starts, result.ThreadStart{Thread: "0.11"}, result.ThreadStart{Thread: "0.12"})
	result.LabelByPath(starts)
	var b strings.Builder
	p := newPage(Style{Width: 100})
	p.names = (&result.Bug{ThreadStarts: starts}).Names()
	p.legend(starts)
	p.flush(&b)
	const want = "  T0 = 0 main\n  T1 to T10 = 0.1 to 0.10 work, created in main a.c:9\n  T11 = 0.11\n  T12 = 0.12\n"
	if got := b.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLongSwitch: a switch behind 100,000 accesses is told in a moment.
func TestLongSwitch(t *testing.T) {
	s := result.Step{From: "0.1", To: "0.2", Accesses: make([]result.Access, 100_000)}
	for i := range s.Accesses {
		s.Accesses[i] = result.Access{Thread: "0.1", Op: "writes", Symbol: fmt.Sprint("v[", i, "]"), Instruction: "mov %eax,(%rdi)"}
	}
	began := time.Now()
	p := newPage(Style{Width: 100})
	p.switches(&result.Bug{Steps: []result.Step{s}})
	p.account([]result.Event{{Thread: "0.1", Accesses: s.Accesses}})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
