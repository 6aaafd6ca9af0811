/* x is touched by one thread alone unless the second runs before the first has set go: in the default order nothing
 * shows that it is shared. One preemption. FIXED: a lock around both uses. */
#include <assert.h>
#include <pthread.h>

volatile int x, go;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef FIXED
#define ENTER() pthread_mutex_lock(&m)
#define LEAVE() pthread_mutex_unlock(&m)
#else
#define ENTER() (void)&m
#define LEAVE() (void)&m
#endif

static void *first(void *a)
{
	ENTER();
	x = 5;
	int v = x;
	assert(v == 5);
	LEAVE();
	go = 1;
	return a;
}

static void *second(void *a)
{
	if (!go) {
		ENTER();
		x = 7;
		LEAVE();
	}
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, first, 0);
	pthread_create(&u, 0, second, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
