/* Two threads, two sections each: the mutex goes to and fro. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static volatile int inside;

static void *sections(void *arg)
{
	for (int i = 0; i < 2; i++) {
		mutex_lock(&lock);
		inside = inside + 1;
		assert(inside == 1);
		inside = inside - 1;
		mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	assert(thr_create(sections, NULL) > 0);
	sections(NULL);
	return 0;
}
