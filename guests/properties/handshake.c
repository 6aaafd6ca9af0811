/* Two threads raise their flags, and are to be seen with both up at some time. The fault:
 * one takes its flag down before it has seen the other's. The cure: it waits. */
#include <pthread.h>
#include "landgo-linux.h"

static int up[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
LANDGO_CONDITION(met, up[0] && up[1])

static void *other(void *a)
{
	pthread_mutex_lock(&m);
	up[1] = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t;
	landgo_eventually(met, 0);
	pthread_create(&t, 0, other, 0);
	pthread_mutex_lock(&m);
	up[0] = 1;
#ifdef FIXED
	while (!up[1])
		pthread_cond_wait(&c, &m);
#endif
	up[0] = 0;
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
