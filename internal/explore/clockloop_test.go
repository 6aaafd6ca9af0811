package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

const clockHead = heapHead + `
#include <signal.h>
#include <time.h>
static volatile int done, x, started;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *bites(void *a) { time_t end = time(0) + 5; while (!done) if (time(0) > end) abort(); return a; }
static void *rests(void *a) { time_t end = time(0) + 5; while (!done) { sleep(1); if (time(0) > end) abort(); } return a; }
static void *add(void *a) { x++; return a; }
static void *locks(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
static void *waits(void *a) { pthread_mutex_lock(&m); while (!started) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); x++; return a; }
static void *sends(void *a) { kill(getpid(), SIGUSR1); return a; }
static void *works(void *a) { while (!done) x = !x; return a; }
`

// TestClockLoops: time passes for a loop that only waits and looks at the clock when no
// other thread can run, or when the others wait for just that.
func TestClockLoops(t *testing.T) {
	t.Parallel()
	for _, p := range []struct{ name, main, want, any string }{
		{"a watchdog", "GO(d, bites); GO(t, locks); pthread_join(t, 0); done = 1; pthread_join(d, 0); assert(x == 1);", "verified", "assertion"},
		{"one that sleeps", "GO(d, rests); GO(t, locks); pthread_join(t, 0); done = 1; pthread_join(d, 0); assert(x == 1);", "verified", "assertion"},
		{"what it guards hangs", "GO(d, bites); GO(t, waits); pthread_join(t, 0); done = 1; pthread_join(d, 0);", "assertion", "assertion"},
		{"what it guards is wrong", "GO(d, bites); GO(t, add); GO(u, add); pthread_join(t, 0); pthread_join(u, 0); done = 1; pthread_join(d, 0); assert(x == 2);", "assertion", "assertion"},
		{"a race behind a wait for a time", `GO(t, waits); GO(u, waits); time_t end = time(0) + 2; while (time(0) < end) ;
pthread_mutex_lock(&m); started = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); pthread_join(u, 0); assert(x == 2);`, "assertion", "assertion"},
		{"others run until it ends", "GO(t, works); time_t end = time(0) + 2; while (time(0) < end) ; done = 1; assert(!x); pthread_join(t, 0);", "assertion", "assertion"},
		{"a wait for a signal", `sigset_t k; sigemptyset(&k); sigaddset(&k, SIGUSR1); pthread_sigmask(SIG_BLOCK, &k, 0); GO(t, sends);
struct timespec z = {1, 0}; assert(sigtimedwait(&k, 0, &z) == SIGUSR1); pthread_join(t, 0);`, "verified", "assertion"},
		{"a flag that none sets", "GO(t, add); while (!done) time(0); pthread_join(t, 0);", "livelock", ""},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", clockHead+"int main(void) { "+p.main+" }"))
			searches := []string{"optimal", "none", "source"}
			if p.name == "others run until it ends" {
				searches = []string{"random:runs=2000,seed=1"}
			}
			endsAs(t, cfg, p.want, searches...)
			if cfg.Timeouts = config.TimeoutsAny; p.any != "" {
				endsAs(t, cfg, p.any, searches[0])
			}
		})
	}
}
