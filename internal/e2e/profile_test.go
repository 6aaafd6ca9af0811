package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestProfile: with a profile there are points at a lock whose name landgo
// doesn't know, and a panic of the program's own is a bug. The cure is
// verified.
func TestProfile(t *testing.T) {
	bad, good := guest(t, "own_lock.c"), guest(t, "own_lock.c", "-DFIXED")
	profile, err := filepath.Abs(filepath.Join(top, "guests", "profile", "guards.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const points = "lock,unlock"
	without := run(t, "run", "--json", "--pp", points, bad).decode(t)
	if without.Verdict != result.Verified || without.Certificate.Profile != "pthread" {
		t.Errorf("without the profile: %s (%s), which has no point in the guards", without.Verdict, without.Reason)
	}
	args := []string{"run", "--json", "--pp", points, "--profile", profile}
	if r := run(t, append(args, good)...).decode(t); r.Verdict != result.Verified || r.Executions < 2 {
		t.Errorf("the cure: %s after %d executions", r.Verdict, r.Executions)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "own.landgo")
	r := run(t, append(args, "--out", file, bad)...).decode(t)
	switch b := r.Bug; {
	case r.Verdict != result.Buggy:
		t.Fatalf("%s (%s), want a bug", r.Verdict, r.Reason)
	case b.Kind != trace.Assertion || b.Message != "panic: overdrawn by 10" || b.Preemptions != 1:
		t.Errorf("%s: %s, %d preemptions", b.Kind, b.Message, b.Preemptions)
	case !strings.HasPrefix(r.Certificate.Profile, "pthread, "+profile+" (sha256 "):
		t.Errorf("the certificate has the profile %q", r.Certificate.Profile)
	}

	// A bug file has the profile in it; a schedule needs it.
	t.Run("replay", func(t *testing.T) {
		if again := run(t, "replay", "--json", file).decode(t); !again.Replay.Same {
			t.Errorf("the bug file's replay: %s", again.Reason)
		}
		schedule := []string{"replay", "--json", "--schedule", r.Bug.Schedule, "--pp", points}
		run(t, append(schedule, bad)...).complains(t, result.OtherConfig)
		// Where the profile lies doesn't matter, what is in it does.
		text, err := os.ReadFile(profile)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(dir, "copied.yaml")
		write := func(text string) {
			if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(string(text))
		if again := run(t, append(schedule, "--profile", copied, bad)...).decode(t); again.Verdict != result.Buggy {
			t.Errorf("the schedule's replay: %s (%s)", again.Verdict, again.Reason)
		}
		write(string(text) + "trust: look\n")
		run(t, append(schedule, "--profile", copied, bad)...).complains(t, result.OtherConfig)
		if r := run(t, "run", "--json", "--profile", copied, bad).decode(t); r.Granularity != "mem without look" {
			t.Errorf("with a trusted function the verdict holds at %q", r.Granularity)
		}
	})
	t.Run("refused", func(t *testing.T) {
		for text, want := range map[string]string{
			"functions:\n  lock: guard_entr\n":         ":2: the guest has no function guard_entr, did you mean guard_enter?",
			"functions:\n  lock: pthread_mutex_lock\n": ":2: pthread_mutex_lock is a function of glibc, whose meaning (lock) is built in",
			"functions:\n  lok: guard_enter\n":         `:2: unknown role "lok" in functions, did you mean lock?`,
			"trust: lok\n":                             ":1: the guest has no function lok",
		} {
			wrong := filepath.Join(dir, "wrong.yaml")
			if err := os.WriteFile(wrong, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"run", "inspect"} {
				e := run(t, command, "--profile", wrong, bad)
				if e.complains(t, result.BadProfile); !strings.Contains(e.stderr, wrong+want) {
					t.Errorf("%s says %q, want %q", command, e.stderr, want)
				}
			}
		}
		run(t, "run", "--profile", filepath.Join(dir, "none.yaml"), bad).complains(t, result.NoFile)
	})
}
