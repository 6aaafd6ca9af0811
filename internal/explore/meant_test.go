package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const meantHead = `
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static volatile int done;
static int jobs;
static void *work(void *p)
{
	for (;;) {
		pthread_mutex_lock(&m);
		while (!jobs)
			pthread_cond_wait(&c, &m);
		jobs--;
		pthread_mutex_unlock(&m);
	}
}
static void *once(void *p) { jobs = 1; return 0; }
static void *lockUp(void *p) { for (;;) { pthread_mutex_lock(&m); pthread_mutex_lock(&k); pthread_mutex_unlock(&k); pthread_mutex_unlock(&m); } }
static void *lockDown(void *p) { for (;;) { pthread_mutex_lock(&k); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&k); } }
static void *holds(void *p) { pthread_mutex_lock(&m); sem_wait(&s); return 0; }
static void *takes(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
static void *late(void *p)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_mutex_lock(&m);
	pthread_cond_timedwait(&c, &m, &t);
	pthread_mutex_unlock(&m);
	done = 1;
	return 0;
}
static void start(void *(*f)(void *)) { pthread_t t; pthread_create(&t, 0, f, 0); }
static void rest(void) { sleep(1); }
`

// Programs that wait for ever: those that are made so aren't bugs, and are named; the
// others are.
var meantPrograms = []struct {
	name, main string
	kind       string // of the bug, "" if there is none
	warns      string // of what was taken as meant
}{
	{"sleeps while workers wait for work", "start(work); for (;;) sleep(1);", "", "thread 0 goes round in a loop without an end (main "},
	{"the same in a function", "start(work); for (;;) rest();", "", "without an end"},
	{"waits for a signal", "start(work); for (;;) pause();", "", "thread 0 waits for a signal from outside"},
	{"waits for one signal", "start(work); sigset_t one; int sig; sigemptyset(&one); sigaddset(&one, SIGUSR1); pthread_sigmask(SIG_BLOCK, &one, 0); sigwait(&one, &sig);", "deadlock", ""},
	{"sleeps alone", "pthread_t t; pthread_create(&t, 0, once, 0); pthread_join(t, 0); for (;;) sleep(1);", "", "without an end"},
	{"locks for ever", "start(lockUp); start(lockUp); pthread_exit(0);", "", "takes and releases locks"},
	{"locks for ever in two orders", "start(lockUp); start(lockDown); pthread_exit(0);", "deadlock", ""},
	{"ends", "start(work); return 0;", "", ""},
	{"polls a flag that none sets", "start(once); while (!done) usleep(1000);", "livelock", ""},
	{"polls one alone", "pthread_t t; pthread_create(&t, 0, once, 0); pthread_join(t, 0); while (!done) usleep(1000);", "livelock", ""},
	{"turns on the spot", "start(once); for (;;) ;", "livelock", ""},
	{"a lock is held for ever", "sem_init(&s, 0, 0); start(holds); start(takes); for (;;) sleep(1);", "deadlock", ""},
	{"all wait for work", "sem_init(&s, 0, 0); start(work); for (;;) sem_wait(&s);", "deadlock", ""},
	{"polls until a timed wait has run out", "start(late); while (!done) usleep(1000); return 0;", "", ""},
	{"polls until a time limit", "start(work); time_t t = time(0); while (time(0) - t < 2) sched_yield(); return 0;", "", ""},
}

func TestMeant(t *testing.T) {
	t.Parallel()
	for _, p := range meantPrograms {
		t.Run(p.name, func(t *testing.T) {
			c := config.Default()
			c.Guest, c.Out = compile.Text(t, "gcc", meantHead+"int main(void) { "+p.main+" }", "-g", "-O1", "-Wno-all"), config.NoFile
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if p.kind != "" {
				if r.Verdict != result.Buggy || string(r.Bug.Kind) != p.kind {
					t.Errorf("%s (%s), not a %s", r.Verdict, r.Reason, p.kind)
				}
				return
			}
			if r.Verdict != result.Verified {
				t.Fatalf("%s (%s)", r.Verdict, r.Reason)
			}
			text := ""
			for _, w := range r.Warnings {
				if w.Code == result.NeverEnds {
					text = w.Text
				}
			}
			if (text != "") != (p.warns != "") || !strings.Contains(text, p.warns) {
				t.Errorf("the warning is %q, not %q", text, p.warns)
			}
		})
	}
}
