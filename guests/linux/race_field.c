/* Of a structure's two fields one is protected by the lock, and the other, stats.misses, is forgotten.
 * No preemption, and nothing fails: only --fail-on race makes a bug of it. FIXED: both are under the lock. */
#include <pthread.h>

struct {
	volatile int hits, misses;
} stats;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *a)
{
	pthread_mutex_lock(&m);
	stats.hits = 1;
#ifdef FIXED
	stats.misses = 1;
	pthread_mutex_unlock(&m);
#else
	pthread_mutex_unlock(&m);
	stats.misses = 1;
#endif
	return a;
}

static void *show(void *a)
{
	pthread_mutex_lock(&m);
	(void)stats.hits;
#ifdef FIXED
	(void)stats.misses;
	pthread_mutex_unlock(&m);
#else
	pthread_mutex_unlock(&m);
	(void)stats.misses;
#endif
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, count, 0);
	pthread_create(&u, 0, show, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
