/* pthread_once with a control of its own for each caller: the routine runs twice. No preemption.
 * FIXED: one control for both. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifdef FIXED
#define CONTROL(id) 0
#else
#define CONTROL(id) (id)
#endif

pthread_once_t control[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
volatile int started;

static void start(void)
{
	started = started + 1;
}

static void *user(void *a)
{
	int id = (int)(intptr_t)a;
	(void)id;
	pthread_once(&control[CONTROL(id)], start);
	return 0;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, user, (void *)0);
	pthread_create(&u, 0, user, (void *)1);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(started == 1);
	return 0;
}
