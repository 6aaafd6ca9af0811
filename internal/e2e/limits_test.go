package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"landgo/internal/result"
)

// slack is how much later than it should a run may end, on a machine that has much
// else to do. Without a watch over them these runs took at least twice as much.
const slack = 10 * time.Second

// TestTimeHolds: whatever a run is at when its time is over, it ends with a result.
func TestTimeHolds(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "saved")
	for _, c := range []struct {
		name, source string
		args         []string
	}{
		{"an execution", "-DLONG", nil},
		{"an execution, saved", "-DLONG", []string{"--checkpoint", saved}},
		{"an execution, by workers", "-DLONG", []string{"--jobs", "2", "--pp", "mem"}},
		{"a step", "-DCOMPUTE", []string{"--step-budget", "1000000000000"}},
		{"a step, saved", "-DCOMPUTE", []string{"--step-budget", "1000000000000", "--checkpoint", saved + "2"}},
		{"a step with twins", "-DCOMPUTE", []string{"--step-budget", "1000000000000", "--check", "uninit"}},
		{"system calls", "-DPROTECT", []string{"--step-budget", "1000000000000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := run(t, append(append([]string{"run", "--json", "--time", "500ms"}, c.args...), guest(t, "limits.c", c.source))...)
			r := e.decode(t)
			if r.Verdict != result.Budget || r.Problem != result.OutOfTime {
				t.Errorf("%s %s (%s)", r.Verdict, r.Problem, r.Reason)
			}
			if e.elapsed > 2*time.Second+slack {
				t.Errorf("ended after %v", e.elapsed)
			}
		})
	}
}

// TestSignalsEndSteps: a signal ends a run in the middle of a step, too.
func TestSignalsEndSteps(t *testing.T) {
	const after = 2 * time.Second
	g := guest(t, "limits.c", "-DCOMPUTE")
	e := interrupt(t, after, syscall.SIGTERM, "run", "--json", "--step-budget", "1000000000000", g)
	if r := e.decode(t); r.Verdict != result.Budget || r.Problem != result.Interrupted {
		t.Errorf("%s %s (%s)", r.Verdict, r.Problem, r.Reason)
	}
	if e.elapsed > after+time.Second+slack {
		t.Errorf("ended %v after the signal", e.elapsed-after)
	}
}

// awaited hears when a text is first written.
type awaited struct {
	text  string
	heard chan time.Time
}

func (a *awaited) Write(b []byte) (int, error) {
	if strings.Contains(string(b), a.text) {
		select {
		case a.heard <- time.Now():
		default:
		}
	}
	return len(b), nil
}

// TestFoundWhileRefining: a bug isn't lost when the search for a shorter interleaving
// is broken off, and its file replays.
func TestFoundWhileRefining(t *testing.T) {
	g := guest(t, "limits.c", "-DREFINE")
	dir := t.TempDir()
	args := []string{"run", "--json", "--search", "random", "--pp", "mem", "--out"}
	whole := run(t, append(args, filepath.Join(dir, "whole"), g)...)
	full := whole.decode(t)
	if full.Bug == nil || full.Seconds-full.SearchSeconds < 0.3 { // machines differ
		t.Fatalf("%s: found after %v s of %v: no time to interrupt it", full.Verdict, full.SearchSeconds, full.Seconds)
	}
	file := filepath.Join(dir, "early")
	cmd := command(t, append(args, file, g)...)
	told := &awaited{text: "landgo: found: ", heard: make(chan time.Time, 1)}
	cmd.Stderr = told
	asked := make(chan time.Time, 1)
	e := finish(t, cmd, func(p *os.Process) {
		go func() {
			asked <- <-told.heard
			p.Signal(syscall.SIGINT)
		}()
	})
	ended := time.Now()
	r := e.decode(t)
	select {
	case at := <-asked:
		if r.Bug == nil || r.Bug.File != file || ended.Sub(at) > time.Second+slack {
			t.Fatalf("%s after %v: %+v", r.Verdict, ended.Sub(at), r.Bug)
		}
	default:
		t.Fatalf("%s: it isn't told when it is found", r.Verdict)
	}
	if again := run(t, "replay", "--json", file).decode(t); again.Verdict != result.Buggy || !again.Replay.Same {
		t.Errorf("replay: %s (%s)", again.Verdict, again.Reason)
	}
	again := run(t, append(args, filepath.Join(dir, "again"), g)...).decode(t)
	if again.Bug == nil || again.Bug.Schedule != full.Bug.Schedule {
		t.Error("another schedule when it was run again")
	}
}

// TestMemoryHolds: what a guest touches counts as landgo's memory, with twins too.
func TestMemoryHolds(t *testing.T) {
	const limit = 400 << 20
	g := guest(t, "limits.c", "-DTOUCH")
	for _, more := range [][]string{nil, {"--check", "uninit"}, {"--jobs", "2"}} {
		peak, done := int64(0), make(chan bool)
		e := finish(t, command(t, append(append([]string{"run", "--json", "--memory", "400M"}, more...), g)...), func(p *os.Process) {
			go func() {
				defer close(done)
				for p.Signal(syscall.Signal(0)) == nil {
					peak = max(peak, resident(p.Pid))
					time.Sleep(2 * time.Millisecond)
				}
			}()
		})
		<-done
		if r := e.decode(t); r.Verdict != result.Budget || r.Problem != result.OutOfMemory {
			t.Errorf("%v: %s %s (%s)", more, r.Verdict, r.Problem, r.Reason)
		}
		if peak > limit+limit/10 {
			t.Errorf("%v: %d MB were in memory", more, peak>>20)
		}
	}
}
