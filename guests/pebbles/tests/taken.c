/* Two units, one for each of two threads: then there is none, and a thread that wants
 * another waits until one is given back. */
#include "pebbles.h"
#include "thread.h"

static sem_t units;
static volatile int taken, given;

static void *other(void *arg)
{
	sem_wait(&units);
	taken = 1;
	thr_yield(-1);
	given = 1;
	sem_signal(&units);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	sem_init(&units, 2);
	assert(thr_create(other, NULL) > 0);
	sem_wait(&units);
	do
		thr_yield(-1);
	while (!taken);
	sem_wait(&units);
	assert(given);
	return 0;
}
