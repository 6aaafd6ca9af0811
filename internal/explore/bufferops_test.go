package explore

import (
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// bufferOps has one thread store, do something with what main holds, and load.
const bufferOps = `#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
static volatile int x, y; static int seen[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin; static sem_t sem; static pthread_key_t key;
static const struct timespec past;
static void look(void *a) { (void)a; seen[0] = y; }
static void *other(void *a) { y = 1; __sync_synchronize(); seen[1] = x; return a; }
static void *run(void *a)
{
#ifdef KEY
	pthread_setspecific(key, &m);
	x = 1;
#else
	x = 1;
	CALL;
	look(0);
#endif
	return a;
}
int main(void)
{
	pthread_t t[2];
	pthread_spin_init(&spin, 0); sem_init(&sem, 0, 0);
#ifdef KEY
	pthread_key_create(&key, look);
#endif
	pthread_mutex_lock(&m); pthread_spin_lock(&spin); pthread_rwlock_wrlock(&rw);
	pthread_create(&t[0], 0, other, 0); pthread_create(&t[1], 0, run, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%d%d\n", seen[0], seen[1]);
}
`

// TestBufferOperations: what the C library does by a locked instruction before it gives up waits for
// the store buffer, and what it sees by a load doesn't. With --locks tested, glibc's own code decides.
func TestBufferOperations(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		call        string
		glibc, musl bool // it waits
	}{
		{"pthread_mutex_trylock(&m)", false, true},
		{"pthread_mutex_timedlock(&m, &past)", true, true},
		{"pthread_spin_trylock(&spin)", true, true},
		{"pthread_rwlock_tryrdlock(&rw)", false, false},
		{"pthread_rwlock_trywrlock(&rw)", false, true},
		{"pthread_rwlock_timedrdlock(&rw, &past)", true, true},
		{"pthread_rwlock_timedwrlock(&rw, &past)", true, true},
		{"sem_trywait(&sem)", false, false},
		{"sem_timedwait(&sem, &past)", true, true},
		{"", false, true}, // a key's destructor: musl takes a lock before it
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			waits, flag := x.glibc, "-DCALL="+x.call
			if cc == "musl-gcc" {
				waits = x.musl
			}
			if x.call == "" {
				flag = "-DKEY"
			}
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.Jobs = compile.Text(t, cc, bufferOps, "-O1", flag), config.NoFile, 1
			want := []string{"00", "01", "10", "11"}
			if waits {
				want = want[1:]
			}
			for _, tested := range []bool{false, true} {
				if tested && cc != "gcc" {
					continue
				}
				if tested {
					cfg.LocksTested = []string{config.AllLocks}
				}
				for _, model := range []config.Model{config.ModelTSO, config.ModelAuto} {
					cfg.Model = model
					if r, got := memoryRun(t, cfg); r.Verdict != result.Verified || !slices.Equal(got, want) {
						t.Errorf("%s, %q, tested %v, %s: %s (%s) with %q, want %q", cc, x.call, tested, model, r.Verdict, r.Reason, got, want)
					}
				}
			}
		}
	}
}

// TestBufferedRaces: which of two accesses came first is a matter of memory. Without buffers the
// same races come in both orders.
func TestBufferedRaces(t *testing.T) {
	t.Parallel()
	const program = `#include <pthread.h>
static volatile int x, y; static int a, b;
static void *first(void *p) { x = 1; a = y; return p; }
static void *second(void *p) { y = 1; b = x; return p; }
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, first, 0); pthread_create(&t[1], 0, second, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
`
	cfg := config.Default()
	cfg.Guest, cfg.Out, cfg.Jobs = compile.Text(t, "gcc", program, "-O1"), config.NoFile, 1
	for _, model := range []config.Model{config.ModelSC, config.ModelTSO, config.ModelAuto} {
		cfg.Model = model
		r, _ := memoryRun(t, cfg)
		if len(r.Races) != 2 {
			t.Errorf("%s: %d races, want those of x and y", model, len(r.Races))
		}
		for _, pair := range r.Races {
			if !pair.BothOrders || pair.Class != "benign" {
				t.Errorf("%s: %s is %q, both orders %v", model, pair.Variable, pair.Class, pair.BothOrders)
			}
		}
	}
}

// TestStoresToPagesThatGo: a store that is in a buffer when its page is taken away, or emptied, goes to
// the page that was there. So 01 is nothing that a processor shows: the store was made before the
// other thread's, and the page was emptied after that.
func TestStoresToPagesThatGo(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
static volatile char *page; static volatile int begun;
static void *other(void *a) { begun = 1; __sync_synchronize(); CALL; return a; }
int main(void)
{
	pthread_t t;
	page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[1] = 1;
	pthread_create(&t, 0, other, 0);
	page[0] = 1;
	int before = begun;
	pthread_join(t, 0);
	printf("%d%d\n", before, page[0]);
}
`
	for _, call := range []string{
		"mmap((void *)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)",
		"madvise((void *)page, 4096, MADV_DONTNEED)",
	} {
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.Jobs, cfg.Deepen = compile.Text(t, "gcc", program, "-O1", "-DCALL="+call), config.NoFile, 1, false
		cfg.Model = config.ModelTSO
		for _, search := range []string{"optimal", "source", "none", config.Stateful} {
			cfg.Search = search
			r, got := memoryRun(t, cfg)
			if want := []string{"00", "10", "11"}; r.Verdict != result.Verified || !slices.Equal(got, want) && search != config.Stateful {
				t.Errorf("%s, %s: %s (%s) with %q, want %q", call, search, r.Verdict, r.Reason, got, want)
			}
		}
	}
}
