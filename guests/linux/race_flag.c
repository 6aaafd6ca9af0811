/* What is published by a plain flag doesn't race: it is never read before. The flag does, race on ready. No preemption,
 * and nothing fails: only --fail-on race makes a bug of it. FIXED: the flag is atomic. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
atomic_int ready;
#else
volatile int ready;
#endif
volatile int data;

static void *publisher(void *a)
{
	data = 1;
	ready = 1;
	return a;
}

static void *reader(void *a)
{
	if (ready)
		assert(data == 1);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, publisher, 0);
	pthread_create(&u, 0, reader, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
