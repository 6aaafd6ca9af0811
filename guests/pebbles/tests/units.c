/* Two units given before a thread waits, or while one does: both are there,
 * and none before it is given. */
#include "pebbles.h"
#include "thread.h"

static sem_t units;
static volatile int given;

static void *giver(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		given = i;
		sem_signal(&units);
	}
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	sem_init(&units, 0);
	assert(thr_create(giver, NULL) > 0);
	for (int i = 1; i <= 2; i++) {
		sem_wait(&units);
		assert(given >= i);
	}
	return 0;
}
