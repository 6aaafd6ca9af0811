/* A producer and a consumer with room for one item: none is lost, and none is
 * overwritten before it is taken. */
#include "pebbles.h"
#include "thread.h"

#define ITEMS 2

static sem_t room, item;
static volatile int slot;

static void *producer(void *arg)
{
	for (int i = 1; i <= ITEMS; i++) {
		sem_wait(&room);
		slot = i;
		sem_signal(&item);
	}
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	sem_init(&room, 1);
	sem_init(&item, 0);
	assert(thr_create(producer, NULL) > 0);
	for (int i = 1; i <= ITEMS; i++) {
		sem_wait(&item);
		assert(slot == i);
		sem_signal(&room);
	}
	return 0;
}
