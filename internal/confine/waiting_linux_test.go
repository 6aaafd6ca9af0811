package confine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWaiting: of processes that share one processor all but one wait; those that sleep
// don't.
func TestWaiting(t *testing.T) {
	one := unix.CPUSet{}
	if err := unix.SchedGetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	for cpu := 0; one.Count() > 1; cpu++ {
		one.Clear(cpu)
	}
	waits := func(command, state string) time.Duration {
		var pids []int
		for range 4 {
			cmd := exec.Command("sh", "-c", command)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				cmd.Process.Kill()
				cmd.Wait()
			}()
			if err := unix.SchedSetaffinity(cmd.Process.Pid, &one); err != nil {
				t.Fatal(err)
			}
			pids = append(pids, cmd.Process.Pid)
		}
		for _, pid := range pids { // each comes to its work, on a busy machine too
			for !atWork(pid, state) {
				time.Sleep(time.Millisecond)
			}
		}
		w := waiting{}
		for range 16 {
			w.look(pids)
			time.Sleep(20 * time.Millisecond)
		}
		return w.total
	}
	busy, asleep := waits("while :; do :; done", "(sh) R"), waits("exec sleep 100", "(sleep) S")
	if busy == 0 {
		t.Skip("this kernel doesn't say how long processes wait")
	}
	if busy < 100*time.Millisecond || asleep > busy/4 {
		t.Errorf("waited for %v while busy, for %v asleep", busy, asleep)
	}
}

// atWork reports whether a process runs this program, and is in this state (proc_pid_stat(5)).
func atWork(pid int, state string) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return bytes.Contains(stat, []byte(state))
}
