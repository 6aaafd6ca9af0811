package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"landgo/internal/result"
)

// attacker is a landgo whose engine a guest has taken over.
type attacker struct{ front string }

func newAttacker(t *testing.T) attacker {
	t.Helper()
	dir := t.TempDir()
	a := attacker{filepath.Join(dir, "landgo")}
	copyFile(t, landgo, a.front) // it starts the engine beside it
	buildHelper(t, filepath.Join(dir, "landgo-engine"), "./cmd/landgo-engine", "-tags", "attack")
	return a
}

// buildHelper builds a program of the tests'.
func buildHelper(t *testing.T, to, program string, flags ...string) {
	t.Helper()
	build := exec.Command("go", append(append([]string{"build", "-buildvcs=false", "-o", to}, flags...), program)...)
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// try has the engine attack, with more options, perhaps by another program that starts it.
func (a attacker) try(t *testing.T, attack string, options []string, by ...string) ending {
	t.Helper()
	dir := t.TempDir()
	guest, secret := filepath.Join(dir, attack), filepath.Join(dir, "secret")
	if err := os.WriteFile(guest, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(append(by, a.front, "run", "--out", "none", "--time", "2", "--memory", "256M"), append(options, guest)...)
	cmd := exec.Command(args[0], args[1:]...)
	for range 2 { // descriptors 3 and 4, as a shell leaves them open
		f, err := os.Open(secret)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	return finish(t, cmd)
}

// failed reports whether an attack has failed.
func failed(e ending) bool {
	refused := strings.Contains(e.stderr, "refused: ") || strings.Contains(e.stderr, "signal: bad system call") ||
		strings.Contains(e.stderr, "a message that takes too much memory") || e.status == result.ExitBudget
	return refused && (e.stdout == "" || e.status == result.ExitBudget) && !strings.Contains(e.stderr, "succeeded")
}

// prevented are attacks that something else than confinement prevents: the front, the
// machine's kernel, or that the call asks for nothing.
var prevented = []string{"nothing", "environment", "ask", "ask-write", "ask-folder", "ptrace", "read-memory", "ring", "memory", "time", "root", "namespace", "exec-self", "limits",
	"exec-descriptor", "write-memory", "pidfd", "pidfd-signal", "pidfd-file", "queue-signal", "key", "keyring", "request-key", "user-fault", "perf", "bpf", "raw-socket",
	"join-namespace", "clone-namespace", "clone-process", "vfork", "by-handle", "memory-of-front", "filter", "ports", "modules", "other-numbers", "landlock-again", "protection-keys",
	"watch-all", "mount-api", "root-folder", "kernel-log", "real-time", "threads", "page-tables", "flood"}

// harmful are attacks that would change the machine.
var harmful = []string{"mount", "host-name", "clock", "shared-memory", "semaphores", "messages", "message-queue", "link", "folder"}

// TestConfined: an engine that a guest has taken over can do nothing with the machine.
// Each attack succeeds without confinement, unless something else is in its way, so that
// the test would see it. Without landlock they fail too.
func TestConfined(t *testing.T) {
	a := newAttacker(t)
	without := filepath.Join(t.TempDir(), "without")
	buildHelper(t, without, "./internal/e2e/testdata/without")
	var names []string
	sources, err := filepath.Glob(filepath.Join(top, "cmd/landgo-engine/attack*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sources {
		for _, m := range regexp.MustCompile(`(?m)^\t"([a-z-]+)": +func`).FindAllStringSubmatch(text(t, path), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 95 {
		t.Fatalf("%d attacks", len(names))
	}
	seen := 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			e := a.try(t, name, []string{"--quiet"})
			if !failed(e) {
				t.Errorf("status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
			if e.elapsed > 8*time.Second {
				t.Errorf("it took %v", e.elapsed)
			}
			if name == "time" || name == "memory" {
				return // the front's, whatever the kernel has
			}
			if e := a.try(t, name, []string{"--quiet"}, without, "landlock"); !failed(e) {
				t.Errorf("without landlock: status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
			if slices.Contains(prevented, name) || slices.Contains(harmful, name) {
				return
			}
			seen++
			if e := a.try(t, name, []string{"--quiet", "--confine", "off", "--time", "30"}); !strings.Contains(e.stderr, "succeeded") {
				t.Errorf("without confinement: status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
		})
	}
	if seen < 35 {
		t.Errorf("%d attacks succeed without confinement", seen)
	}
}

// TestConfineLevels: what a kernel lacks is reported in a line, and what it has holds;
// --confine=require refuses to run.
func TestConfineLevels(t *testing.T) {
	needsLandlock(t)
	a := newAttacker(t)
	without := filepath.Join(t.TempDir(), "without")
	buildHelper(t, without, "./internal/e2e/testdata/without")
	for layer, line := range map[string]string{
		"landlock": "confined without landlock (the kernel has none: function not implemented)\n",
		"filters":  "confined without a filter of system calls (function not implemented)\n",
	} {
		for _, name := range []string{"read", "write", "list", "remove", "connect", "exec", "ask", "descriptors", "large-file", "root"} {
			if e := a.try(t, name, nil, without, layer); !failed(e) || !strings.Contains(e.stderr, line) {
				t.Errorf("%s without %s: status %d\n%s%s", name, layer, e.status, e.stdout, e.stderr)
			}
		}
		e := a.try(t, "read", []string{"--confine", "require"}, without, layer)
		if e.status == 0 || !strings.Contains(e.stderr, "the engine would run without "+layer[:3]) && !strings.Contains(e.stderr, "the engine would run without a filter") || strings.Contains(e.stderr, "refused: ") {
			t.Errorf("required, without %s: status %d\n%s%s", layer, e.status, e.stdout, e.stderr)
		}
	}
	if e := a.try(t, "read", []string{"--confine", "require"}); !strings.Contains(e.stderr, "refused: ") {
		t.Errorf("required: status %d\n%s%s", e.status, e.stdout, e.stderr)
	}
}
