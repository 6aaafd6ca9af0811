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
	good, other := guest(t, "lost.c", "-DLOCK", "-DN=7"), guest(t, "lost.c", "-DLOCK", "-DN=6")
	file := filepath.Join(t.TempDir(), "search.ckpt")
	save := []string{"--checkpoint", file, "--checkpoint-every", "5ms"}
	for _, c := range []struct {
		jobs, search string
		transitions  bool // don't depend on timing
	}{{"1", "optimal", true}, {"2", "optimal", false}, {"2", "sleep", true}} {
		args := []string{"run", "--json", "--jobs", c.jobs, "--search", c.search}
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
				c.transitions && (r.Transitions != want.Transitions || r.Blocked != want.Blocked) {
				t.Errorf("%v: %s, %d executions, %d transitions; undisturbed %s, %d, %d", args, r.Verdict, r.Executions, r.Transitions,
					want.Verdict, want.Executions, want.Transitions)
			}
		}
	}

	resume := []string{"run", "--search", "sleep", "--resume", file}
	run(t, append(resume, other)...).complains(t, result.OtherImage)
	run(t, append(resume, "--pp", "lock", good)...).complains(t, result.OtherConfig)
	run(t, append(resume, good, "--", "x")...).complains(t, result.OtherConfig)
	run(t, "run", "--search", "optimal", "--resume", file, good).complains(t, result.OtherConfig)
	run(t, "run", "--search", "pct", "--resume", file, good).complains(t, result.Usage)
	run(t, "run", "--search", "none", "--bound", "preempt=1", "--checkpoint", file+"2", good).complains(t, result.Usage)
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
