/* Two threads write and downgrade: what each reads then is what it wrote. */
#include "pebbles.h"
#include "thread.h"

static rwlock_t lock;
static volatile long value;

static void *writer(void *arg)
{
	rwlock_lock(&lock, RWLOCK_WRITE);
	value = (long)arg;
	rwlock_downgrade(&lock);
	assert(value == (long)arg);
	rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	rwlock_init(&lock);
	assert(thr_create(writer, (void *)1) > 0);
	writer((void *)2);
	return 0;
}
