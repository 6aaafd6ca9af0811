package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/internal/wire"
)

// TestLate: an engine that doesn't end is left, and its findings are reported:
// with its bug file, and the counts of the latest progress.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		name   string
		soFar  *result.Result
		status int
		want   string
	}{
		{"nothing", nil, result.ExitBudget, "budget: the time of 1s is used up"},
		{"no bug", &result.Result{Verdict: result.Budget}, result.ExitBudget, "budget: the time of 1s is used up; no bug with at most 1 preemption"},
		{"verified so far", &result.Result{Verdict: result.Verified}, result.ExitBudget, "budget: the time of 1s is used up"},
		{"a bug", withVerdict(result.Buggy), result.ExitBug, "landgo replay guest.elf.landgo\n"},
		{"a bug without a schedule", &result.Result{Verdict: result.Buggy, Bugs: []*result.Bug{{Kind: trace.Assertion, Message: "so"}}}, result.ExitBug, "so"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ownDir(t)
			for _, command := range []string{"run", "replay"} {
				hangs := make(chan bool)
				defer close(hangs)
				f := &fake{act: func(_ context.Context, o wire.Observer) {
					k := o
					at := 1
					k.Progress(result.Progress{Phase: "searching", Executions: 1234, BoundedAt: &at, BoundedBy: "preempt=1"})
					if c.soFar != nil {
						r := *c.soFar
						k.SoFar(&r)
					}
					k.Late(result.OutOfTime)
					<-hangs
				}}
				args := []string{command, "--time", "1", "--quiet", "guest.elf"}
				if command == "replay" {
					args = append([]string{command, "--schedule", "s1:0000002a:0@10"}, args[1:]...)
				}
				status, stdout, stderr := call(t, f, args...)
				if command == "run" && (status != c.status || !strings.Contains(stdout, c.want) || !strings.Contains(stdout, "1,234")) || stderr != "" {
					t.Errorf("%s: status %d\n%s%s", command, status, stdout, stderr)
				}
				if status != c.status {
					t.Errorf("%s: status %d", command, status)
				}
			}
			if _, err := os.Stat("guest.elf.landgo"); (err == nil) != (c.name == "a bug") {
				t.Errorf("bug file: %v", err)
			}
		})
	}
}
