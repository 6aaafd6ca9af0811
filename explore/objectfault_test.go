package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/result"
)

// TestObjectFault: the operations that landgo carries out fault where the guest has
// no memory, as the C library's own do.
func TestObjectFault(t *testing.T) {
	const program = `#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m, *volatile late;
static const pthread_mutex_t read_only;
static void *use(void *a) { pthread_mutex_lock(late); pthread_mutex_unlock(late); return a; }
static void handle(int s) { _exit(0); }
int main(void) { pthread_t t; (void)t; (void)m; (void)use; (void)handle; MAIN; return 0; }
`
	for _, c := range []struct {
		main string
		kind result.Kind
	}{
		{"pthread_mutex_lock(0)", "segfault"},
		{"pthread_mutex_unlock(0)", "segfault"},
		{"pthread_mutex_trylock((void *)0xdeadbee0)", "segfault"},
		{"pthread_mutex_destroy(0)", "segfault"},
		{"pthread_mutex_lock((void *)&read_only)", "segfault"},
		{"sem_wait(0)", "segfault"},
		{"sem_post(0)", "segfault"},
		{"sem_init(0, 0, 1)", "segfault"},
		{"pthread_cond_signal(0)", "segfault"},
		{"pthread_rwlock_rdlock(0)", "segfault"},
		{"pthread_barrier_wait(0)", "segfault"},
		{"sem_destroy(0)", ""},
		{"signal(SIGSEGV, handle); pthread_mutex_lock(0)", ""},
		{"pthread_create(&t, 0, use, 0); late = &m; pthread_join(t, 0)", "segfault"},
		{"late = &m; pthread_create(&t, 0, use, 0); pthread_join(t, 0)", ""},
		{"late = &m; pthread_create(&t, 0, use, 0); pthread_join(t, (void **)16)", "segfault"},
		{"pthread_join((pthread_t)0xdeadbee0, 0)", "segfault"},
		{"late = &m; pthread_create(&t, 0, use, 0); pthread_join(t, 0); if (pthread_join(t, 0) == 0) abort()", ""},
	} {
		t.Run(c.main, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Guest, cfg.Out, cfg.PP = compile(t, strings.Replace(program, "MAIN", c.main, 1)), NoFile, PointMem
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			switch {
			case c.kind == "":
				if r.Verdict != result.Verified {
					t.Errorf("%s (%s)", r.Verdict, r.Reason)
				}
			case r.Verdict != result.Buggy || r.Bug.Kind != c.kind:
				t.Errorf("%s (%s), not %s", r.Verdict, r.Reason, c.kind)
			}
			if r.Bug == nil {
				return
			}
			again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
			if err != nil || again.Bug == nil || again.Bug.Message != r.Bug.Message {
				t.Errorf("the replay has another bug: %v", err)
			}
		})
	}
}
