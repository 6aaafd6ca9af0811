package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const threadsOf = `
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void pair(void *(*f)(void *)) {
	pthread_t t[2];
	for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)i);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
`

// emptyPasses are right programs, with the warnings that each deserves.
var emptyPasses = []struct {
	name, program string
	set           func(*config.Config)
	want          []result.WarningCode
	says          string
}{
	{"a stub creates no thread", `
static int create(pthread_t *t, void *(*f)(void *), void *a) { return 0; }
static int x;
static void *w(void *a) { x++; return a; }
int main(void) { pthread_t t; create(&t, w, 0); return 0; }`, nil, []result.WarningCode{result.OneThread}, "only one thread ever ran"},
	{"usage", `
static void *w(void *a) { return a; }
int main(int c, char **v) { if (c < 2) { fputs("usage: guest N\nmore\n", stderr); return 0; } pair(w); }`, nil, []result.WarningCode{result.OneThread}, `it wrote "usage: guest N"`},
	{"a file that isn't given", `
static void *w(void *a) { return a; }
int main(void) { if (!fopen("input", "r")) { perror("input"); return 0; } pair(w); }`, nil, []result.WarningCode{result.OneThread}, "only the files of --file"},
	{"usage, with arguments", `
static _Atomic int x;
static void *w(void *a) { x++; return a; }
int main(int c, char **v) { if (c < 2) { fputs("usage: guest N\n", stderr); return 0; } pair(w); }`, func(c *config.Config) { c.Args = []string{"2"} }, nil, ""},
	{"a copy by a system call, while another thread stores", `
static volatile char b[8192];
static void *w(void *a) { if (!a) { b[0] = 1; b[8191] = 1; } else { int f[2]; pipe(f); write(f[1], (void *)b, 8192); } return a; }
int main(void) { pair(w); }`, func(c *config.Config) { c.Copies = config.CopiesWhole }, []result.WarningCode{result.AtOnce}, "copies 8192 bytes in one step, and nothing orders it with thread"},
	{"the same copy, word by word", `
static volatile char b[8192];
static void *w(void *a) { if (!a) { b[0] = 1; b[8191] = 1; } else { int f[2]; pipe(f); write(f[1], (void *)b, 8192); } return a; }
int main(void) { pair(w); }`, nil, nil, ""},
	{"a copy of too many words", `
static volatile char b[40000]; static sem_t s;
static void *w(void *a) { for (int i = 0; i < 40000; i += 8) b[i] = 1; sem_post(&s); b[0] = b[8] = 2; return a; }
int main(void) {
	int f[2]; pthread_t t;
	sem_init(&s, 0, 0); pipe(f); pthread_create(&t, 0, w, 0); sem_wait(&s); write(f[1], (void *)b, 40000); pthread_join(t, 0);
}`, nil, []result.WarningCode{result.AtOnce}, "copies 40000 bytes in one step"},
	{"a page that is made read-only, while another thread stores there", `
#include <signal.h>
#include <sys/mman.h>
static char *p;
static void caught(int n) { mprotect(p, 4096, PROT_READ | PROT_WRITE); }
static void *w(void *a) { if (!a) mprotect(p, 4096, PROT_READ); else *(volatile char *)p = 1; return a; }
int main(void) { signal(SIGSEGV, caught); p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); pair(w); }`, nil, nil, ""},
	{"a copy under the lock of the stores", `
static volatile char b[8192];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *a) { int f[2]; pipe(f); pthread_mutex_lock(&m); if (!a) { b[0] = 1; b[8191] = 1; } else write(f[1], (void *)b, 8192); pthread_mutex_unlock(&m); return a; }
int main(void) { pair(w); }`, nil, nil, ""},
	{"a signal, while a stream is written, at locks alone", `
#include <signal.h>
static pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER;
static void h(int s) { write(2, "", 0); }
static void *w(void *a) { pthread_kill(*(pthread_t *)a, SIGUSR1); return 0; }
int main(void) { pthread_t m = pthread_self(), t; signal(SIGUSR1, h); pthread_create(&t, 0, w, &m); pthread_mutex_lock(&k); pthread_mutex_unlock(&k); printf("x"); fflush(stdout); pthread_join(t, 0); }`, func(c *config.Config) { c.PP = trace.PointYield | trace.PointLock | trace.PointUnlock }, []result.WarningCode{result.LateSignal}, "a call of stdio"},
	{"a signal, while a stream is written", `
#include <signal.h>
static void h(int s) { write(2, "", 0); }
static void *w(void *a) { pthread_kill(*(pthread_t *)a, SIGUSR1); return 0; }
int main(void) { pthread_t m = pthread_self(), t; signal(SIGUSR1, h); pthread_create(&t, 0, w, &m); printf("x"); fflush(stdout); pthread_join(t, 0); }`, nil, nil, ""},
	{"a signal, while nothing is written", `
#include <signal.h>
static void h(int s) { write(2, "", 0); }
static void *w(void *a) { pthread_kill(*(pthread_t *)a, SIGUSR1); return 0; }
int main(void) { pthread_t m = pthread_self(), t; signal(SIGUSR1, h); pthread_create(&t, 0, w, &m); printf("x"); pthread_join(t, 0); fflush(stdout); }`, nil, nil, ""},
	{"empty bodies", `
static void *w(void *a) { return a; }
int main(void) { pair(w); }`, nil, []result.WarningCode{result.NothingShared}, ""},
	{"own slots, a constant and the heap", `
static int x[2], n = 3;
static void *w(void *a) { char *b = malloc(8); for (int i = 0; i < n; i++) x[(long)a]++; free(b); return a; }
int main(void) { pair(w); if (x[0] + x[1] != 6) abort(); }`, nil, []result.WarningCode{result.NothingShared}, ""},
	{"handed over by creation and joining", `
struct job { int in, out; pthread_t t; } a[2];
static void *w(void *p) { struct job *j = p; j->out = j->in; return 0; }
int main(void) {
	for (int i = 0; i < 2; i++) { a[i].in = i; pthread_create(&a[i].t, 0, w, &a[i]); }
	int s = 0;
	for (int i = 0; i < 2; i++) { pthread_join(a[i].t, 0); s += a[i].out; }
	if (s != 1) abort();
}`, nil, []result.WarningCode{result.NothingShared}, ""},
	{"one after the other", `
static int x;
static void *w(void *a) { x++; return a; }
int main(void) { pthread_t t; for (int i = 0; i < 2; i++) { pthread_create(&t, 0, w, 0); pthread_join(t, 0); } if (x != 2) abort(); }`, nil, []result.WarningCode{result.NothingShared}, ""},
	{"a semaphore in one order only", `
static sem_t s; static int x;
static void *w(void *a) { if (a) { x = 1; sem_post(&s); } else { sem_wait(&s); if (!x) abort(); } return a; }
int main(void) { sem_init(&s, 0, 0); pair(w); }`, nil, nil, ""},
	{"readers of a lock and a post", `
static sem_t s;
static void *w(void *a) { sem_post(&s); return a; }
int main(void) { sem_init(&s, 0, 0); pair(w); }`, nil, nil, ""},
	{"no lock", `
static _Atomic int x;
static void *w(void *a) { x++; return a; }
int main(void) { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pair(w); }`,
		func(c *config.Config) { c.PP = trace.PointYield | trace.PointLock }, []result.WarningCode{result.NoPoint}, "preemption point of lock "},
	{"no unlock, no atomic", `
static int x;
static void *w(void *a) { return (void *)(long)*(volatile int *)&x; }
static void *v(void *a) { *(volatile int *)&x = 1; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, w, 0); pthread_create(&b, 0, v, 0); pthread_join(a, 0); pthread_join(b, 0); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }`,
		func(c *config.Config) { c.PP = trace.PointYield | trace.PointUnlock | trace.PointAtomic }, []result.WarningCode{result.NoPoint}, "unlock, atomic "},
	{"no synchronisation", `
static int x;
static void *w(void *a) { *(volatile int *)&x = 1; return 0; }
int main(void) { pair(w); }`, func(c *config.Config) { c.PP = trace.SyncPoints }, []result.WarningCode{result.NoPoint}, "sync "},
	{"a lock", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int x;
static void *w(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
int main(void) { pair(w); if (x != 2) abort(); }`, func(c *config.Config) { c.PP = trace.PointYield | trace.PointLock | trace.PointUnlock }, nil, ""},
	{"within what runs alone", `
static _Atomic int x;
static void __attribute__((noinline)) alone(void) { x++; }
static void *w(void *a) { x++; return a; }
int main(void) { alone(); pair(w); alone(); }`, func(c *config.Config) { c.Rules = []config.Rule{{Function: "alone"}} }, []result.WarningCode{result.NoRule}, "alone"},
	{"without what isn't called", `
static _Atomic int x;
void __attribute__((noinline, used)) never(void) { x++; }
static void *w(void *a) { x++; return a; }
int main(int c, char **v) { if (c > 5) never(); pair(w); }`, func(c *config.Config) { c.Rules = []config.Rule{{Function: "w"}, {Without: true, Function: "never"}} }, []result.WarningCode{result.NoRule}, "without never"},
	{"an instruction that isn't reached", `
static _Atomic int x;
void __attribute__((noinline, used)) never(void) { x++; }
static void *w(void *a) { x++; return a; }
int main(int c, char **v) { if (c > 5) never(); pair(w); }`, func(c *config.Config) {
		c.PP, c.Deepen, c.Races = trace.PointYield|trace.PointRace, false, []string{"never+0x0"}
	}, []result.WarningCode{result.NoRacePoint}, "never+0x0"},
	{"a wake-up that never comes", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *w(void *a) {
	struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec++;
	pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m);
	return a;
}
int main(void) { pair(w); }`, nil, []result.WarningCode{result.OnlyTimeouts}, ""},
	{"a wake-up that comes mostly", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *w(void *a) {
	struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec++;
	pthread_mutex_lock(&m); if (a) pthread_cond_timedwait(&c, &m, &t); else pthread_cond_signal(&c); pthread_mutex_unlock(&m);
	return a;
}
int main(void) { pair(w); }`, nil, nil, ""},
	{"sleeps", `
static _Atomic int x;
static void *w(void *a) { usleep(1000); x++; return a; }
int main(void) { pair(w); }`, nil, nil, ""},
}

func codes(r *result.Result) (list []result.WarningCode) {
	for _, w := range r.Warnings {
		list = append(list, w.Code)
	}
	return list
}

// TestEmptyPass: a verdict for which nothing was tried says so, with every search and
// both C libraries alike; and it is no pass with --strict. One that means something
// has no warning.
func TestEmptyPass(t *testing.T) {
	t.Parallel()
	for i, p := range emptyPasses {
		t.Run(p.name, func(t *testing.T) {
			for _, libc := range libraries(i) {
				guest := compile.Text(t, libc, threadsOf+p.program)
				for _, search := range []string{"optimal", "none"} {
					cfg := config.Default()
					cfg.Guest, cfg.Out, cfg.Search = guest, config.NoFile, search
					if p.set != nil {
						p.set(&cfg)
						cfg.Deepen = cfg.PP == trace.MemPoints
					}
					r, err := Run(context.Background(), cfg, nil)
					if err != nil {
						t.Fatal(err)
					}
					if got := codes(r); r.Verdict != result.Verified || !slices.Equal(got, p.want) || !strings.Contains(fmt.Sprint(r.Warnings), p.says) {
						t.Errorf("%s, %s: %s with %v, want %v and %q", libc, search, r.Verdict, r.Warnings, p.want, p.says)
					}
					cfg.Strict = true
					if r, err = Run(context.Background(), cfg, nil); err != nil {
						t.Fatal(err)
					}
					want := result.ExitOK
					if len(p.want) > 0 {
						want = result.ExitInvalid
					}
					if r.ExitStatus() != want || len(p.want) > 0 && (r.Problem != result.EmptyPass || !strings.Contains(r.Reason, r.Warnings[0].Text)) {
						t.Errorf("%s, %s: --strict ends with status %d (%s), want %d", libc, search, r.ExitStatus(), r.Reason, want)
					}
				}
			}
		})
	}
}

// TestWarningsAreTheSame: warnings don't depend on the number of workers, nor on
// whether the search was saved and gone on with.
func TestWarningsAreTheSame(t *testing.T) {
	defer func(w, s uint64) { warmUp, unitSteps = w, s }(warmUp, unitSteps)
	warmUp, unitSteps = 8, 4
	const program = threadsOf + `
static _Atomic int x, y;
void __attribute__((noinline, used)) never(void) { x++; }
static void *w(void *a) { x++; y++; x++; return a; }
int main(int c, char **v) { if (c > 5) never(); pair(w); }`
	guest := compile.Text(t, "gcc", program)
	var want []result.WarningCode
	for _, jobs := range []int{1, 2, 3} {
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.Jobs, cfg.Search = guest, config.NoFile, jobs, "none"
		cfg.PP, cfg.Deepen, cfg.Rules = trace.PointYield|trace.PointLock|trace.PointAtomic, false, []config.Rule{{Function: "w"}, {Function: "never"}}
		cfg.Checkpoint, cfg.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoint"), 1
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = []result.WarningCode{result.NoPoint, result.NoRule}
		}
		if got := codes(r); !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, want %v", jobs, r.Warnings, want)
		}
		cfg.Resume = cfg.Checkpoint
		if r, err = Run(context.Background(), cfg, nil); err != nil {
			t.Fatal(err)
		}
		if got := codes(r); !slices.Equal(got, want) || r.Verdict != result.Verified {
			t.Errorf("%d workers, gone on with: %s with %v, want %v", jobs, r.Verdict, r.Warnings, want)
		}
	}
}
