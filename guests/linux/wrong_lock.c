/* Two threads protect the same variable by different locks. One preemption. FIXED: by the same lock. */
#include <assert.h>
#include <pthread.h>

volatile int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

#ifdef FIXED
#define OTHER a
#else
#define OTHER b
#endif

static void *under_a(void *p)
{
	pthread_mutex_lock(&a);
	x = x + 1;
	pthread_mutex_unlock(&a);
	return p;
}

static void *under_other(void *p)
{
	pthread_mutex_lock(&OTHER);
	x = x + 1;
	pthread_mutex_unlock(&OTHER);
	return p;
}

int main(void)
{
	(void)&b;
	pthread_t t, u;
	pthread_create(&t, 0, under_a, 0);
	pthread_create(&u, 0, under_other, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(x == 2);
	return 0;
}
