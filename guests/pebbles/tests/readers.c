/* A downgrade lets a reader in that waits for it: the two read together, for
 * the thread that downgraded stays until the other is there. */
#include "pebbles.h"
#include "thread.h"

static rwlock_t lock;
static volatile int value, reading;

static void *reader(void *arg)
{
	rwlock_lock(&lock, RWLOCK_READ);
	assert(value == 1);
	reading = 1;
	rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	rwlock_init(&lock);
	rwlock_lock(&lock, RWLOCK_WRITE);
	assert(thr_create(reader, NULL) > 0);
	value = 1;
	rwlock_downgrade(&lock);
	do
		thr_yield(-1);
	while (!reading);
	rwlock_unlock(&lock);
	return 0;
}
