package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"landgo/internal/result"
)

// interrupt starts landgo and sends it a signal after some time.
func interrupt(t *testing.T, after time.Duration, s syscall.Signal, args ...string) ending {
	t.Helper()
	var timer *time.Timer
	defer func() { timer.Stop() }()
	return finish(t, command(t, args...), func(p *os.Process) {
		timer = time.AfterFunc(after, func() { p.Signal(s) })
	})
}

// TestInterrupt: a signal ends the search with what was found until then.
func TestInterrupt(t *testing.T) {
	long, bug := guest(t, "long.c"), guest(t, "long.c", "-DBUG")
	for _, c := range []struct {
		name    string
		signal  syscall.Signal
		args    []string
		verdict result.Verdict
	}{
		{"SIGINT", syscall.SIGINT, []string{"run", "--json", long}, result.Budget},
		{"SIGTERM", syscall.SIGTERM, []string{"run", "--json", long}, result.Budget},
		{"SIGINT after a bug", syscall.SIGINT, []string{"run", "--json", "--keep-going", bug}, result.Buggy},
	} {
		t.Run(c.name, func(t *testing.T) {
			const after = 2 * time.Second
			e := interrupt(t, after, c.signal, c.args...)
			r := e.decode(t)
			if r.Verdict != c.verdict {
				t.Errorf("verdict %s (%s), want %s", r.Verdict, r.Reason, c.verdict)
			}
			if r.Executions == 0 || r.Transitions == 0 {
				t.Errorf("no partial result: %d executions, %d transitions", r.Executions, r.Transitions)
			}
			if e.elapsed > after+10*time.Second {
				t.Errorf("ended %v after the signal", e.elapsed-after)
			}
		})
	}
}

// TestLimits: each budget ends the search as budget, naming it.
func TestLimits(t *testing.T) {
	long := guest(t, "long.c")
	for _, c := range []struct {
		flag, value, word string
		problem           result.ErrorKind
	}{
		{"--time", "1s", "time", result.OutOfTime},
		{"--max-executions", "100", "executions", result.OutOfExecutions},
	} {
		r := run(t, "run", "--json", c.flag, c.value, long).decode(t)
		if r.Verdict != result.Budget || r.Problem != c.problem || !strings.Contains(r.Reason, c.word) {
			t.Errorf("%s %s: %s %s (%s)", c.flag, c.value, r.Verdict, r.Problem, r.Reason)
		}
		if c.flag == "--max-executions" && r.Executions != 100 {
			t.Errorf("--max-executions 100 ran %d", r.Executions)
		}
	}
}

// TestKillWhileWriting: a kill of landgo while it writes its bug file leaves
// the old file or the new one.
func TestKillWhileWriting(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "bug.landgo")
	write := func(guest string) (text []byte, took time.Duration) {
		e := run(t, "run", "--out", file, guest)
		if e.status != result.ExitBug {
			t.Fatalf("exit %d: %s%s", e.status, e.stdout, e.stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return text, e.elapsed
	}
	guestA, guestB := guest(t, "lost.c"), guest(t, "lost.c", "-DN=3")
	textA, _ := write(guestA)
	textB, took := write(guestB)
	if bytes.Equal(textA, textB) {
		t.Fatal("two different bugs have the same file")
	}
	texts := [][]byte{textA, textB}
	seen := [2]int{}
	tries := 24
	if soaks {
		tries = 200
	}
	for i := range tries {
		old, next := i%2, [2]string{guestB, guestA}[i%2]
		if err := os.WriteFile(file, texts[old], 0o644); err != nil {
			t.Fatal(err)
		}
		// The file is written at the end of a run: spread the kills over its
		// last part and a little beyond.
		interrupt(t, took*time.Duration(tries/2+i)/time.Duration(tries), syscall.SIGKILL, "run", "--out", file, next)
		now, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case bytes.Equal(now, texts[old]):
			seen[0]++
		case bytes.Equal(now, texts[1-old]):
			seen[1]++
		default:
			t.Fatalf("try %d: the file is neither the old nor the new one:\n%s", i, now)
		}
	}
	t.Logf("old file %d times, new file %d times", seen[0], seen[1])
	if seen[0] == 0 {
		t.Error("no kill came before the file was written: the test shows nothing")
	}
}
