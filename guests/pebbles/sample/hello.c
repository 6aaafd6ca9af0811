/* Two threads count. Leave a lock out and let landgo find the lost update. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static volatile int count, done;

static void add(void)
{
	mutex_lock(&lock);
	int seen = count;
	count = seen + 1;
	mutex_unlock(&lock);
}

static void *other(void *arg)
{
	add();
	done = 1;
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	assert(thr_create(other, NULL) > 0);
	add();
	while (!done)
		yield(-1);
	assert(count == 2);
	printf("counted to %d\n", count);
	return 0;
}
