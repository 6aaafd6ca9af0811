/* A write under a read lock: both threads are inside. One preemption. FIXED: a write lock. */
#include <assert.h>
#include <pthread.h>

volatile int x;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *add(void *a)
{
#ifdef FIXED
	pthread_rwlock_wrlock(&l);
#else
	pthread_rwlock_rdlock(&l);
#endif
	x = x + 1;
	pthread_rwlock_unlock(&l);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(x == 2);
	return 0;
}
