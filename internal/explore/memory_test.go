package explore

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

const buffers = threadsOf + `
static volatile int x, y, seen[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static inline int xchg(volatile int *p, int v) { __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p)); return v; }
`

// memoryModels are programs whose verdict holds under x86-TSO, or not.
var memoryModels = []struct {
	name, program string
	robust        bool
	says          string
}{
	{"store buffering", `
static void *w(void *a) { if (a) { x = 1; seen[0] = y; } else { y = 1; seen[1] = x; } return 0; }
int main(void) { pair(w); }`, false, "the store to x may still be in thread 0.2's buffer when it reads y: guest.c:18 (and 1 more like it)"},
	{"store buffering, one side fenced", `
static void *w(void *a) { if (a) { x = 1; __asm__ volatile("mfence" ::: "memory"); seen[0] = y; } else { y = 1; seen[1] = x; } return 0; }
int main(void) { pair(w); }`, false, "thread 0.1's buffer when it reads x"},
	{"store buffering, fenced", `
static void *w(void *a) { if (a) { x = 1; __asm__ volatile("mfence" ::: "memory"); seen[0] = y; } else { y = 1; __asm__ volatile("mfence" ::: "memory"); seen[1] = x; } return 0; }
int main(void) { pair(w); }`, true, ""},
	{"store buffering, lfence", `
static void *w(void *a) { if (a) { x = 1; __asm__ volatile("lfence; sfence" ::: "memory"); seen[0] = y; } else { y = 1; __asm__ volatile("lfence; sfence" ::: "memory"); seen[1] = x; } return 0; }
int main(void) { pair(w); }`, false, ""},
	{"store buffering, a locked instruction on the stack", `
static void *w(void *a) { int z = 0; if (a) { x = 1; __asm__ volatile("lock orl $0, %0" : "+m"(z)); seen[0] = y; } else { y = 1; __asm__ volatile("lock orl $0, %0" : "+m"(z)); seen[1] = x; } return 0; }
int main(void) { pair(w); }`, true, ""},
	{"store buffering by xchg", `
static void *w(void *a) { if (a) { xchg(&x, 1); seen[0] = y; } else { xchg(&y, 1); seen[1] = x; } return 0; }
int main(void) { pair(w); }`, true, ""},
	{"a locked store beside a load", `
static void *w(void *a) { if (a) { x = 1; seen[0] = y; } else { xchg(&y, 1); seen[1] = x; } return 0; }
int main(void) { pair(w); }`, false, "the store to x may still be in thread 0.2's buffer when it reads y"},
	{"message passing", `
static void *w(void *a) { if (a) { x = 1; y = 1; } else if (y) seen[0] = x; return 0; }
int main(void) { pair(w); }`, true, ""},
	{"an answer to a message", `
static void *w(void *a) { if (a) { x = 1; seen[0] = y; } else if (x) y = 1; return 0; }
int main(void) { pair(w); }`, true, ""},
	{"its own store is read", `
static void *w(void *a) { x = a ? 1 : 2; seen[a != 0] = x; return 0; }
int main(void) { pair(w); }`, true, ""},
	{"part of its own store is read with what lies beside it", `
static union { volatile short both; volatile char one[2]; } u;
static void *w(void *a) { if (a) { u.one[0] = 1; seen[0] = u.both; } else { u.one[1] = 1; seen[1] = u.both; } return 0; }
int main(void) { pair(w); }`, false, ""},
	{"a non-temporal store", `
static void *w(void *a) { int v = 1; if (a) { __asm__ volatile("movntil %1, %0" : "=m"(x) : "r"(v)); y = 1; } else if (y) seen[0] = x; return 0; }
int main(void) { pair(w); }`, false, "non-temporal store may reach memory after later ones: guest.c:"},
	{"a mutex", `
static void *w(void *a) { pthread_mutex_lock(&m); x++; y = x; pthread_mutex_unlock(&m); return 0; }
int main(void) { pair(w); }`, true, ""},
	{"an unlock drains", `
static void *w(void *a) { pthread_mutex_lock(&m); if (a) x = 1; else y = 1; pthread_mutex_unlock(&m); seen[a != 0] = a ? y : x; return 0; }
int main(void) { pair(w); }`, true, ""},
	{"a spin lock is let go by a plain store", `
#ifdef __GLIBC__
#define MUSL
#else
#define MUSL x = 1 // musl has a fence there
#endif
static pthread_spinlock_t l;
static void *w(void *a) { if (a) { pthread_spin_lock(&l); x = 1; pthread_spin_unlock(&l); MUSL; seen[0] = y; } else { y = 1; __asm__ volatile("mfence" ::: "memory"); seen[1] = x; } return 0; }
int main(void) { pthread_spin_init(&l, 0); pair(w); }`, false, ""},
	{"a spin lock's sections", `
static pthread_spinlock_t l;
static void *w(void *a) { for (int i = 0; i < 2; i++) { pthread_spin_lock(&l); x++; y = x; pthread_spin_unlock(&l); } return 0; }
int main(void) { pthread_spin_init(&l, 0); pair(w); }`, true, ""},
	{"a look at the clock doesn't drain", `
#include <time.h>
static void *w(void *a) { struct timespec t; if (a) { x = 1; clock_gettime(CLOCK_MONOTONIC, &t); seen[0] = y; } else { y = 1; clock_gettime(CLOCK_MONOTONIC, &t); seen[1] = x; } return 0; }
int main(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); pair(w); }`, /* musl's first call has a locked instruction */ false, ""},
	{"the inner unlock of a recursive mutex doesn't", `
static pthread_mutex_t r[2];
static void *w(void *a) { pthread_mutex_t *l = &r[a != 0]; pthread_mutex_lock(l); if (a) x = 1; else y = 1; pthread_mutex_lock(l); pthread_mutex_unlock(l); seen[a != 0] = a ? y : x; pthread_mutex_unlock(l); return 0; }
int main(void) {
	pthread_mutexattr_t t; pthread_mutexattr_init(&t); pthread_mutexattr_settype(&t, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&r[0], &t); pthread_mutex_init(&r[1], &t); pair(w);
}`, false, ""},
	{"a signal under the mutex", `
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *w(void *a) { pthread_mutex_lock(&m); if (a) { x = 1; pthread_cond_signal(&c); } else while (!x) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
int main(void) { pair(w); }`, true, ""},
	{"semaphores", `
static sem_t s, t;
static void *w(void *a) { if (a) { x = 1; sem_post(&s); sem_wait(&t); seen[0] = y; } else { sem_wait(&s); y = x; sem_post(&t); } return 0; }
int main(void) { sem_init(&s, 0, 0); sem_init(&t, 0, 0); pair(w); }`, true, ""},
}

// memoryOf is a result's claim about memory: whether it claims x86-TSO, and the warning.
func memoryOf(r *result.Result) (robust bool, warning string) {
	i := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.Code == result.SequentialOnly })
	if i >= 0 {
		warning = r.Warnings[i].Text
	}
	return r.Certificate.Memory == session.Robust, warning
}

// TestMemoryModel: a verdict says under which memory model it holds, and names what a
// processor may do beside; with both libraries, and by each search that runs all traces.
func TestMemoryModel(t *testing.T) {
	t.Parallel()
	for i, p := range memoryModels {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, libc := range libraries(i) {
				guest := compile.Text(t, libc, buffers+p.program)
				for _, search := range append(inTurn(i/2, "none", "sleep", "dpor", "source", "trust"), "optimal") {
					cfg := config.Default()
					cfg.Model = config.ModelSC
					cfg.Guest, cfg.Out, cfg.Search = guest, config.NoFile, search
					r, err := Run(context.Background(), cfg, nil)
					if err != nil {
						t.Fatal(err)
					}
					robust, warning := memoryOf(r)
					if r.Verdict != result.Verified || robust != p.robust || robust == (warning != "") || !strings.Contains(warning, p.says) {
						t.Errorf("%s, %s: %s (%s), memory %s, %q", libc, search, r.Verdict, r.Reason, r.Certificate.Memory, warning)
					}
				}
			}
		})
	}
}

// TestMemoryUnclaimed: nothing is said of store buffers where there are none, nor by a
// search that doesn't run every trace, nor where points are left out.
func TestMemoryUnclaimed(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", buffers+memoryModels[12].program)
	for name, set := range map[string]func(*config.Config){
		"--up":              func(c *config.Config) { c.Processors = config.ProcessorsUP },
		"--search stateful": func(c *config.Config) { c.Search = config.Stateful },
		"--search random":   func(c *config.Config) { c.Search = "random:runs=3" },
		"--bound preempt=0": func(c *config.Config) {
			c.Search = "bounded"
			c.Bounds = por.Bounds{{Measure: por.Preempt, Limit: 0}}
		},
	} {
		cfg := config.Default()
		cfg.Model = config.ModelSC
		cfg.Guest, cfg.Out = guest, config.NoFile
		set(&cfg)
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		robust, warning := memoryOf(r)
		if robust || warning != "" || !strings.HasPrefix(r.Certificate.Memory, "sequentially consistent (") || strings.Contains(r.Certificate.Memory, "one") != (name == "--up") {
			t.Errorf("%s: memory %s, warning %q", name, r.Certificate.Memory, warning)
		}
	}
}

// TestMemoryAtFewerPoints: where a program's races all have points, a verdict at fewer
// points is one under x86-TSO too; a loop's repeated accesses don't hide a store.
func TestMemoryAtFewerPoints(t *testing.T) {
	t.Parallel()
	locked := compile.Text(t, "gcc", buffers+memoryModels[12].program)
	cfg := config.Default()
	cfg.Model = config.ModelSC
	cfg.Guest, cfg.Out = locked, config.NoFile
	cfg.PP, cfg.Deepen = trace.SyncPoints, false
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if robust, _ := memoryOf(r); !robust || r.Verdict != result.Verified {
		t.Errorf("%s with %v, memory %s", r.Verdict, r.Warnings, r.Certificate.Memory)
	}
	cfg.Guest = compile.Text(t, "gcc", buffers+memoryModels[0].program)
	if r, err = Run(context.Background(), cfg, nil); err != nil {
		t.Fatal(err)
	}
	if robust, _ := memoryOf(r); robust || r.Unexamined == 0 {
		t.Errorf("%d pairs unexamined, memory %s", r.Unexamined, r.Certificate.Memory)
	}
}

// TestMemoryAcrossCheckpoint: what a watch has found outlasts the process, and a divided
// search finds the same.
func TestMemoryAcrossCheckpoint(t *testing.T) {
	defer func(w, s uint64) { warmUp, unitSteps = w, s }(warmUp, unitSteps)
	warmUp, unitSteps = 8, 4
	guest := compile.Text(t, "gcc", buffers+memoryModels[0].program)
	want := ""
	for _, jobs := range []int{1, 2, 3} {
		cfg := config.Default()
		cfg.Model = config.ModelSC
		cfg.Guest, cfg.Out, cfg.Jobs, cfg.Deepen, cfg.Search = guest, config.NoFile, jobs, false, "none"
		cfg.Checkpoint, cfg.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoint"), 1
		for range 2 {
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, warning := memoryOf(r)
			if want == "" {
				want = warning
			}
			if warning == "" || warning != want {
				t.Errorf("%d workers, resumed from %q: %q, want %q", jobs, cfg.Resume, warning, want)
			}
			cfg.Resume = cfg.Checkpoint
		}
	}
}
