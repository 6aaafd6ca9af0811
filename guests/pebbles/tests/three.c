/* Three threads, one section: the thread that gets it has it alone. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static volatile int inside;

static void *section(void *arg)
{
	mutex_lock(&lock);
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	mutex_unlock(&lock);
	(void)arg;
	vanish();
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	assert(thr_create(section, NULL) > 0);
	assert(thr_create(section, NULL) > 0);
	section(NULL);
	return 0;
}
