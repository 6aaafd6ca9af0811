package explore

import (
	"fmt"
	"reflect"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// listed wraps a guest and compares, in each state, the threads that are kept from state
// to state with all of them described afresh.
type listed struct {
	*scheduler.System
	wrong  string
	states int
}

func (w *listed) Present() *trace.Present {
	kept := w.System.Present()
	var fresh trace.Present
	fresh.Take(w.Threads(nil))
	w.states++
	show := func(p *trace.Present) string {
		return fmt.Sprintf("%+v, ready %v, spinning %v, several %v", p.Threads, p.Ready, p.Spinning, p.Several)
	}
	if w.wrong == "" && (!reflect.DeepEqual(kept.Threads, fresh.Threads) || show(kept) != show(&fresh)) {
		w.wrong = "kept: " + show(kept) + "\nfresh: " + show(&fresh)
	}
	return kept
}

// kinds uses each kind of object, and makes one again of the memory of another.
const kinds = `
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;
static atomic_int n, held;
static int there;
static void *work(void *p)
{
	int one = 1, zero = 0;
	while (!atomic_compare_exchange_strong(&held, &zero, 1))
		zero = 0;
	atomic_store(&held, 0);
	pthread_mutex_lock(&m);
	there++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	if (!pthread_mutex_trylock(&other)) {
		pthread_mutex_unlock(&other);
		other = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	}
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
	sem_wait(&s);
	sem_post(&s);
	pthread_barrier_wait(&b);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	struct timespec soon;
	sem_init(&s, 0, 1);
	pthread_barrier_init(&b, 0, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	pthread_mutex_lock(&m);
	while (there < 2)
		pthread_cond_wait(&c, &m);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	while (there < 4)
		if (pthread_cond_timedwait(&c, &m, &soon))
			break;
	pthread_mutex_unlock(&m);
	pthread_rwlock_wrlock(&rw);
	pthread_rwlock_unlock(&rw);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
`

// TestListing: the list of threads, kept from state to state, is true along
// random executions, and where a search goes back.
func TestListing(t *testing.T) {
	t.Parallel()
	guests := []string{compile.Text(t, "gcc", kinds, "-O1", "-D_GNU_SOURCE"), compile.Text(t, "musl-gcc", kinds, "-O2", "-D_GNU_SOURCE", "-DPTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP=PTHREAD_MUTEX_INITIALIZER")}
	for _, name := range small[:4] {
		guests = append(guests, build(t, "gcc", "-O1", name))
	}
	for _, guest := range guests {
		for _, how := range []struct {
			search string
			model  config.Model
		}{{"random", config.ModelSC}, {"optimal", config.ModelSC}, {"random", config.ModelTSO}, {"optimal", config.ModelTSO}} {
			search := how.search
			c := config.Default()
			c.Guest, c.Model = guest, how.model
			s, err := session.Open(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			engine, err := por.New(search, por.Options{MaxExecutions: 200})
			if err != nil {
				t.Fatal(err)
			}
			w := &listed{System: s.Plain}
			if _, err := engine.Run(w, &ends{Session: s, states: map[string]int{}}); err != nil {
				t.Fatal(err)
			}
			if w.wrong != "" {
				t.Errorf("%s of %s, %s: %s", search, guest, how.model, w.wrong)
			}
			if w.states < 20 {
				t.Errorf("%s of %s, %s: %d states were compared", search, guest, how.model, w.states)
			}
		}
	}
}
