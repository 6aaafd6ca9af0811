package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"landgo/internal/result"
)

// TestConfined: an engine that a guest has taken over can do nothing with the machine.
// Each attack succeeds without confinement, unless something else is in its way, so that
// the test would see it.
func TestConfined(t *testing.T) {
	dir := t.TempDir()
	front := filepath.Join(dir, "landgo")
	copyFile(t, landgo, front) // it starts the engine beside it
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", "attack", "-o", filepath.Join(dir, "landgo-engine"), "./cmd/landgo-engine")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(top, "cmd/landgo-engine/attack.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t"([a-z-]+)": +func`).FindAllStringSubmatch(string(text), -1)
	if len(names) < 25 {
		t.Fatalf("%d attacks", len(names))
	}
	// Those that the front prevents, or the machine does.
	always := []string{"nothing", "environment", "ask", "ask-write", "ask-folder", "ptrace", "read-memory", "ring", "memory", "time", "root", "namespace", "exec-self", "limits"}
	seen := 0
	for _, m := range names {
		name := m[1]
		t.Run(name, func(t *testing.T) {
			guest := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(guest, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "--quiet", "--out", "none", "--time", "2", "--memory", "256M", guest}
			e := finish(t, exec.Command(front, append(args, "--confine", "best")...))
			refused := strings.Contains(e.stderr, "refused: ") || strings.Contains(e.stderr, "signal: bad system call") || e.status == result.ExitBudget
			if e.stdout != "" && e.status != result.ExitBudget || !refused || strings.Contains(e.stderr, "succeeded") {
				t.Errorf("status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
			if e.elapsed > 8*time.Second {
				t.Errorf("it took %v", e.elapsed)
			}
			for _, a := range always {
				if a == name {
					return
				}
			}
			seen++
			e = finish(t, exec.Command(front, append(args, "--confine", "off")...))
			if !strings.Contains(e.stderr, "succeeded") {
				t.Errorf("without confinement: status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
		})
	}
	if seen < 12 {
		t.Errorf("%d attacks succeed without confinement", seen)
	}
}
