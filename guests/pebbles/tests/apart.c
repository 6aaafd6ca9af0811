/* Two mutexes, taken one after the other in either order: each keeps its own
 * section, and no thread waits for ever. */
#include "pebbles.h"
#include "thread.h"

static struct part {
	mutex_t lock;
	volatile int inside;
} first, second;

static void section(struct part *p)
{
	mutex_lock(&p->lock);
	p->inside = p->inside + 1;
	assert(p->inside == 1);
	p->inside = p->inside - 1;
	mutex_unlock(&p->lock);
}

static void *other(void *arg)
{
	section(&second);
	section(&first);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&first.lock);
	mutex_init(&second.lock);
	assert(thr_create(other, NULL) > 0);
	section(&first);
	section(&second);
	return 0;
}
