package explore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestSources: programs that once got a wrong verdict. want is the bug's kind,
// or a verdict; preemptions are counted by hand, as the comments say.
func TestSources(t *testing.T) {
	t.Parallel()
	const head = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#define GO(t, f) pthread_t t; pthread_create(&t, 0, f, 0)
#define O2 __attribute__((optimize("O2"), noinline))
#define PAGE mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
`
	for _, c := range []struct {
		name, source, want string
		preemptions        int
	}{
		// The user stops between its read of p and its write to the page, and
		// main, which doesn't wait before its join, has to let it in first.
		{"munmap under a user", `
static int *volatile p;
static void *user(void *a) { int *q = p; if (q) *(volatile int *)q = 1; return a; }
int main(void) { p = PAGE; GO(t, user); int *q = p; p = 0; munmap(q, 4096); pthread_join(t, 0); }`, "use-after-free", 2},
		{"munmap after its user", `
static int *volatile p;
static void *user(void *a) { *(volatile int *)p = 1; return a; }
int main(void) { p = PAGE; GO(t, user); pthread_join(t, 0); munmap(p, 4096); }`, "verified", 0},
		// The writer alone: main has to stop before its mprotect, or the writer faults.
		{"mprotect under a writer", `
static int *volatile p;
static void *writer(void *a) { *(volatile int *)p = 1; return a; }
int main(void) { p = PAGE; GO(t, writer); mprotect(p, 4096, PROT_READ); pthread_join(t, 0); }`, "segfault", 0},
		{"pages cleared under a reader", `
static int *volatile p;
static void *clear(void *a) { madvise(p, 4096, MADV_DONTNEED); return a; }
int main(void) { p = PAGE; *p = 7; GO(t, clear); int v = *(volatile int *)p; assert(v == 7); pthread_join(t, 0); }`, "assertion", 1},
		{"msync of pages that another takes away", `
static int *volatile p;
static void *take(void *a) { munmap(p, 4096); return a; }
int main(void) { p = PAGE; GO(t, take); assert(!msync(p, 4096, MS_ASYNC)); pthread_join(t, 0); }`, "assertion", 1},
		{"madvise of them", `
static int *volatile p;
static void *take(void *a) { munmap(p, 4096); return a; }
int main(void) { p = PAGE; GO(t, take); assert(!madvise(p, 4096, MADV_NORMAL)); pthread_join(t, 0); }`, "assertion", 1},
		{"madvise with a hole", `
int main(void) {
	char *p = mmap(0, 12288, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + 4096, 4096), p[0] = p[8192] = 1;
	assert(madvise(p, 12288, MADV_DONTNEED) == -1 && errno == ENOMEM && !p[0] && !p[8192] && !madvise(p, 4096, MADV_DONTNEED));
}`, "verified", 0},
		// The formatted digit comes between the writer's two accesses.
		{"sprintf to what another writes", `
static char buf[32];
static void *writer(void *a) { *(volatile char *)buf = 'z'; assert(*(volatile char *)buf == 'z'); return a; }
static void *printer(void *a) { sprintf(buf, "%d", 5); return a; }
int main(void) { GO(t, writer); GO(u, printer); pthread_join(t, 0); pthread_join(u, 0); }`, "assertion", 1},
		// Either may come first when main waits, so the second takes the only byte.
		{"input in the other order", `
static void *first(void *a) { assert(getchar() == 'x'); return a; }
static void *second(void *a) { getchar(); return a; }
int main(void) { GO(t, first); GO(u, second); pthread_join(t, 0); pthread_join(u, 0); }`, "assertion", 0},
		{"a thread's name stored where another writes", `
static volatile pthread_t id;
static void *nothing(void *a) { return a; }
static void *writer(void *a) { id = (pthread_t)7; assert(id == (pthread_t)7); return a; }
static void *maker(void *a) { pthread_create((pthread_t *)&id, 0, nothing, 0); return a; }
int main(void) { GO(t, writer); GO(u, maker); pthread_join(t, 0); pthread_join(u, 0); }`, "assertion", 1},
		{"a thread of a thread, and its heap", `
static void *leaf(void *a) { char *p = malloc(10); *p = 1; free(p); return a; }
static void *middle(void *a) { char *p = malloc(10); GO(t, leaf); pthread_join(t, 0); free(p); return a; }
int main(void) { GO(t, middle); char *p = malloc(10); *p = 1; pthread_join(t, 0); free(p); }`, "verified", 0},
		// The first thread's accesses are of its own until the second has the lock,
		// so a replay in a fresh process has to stop it where nothing is shared yet.
		{"shared under the second thread's lock", `
static volatile int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *a) { x = 1; assert(x == 1); return a; }
static void *second(void *a) { pthread_mutex_lock(&m); x = 5; pthread_mutex_unlock(&m); return a; }
int main(void) { GO(t, first); GO(u, second); pthread_join(t, 0); pthread_join(u, 0); }`, "assertion", 1},
		{"errno of a semaphore that is empty", `
static sem_t s;
static void *taker(void *a)
{
	assert(sem_trywait(&s) == -1 && errno == EAGAIN);
	struct timespec ts = {1, 0};
	assert(sem_timedwait(&s, &ts) == -1 && errno == ETIMEDOUT);
	return a;
}
int main(void) { sem_init(&s, 0, 0); GO(t, taker); pthread_join(t, 0); }`, "verified", 0},
		// Main stops before it sends, the user where the handler shall find it.
		{"a signal between two writes that another reads", `
static volatile int x, y;
static void handler(int s) { y = x; }
static void *user(void *a) { x = 1; x = 2; x = 3; return a; }
static void *reader(void *a) { (void)x; return a; }
int main(void)
{
	signal(SIGUSR1, handler);
	GO(t, user); GO(u, reader);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, 0); pthread_join(u, 0);
	assert(y != 2);
}`, "assertion", 0},
		{"a signal in the middle of its thread's own count", `
static volatile int n, came;
static void handler(int s) { n++; came = 1; }
static void *user(void *a) { int k = n; n = k + 1; return a; }
int main(void) { signal(SIGUSR1, handler); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); assert(n == 1 + came); }`, "assertion", 0},
		{"a handler that locks what its thread has locked", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void handler(int s) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
static void *user(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return a; }
int main(void) { signal(SIGUSR1, handler); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); }`, "lock-misuse", 0},
		{"a handler for a flag of its thread's", `
static volatile sig_atomic_t got, n;
static void handler(int s) { int here[4] = {1}; got = here[0]; }
static void *user(void *a) { n++; sem_t s; sem_init(&s, 0, 1); sem_wait(&s); n++; return a; }
int main(void) { signal(SIGUSR1, handler); GO(t, user); int r = pthread_kill(t, SIGUSR1); pthread_join(t, 0); assert(!r && n == 2); }`, "verified", 0},
		// The last call of a once routine returns for it, and for the pthread_once
		// that is itself another routine's last call: the second to come mustn't wait.
		{"a once routine whose last call prints", `
static pthread_once_t o;
O2 static void set(void) { puts("set"); }
static void *user(void *a) { pthread_once(&o, set); return a; }
int main(void) { GO(t, user); GO(u, user); pthread_join(t, 0); pthread_join(u, 0); }`, "verified", 0},
		{"a once routine whose last call makes a semaphore", `
static pthread_once_t o;
static sem_t s;
O2 static void set(void) { sem_init(&s, 0, 2); }
static void *user(void *a) { pthread_once(&o, set); sem_wait(&s); return a; }
int main(void) { GO(t, user); GO(u, user); pthread_join(t, 0); pthread_join(u, 0); }`, "verified", 0},
		{"a once routine whose last call is pthread_once", `
static pthread_once_t o, p;
static int n;
static void inner(void) { n++; }
O2 static void outer(void) { pthread_once(&p, inner); }
static void *user(void *a) { pthread_once(&o, outer); assert(n == 1); return a; }
int main(void) { GO(t, user); GO(u, user); pthread_join(t, 0); pthread_join(u, 0); }`, "verified", 0},
		{"a once routine that its thread ends in", `
static pthread_once_t o;
static int n, set;
static void begin(void) { if (n++ == 0) pthread_exit(0); set = 1; }
static void *user(void *a) { pthread_once(&o, begin); assert(set); return a; }
int main(void) { GO(t, user); GO(u, user); pthread_join(t, 0); pthread_join(u, 0); assert(n == 2); }`, "verified", 0},
		// The first to pass comes back before the other has seen the count go to 0. The
		// other's schedule ends behind its yield, before anything of its is shared.
		{"a barrier used again too soon", `
static volatile int n, d[2];
O2 static void barrier(void)
{
	if (__atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST) == 1)
		__atomic_store_n(&n, 0, __ATOMIC_SEQ_CST);
	else
		while (n)
			sched_yield();
}
static void *user(void *a)
{
	long me = (long)a;
	d[me] = 1;
	barrier();
	assert(d[!me] == 1);
	barrier();
	return a;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, user, (void *)0);
	pthread_create(&u, 0, user, (void *)1);
	pthread_join(t, 0);
	pthread_join(u, 0);
}`, "livelock", 0},
		// Only threads of a real-time policy may have the priority; musl has no such mutex.
		{"a mutex that raises the priority", `
static pthread_mutex_t m;
static void *user(void *a) { assert(pthread_mutex_lock(&m) == EINVAL); return a; }
int main(void) {
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	if (pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT))
		return 0;
	pthread_mutex_init(&m, &a);
	GO(t, user);
	pthread_join(t, 0);
}`, "verified", 0},
		// A trap is reported behind the instruction, so that its handler doesn't reach it
		// again.
		{"a breakpoint of the program's own", `
static volatile int traps;
static void handler(int s) { traps++; }
static void *user(void *a) { __asm__ volatile("int3"); assert(traps == 1); return a; }
int main(void) { signal(SIGTRAP, handler); GO(t, user); pthread_join(t, 0); }`, "verified", 0},
		{"a realloc to nothing", `
static void *user(void *a) {
	void *volatile p = malloc(3), *q = realloc(p, 0);
#ifdef __GLIBC__
	assert(!q);
#else
	assert(q);
#endif
	return a;
}
int main(void) { GO(t, user); pthread_join(t, 0); }`, "verified", 0},
		// Linux wakes none of another kind, in one process either.
		{"a private wait and a wake that isn't", `
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int w;
static void *user(void *a) { syscall(SYS_futex, &w, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0); return a; }
int main(void) { GO(t, user); w = 1; syscall(SYS_futex, &w, FUTEX_WAKE, 1, 0, 0, 0); pthread_join(t, 0); }`, "deadlock", 1},
		{"a timed wait on the monotonic clock", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c, d;
static void *never(void *a)
{
	struct timespec ts = {1600000000 + 3600, 0}; // an hour on the other clock: it runs out last
	pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&d, &m, &ts) == ETIMEDOUT);
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_condattr_t a;
	struct timespec ts, now;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&c, &a);
	pthread_cond_init(&d, 0);
	GO(t, never);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec++;
	pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&c, &m, &ts) == ETIMEDOUT);
	pthread_mutex_unlock(&m);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert(now.tv_sec == ts.tv_sec && now.tv_nsec == ts.tv_nsec);
	pthread_join(t, 0);
}`, "verified", 0},
		{"a timed wait until no time", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *user(void *a)
{
	struct timespec ts = {2000000000, 1000000000};
	int r = pthread_mutex_timedlock(&m, &ts);
	assert(r == 0 || r == EINVAL);
	if (r)
		pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&c, &m, &ts) == EINVAL);
	pthread_mutex_unlock(&m);
	return a;
}
int main(void) { GO(t, user); GO(u, user); pthread_join(t, 0); pthread_join(u, 0); }`, "verified", 0},
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			t.Run(c.name+" "+cc, func(t *testing.T) {
				bin, in := compile.Text(t, cc, head+c.source), filepath.Join(t.TempDir(), "in")
				if err := os.WriteFile(in, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
				cfg := config.Default()
				cfg.Guest, cfg.Stdin, cfg.Out = bin, in, config.NoFile
				r, err := Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, n := string(r.Verdict), 0
				if r.Verdict == result.Buggy {
					got, n = string(r.Bug.Kind), r.Bug.Preemptions
					again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
					if err != nil || again.Bug == nil || again.Bug.Message != r.Bug.Message {
						t.Errorf("the replay ended so: %+v %v", again, err)
					}
				}
				if got != c.want || n != c.preemptions {
					t.Errorf("%s with %d preemptions (%s), want %s with %d", got, n, r.Reason, c.want, c.preemptions)
				}
			})
		}
	}
}

// TestUnwoundAtEnd: glibc's pthread_exit unwinds the stack, so destructors, catch
// clauses and clean-up handlers of C++ run, and so do clean-up attributes of C that is
// compiled with exceptions. The last thread's end writes what is in the buffers.
func TestUnwoundAtEnd(t *testing.T) {
	t.Parallel()
	const head = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\nstatic volatile int n;\n"
	const run = "\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); n = 1; pthread_join(t, 0); }"
	const ended = "struct end { ~end() { assert(!n); } };\n"
	for _, c := range []struct{ name, cc, source, flag, want, output string }{
		{"a destructor", "g++", ended + "static void *f(void *a) { end e; pthread_exit(0); }" + run, "", "assertion", ""},
		{"a destructor of a caller", "g++", ended + "static void g() { pthread_exit(0); }\nstatic void *f(void *a) { end e; g(); return a; }" + run, "", "assertion", ""},
		{"a catch clause that swallows the end", "g++", "static void *f(void *a) { try { pthread_exit(0); } catch (...) {} return a; }" + run, "", "assertion", ""},
		{"a handler", "g++", "static void c(void *a) { assert(!n); }\nstatic void *f(void *a) { pthread_cleanup_push(c, 0); pthread_exit(0); pthread_cleanup_pop(0); }" + run, "", "assertion", ""},
		{"an attribute", "gcc", "static void c(int *a) { assert(!n); }\nstatic void *f(void *a) { __attribute__((cleanup(c))) int x; pthread_exit(0); }" + run, "-fexceptions", "assertion", ""},
		{"an attribute without exceptions", "gcc", "static void c(int *a) { assert(!n); }\nstatic void *f(void *a) { __attribute__((cleanup(c))) int x; pthread_exit(0); }" + run, "-g", "verified", ""},
		{"the last thread", "gcc", "static void *f(void *a) { return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); printf(\"x\"); pthread_join(t, 0); pthread_exit(0); }", "", "verified", "x"},
		{"the last thread, with musl", "musl-gcc", "static void *f(void *a) { return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); printf(\"x\"); pthread_join(t, 0); pthread_exit(0); }", "", "verified", "x"},
		{"a thread that outlives the first", "gcc", "static void *f(void *a) { printf(\"x\"); return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_exit(0); }", "", "verified", "x"},
		{"the last thread, with a destructor", "g++", "struct end { ~end() { n = 1; } };\nstatic void *f(void *a) { return a; }\nint main(void) { end e; pthread_t t; pthread_create(&t, 0, f, 0); printf(\"x\"); pthread_join(t, 0); pthread_exit(0); }", "", "verified", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var flags []string
			if c.flag != "" {
				flags = append(flags, c.flag)
			}
			cfg := config.Default()
			cfg.Guest, cfg.Out = compile.Text(t, c.cc, head+c.source, flags...), config.NoFile
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := string(r.Verdict)
			if r.Verdict == result.Buggy {
				got = string(r.Bug.Kind)
			}
			if got != c.want {
				t.Errorf("%s (%s), want %s", got, r.Reason, c.want)
			}
			if texts, _ := outputsOf(r); strings.Join(texts, "|") != c.output {
				t.Errorf("printed %q, want %q", texts, c.output)
			}
			if c.output == "" {
				return
			}
			cfg.Malloc = config.MallocNative
			if r, err = Run(context.Background(), cfg, nil); err != nil {
				t.Fatal(err)
			}
			if texts, _ := outputsOf(r); strings.Join(texts, "|") != c.output {
				t.Errorf("with the library's own allocator: printed %q, want %q", texts, c.output)
			}
		})
	}
}

// TestThreadLocal: the destructor of a C++ thread's own object is the guest's
// code, and runs before the thread's end. It isn't in TestSources because a
// static C program can't register one (glibc's call fails without its loader).
func TestThreadLocal(t *testing.T) {
	t.Parallel()
	bin := compile.Text(t, "g++", `
#include <cassert>
#include <pthread.h>
static int n, before;
struct counted { int v; ~counted() { __atomic_store_n(&before, __atomic_fetch_add(&n, v, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST); } };
static thread_local counted own = {1};
static void *user(void *a) { own.v++; return a; }
int main()
{
	pthread_t t, u;
	pthread_create(&t, 0, user, 0);
	pthread_create(&u, 0, user, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(n == 4);
}
`)
	cfg := config.Default()
	cfg.Guest, cfg.Out = bin, config.NoFile
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Finish(); r.Verdict != result.Verified || r.Executions < 2 {
		t.Errorf("%s after %d executions (%s), want verified after both orders of the destructors", r.Verdict, r.Executions, r.Reason)
	}
}
