package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"landgo/result"
)

// TestCheckpoint: a search that is killed (SIGKILL) goes on from its
// checkpoint to the totals of one that wasn't; a checkpoint of something else
// is refused in one line.
func TestCheckpoint(t *testing.T) {
	large, other := guest(t, "lost.c", "-DLOCK", "-DN=7"), guest(t, "lost.c", "-DLOCK", "-DN=6")
	file := filepath.Join(t.TempDir(), "search.ckpt")
	save := []string{"--checkpoint", file, "--checkpoint-every", "5ms"}
	for _, c := range []struct {
		jobs, search, good string
		more               []string
	}{
		{"1", "optimal", large, nil}, {"2", "pct:runs=20000", other, nil}, {"2", "bounded", other, []string{"--bound", "preempt=1"}},
		{"3", "optimal", large, nil}, {"2", "sleep", large, nil},
	} {
		good := c.good
		args := append([]string{"run", "--json", "--jobs", c.jobs, "--search", c.search}, c.more...)
		os.Remove(file)
		want := run(t, append(args, good)...).decode(t)
		killed := finish(t, command(t, append(append(args, save...), good)...), func(p *os.Process) {
			for range 1000 {
				if _, err := os.Stat(file); err == nil {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			p.Kill()
		})
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("no checkpoint: %v (%s)", err, killed.stderr)
		}
		for _, going := range [][]string{nil, save} { // also saving again to the same file
			r := run(t, append(append(append(args, going...), "--resume", file), good)...).decode(t)
			if r.Verdict != want.Verdict || r.Executions != want.Executions || r.Threads != want.Threads ||
				r.Transitions != want.Transitions || r.Blocked != want.Blocked || r.Pruned != want.Pruned || r.Replayed != want.Replayed || r.Distinct != want.Distinct {
				t.Errorf("%v: %s, %d executions, %d transitions; undisturbed %s, %d, %d", args, r.Verdict, r.Executions, r.Transitions,
					want.Verdict, want.Executions, want.Transitions)
			}
		}
	}

	good := large
	resume := []string{"run", "--search", "sleep", "--resume", file}
	run(t, append(resume, other)...).complains(t, result.OtherImage)
	run(t, append(resume, "--pp", "lock", good)...).complains(t, result.OtherConfig)
	run(t, append(resume, good, "--", "x")...).complains(t, result.OtherConfig)
	run(t, "run", "--search", "optimal", "--resume", file, good).complains(t, result.OtherConfig)
	run(t, "run", "--search", "classic", "--resume", file, good).complains(t, result.Usage)
	run(t, "run", "--search", "bpor", "--bound", "preempt=1", "--checkpoint", file+"2", good).complains(t, result.Usage)
	run(t, "run", "--search", "none", "--resume", good, good).complains(t, result.BadCheckpoint)
	run(t, "run", "--search", "none", "--checkpoint", good, good).complains(t, result.Unwritable)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, append(resume, good)...).complains(t, result.BadCheckpoint)
}
