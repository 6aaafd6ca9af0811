/* Steps that go as far as an object lets them (scheduler/library/look.go). The thread "nested" takes
 * three locks in one step if it can. The first argument chooses the innermost, which "holder" has
 * taken before, and still holds at its yield. What nested holds when it has to wait there decides
 * what main can do. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, middle = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int kind;

static void nothing(void) {}
static void yields(void) { sched_yield(); }

static void acquire(int reader) {
	switch (kind) {
	case 0: pthread_mutex_lock(&mutex); break;
	case 1: pthread_spin_lock(&spin); break;
	case 2: sem_wait(&sem); break;
	case 3: pthread_rwlock_wrlock(&rw); break;
	case 4: if (reader) pthread_rwlock_rdlock(&rw); else pthread_rwlock_wrlock(&rw); break;
	case 5: if (reader) pthread_rwlock_wrlock(&rw); else pthread_rwlock_rdlock(&rw); break;
	}
}

static void release(void) {
	switch (kind) {
	case 0: pthread_mutex_unlock(&mutex); break;
	case 1: pthread_spin_unlock(&spin); break;
	case 2: sem_post(&sem); break;
	case 3: case 4: case 5: pthread_rwlock_unlock(&rw); break;
	}
}

static void *nested(void *a) {
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&middle);
	switch (kind) {
	case 6: pthread_once(&once, nothing); break;
	case 7: pthread_cond_signal(&cond); break;
	default: acquire(1); release();
	}
	pthread_mutex_unlock(&middle);
	pthread_mutex_unlock(&outer);
	return a;
}

static void *holder(void *a) {
	switch (kind) {
	case 6: pthread_once(&once, yields); pthread_once(&once, yields); return a;
	case 7: pthread_cond_signal(&cond); sched_yield(); pthread_cond_signal(&cond); return a;
	}
	acquire(0);
	sched_yield();
	release();
	acquire(0);
	release();
	return a;
}

static void *waiter(void *a) {
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return a;
}

int main(int n, char **arg) {
	pthread_t h, t;
	kind = n > 1 ? atoi(arg[1]) : 0;
	pthread_spin_init(&spin, 0);
	sem_init(&sem, 0, 1);
	pthread_create(&t, 0, nested, 0);
	pthread_create(&h, 0, holder, 0);
	if (kind == 7) {
		pthread_create(&t, 0, waiter, 0);
		pthread_create(&t, 0, waiter, 0);
	}
	pthread_mutex_lock(&middle);
	pthread_mutex_unlock(&middle);
	pthread_join(h, 0);
	return 0; /* nested has ended, or not */
}
