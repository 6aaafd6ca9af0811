package confine

import (
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
	waits := func(command string) time.Duration {
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
		time.Sleep(100 * time.Millisecond) // each is at its work
		w := waiting{}
		for range 16 {
			w.look(pids)
			time.Sleep(20 * time.Millisecond)
		}
		return w.total
	}
	busy, asleep := waits("while :; do :; done"), waits("exec sleep 100")
	if busy == 0 {
		t.Skip("this kernel doesn't say how long processes wait")
	}
	if busy < 100*time.Millisecond || asleep > busy/4 {
		t.Errorf("waited for %v while busy, for %v asleep", busy, asleep)
	}
}
