package e2e

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/compile"
)

// TestGradeServe: with landgo as the server, a worker of another process does all
// searches, and ends when it is asked to. The tables are those of a class on one machine.
func TestGradeServe(t *testing.T) {
	needsLandlock(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"course.yaml": "tests:\n  - {name: locks, guest: locks}\n  - {name: counter, guest: counter}\n"})
	for student, programs := range map[string][2]string{"anna": {"deadlock_two-fixed", "lost_update"}, "ben": {"deadlock_two", "lost_update-fixed"}} {
		for i, name := range []string{"locks", "counter"} {
			write(t, dir, map[string]string{filepath.Join("s", student, "readme"): ""})
			copyFile(t, compile.Guest(t, "glibc-O1", programs[i]), filepath.Join(dir, "s", student, name))
		}
	}
	want := finish(t, gradeIn(dir, "--json", "course.yaml", "s"))
	if want.status != 0 || !strings.Contains(want.stdout, "deadlock") {
		t.Fatalf("status %d: %s", want.status, want.stderr)
	}
	front := gradeIn(dir, "--json", "--run", "far", "--jobs", "0", "--serve", "127.0.0.1:0", "course.yaml", "s")
	var out bytes.Buffer
	front.Stdout = &out
	front.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, err := front.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := front.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal("no word of the server")
	}
	_, call, ok := strings.Cut(lines.Text(), "serving: landgo ")
	if !ok {
		t.Fatalf("%q", lines.Text())
	}
	worker := exec.Command(landgo, strings.Fields(call)...)
	worker.Dir = dir
	worker.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	if err := front.Wait(); err != nil || out.String() != want.stdout {
		t.Errorf("%v: %s\nwant %s", err, difference(want.stdout, out.String()), want.stdout)
	}
	worker.Process.Signal(syscall.SIGTERM)
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker: %v", err)
	}
}
