/* Two consumers, two units, given one after the other: each gets one. */
#include "pebbles.h"
#include "thread.h"

static sem_t units;

static void *consumer(void *arg)
{
	(void)arg;
	sem_wait(&units);
	vanish();
}

int main(void)
{
	thr_init(PAGE_SIZE);
	sem_init(&units, 0);
	assert(thr_create(consumer, NULL) > 0);
	assert(thr_create(consumer, NULL) > 0);
	sem_signal(&units);
	sem_signal(&units);
	return 0;
}
