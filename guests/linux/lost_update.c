/* A lost update by two accesses: both threads read x before either writes it back.
 * One preemption, between the load and the store. FIXED: a lock around them. */
#include <assert.h>
#include <pthread.h>

volatile int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef FIXED
#define ENTER() pthread_mutex_lock(&m)
#define LEAVE() pthread_mutex_unlock(&m)
#else
#define ENTER() (void)&m
#define LEAVE() (void)&m
#endif

static void *add(void *a)
{
	ENTER();
	int v = x;
	x = v + 1;
	LEAVE();
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
