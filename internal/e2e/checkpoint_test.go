package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"landgo/internal/result"
)

// TestCheckpoint: a search that is killed (SIGKILL) goes on from its
// checkpoint to the totals of one that wasn't; a checkpoint of something else
// is refused in one line.
func TestCheckpoint(t *testing.T) {
	large, other := guest(t, "lost.c", "-DLOCK", "-DN=7"), guest(t, "lost.c", "-DLOCK", "-DN=6")
	file := filepath.Join(t.TempDir(), "search.ckpt")
	save := []string{"--checkpoint", file, "--checkpoint-every", "5ms"}
	for i, c := range []struct {
		jobs, search, good string
		more               []string
	}{
		{"1", "optimal", large, nil}, {"2", "pct:runs=20000", other, nil}, {"2", "bounded", other, []string{"--bound", "preempt=1"}},
		{"3", "optimal", large, nil}, {"2", "sleep", large, nil},
		{"1", "bpor", large, []string{"--bound", "preempt=3"}}, {"1", "classic", other, nil}, {"1", "stateful", large, nil},
		{"2", "optimal", large, []string{"--max-executions", "4000"}},
	} {
		good := c.good
		args := append([]string{"run", "--json", "--pp", "mem", "--jobs", c.jobs, "--search", c.search}, c.more...)
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
		more := [][]string{nil, save}[i%2] // also saving again to the same file
		r := run(t, append(append(append(args, more...), "--resume", file), good)...).decode(t)
		if r.Verdict != want.Verdict || r.Executions != want.Executions || r.Threads != want.Threads ||
			r.Transitions != want.Transitions || r.Blocked != want.Blocked || r.Pruned != want.Pruned || r.Replayed != want.Replayed || r.Distinct != want.Distinct {
			t.Errorf("%v: %s, %d executions, %d transitions; undisturbed %s, %d, %d", args, r.Verdict, r.Executions, r.Transitions,
				want.Verdict, want.Executions, want.Transitions)
		}
	}

	good := large
	resume := []string{"run", "--search", "sleep", "--resume", file}
	run(t, append(resume, good)...).complains(t, result.OtherConfig) // without --pp
	resume = append(resume, "--pp", "mem")
	run(t, append(resume, other)...).complains(t, result.OtherImage)
	run(t, append(resume, "--pp", "lock", good)...).complains(t, result.OtherConfig)
	run(t, append(resume, good, "--", "x")...).complains(t, result.OtherConfig)
	run(t, "run", "--search", "optimal", "--resume", file, good).complains(t, result.OtherConfig)
	run(t, "run", "--search", "classic", "--resume", file, good).complains(t, result.OtherConfig)
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

// TestCheckpointOfLimited: a search that a limit ended, or Ctrl-C, however soon, goes on to the
// totals of one that had no limit.
func TestCheckpointOfLimited(t *testing.T) {
	good := guest(t, "lost.c", "-DLOCK", "-DN=8")
	plain := []string{"run", "--json", "--jobs", "1", "--pp", "mem"}
	want := run(t, append(plain, good)...).decode(t)
	for name, limited := range map[string]func(args []string) ending{
		"executions": func(args []string) ending { return run(t, append(args, "--max-executions", "10", good)...) },
		"Ctrl-C": func(args []string) ending {
			return finish(t, command(t, append(args, good)...), func(p *os.Process) {
				time.Sleep(300 * time.Millisecond)
				_ = p.Signal(os.Interrupt)
			})
		},
	} {
		file := filepath.Join(t.TempDir(), "search.ckpt")
		first := limited(append(plain, "--checkpoint", file)).decode(t)
		if first.Verdict != result.Budget || first.Executions >= want.Executions {
			t.Fatalf("%s: %s, %d executions", name, first.Verdict, first.Executions)
		}
		r := run(t, append(plain, "--resume", file, good)...).decode(t)
		if r.Verdict != want.Verdict || r.Executions != want.Executions || r.Transitions != want.Transitions {
			t.Errorf("%s: %s, %d executions, %d transitions; without a limit %s, %d, %d", name, r.Verdict, r.Executions, r.Transitions, want.Verdict, want.Executions, want.Transitions)
		}
	}
}

// TestDeepeningCheckpoint: without --pp, too. Each process is killed as soon as
// it has saved.
func TestDeepeningCheckpoint(t *testing.T) {
	good, other := guest(t, "../../../testdata/split.c"), guest(t, "lost.c")
	file := filepath.Join(t.TempDir(), "search.ckpt")
	for _, jobs := range inTurn(1, "1", "2") { // explore's TestDeepeningGoesOn has one worker
		args := []string{"run", "--json", "--jobs", jobs}
		os.Remove(file)
		want := run(t, append(args, good)...).decode(t)
		args = append(args, "--checkpoint", file, "--checkpoint-every", "1ms")
		var before os.FileInfo
		for kills := range 2 {
			killed := finish(t, command(t, append(args, good)...), func(p *os.Process) {
				for range 2000 {
					if st, err := os.Stat(file); err == nil && (before == nil || !os.SameFile(st, before)) {
						before = st
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				p.Kill()
			})
			if killed.status >= 0 {
				t.Fatalf("it ended before it could be killed: %d (%s)", killed.status, killed.stderr)
			}
			if kills == 0 {
				args = append(args, "--resume", file)
			}
		}
		r := run(t, append(args, good)...).decode(t)
		if r.Verdict != want.Verdict || r.Executions != want.Executions || r.Threads != want.Threads || r.Transitions != want.Transitions ||
			r.Replayed != want.Replayed || r.RaceCount != want.RaceCount || len(r.Jobs) != len(want.Jobs) || r.Instructions != want.Instructions {
			t.Errorf("--jobs %s: %s, %d executions, %d transitions; undisturbed %s, %d, %d", jobs, r.Verdict, r.Executions, r.Transitions,
				want.Verdict, want.Executions, want.Transitions)
		}
	}
	resume := []string{"run", "--resume", file}
	run(t, append(resume, other)...).complains(t, result.OtherImage)
	run(t, append(resume, "--timeouts", "any", good)...).complains(t, result.OtherConfig)
	run(t, append(resume, good, "--", "x")...).complains(t, result.OtherConfig)
	for _, o := range [][]string{{"--pp", "mem"}, {"--sync-only"}, {"--keep-going"}, {"--race", "hb"}, {"--search", "source"}, {"--fail-on", "race"}} {
		run(t, append(append(resume, o...), good)...).complains(t, result.OtherConfig)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(t.TempDir(), "newer.ckpt")
	if err := os.WriteFile(newer, bytes.Replace(text, []byte(`"version":"`), []byte(`"version":"9`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "run", "--resume", newer, good).complains(t, result.OtherVersion)
}
