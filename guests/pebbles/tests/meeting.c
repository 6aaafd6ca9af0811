/* Two threads meet: neither goes on before the other has come. */
#include "pebbles.h"
#include "thread.h"

static sem_t parent, child;
static volatile int parent_came, child_came;

static void *other(void *arg)
{
	child_came = 1;
	sem_signal(&child);
	sem_wait(&parent);
	assert(parent_came);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	sem_init(&parent, 0);
	sem_init(&child, 0);
	assert(thr_create(other, NULL) > 0);
	parent_came = 1;
	sem_signal(&parent);
	sem_wait(&child);
	assert(child_came);
	return 0;
}
