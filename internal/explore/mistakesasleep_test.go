package explore

import (
	"context"
	"strings"
	"testing"
)

// TestMistakesAsleep: a kernel's wake-up that comes between a thread's test and its sleep is
// told, with the store by which the waker would have seen that the thread sleeps. Other threads
// that wait for ever have lost none.
func TestMistakesAsleep(t *testing.T) {
	t.Parallel()
	for _, k := range []struct{ mistake, test, want string }{
		{"wakeup_lost", "semaphore", "looks at semaphore.waiters.first (queue.c:8) before thread 0 sets that (queue.c:17)"},
		{"join_race", "join", "after thread 0 has tested it (thread.c:280)"},
		{"sleep_exact", "sleep", ""},
		{"exit_early", "sleep", ""},
	} {
		t.Run(k.mistake, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), kernelConfig(kernelBuilt(t, "kernel-"+k.mistake), k.test, "lock,unlock,cli,sti"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Bug == nil || r.Bug.Kind != "deadlock" {
				t.Fatalf("%s (%s) %+v", r.Verdict, r.Reason, r.Bug)
			}
			if said := strings.Contains(r.Bug.Mistake, "the wake-up is lost"); said != (k.want != "") || !strings.Contains(r.Bug.Mistake, k.want) {
				t.Errorf("%q, want %q", r.Bug.Mistake, k.want)
			}
		})
	}
}
