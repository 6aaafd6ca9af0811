/* What keeps accesses apart, that happens-before doesn't know. FLAG: a plain flag; the flag races, what it publishes
 * doesn't. PETERSON: a lock made of atomic variables. OWNERSHIP: a note under a lock says which thread may use it.
 * READERS, POSTS: what comes between two accesses commutes, and keeps nothing apart. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#if defined FLAG
volatile int flag;

static void *first(void *a)
{
	x = 1;
	flag = 1;
	return a;
}

static void *second(void *a)
{
	while (!flag)
		;
	x++;
	return a;
}

#elif defined PETERSON
atomic_int wants[2], turn;

static void worker(int me)
{
	atomic_store(&wants[me], 1);
	atomic_store(&turn, 1 - me);
	while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
		;
	x++;
	atomic_store(&wants[me], 0);
}

static void *first(void *a) { worker(0); return a; }
static void *second(void *a) { worker(1); return a; }

#elif defined OWNERSHIP
static int owned;

static void worker(void)
{
	pthread_mutex_lock(&m);
	int mine = !owned;
	owned = 1;
	pthread_mutex_unlock(&m);
	if (!mine)
		return;
	x++;
	pthread_mutex_lock(&m);
	owned = 0;
	pthread_mutex_unlock(&m);
}

static void *first(void *a) { worker(); return a; }
static void *second(void *a) { worker(); return a; }

#elif defined READERS
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *second(void *a)
{
	pthread_rwlock_rdlock(&l);
	x = 1;
	pthread_rwlock_unlock(&l);
	return a;
}

static void *first(void *a) { return second(a); }

#elif defined POSTS
static sem_t s;

static void *first(void *a) { x = 1; sem_post(&s); return a; }
static void *second(void *a) { sem_post(&s); x = 2; return a; }
#endif

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, first, 0);
	pthread_create(&u, 0, second, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
