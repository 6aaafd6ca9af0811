/* Fails only if the reader looks once between the writer's stores and once after: two preemptions, one of each.
 * FIXED: a lock around the stores and around the looks. */
#include <assert.h>
#include <pthread.h>

volatile int step;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef FIXED
#define ENTER() pthread_mutex_lock(&m)
#define LEAVE() pthread_mutex_unlock(&m)
#else
#define ENTER() (void)&m
#define LEAVE() (void)&m
#endif

static void *writer(void *a)
{
	ENTER();
	step = 1;
	step = 2;
	LEAVE();
	return a;
}

static void *reader(void *a)
{
	ENTER();
	int before = step, after = step;
	LEAVE();
	assert(!(before == 1 && after == 2));
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, writer, 0);
	pthread_create(&u, 0, reader, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
