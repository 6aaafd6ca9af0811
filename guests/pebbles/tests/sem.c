/* One unit, two consumers: one at a time, and the second gets what the first
 * gives back. */
#include "pebbles.h"
#include "thread.h"

static sem_t unit;
static volatile int inside;

static void consume(void)
{
	sem_wait(&unit);
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	sem_signal(&unit);
}

static void *consumer(void *arg)
{
	consume();
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	sem_init(&unit, 0);
	assert(thr_create(consumer, NULL) > 0);
	sem_signal(&unit);
	consume();
	return 0;
}
