// Package e2e tests landgo as its users meet it: the built program on real
// guests, by exit status, stdout and stderr.
package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/part"
	"landgo/internal/result"
)

// top is the top of the tree, landgo the program under test.
var top, landgo string

// TestMain builds landgo from the tree, so that `go test` never runs an old
// one, and works in a folder of its own, where bug files go.
func TestMain(m *testing.M) { os.Exit(main(m)) }

func main(m *testing.M) int {
	var err error
	if top, err = filepath.Abs("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "landgo-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if landgo, err = compile.Landgo(top, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// landgo is to run as its users have it, though the tests' own collector is set (Makefile).
	os.Unsetenv("GOGC")
	os.Unsetenv("GOMEMLIMIT")
	return compile.Main(m)
}

// limit is how long a run of landgo may take before the test calls it a hang.
const limit = 3 * time.Minute

// An ending is how a run of landgo ended.
type ending struct {
	status         int
	stdout, stderr string
	peak           int64 // KiB
	elapsed        time.Duration
}

// command is landgo with these arguments, in a folder of the test's own. A test of another
// part ends here (internal/part).
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	part.Row(t)
	cmd := exec.Command(landgo, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// finish runs the command to its end.
func finish(t *testing.T, cmd *exec.Cmd, started ...func(*os.Process)) ending {
	t.Helper()
	var out, errs bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &errs
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range started {
		f(cmd.Process)
	}
	done := make(chan struct{})
	go guard(cmd.Process, done)
	cmd.Wait() // the exit status tells
	close(done)
	e := ending{
		status:  cmd.ProcessState.ExitCode(),
		stdout:  out.String(),
		stderr:  errs.String(),
		elapsed: time.Since(begin),
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		e.peak = u.Maxrss // the greatest of the process and its children
	}
	if e.elapsed >= limit {
		t.Fatalf("landgo %s still ran after %v:\n%.4000s", strings.Join(cmd.Args[1:], " "), limit, e.stderr)
	}
	return e
}

// guard ends a run that takes too long (with the stacks of its goroutines), or
// that would take the machine's memory. landgo runs its guest in a child
// process, so it is the group that counts.
func guard(p *os.Process, done <-chan struct{}) {
	deadline := time.Now().Add(limit)
	for {
		select {
		case <-done:
			return
		case <-time.After(50 * time.Millisecond):
		}
		if resident(p.Pid) > memoryLimit {
			syscall.Kill(-p.Pid, syscall.SIGKILL)
		}
		switch late := time.Since(deadline); {
		case late > 5*time.Second:
			syscall.Kill(-p.Pid, syscall.SIGKILL)
		case late > 0:
			syscall.Kill(-p.Pid, syscall.SIGQUIT)
		}
	}
}

// memoryLimit is in bytes: no test's guest needs as much.
const memoryLimit = 6 << 30

// resident is the memory of a process and its children.
func resident(pid int) int64 {
	var size, pages int64
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		fmt.Sscan(string(b), &size, &pages)
	}
	sum := pages * int64(os.Getpagesize())
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, f := range strings.Fields(string(children)) {
		if child, err := strconv.Atoi(f); err == nil {
			sum += resident(child)
		}
	}
	return sum
}

// run runs landgo.
func run(t *testing.T, args ...string) ending {
	t.Helper()
	return finish(t, command(t, args...))
}

// decode reads the one JSON object that is all of stdout.
func (e ending) decode(t *testing.T) *result.Result {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(e.stdout))
	d.DisallowUnknownFields()
	var r result.Result
	if err := d.Decode(&r); err != nil {
		t.Fatalf("stdout isn't a result: %v\nexit %d\nstdout: %.2000s\nstderr: %.2000s", err, e.status, e.stdout, e.stderr)
	}
	if d.More() {
		t.Fatalf("stdout holds more than one JSON object: %.2000s", e.stdout)
	}
	if r.ExitStatus() != e.status {
		t.Errorf("exit status %d, but the result's is %d (%s: %s)", e.status, r.ExitStatus(), r.Verdict, r.Reason)
	}
	return &r
}

// guest builds a source of testdata and returns the program's path. Flags are
// added to those of a static pthread program.
func guest(t *testing.T, source string, flags ...string) string {
	t.Helper()
	return compile.File(t, "gcc", filepath.Join("testdata", source), flags...)
}
