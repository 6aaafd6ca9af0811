// expect: verified  a time in the past: what can be had at once is had, else the wait runs out
#include "common.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t empty, full;
static int shared;
static void *a(void *p) {
	struct timespec past = {1, 0}, early = {0, 0};
	assert(sem_timedwait(&empty, &past) == -1 && errno == ETIMEDOUT);
	assert(sem_timedwait(&full, &past) == 0);
	assert(pthread_rwlock_timedrdlock(&l, &past) == 0);
	pthread_rwlock_unlock(&l);
	pthread_mutex_lock(&lock);
	shared++;
	assert(pthread_cond_timedwait(&c, &lock, &past) == ETIMEDOUT);
	shared++; // the lock is held again
	pthread_mutex_unlock(&lock);
	assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &early, 0) == 0);
	return p;
}
int main(void) {
	struct timespec past = {1, 0};
	sem_init(&empty, 0, 0);
	sem_init(&full, 0, 1);
	assert(pthread_mutex_timedlock(&m, &past) == 0);
	both(a, 0);
	assert(shared == 2);
	return 0;
}
