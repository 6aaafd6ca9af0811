/* Double-checked initialisation that raises its flag before the value is there: wrong under any memory model.
 * One preemption, between the two stores. FIXED: the value first. */
#include <assert.h>
#include <pthread.h>

volatile int ready, value;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
	if (!ready) {
		pthread_mutex_lock(&m);
		if (!ready) {
#ifdef FIXED
			value = 42;
			ready = 1;
#else
			ready = 1;
			value = 42;
#endif
		}
		pthread_mutex_unlock(&m);
	}
	return value;
}

static void *user(void *a)
{
	int v = get();
	assert(v == 42);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, user, 0);
	pthread_create(&u, 0, user, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
