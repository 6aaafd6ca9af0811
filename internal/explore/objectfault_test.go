package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestObjectFault: the operations that landgo carries out fault where the guest has
// no memory, as the C library's own do.
func TestObjectFault(t *testing.T) {
	t.Parallel()
	const program = `#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static sem_t s;
static mtx_t r;
static pthread_cond_t c;
static struct timespec now;
static pthread_mutex_t m, *volatile late;
static const pthread_mutex_t read_only;
static void *use(void *a) { pthread_mutex_lock(late); pthread_mutex_unlock(late); return a; }
static void handle(int s) { _exit(0); }
int main(void) { pthread_t t; (void)t; (void)m; (void)use; (void)handle; (void)s; (void)r; (void)c; (void)now; MAIN; return 0; }
`
	for _, c := range []struct {
		main string
		kind trace.BugKind
		cc   string
	}{
		{"pthread_mutex_lock(0)", "segfault", "gcc"},
		{"pthread_mutex_unlock(0)", "segfault", "gcc"},
		{"pthread_mutex_trylock((void *)0xdeadbee0)", "segfault", "gcc"},
		{"pthread_mutex_destroy(0)", "segfault", "gcc"},
		{"pthread_mutex_lock((void *)&read_only)", "segfault", "gcc"},
		{"sem_wait(0)", "segfault", "gcc"},
		{"sem_post(0)", "segfault", "gcc"},
		{"sem_init(0, 0, 1)", "segfault", "gcc"},
		{"pthread_cond_signal(0)", "segfault", "gcc"},
		{"pthread_rwlock_rdlock(0)", "segfault", "gcc"},
		{"pthread_barrier_wait(0)", "segfault", "gcc"},
		{"pthread_cond_wait(&c, 0)", "segfault", "gcc"},
		{"signal(SIGSEGV, handle); pthread_cond_wait(&c, 0)", "", "musl-gcc"},
		{"sem_destroy(0)", "", "gcc"},
		{"signal(SIGSEGV, handle); pthread_mutex_lock(0)", "", "gcc"},
		{"pthread_create(&t, 0, use, 0); late = &m; pthread_join(t, 0)", "segfault", "gcc"},
		{"late = &m; pthread_create(&t, 0, use, 0); pthread_join(t, 0)", "", "gcc"},
		{"late = &m; pthread_create(&t, 0, use, 0); pthread_join(t, (void **)16)", "segfault", "gcc"},
		{"pthread_join((pthread_t)0xdeadbee0, 0)", "segfault", "gcc"},
		{"late = &m; pthread_create(&t, 0, use, 0); pthread_join(t, 0); if (pthread_join(t, 0) == 0) abort()", "lock-misuse", "gcc"},
		{"sem_getvalue(&s, 0)", "segfault", "gcc"},
		{"pthread_mutex_init(&m, (void *)16)", "segfault", "gcc"},
		// A time is read at once, or where there is something to wait for.
		{"sem_init(&s, 0, 1); sem_timedwait(&s, 0)", "segfault", "gcc"},
		{"sem_init(&s, 0, 1); sem_timedwait(&s, (void *)16)", "", "musl-gcc"},
		{"sem_timedwait(&s, (void *)16)", "segfault", "musl-gcc"},
		{"sem_timedwait(&s, 0)", "deadlock", "musl-gcc"},
		{"pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, 0)", "segfault", "gcc"},
		{"pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, (void *)16)", "segfault", "musl-gcc"},
		{"pthread_mutex_timedlock(&m, (void *)16)", "", "gcc"},
		{"sem_init(&s, 0, 0); now.tv_nsec = 2000000000; if (sem_timedwait(&s, &now) != -1) abort()", "", "gcc"},
		{"mtx_init(&r, mtx_recursive); mtx_lock(&r); mtx_lock(&r); mtx_unlock(&r); mtx_unlock(&r)", "", "musl-gcc"},
	} {
		t.Run(c.main, func(t *testing.T) {
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.PP = compile.Text(t, c.cc, strings.Replace(program, "MAIN", c.main, 1)), config.NoFile, trace.MemPoints
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
