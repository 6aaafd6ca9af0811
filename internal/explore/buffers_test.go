package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/por"
)

const bufferHead = `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define FENCE __asm__ volatile("mfence" ::: "memory")
#define LOCKED __asm__ volatile("lock; orl $0, -64(%%rsp)" ::: "memory")
#define CPUID do { int a = 0, b, c, d; __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d) :: "memory"); } while (0)
#define SWAP(x) do { int v = 1; __asm__ volatile("xchg %0, %1" : "+r"(v), "+m"(x) :: "memory"); } while (0)
#define BARRIER syscall(324, 8, 0, 0)
#define ANNOUNCE syscall(324, 16, 0, 0)
#define EVERYWHERE syscall(324, 1, 0, 0)
static volatile int x, y, z, r[6], flag[2], turn, in;
static volatile union { int half[2]; long whole; } u;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t s;
#define A static void *a(void *p)
#define B static void *b(void *p)
#define C static void *c(void *p)
#define RUN pthread_t t, v; pthread_create(&t, 0, a, 0); pthread_create(&v, 0, b, (void *)1); pthread_join(t, 0); pthread_join(v, 0);
#define PRINT(n) int main(void) { sem_init(&s, 0, 1); RUN for (int i = 0; i < n; i++) printf("%d", r[i]); puts(""); return 0; }
#define PRINT3 int main(void) { pthread_t w; pthread_create(&w, 0, c, 0); RUN pthread_join(w, 0); for (int i = 0; i < 3; i++) printf("%d", r[i]); puts(""); return 0; }
#define MAIN int main(void) { RUN return 0; }
`

// glibcOnly is for programs with one outcome more on glibc than under sequential consistency.
const glibcOnly = -1

// TestBuffers: programs that print what they have read have this many outcomes under both memory
// models. Those of x86-TSO are of Owens, Sarkar and Sewell (TPHOLs 2009, §2.1 and §3), or follow
// from its rules.
func TestBuffers(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		name, source string
		sc, tso      int
	}{
		{"store buffering", `A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; } PRINT(2)`, 3, 4},
		{"mfence", `A { x = 1; FENCE; r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"one mfence", `A { x = 1; FENCE; r[0] = y; return p; } B { y = 1; r[1] = x; return p; } PRINT(2)`, 3, 4},
		{"sfence and lfence", `A { x = 1; __asm__ volatile("sfence; lfence" ::: "memory"); r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } PRINT(2)`, 3, 4},
		{"a locked instruction on the stack", `A { x = 1; LOCKED; r[0] = y; return p; } B { y = 1; LOCKED; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"cpuid", `A { x = 1; CPUID; r[0] = y; return p; } B { y = 1; CPUID; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"xchg", `A { SWAP(x); r[0] = y; return p; } B { SWAP(y); r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"a mutex between", `A { x = 1; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"sem_getvalue between", `A { int v; x = 1; sem_getvalue(&s, &v); r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } PRINT(2)`, 3, 4},
		{"malloc between", `A { x = 1; char *volatile q = malloc(8); r[0] = y; return q; } B { y = 1; FENCE; r[1] = x; return p; } PRINT(2)`, 3, 4},
		{"snprintf between", `A { char text[20]; int n = 5; x = 1; snprintf(text, sizeof text, "%d", n); r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } PRINT(2)`, 3, 4},
		{"a system call between", `A { x = 1; sched_yield(); r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"a look at the clock between", `#include <time.h>
A { struct timespec t; x = 1; clock_gettime(CLOCK_MONOTONIC, &t); r[0] = y; return p; } B { struct timespec t; y = 1; clock_gettime(CLOCK_MONOTONIC, &t); r[1] = x; return p; }
int main(void) { struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); RUN printf("%d%d\n", r[0], r[1]); return 0; }`, /* musl's first call has a locked instruction */ 3, 4},
		{"a spin lock that is let go by a plain store", `static pthread_spinlock_t l; A { pthread_spin_lock(&l); x = 1; pthread_spin_unlock(&l); r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } int main(void) { pthread_spin_init(&l, 0); RUN printf("%d%d\n", r[0], r[1]); return 0; }`, 3, glibcOnly},
		{"what a spin lock guards", `static pthread_spinlock_t l; A { pthread_spin_lock(&l); x = 1; y = 1; pthread_spin_unlock(&l); return p; } B { pthread_spin_lock(&l); r[0] = x; r[1] = y; pthread_spin_unlock(&l); return p; } int main(void) { pthread_spin_init(&l, 0); RUN printf("%d%d\n", r[0], r[1]); return 0; }`, 2, 2},
		{"membarrier by one of them", `A { ANNOUNCE; x = 1; r[0] = y; return p; } B { ANNOUNCE; y = 1; BARRIER; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"membarrier that fails", `A { x = 1; r[0] = y; return p; } B { y = 1; BARRIER; r[1] = x; return p; } PRINT(2)`, 3, 4},
		{"membarrier by both", `A { x = 1; EVERYWHERE; r[0] = y; return p; } B { y = 1; EVERYWHERE; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"membarrier too late", `A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; EVERYWHERE; return p; } PRINT(2)`, 3, 4},
		{"membarrier by the first of three, each of which loads what the next one stores", `A { x = 1; EVERYWHERE; r[0] = z; return p; } B { y = 1; r[1] = x; return p; } C { z = 1; r[2] = y; return p; } PRINT3`, 7, 8},
		{"and a fence in the second", `A { x = 1; EVERYWHERE; r[0] = z; return p; } B { y = 1; FENCE; r[1] = x; return p; } C { z = 1; r[2] = y; return p; } PRINT3`, 7, 7},
		{"and a fence in the third", `A { x = 1; EVERYWHERE; r[0] = z; return p; } B { y = 1; r[1] = x; return p; } C { z = 1; FENCE; r[2] = y; return p; } PRINT3`, 7, 7},
		{"membarrier against two threads", `A { x = 1; EVERYWHERE; int v = y; r[0] = v + 2 * z; return p; } B { y = 1; r[1] = x; return p; } C { z = 1; r[2] = x; return p; } PRINT3`, 9, 9},
		{"a thread that is created while another calls membarrier", `A { x = 1; EVERYWHERE; int v = y; r[0] = v + 2 * z; return p; } static void *late(void *p) { z = 1; r[2] = x; return p; }
B { pthread_t w; y = 1; r[1] = x; pthread_create(&w, 0, late, 0); pthread_join(w, 0); return p; } PRINT(3)`, 7, 7},
		{"a page that allows no more stores", `#include <signal.h>
#include <sys/mman.h>
static char *page; static void mend(int s) { r[0]++; mprotect(page, 4096, 3); } A { *(volatile char *)page = 1; return p; } B { mprotect(page, 4096, 1); return p; }
int main(void) { signal(SIGSEGV, mend); page = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); RUN printf("%d\n", r[0]); return 0; }`, 2, 2},
		{"message passing", `A { x = 1; y = 1; return p; } B { r[0] = y; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"load buffering", `A { r[0] = x; y = 1; return p; } B { r[1] = y; x = 1; return p; } PRINT(2)`, 3, 3},
		{"n6: its own store, and another's", `A { x = 1; r[0] = x; r[1] = y; return p; } B { y = 2; x = 2; return p; } int main(void) { RUN printf("%d%d%d\n", r[0], r[1], x); return 0; }`, 4, 5},
		{"n5: no store is seen before another's and after", `A { x = 1; r[0] = x; return p; } B { x = 2; r[1] = x; return p; } PRINT(2)`, 3, 3},
		{"both with their own reads", `A { x = 1; r[0] = x; r[1] = y; return p; } B { y = 1; r[2] = y; r[3] = x; return p; } PRINT(4)`, 3, 4},
		{"a thread that begins with a locked instruction", `void *a(void *); __asm__("a: lock incl x(%rip)\n xorl %eax, %eax\n ret"); B { r[0] = x; return p; } PRINT(1)`, 2, 2},
		{"a load of less doesn't", `A { u.whole = 1; r[2] = u.half[0]; r[0] = y; return p; } B { y = 1; FENCE; r[1] = u.half[0]; return p; } PRINT(2)`, 3, 4},
		{"a signal within a store across two lines", `#include <signal.h>
static char line[192] __attribute__((aligned(64)));
static pthread_t at;
static void handle(int n) {}
A { x = 1; *(volatile int *)(line + 62) = -1; return p; }
B { pthread_kill(at, SIGUSR1); r[0] = *(volatile short *)(line + 64) & 1; r[1] = x; r[2] = *(volatile short *)(line + 62) & 1; return p; }
int main(void) { pthread_t v; signal(SIGUSR1, handle); pthread_create(&at, 0, a, 0); pthread_create(&v, 0, b, 0); pthread_join(v, 0); pthread_join(at, 0); printf("%d%d%d\n", r[0], r[1], r[2]); return 0; }`, 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cc := range libraries(i) {
				guest := compile.Text(t, cc, bufferHead+c.source)
				tso := c.tso
				if tso == glibcOnly { // musl has a fence there
					tso = c.sc
					if cc == "gcc" {
						tso++
					}
				}
				for model, want := range map[config.Model]int{config.ModelSC: c.sc, config.ModelTSO: tso} {
					for _, search := range []string{"optimal", "source", "stateful"} {
						cfg := onProgram(guest)
						cfg.Model, cfg.Search, cfg.ObserveStdout, cfg.Deepen = model, search, true, false
						r, err := Run(context.Background(), cfg, nil)
						if err != nil {
							t.Fatal(err)
						}
						if r.Verdict != result.Verified || len(r.Outcomes) != want {
							t.Errorf("%s, %s, %s: %s with %d outcomes, want %d (%s)", cc, model, search, r.Verdict, len(r.Outcomes), want, r.Reason)
						}
					}
				}
			}
		})
	}
}

// TestBufferVerdicts: what programs that are right with one memory model are with the
// other. A bug's schedule, which names the updates, has it again.
func TestBufferVerdicts(t *testing.T) {
	t.Parallel()
	const peterson = `static void go(int i) { flag[i] = 1; turn = 1 - i; %s; while (flag[1 - i] && turn == 1 - i) ; in++; assert(in == 1); in--; flag[i] = 0; }
A { go(0); return p; } B { go(1); return p; } MAIN`
	const dekker = `static void go(int i) { flag[i] = 1; %s; while (flag[1 - i]) if (turn != i) { flag[i] = 0; while (turn != i) ; flag[i] = 1; %[1]s; }
 in++; assert(in == 1); in--; turn = 1 - i; flag[i] = 0; } A { go(0); return p; } B { go(1); return p; } MAIN`
	for i, c := range []struct{ name, source, sc, tso string }{
		{"Peterson's lock", fmt.Sprintf(peterson, ""), "verified", "assertion"},
		{"with a fence", fmt.Sprintf(peterson, "FENCE"), "verified", "verified"},
		{"Dekker's lock", fmt.Sprintf(dekker, ""), "verified", "assertion"},
		{"Dekker's with fences", fmt.Sprintf(dekker, "FENCE"), "verified", "verified"},
		{"a spin ends with the update", `A { x = 1; y = 1; return p; } B { while (!y) ; assert(x); return p; } MAIN`, "verified", "verified"},
		{"a wait for one's own store is none", `A { x = 1; while (!x) ; return p; } B { x = 1; return p; } MAIN`, "verified", "verified"},
		{"a spin for ever", `A { x = 1; return p; } B { while (x != 2) ; return p; } MAIN`, "livelock", "livelock"},
		{"spin locks in a cycle", `static pthread_spinlock_t l, k; A { pthread_spin_lock(&l); pthread_spin_lock(&k); pthread_spin_unlock(&k); pthread_spin_unlock(&l); return p; }
B { pthread_spin_lock(&k); pthread_spin_lock(&l); pthread_spin_unlock(&l); pthread_spin_unlock(&k); return p; } int main(void) { pthread_spin_init(&l, 0); pthread_spin_init(&k, 0); RUN return 0; }`, "deadlock", "deadlock"},
		{"a spin lock that isn't let go", `static pthread_spinlock_t l; A { pthread_spin_lock(&l); return p; } int main(void) { pthread_t t; pthread_spin_init(&l, 0); pthread_create(&t, 0, a, 0); pthread_spin_lock(&l); pthread_join(t, 0); pthread_spin_unlock(&l); return 0; }`, "deadlock", "deadlock"},
		{"a mutex", `A { x = 1; pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m); return p; } B { pthread_mutex_lock(&m); if (y) assert(x); pthread_mutex_unlock(&m); return p; } MAIN`, "verified", "verified"},
		{"once", `static void set(void) { x = 1; } A { pthread_once(&once, set); assert(x); return p; } B { pthread_once(&once, set); assert(x); return p; } MAIN`, "verified", "verified"},
		{"a block goes back with a store to it under way", `static int *volatile q; A { int *p1 = malloc(8); q = p1; FENCE; *p1 = 1; free(p1); int *p2 = calloc(2, 4); assert(!*p2); free(p2); return p; } B { r[0] = !!q; return p; } MAIN`, "verified", "verified"},
		{"a store to a block that another thread frees", `static int *q; A { x = 1; if (!y) *(volatile int *)q = 1; return p; } B { y = 1; if (!x) free(q); return p; } int main(void) { q = malloc(8); RUN return 0; }`, "verified", "use-after-free"},
		{"which frees first", `static int *q; A { x = 1; if (!y) free(q); return p; } B { y = 1; if (!x) *(volatile int *)q = 1; return p; } int main(void) { q = malloc(8); RUN return 0; }`, "verified", "use-after-free"},
		{"a flag and a block", `static int *volatile q; A { int *n = malloc(8); *n = 7; q = n; return p; } B { int *n = q; if (n) { assert(*n == 7); free(n); } return p; } MAIN`, "verified", "verified"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cc := range libraries(i) {
				guest := compile.Text(t, cc, bufferHead+c.source)
				for model, want := range map[config.Model]string{config.ModelSC: c.sc, config.ModelTSO: c.tso} {
					cfg := onProgram(guest)
					cfg.Model, cfg.Deepen = model, false
					endsAs(t, cfg, want, "optimal", "stateful")
				}
			}
		})
	}
}

// TestBufferEnds: where the end of the process only cuts threads off, it comes last with store
// buffers, too: there are no more executions than of threads that are joined.
func TestBufferEnds(t *testing.T) {
	t.Parallel()
	const sb = `A { x = 1; r[0] = y; %s; return p; } B { y = 1; r[1] = x; return p; }
int main(void) { pthread_t t, v; pthread_create(&t, 0, a, 0); pthread_create(&v, 0, b, 0); return 0; }`
	for _, c := range []struct {
		then, want string
		executions uint64
	}{
		{"", "verified", 4},
		{"assert(r[0])", "assertion", 0},
	} {
		cfg := onProgram(compile.Text(t, "gcc", bufferHead+fmt.Sprintf(sb, c.then)))
		cfg.Model, cfg.Deepen = config.ModelTSO, false
		endsAs(t, cfg, c.want, "optimal")
		if r, _ := memoryRun(t, cfg); c.executions > 0 && r.Executions != c.executions {
			t.Errorf("%d executions, want %d", r.Executions, c.executions)
		}
	}
}

// TestBufferStory: the report names the store that was too late.
func TestBufferStory(t *testing.T) {
	t.Parallel()
	cfg := onProgram(compile.Text(t, "gcc", bufferHead+`A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; } int main(void) { RUN assert(r[0] || r[1]); return 0; }`))
	cfg.Model = config.ModelTSO
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Bug == nil || !strings.Contains(r.Bug.Cause, "is still in its store buffer when thread") {
		t.Errorf("%s: %+v", r.Verdict, r.Bug)
	}
	if r.Certificate.Memory != "x86-TSO (store buffers explored)" || r.Threads != 3 {
		t.Errorf("memory %q, %d threads", r.Certificate.Memory, r.Threads)
	}
}

// TestModelAuto: by default a program is searched with store buffers where they could make
// a difference, and a bug's file has that model.
func TestModelAuto(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want, memory string }{
		"a bug":           {`A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; } int main(void) { RUN assert(r[0] || r[1]); return 0; }`, "bug", "x86-TSO (store buffers explored)"},
		"none":            {`A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; } MAIN`, "verified", "x86-TSO (store buffers explored)"},
		"no need to look": {`A { x = 1; y = 1; return p; } B { if (y) assert(x); return p; } MAIN`, "verified", "x86-TSO (no triangular race)"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := onProgram(compile.Text(t, "gcc", bufferHead+c.source))
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Verdict) != c.want || r.Certificate.Memory != c.memory {
				t.Fatalf("%s, memory %s", r.Verdict, r.Certificate.Memory)
			}
			if r.Bug == nil {
				return
			}
			again, err := Replay(context.Background(), *cfg.For(&r.Guest, r.Bug), result.NewBugFile(r, r.Bug, cfg.For(&r.Guest, r.Bug).Saved()), nil)
			if err != nil || !again.Replay.Same {
				t.Errorf("the replay: %+v %v", again, err)
			}
		})
	}
}

// TestBuffersDivided: a search with store buffers has the same result with any number of
// workers, and across checkpoints.
func TestBuffersDivided(t *testing.T) {
	defer func(w, s uint64) { warmUp, unitSteps = w, s }(warmUp, unitSteps)
	warmUp, unitSteps = 40, 20
	for _, source := range []string{`A { x = 1; r[0] = y; r[2] = x; y = 2; z = 1; return p; } B { y = 1; r[1] = x; z = 2; r[3] = y; return p; } MAIN`,
		`A { u.half[0] = 1; r[0] = (int)(u.whole >> 32); x = 1; r[2] = y; return p; } B { u.half[1] = 1; r[1] = (int)u.whole; y = 1; r[3] = x; return p; } MAIN`,
		`A { x = 1; EVERYWHERE; r[0] = z; return p; } B { y = 1; r[1] = x; return p; } C { z = 1; r[2] = y; return p; } PRINT3`} {
		buffersDivided(t, compile.Text(t, "gcc", bufferHead+source))
	}
}

func buffersDivided(t *testing.T, guest string) {
	want := uint64(0)
	for _, jobs := range []int{1, 3} {
		cfg := onProgram(guest)
		cfg.Model, cfg.Jobs, cfg.Search = config.ModelTSO, jobs, "source"
		cfg.Checkpoint, cfg.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoint"), 1
		for range 2 {
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want == 0 {
				want = r.Executions
			}
			if r.Verdict != result.Verified || r.Executions != want || want < 16 {
				t.Errorf("%d workers, resumed from %q: %s, %d executions, want %d (%s)", jobs, cfg.Resume, r.Verdict, r.Executions, want, r.Reason)
			}
			cfg.Resume = cfg.Checkpoint
		}
	}
}

// TestBuffersRefuse: what isn't modelled or proven with store buffers is never run without.
func TestBuffersRefuse(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", bufferHead+`A { __asm__ volatile("movnti %1, %0" : "=m"(x) : "r"(1)); return p; } B { r[0] = x; return p; } MAIN`)
	cfg := onProgram(guest)
	cfg.Model = config.ModelTSO
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Invalid || !strings.Contains(r.Reason, "movnt") {
		t.Errorf("movnti: %s, %s", r.Verdict, r.Reason)
	}
	for name, set := range map[string]func(*config.Config){
		"bpor":       func(c *config.Config) { c.Search, c.Bounds = "bpor", por.Bounds{{Measure: por.Preempt, Limit: 2}} },
		"trust":      func(c *config.Config) { c.Search = "trust" },
		"up":         func(c *config.Config) { c.Processors = config.ProcessorsUP },
		"uninit":     func(c *config.Config) { c.CheckFor = []string{config.CheckUninit} },
		"fewer":      func(c *config.Config) { c.PP, c.Deepen = 1, false },
		"fail on":    func(c *config.Config) { c.FailOnRace = true },
		"all shared": func(c *config.Config) { c.AllShared = true },
	} {
		cfg := onProgram(guest)
		cfg.Model = config.ModelTSO
		set(&cfg)
		if r, err := Run(context.Background(), cfg, nil); err == nil || result.KindOf(err) != result.Usage {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
}

// freed: each thread has a store in its buffer when it frees a block, and then waits.
const freed = `#include <pthread.h>
#include <stdlib.h>
static volatile int x;
static void *f(void *p)
{
	x = x + 1;
	*(volatile long *)p = 1;
	free(p);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) {
		long *p = malloc(16);
		*p = 0;
		pthread_create(&t[i], 0, f, p);
	}
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
`

// TestBufferGoesBack: after an update of its buffer a thread that stood before a function of
// the library stands there again when the search goes back.
func TestBufferGoesBack(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out, c.Jobs, c.Model = compile.Text(t, "gcc", freed), config.NoFile, 1, config.ModelTSO
	c.Search, c.Bounds = "none", por.Bounds{{Measure: por.Delay, Limit: 1}}
	ctx := &waning{Context: context.Background()}
	ctx.left.Store(400)
	r, err := Run(ctx, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Budget || r.Executions < 1_000 {
		t.Errorf("%s %s, %d executions", r.Verdict, r.Reason, r.Executions)
	}
}

// TestBufferAwaits: a lock of the program's own has as many executions as orders of its sections.
// Without its polls a program has the outcomes that it has with all of them.
func TestBufferAwaits(t *testing.T) {
	t.Parallel()
	const head = bufferHead + `#define TAKE(l) while (__sync_lock_test_and_set(&(l), 1)) ;
#define ENTER in++; assert(in == 1); in--
`
	const lock = `static void *%s(void *p) { %s return p; } `
	both := func(code string) string {
		return fmt.Sprintf(lock, "a", code) + fmt.Sprintf(lock, "b", code) + "MAIN"
	}
	for _, c := range []struct {
		name, source, verdict string
		executions            uint64 // 0: not by a formula
	}{
		{"test and set", both(`TAKE(z) ENTER; z = 0;`), "verified", 2},
		{"tickets", both(`int me = __sync_fetch_and_add(&x, 1); while (y != me) ; ENTER; y = me + 1;`), "verified", 2},
		{"a store before a lock", `A { x = 1; TAKE(z) r[0] = y; z = 0; return p; } B { y = 1; TAKE(z) r[1] = x; z = 0; return p; } PRINT(2)`, "verified", 0},
		{"each waits for the other's store", `A { x = 1; while (!y) ; r[0] = x; return p; } B { y = 1; while (!x) ; r[1] = y; return p; } PRINT(2)`, "verified", 0},
		{"its own store, until another's", `A { x = 1; while (x == 1) ; r[0] = y; return p; } B { y = 1; while (x != 1) ; x = 2; return p; } PRINT(1)`, "verified", 0},
		{"a wait that counts", `A { y = 1; for (int i = 0; i < 2 && !x; i++) ; r[0] = x; return p; } B { x = 1; r[1] = y; return p; } PRINT(2)`, "verified", 0},
		{"its own store, for ever", `A { x = 1; while (x == 1) ; return p; } B { r[0] = x; return p; } MAIN`, "livelock", 0},
		{"another byte is shared in what it could have done", `A { x = 0; return p; } B { x = 2; while (x == 2) ; while (y != 2) ; return p; } static void *c(void *p) { TAKE(x) y = 1; return p; }
int main(void) { pthread_t w; pthread_create(&w, 0, c, 0); RUN pthread_join(w, 0); return 0; }`, "livelock", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", head+c.source, "-O1"))
			cfg.Model, cfg.Deepen, cfg.Race = config.ModelTSO, false, config.RaceOff
			endsAs(t, cfg, c.verdict, "optimal", "source")
			if c.verdict != "verified" {
				return
			}
			cfg.Search, cfg.ObserveStdout = "optimal", true
			few := ran(t, cfg)
			if c.executions > 0 {
				if few.Executions != c.executions || few.Blocked > 0 {
					t.Errorf("%d executions, %d blocked, want %d", few.Executions, few.Blocked, c.executions)
				}
				return
			}
			cfg.Search = "sleep"
			if all := ran(t, cfg); all.Verdict != result.Verified || differentOutputs(all) != differentOutputs(few) {
				t.Errorf("outputs %q, with all polls %q", differentOutputs(few), differentOutputs(all))
			}
		})
	}
}

// TestBufferArrivals: arrivals at a barrier, which wait for their buffers, have one order with store
// buffers, too.
func TestBufferArrivals(t *testing.T) {
	t.Parallel()
	const source = bufferHead + `static pthread_barrier_t meet;
static volatile int own[3];
static void *c(void *p) { long i = (long)p; own[i] = 1; pthread_barrier_wait(&meet); r[i] = own[(i + 1) % 3]; return 0; }
int main(void) { pthread_t t[3]; pthread_barrier_init(&meet, 0, 3); for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, c, (void *)i);
for (int i = 0; i < 3; i++) pthread_join(t[i], 0); assert(r[0] && r[1] && r[2]); return 0; }`
	cfg := onProgram(compile.Text(t, "gcc", source, "-O1"))
	cfg.Model, cfg.Search, cfg.Deepen = config.ModelTSO, "optimal", false
	if r := ran(t, cfg); r.Verdict != result.Verified || r.Executions != 1 || r.Blocked > 0 {
		t.Errorf("%s, %d executions, %d blocked", r.Verdict, r.Executions, r.Blocked)
	}
}
