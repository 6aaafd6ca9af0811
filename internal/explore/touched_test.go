package explore

import (
	"testing"

	"landgo/internal/compile"
)

// TestTouchedByTrusted: what a trusted function reads and writes for its thread comes
// before or after what another thread does there, as on a machine.
func TestTouchedByTrusted(t *testing.T) {
	t.Parallel()
	for i, p := range []struct{ name, source, want string }{
		{"a deadline that another changes", `
static volatile struct timespec ts = {1, 2000000000};
static int e;
static void *user(void *a) { errno = 0; sem_timedwait(&s, (struct timespec *)&ts); e = errno; return a; }
static void *other(void *a) { ts.tv_nsec = 0; return a; }
int main(void) { sem_init(&s, 0, 0); GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); assert(e == EINVAL); }`, "assertion"},
		{"a deadline that another breaks", `
static volatile struct timespec ts = {1, 0};
static int e;
static void *user(void *a) { errno = 0; sem_timedwait(&s, (struct timespec *)&ts); e = errno; return a; }
static void *other(void *a) { ts.tv_nsec = 2000000000; return a; }
int main(void) { sem_init(&s, 0, 0); GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); assert(e == ETIMEDOUT); }`, "assertion"},
		// The store after the look at the flag comes too late only if the wait's
		// read is a step of its own.
		{"a deadline read after another store of its thread's", `
static volatile struct timespec ts = {1, 0};
static int e;
static void *user(void *a) { x = 1; e = pthread_mutex_timedlock(&m, (struct timespec *)&ts); return a; }
static void *other(void *a) { if (x) ts.tv_nsec = 2000000000; return a; }
int main(void) { pthread_mutex_lock(&m); GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); assert(e == ETIMEDOUT); }`, "assertion"},
		{"a condition variable's deadline", `
static volatile struct timespec ts = {1, 0};
static int e;
static void *user(void *a) { pthread_mutex_lock(&m); x = 1; e = pthread_cond_timedwait(&c, &m, (struct timespec *)&ts); pthread_mutex_unlock(&m); return a; }
static void *other(void *a) { if (x) ts.tv_nsec = 2000000000; return a; }
int main(void) { GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); assert(e == ETIMEDOUT); }`, "assertion"},
		{"a deadline of one's own", `
static int e;
static void *user(void *a) { struct timespec ts = {1, 0}; e = pthread_mutex_timedlock(&m, &ts); return a; }
static void *other(void *a) { x = 1; return a; }
int main(void) { pthread_mutex_lock(&m); GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); assert(e == ETIMEDOUT); }`, "verified"},
		{"a mutex's attributes", `
static pthread_mutexattr_t at;
static pthread_mutex_t l;
static int e;
static void *user(void *a) { x = 1; pthread_mutex_init(&l, &at); pthread_mutex_lock(&l); e = pthread_mutex_trylock(&l); if (!e) pthread_mutex_unlock(&l); pthread_mutex_unlock(&l); return a; }
static void *other(void *a) { if (x) pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE); return a; }
int main(void) { pthread_mutexattr_init(&at); GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); assert(e == EBUSY); }`, "assertion"},
		{"a semaphore's value", `
static volatile int v;
static void *user(void *a) { sem_getvalue(&s, (int *)&v); return a; }
static void *other(void *a) { v = 7; assert(v == 7); return a; }
int main(void) { sem_init(&s, 0, 3); GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); }`, "assertion"},
		{"where posix_memalign leaves its block", `
static void *volatile p;
static void *user(void *a) { x = 1; posix_memalign((void **)&p, 64, 64); return a; }
static void *other(void *a) { if (x) { void *q = p; assert(!q || x == 1); r = q == 0; } return a; }
int main(void) { GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); assert(!r); }`, "assertion"},
		{"a joined thread's status", `
static void *volatile p;
static void *none(void *a) { return (void *)5; }
static void *user(void *a) { GO(t, none); pthread_join(t, (void **)&p); return a; }
static void *other(void *a) { p = (void *)7; assert(p == (void *)7); return a; }
int main(void) { GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); }`, "assertion"},
		{"a new thread's attributes", `
static pthread_attr_t at;
static pthread_t k;
static void *none(void *a) { return a; }
static void *user(void *a) { x = 1; pthread_t t; pthread_create(&t, &at, none, 0); k = t; return a; }
static void *other(void *a) { if (x) pthread_attr_setdetachstate(&at, PTHREAD_CREATE_DETACHED); return a; }
int main(void) { pthread_attr_init(&at); GO(t, user); GO(u, other); pthread_join(t, 0); pthread_join(u, 0); pthread_join(k, 0); }`, "lock-misuse"},
		{"another thread's errno", `
static int *volatile where;
static void *user(void *a) { errno = 0; where = &errno; sem_trywait(&s); sem_wait(&s2); return a; }
static void *other(void *a) { int *w = where; if (w) { *w = 3; r = *(volatile int *)w; assert(r == 3); } return a; }
int main(void) { sem_init(&s, 0, 0); sem_init(&s2, 0, 0); GO(t, user); GO(u, other); pthread_join(u, 0); sem_post(&s2); pthread_join(t, 0); }`, "assertion"},
	} {
		for _, cc := range libraries(i) {
			t.Run(p.name+" "+cc, func(t *testing.T) {
				t.Parallel()
				endsAs(t, onProgram(compile.Text(t, cc, interruptedHead+p.source)), p.want, "optimal", "none")
			})
		}
	}
}
