/* One thread comes back to the section while the other waits for it. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static volatile int inside;

static void section(void)
{
	mutex_lock(&lock);
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	mutex_unlock(&lock);
}

static void *other(void *arg)
{
	section();
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	assert(thr_create(other, NULL) > 0);
	section();
	section();
	return 0;
}
